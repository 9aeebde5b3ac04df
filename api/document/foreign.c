#include "api/document/tree.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/lex/scan.h"

/* What a body is, and what its sender should do. */
#define UTF16 "text in UTF-16: it must be UTF-8"
#define UTF32 "text in UTF-32: it must be UTF-8"
#define ZLIB "zlib data: send it with Content-Encoding: deflate"
#define CODING ": use gzip or deflate, and name it in Content-Encoding"
#define PICKLE "a pickle of Python: send json.dumps(x)"
#define IMAGE " image: send its pixels as a tensor"
#define PAGE "an HTML page: send JSON"
#define PYTHON "the text that Python makes of bytes: send the bytes themselves"
#define COMMENT "a comment: JSON has none"
#define FILE_NAME                                                              \
    "the name of a file: send what is in it (curl: --data-binary @FILE)"

struct magic {
    const char *bytes;
    size_t len;
    const char *what;
};

#define MAGIC(bytes, what)                                                     \
    {                                                                          \
        bytes, sizeof(bytes) - 1, what                                         \
    }

/* The bytes at the beginning. */
static const struct magic magics[] = {
    MAGIC("\x93NUMPY", "an .npy file: send it to an infer route with "
                       "Content-Type: application/x-npy"),
    MAGIC("PK\x03\x04",
          "a ZIP archive, such as an .npz file: send one array as "
          "an .npy file, with Content-Type: application/x-npy"),
    MAGIC("\x1F\x8B", "gzip data: send it with Content-Encoding: gzip"),
    MAGIC("\x78\x01", ZLIB),
    MAGIC("\x78\x5E", ZLIB),
    MAGIC("\x78\x9C", ZLIB),
    MAGIC("\x78\xDA", ZLIB),
    MAGIC("\x28\xB5\x2F\xFD", "zstd data" CODING),
    MAGIC("BZh", "bzip2 data" CODING),
    MAGIC("\xFD\x37zXZ", "xz data" CODING),
    MAGIC("\x04\x22\x4D\x18", "LZ4 data" CODING),
    MAGIC("\0\0\xFE\xFF", UTF32),
    MAGIC("\xFF\xFE\0\0", UTF32),
    MAGIC("\xFF\xFE", UTF16),
    MAGIC("\xFE\xFF", UTF16),
    MAGIC("\x80\x02", PICKLE),
    MAGIC("\x80\x03", PICKLE),
    MAGIC("\x80\x04", PICKLE),
    MAGIC("\x80\x05", PICKLE),
    MAGIC("\x89PNG", "a PNG" IMAGE),
    MAGIC("\xFF\xD8\xFF", "a JPEG" IMAGE),
    MAGIC("\x89HDF", "an HDF5 file: send one array as a tensor"),
};

/* The same behind white space, in lower or upper case. */
static const struct magic words[] = {
    MAGIC("<!doctype", PAGE),
    MAGIC("<html", PAGE),
    MAGIC("<", "XML or HTML: send JSON"),
    MAGIC("%7b",
          "percent-encoded: send the document as it is, without escapes"),
    MAGIC("[object ", "the text that JavaScript makes of an object: send "
                      "JSON.stringify(x)"),
    MAGIC("b'", PYTHON),
    MAGIC("b\"", PYTHON),
    MAGIC("eyJ", "JSON in Base64: send the JSON itself"),
    MAGIC("//", COMMENT),
    MAGIC("/*", COMMENT),
    MAGIC("#", COMMENT),
};

size_t foreign_mark(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static const char *skip_space(const char *text, const char *end)
{
    while (text < end && scan_is_space(*text))
        text++;
    return text;
}

bool foreign_is_object(const char *text, size_t len)
{
    const char *end = text + len;

    text = skip_space(text + foreign_mark(text, len), end);
    return text < end && *text == '{' && !(text + 1 < end && text[1] == '\0');
}

static bool is_printable(unsigned char byte)
{
    return byte >= ' ' && byte < 0x7F;
}

static bool begins(const char *text, const char *end, const char *word,
                   size_t len)
{
    size_t i = 0;

    if ((size_t)(end - text) < len)
        return false;
    while (i < len &&
           tolower((unsigned char)text[i]) == tolower((unsigned char)word[i]))
        i++;
    return i == len;
}

/* Each of these is NULL for what it does not know. */
static const char *find_magic(const struct magic *table, size_t count,
                              const char *text, const char *end)
{
    for (size_t i = 0; i < count; i++)
        if (begins(text, end, table[i].bytes, table[i].len))
            return table[i].what;
    return NULL;
}

/* A name as the first field, and another field or the end behind it. */
static bool is_protobuf(const unsigned char *bytes, size_t len)
{
    size_t name = bytes[1];

    if (bytes[0] != 0x0A || name == 0 || name > 0x7F || len < 2 + name)
        return false;
    for (size_t i = 2; i < 2 + name; i++)
        if (!is_printable(bytes[i]))
            return false;
    return len == 2 + name || (bytes[2 + name] & 7) == 2;
}

/* Text of ASCII without a mark, in units of two or four bytes. */
static const char *find_wide(const unsigned char *b, size_t len)
{
    bool little = is_printable(b[0]) && b[1] == 0;
    bool big = b[0] == 0 && is_printable(b[1]);

    if (len >= 4 &&
        ((little && b[2] == 0 && b[3] == 0) ||
         (b[0] == 0 && b[1] == 0 && b[2] == 0 && is_printable(b[3]))))
        return UTF32;
    return little || big ? UTF16 : NULL;
}

static const char *find_binary(const unsigned char *b, size_t len)
{
    if (len < 2)
        return NULL;
    if (len >= 5 && b[0] <= 1 &&
        ((size_t)b[1] << 24 | (size_t)b[2] << 16 | (size_t)b[3] << 8 | b[4]) ==
            len - 5)
        return "a message of gRPC: send it to the port of --grpc-port";
    if (is_protobuf(b, len))
        return "a message of Protocol Buffers: send JSON, or gRPC to the port "
               "of --grpc-port";
    if ((b[0] > 0x80 && b[0] < 0x90 && b[1] >= 0xA0 && b[1] < 0xC0) ||
        ((b[0] == 0xDE || b[0] == 0xDF) && b[1] == 0))
        return "MessagePack: send JSON";
    if (b[0] > 0xA0 && b[0] < 0xC0 && b[1] > 0x60 && b[1] < 0x78)
        return "CBOR: send JSON";
    return find_wide(b, len);
}

static bool is_name(char c)
{
    return scan_is_digit(c) || (unsigned char)((c | 0x20) - 'a') < 26 ||
           strchr("_.-%+/@~[]", c);
}

static const char *find_form(const char *text, const char *end)
{
    static const char *const suffixes[] = {".json", ".npy", ".bin", ".txt"};
    const char *at = text;

    while (at < end && *at && is_name(*at))
        at++;
    if (at == text)
        return NULL;
    if (at < end && *at == '=')
        return "a form (key=value): send the document itself as the body "
               "(requests: json=, not data= with a dict)";
    if (skip_space(at, end) < end)
        return NULL;
    for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
        size_t len = strlen(suffixes[i]);

        if ((size_t)(at - text) > len && !memcmp(at - len, suffixes[i], len))
            return FILE_NAME;
    }
    return *text == '@' ? FILE_NAME : NULL;
}

