#include "api/lex/scan.h"

#include "api/lex/simd.h"

/* The value of four hexadecimal digits, or -1. */
static int read_hex4(const char *text)
{
    int value = 0;

    for (int i = 0; i < 4; i++) {
        int digit = digits_hex(text[i]);

        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/* Inside a string: the first byte that is a quote or a backslash or, where
 * `plain` is wanted, a control character or not ASCII; `end` when there is
 * none. */
static inline const char *find_special(const char *text, const char *end,
                                       bool plain)
{
    for (; end - text >= SCAN_BLOCK; text += SCAN_BLOCK) {
        uint64_t block = scan_load(text);
        uint64_t mask = plain
                            ? scan_special(block)
                            : scan_equal(block, '"') | scan_equal(block, '\\');

        if (mask)
            return text + scan_first(mask);
    }
    while (text < end && *text != '"' && *text != '\\' &&
           (!plain || (unsigned char)(*text - ' ') < 0x80 - ' '))
        text++;
    return text;
}

const char *scan_string_end(const char *text, const char *end)
{
    for (;;) {
        text = find_special(text, end, false);
        if (text == end)
            return NULL;
        if (*text == '"')
            return text + 1;
        if (end - text < 2)
            return NULL;
        text += 2;
    }
}

/* The byte after the next bracket or string, or after one block when there is
 * neither; NULL for a string that is not closed. */
static const char *skip_one(const char *text, const char *end, size_t *depth)
{
    if (end - text >= SCAN_BLOCK) {
        uint64_t block = scan_load(text);
        uint64_t mask = scan_brackets(block) | scan_equal(block, '"');

        if (!mask)
            return text + SCAN_BLOCK;
        text += scan_first(mask);
    }
    switch (*text++) {
    case '[':
        ++*depth;
        break;
    case ']':
        --*depth;
        break;
    case '"':
        return scan_string_end(text, end);
    }
    return text;
}

const char *scan_list_end(const char *text, const char *end)
{
    const ptrdiff_t distance = 16 * (ptrdiff_t)JSON_SIMD_BLOCK;
    const struct json_simd *simd = json_simd_active();
    const char *block = text; /* from here on blocks are tried again */
    size_t depth = 1;

    while (text && text < end) {
        if (text >= block && end - text >= distance) {
            text = simd->lists(text, end, &depth);
            block = end - text < distance ? end : text + distance;
            continue;
        }
        text = skip_one(text, end, &depth);
        if (depth == 0)
            return text;
    }
    return NULL;
}

static bool is_high(int unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low(int unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* The value of the \uXXXX at `text`, or -1. */
static int read_unit(const char *text, const char *end)
{
    if (end - text < 6 || text[0] != '\\' || text[1] != 'u')
        return -1;
    return read_hex4(text + 2);
}

/* Length of the escape at `text`, or 0 when it is not valid. */
static size_t check_escape(const char *text, const char *end, const char **why)
{
    int unit;

    *why = "an escape is not valid";
    if (end - text < 2)
        return 0;
    if (text[1] != 'u')
        return memchr("\"\\/bfnrt", text[1], 8) ? 2 : 0;
    unit = read_unit(text, end);
    if (unit < 0)
        return 0;
    *why = "a surrogate has no partner";
    if (is_high(unit))
        return is_low(read_unit(text + 6, end)) ? 12 : 0;
    return is_low(unit) ? 0 : 6;
}

bool scan_string(const char **text, const char *end, const char **why)
{
    const char *at = *text + 1;
    size_t step = 1;

    for (; step > 0; at += step) {
        at = find_special(at, end, true);
        if (at == end) {
            *why = "a string is not closed";
            break;
        }
        if (*at == '"') {
            *text = at + 1;
            return true;
        }
        if (*at == '\\') {
            step = check_escape(at, end, why);
        } else if ((unsigned char)*at < ' ') {
            *why = "a control character in a string";
            step = 0;
        } else {
            *why = "a string is not UTF-8";
            step = utf8_length((const unsigned char *)at, (size_t)(end - at));
        }
    }
    *text = at;
    return false;
}

static size_t write_utf8(unsigned char *out, unsigned long c)
{
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        out[i] = (unsigned char)(0x80 | (c & 0x3F));
    out[0] = (unsigned char)(len == 1 ? c : 0xF00u >> len | c);
    return len;
}

static unsigned char plain_escape(char c)
{
    static const char letters[] = "bfnrt", bytes[] = "\b\f\n\r\t";
    const char *known = strchr(letters, c);

    return (unsigned char)(known ? bytes[known - letters] : c);
}

/* Decodes the escape at *text and moves *text after it; returns the length. */
static size_t decode_escape(const char **text, unsigned char *out)
{
    unsigned long high, low;

    if ((*text)[1] != 'u') {
        *out = plain_escape((*text)[1]);
        *text += 2;
        return 1;
    }
    high = (unsigned long)read_hex4(*text + 2);
    *text += 6;
    if (!is_high((int)high))
        return write_utf8(out, high);
    low = (unsigned long)read_hex4(*text + 2);
    *text += 6;
    return write_utf8(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
}

size_t scan_decode(const char **text, const char *end, unsigned char *out)
{
    const char *at = *text + 1;
    size_t len = 0;

    for (;;) {
        const char *stop = find_special(at, end, false);

        memcpy(out + len, at, (size_t)(stop - at));
        len += (size_t)(stop - at);
        at = stop;
        if (*at == '"')
            break;
        len += decode_escape(&at, out + len);
    }
    *text = at + 1;
    return len;
}

/* What people and other languages write where JSON has another spelling. */
static const struct {
    const char *word, *hint;
} words[] = {
    {"'", ": strings have double quotes in JSON, as json.dumps() writes them"},
    {"None", ": it is null in JSON, as json.dumps() writes it"},
    {"True", ": it is true in JSON, as json.dumps() writes it"},
    {"False", ": it is false in JSON, as json.dumps() writes it"},
    {"NaN", ": only data of floats may have NaN"},
    {"Infinity", ": only data of floats may have Infinity"},
    {"nan", ": it is spelled NaN, and only data of floats may have it"},
    {"inf", ": it is spelled Infinity, and only data of floats may have it"},
    {"undefined", ": JSON has no undefined; null is as good as absent"},
    {"array", ": send a list, such as that of NumPy's x.tolist()"},
    {"tensor", ": send a list, such as that of PyTorch's x.tolist()"},
    {"/", ": JSON has no comments"},
    {"#", ": JSON has no comments"},
};

static bool is_letter(char c)
{
    return (unsigned char)((c | 0x20) - 'a') < 26 || c == '_' ||
           scan_is_digit(c);
}

/* True for the bracket that closes something behind a comma. */
static bool follows_comma(const char *start, const char *at)
{
    if (*at != '}' && *at != ']')
        return false;
    while (at > start && scan_is_space(at[-1]))
        at--;
    return at > start && at[-1] == ',';
}

static bool is_key(const char *after, const char *end)
{
    while (after < end && scan_is_space(*after))
        after++;
    return after < end && *after == ':';
}

const char *scan_mistake(const char *start, const char *at, const char *end)
{
    const char *after;
    size_t len;

    if (at >= end)
        return "";
    if (follows_comma(start, at))
        return ": no comma stands before a closing bracket";
    at += *at == '-' && at + 1 < end;
    for (after = at; after < end && is_letter(*after);)
        after++;
    after += after == at; /* one byte that is in no word */
    if (is_letter(*at) && is_key(after, end))
        return ": a key is a string in double quotes";
    len = (size_t)(after - at);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strlen(words[i].word) == len && !memcmp(words[i].word, at, len))
            return words[i].hint;
    return "";
}