/* `first` is behind a mark and white space. */
static const char *find(const char *text, size_t len, const char *first)
{
    const char *end = text + len;
    const char *found =
        find_magic(magics, sizeof(magics) / sizeof(magics[0]), text, end);

    if (!found)
        found = find_binary((const unsigned char *)text, len);
    if (!found && first == end)
        return "empty: send a JSON object";
    if (!found)
        found = find_magic(words, sizeof(words) / sizeof(words[0]), first, end);
    if (found)
        return found;
    if (begins(first, end, "--", 2) &&
        memmem(first, (size_t)(end - first), "\nContent-", 9))
        return "a multipart form: send the document itself as the body "
               "(requests: json= or data=, not files=; curl: --data-binary, "
               "not -F)";
    return find_form(first, end);
}

/* JSON of another type; NULL for any other text. */
static const char *json_type(const char *text, const char *end)
{
    static const char *const literals[][2] = {
        {"true", "a boolean"}, {"false", "a boolean"}, {"null", "null"}};
    const char *at = text;

    if (*text == '[' || *text == '"')
        return *text == '[' ? "an array" : "a string";
    for (size_t i = 0; i < sizeof(literals) / sizeof(literals[0]); i++) {
        size_t len = strlen(literals[i][0]);

        if ((size_t)(end - text) >= len && !memcmp(text, literals[i][0], len) &&
            skip_space(text + len, end) == end)
            return literals[i][1];
    }
    while (at < end && *at && strchr("0123456789+-.eE", *at))
        at++;
    return skip_space(at, end) == end ? "a number" : NULL;
}

/* At an array or a string: what its sender may have meant. */
static const char *advise(const char *text, const char *end)
{
    const char *inside = skip_space(text + 1, end);
    bool object = inside < end && *inside == '{';

    if (*text == '[')
        return object ? ", such as {\"inputs\": [...]}" : "";
    if (*text != '"' || !(object || (inside < end && *inside == '[')))
        return "";
    return ": it was encoded twice, so send the text that is in the string";
}

/* `fault` begins the error: "malformed JSON at byte 0: the body". What no
 * sender is known to have meant is quoted, and `wanted` is the right begin. */
static bool refuse(const char *fault, const char *found, const char *text,
                   size_t len, size_t at, const char *wanted, struct status *st)
{
    const unsigned char *b = (const unsigned char *)text;
    int shown = 0;

    if (found)
        return status_fail(st, STATUS_INVALID, "%s is %s", fault, found);
    while (shown < 40 && at + (size_t)shown < len &&
           is_printable(b[at + (size_t)shown]))
        shown++;
    if (shown > 0)
        return status_fail(st, STATUS_INVALID, "%s begins with '%.*s', but %s",
                           fault, shown, text + at, wanted);
    return status_fail(st, STATUS_INVALID,
                       "%s has %zu bytes that begin with %02x %02x, but %s",
                       fault, len, b[0], len > 1 ? b[1] : 0, wanted);
}

bool foreign_refuse(const char *name, const char *text, size_t len,
                    struct status *st)
{
    const char *end = text + len;
    const char *first = skip_space(text + foreign_mark(text, len), end);
    const char *found = find(text, len, first);
    const char *type = found ? NULL : json_type(first, end);
    size_t at = (size_t)(first - text);
    char fault[100];

    if (type)
        return status_fail(st, STATUS_INVALID,
                           "the %s is %s, but it must be an object%s", name,
                           type, advise(first, end));
    snprintf(fault, sizeof(fault), "malformed JSON at byte %zu: the %.40s", at,
             name);
    return refuse(fault, found, text, len, at, "a JSON object begins with '{'",
                  st);
}

bool foreign_refuse_npy(const char *text, size_t len, struct status *st)
{
    const char *end = text + len;
    const char *first = skip_space(text + foreign_mark(text, len), end);
    const char *found = "empty: send an .npy file";

    if (foreign_is_object(text, len))
        found = "a JSON object: send it with Content-Type: application/json";
    else if (first < end)
        found = find(text, len, first);
    return refuse("malformed .npy file: the body", found, text, len, 0,
                  "an .npy file begins with \\x93NUMPY", st);
}
