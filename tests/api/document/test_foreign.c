/* Bodies that are no JSON object. */
#include "api/document/tree.h"
#include "tests/edge.h"
#include "tests/unit.h"

struct row {
    const char *text;
    size_t len;
    const char *part;
};

#define ROW(text, part)                                                        \
    {                                                                          \
        text, sizeof(text) - 1, part                                           \
    }

static const struct row rows[] = {
    ROW("", "byte 0: the body is empty"),
    ROW(" \r\n", "byte 3: the body is empty"),
    ROW("\xEF\xBB\xBF", "byte 3: the body is empty"),
    /* JSON of another type */
    ROW("[]", "the body is an array, but it must be an object"),
    ROW(" [{\"inputs\":[]}]", "an array, but it must be an object, such as {"),
    ROW("7", "the body is a number"),
    ROW("-1.5e3 ", "the body is a number"),
    ROW("null", "the body is null"),
    ROW("true\n", "the body is a boolean"),
    ROW("\"hello\"", "the body is a string, but it must be an object"),
    ROW("\"{\\\"inputs\\\": []}\"", "it was encoded twice"),
    ROW("\" [1]\"", "it was encoded twice"),
    /* forms */
    ROW("--a1\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n{}\r\n",
        "a multipart form"),
    ROW("data={\"inputs\":[]}", "a form (key=value)"),
    ROW("inputs=input&inputs=sequence_lens", "a form (key=value)"),
    ROW("a%5B%5D=1", "a form (key=value)"),
    ROW("%7B%22inputs%22%3A1%7D", "percent-encoded"),
    ROW("request.json", "the name of a file"),
    ROW("@x", "the name of a file"),
    ROW("./a/b.npy\n", "the name of a file"),
    /* files and codings */
    ROW("\x93NUMPY\x01\0", "an .npy file: send it to an infer route with "
                           "Content-Type: application/x-npy"),
    ROW("PK\x03\x04", "an .npz file"),
    ROW("\x1F\x8B\x08\0", "gzip data: send it with Content-Encoding: gzip"),
    ROW("\x78\x9C\x4B\x4C",
        "zlib data: send it with Content-Encoding: deflate"),
    ROW("\x78\x01", "zlib data"),
    ROW("\x28\xB5\x2F\xFD\x04\0", "zstd data: use gzip or deflate"),
    ROW("BZh91AY", "bzip2 data"),
    ROW("\x89PNG\r\n", "a PNG image"),
    ROW("\x80\x04\x95\0", "a pickle of Python"),
    /* encodings */
    ROW("\xFF\xFE{\0\"\0", "text in UTF-16: it must be UTF-8"),
    ROW("\xFE\xFF\0{\0\"", "text in UTF-16"),
    ROW("{\0\"\0", "text in UTF-16"),
    ROW("\0{\0\"", "text in UTF-16"),
    ROW("\xFF\xFE\0\0{\0\0\0", "text in UTF-32: it must be UTF-8"),
    ROW("\0\0\xFE\xFF\0\0\0{", "text in UTF-32"),
    ROW("{\0\0\0\"\0\0\0", "text in UTF-32"),
    ROW("\0\0\0{\0\0\0\"", "text in UTF-32"),
    /* other protocols */
    ROW("\x0A\x04onnx\x2A\x01x", "a message of Protocol Buffers"),
    ROW("\x0A\x04onnx", "a message of Protocol Buffers"),
    ROW("\0\0\0\0\x06\x0A\x04onnx", "a message of gRPC"),
    ROW("\0\0\0\0\0", "a message of gRPC"),
    ROW("\x81\xA6inputs", "MessagePack"),
    ROW("\xA1\x66inputs", "CBOR"),
    ROW("<!DOCTYPE html>", "an HTML page"),
    ROW("\n<HTML>", "an HTML page"),
    ROW("<?xml version='1.0'?>", "XML or HTML"),
    /* other languages */
    ROW("[object Object]", "JSON.stringify"),
    ROW("b'{}'", "Python makes of bytes"),
    ROW("eyJpbnB1dHMiOiBbXX0=", "Base64"),
    ROW("// x\n{}", "a comment"),
    /* anything else */
    ROW("NaN", "byte 0: the body begins with 'NaN', but a JSON object begins"),
    ROW("inputs:\n - name: x", "begins with 'inputs:'"),
    ROW("\n ]{", "byte 2: the body begins with ']{'"),
    ROW("12 x", "begins with '12 x'"),
    ROW("nullx", "begins with 'nullx'"),
    ROW("x", "begins with 'x'"),
    ROW("\x01", "the body has 1 bytes that begin with 01 00, but"),
    ROW("\x01\x02\x03", "the body has 3 bytes that begin with 01 02"),
    ROW("\0", "the body has 1 bytes"),
    ROW("\x01\0", "the body has 2 bytes that begin with 01 00"),
    ROW("\0\x01\x02\x03", "the body has 4 bytes that begin with 00 01"),
    ROW("\0\0\x01x", "the body has 4 bytes that begin with 00 00"),
    ROW("\0\0\0\x01", "the body has 4 bytes that begin with 00 00"),
    ROW("\x01\x02", "the body has 2 bytes that begin with 01 02"),
    ROW("\x0A\x02\x01y", "the body has 4 bytes that begin with 0a 02"),
    ROW("a\0\0\0", "text in UTF-32"),
    ROW("aZz=1", "a form (key=value)"),
    ROW("a{=1", "begins with 'a{=1', but"),
    ROW("ab\0=1", "begins with 'ab', but"),
    ROW("x\nContent-Type: a", "begins with 'x', but"),
    ROW("a\0", "text in UTF-16"),
    ROW("a\0\0b", "text in UTF-16"),
    ROW("\0a", "text in UTF-16"),
    ROW("\0a\0b", "text in UTF-16"),
    ROW("\x02\0\0\0\x01x", "the body has 6 bytes that begin with 02 00"),
    ROW("\0\0\0\0\x02x", "the body has 6 bytes that begin with 00 00"),
    ROW("\x0A\0", "the body has 2 bytes that begin with 0a 00"),
    ROW("\x0A\x02x\x01", "the body has 4 bytes that begin with 0a 02"),
    ROW("\x0A\x02xy\x11", "the body has 5 bytes that begin with 0a 02"),
    ROW("--a\r\nContent", "begins with '--a', but"),
    ROW("x.json y", "begins with 'x.json y', but"),
    ROW(".npy", "begins with '.npy', but"),
    ROW("1234567890123456789012345678901234567890\x7F",
        "begins with '1234567890123456789012345678901234567890', but"),
    ROW("1234567890123456789012345678901234567890!1",
        "begins with '1234567890123456789012345678901234567890', but"),
    ROW("\xEF\xBB{}", "the body has 4 bytes that begin with ef bb"),
};

/* Refuses the first `len` bytes of a text, behind which none can be read. */
static struct status refuse(const char *text, size_t len)
{
    char *copy = edge_copy(text, len);
    struct status st = {.message = ""};

    if (!foreign_is_object(copy, len))
        ck_assert(!foreign_refuse("body", copy, len, &st));
    edge_free(copy, len);
    return st;
}

LOOP_TEST(foreign_body_is_called_by_its_name, COUNT(rows))
{
    struct status st = refuse(rows[_i].text, rows[_i].len);

    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, rows[_i].part), "%s", st.message);
    if (!strstr(rows[_i].part, "such as") && !strstr(rows[_i].part, "twice"))
        ck_assert(!strstr(st.message, "such as {") &&
                  !strstr(st.message, "twice"));
}

/* However early it ends, it is refused with a text. */
LOOP_TEST(foreign_body_may_end_anywhere, COUNT(rows))
{
    for (size_t len = 0; len < rows[_i].len; len++) {
        struct status st = refuse(rows[_i].text, len);

        ck_assert(st.code == STATUS_INVALID || rows[_i].text[0] == '{');
    }
}

/* What two bytes are in binary formats, when "xy" follows. */
static const char *binary_name(int a, int b)
{
    if ((a >= 0x81 && a <= 0x8F && b >= 0xA0 && b <= 0xBF) ||
        ((a == 0xDE || a == 0xDF) && b == 0))
        return "is MessagePack";
    if (a >= 0xA1 && a <= 0xBF && b >= 0x61 && b <= 0x77)
        return "is CBOR";
    if ((a >= 0x20 && a <= 0x7E && b == 0) || (a << 8 | b) == 0xFFFE ||
        (b >= 0x20 && b <= 0x7E && a == 0) || (a << 8 | b) == 0xFEFF)
        return "is text in UTF-16";
    return a == 0x0A && b == 2 ? "of Protocol Buffers" : NULL;
}

UNIT_TEST(foreign_text_of_any_two_bytes_is_refused_or_an_object)
{
    static const char *const names[] = {"is MessagePack", "is CBOR",
                                        "is text in UTF-16",
                                        "of Protocol Buffers"};

    for (int i = 0; i < 1 << 16; i++) {
        const char text[] = {(char)(i >> 8), (char)i, 'x', 'y'};
        const char *name = binary_name(i >> 8, i & 0xFF);
        struct status st = {.message = ""};

        if (!foreign_is_object(text, 4) && foreign_refuse("body", text, 4, &st))
            ck_abort_msg("%04x", i);
        if ((st.code == STATUS_INVALID) == foreign_is_object(text, 4))
            ck_abort_msg("%04x", i);
        for (int n = 0; n < COUNT(names); n++)
            if (!strstr(st.message, names[n]) !=
                !(name && strcmp(name, names[n]) == 0))
                ck_abort_msg("%04x: %s", i, st.message);
    }
}

UNIT_TEST(length_of_a_message_of_grpc_has_four_bytes)
{
    const size_t len = 5 + 0x01020304;
    char *text = calloc(len, 1);
    struct status st;

    ck_assert_ptr_nonnull(text);
    memcpy(text, "\1\1\2\3\4", 5);
    ck_assert(!foreign_refuse("body", text, len, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "is a message of gRPC"));
    ck_assert(!foreign_refuse("body", text, len - 1, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "begin with 01 01"));
    free(text);
}

/* Bodies that should be .npy files. */
static const struct row files[] = {
    ROW("", "is empty: send an .npy file"),
    ROW("\xEF\xBB\xBF\n", "is empty: send an .npy file"),
    ROW(" {}", "is a JSON object: send it with Content-Type: application/json"),
    ROW("BZh", "is bzip2 data: use gzip or deflate, and name it in "
               "Content-Encoding"),
    ROW("\n[1]", "has 4 bytes that begin with 0a 5b, but an .npy file begins "
                 "with \\x93NUMPY"),
    ROW("[1]", "begins with '[1]', but an .npy file begins with \\x93NUMPY"),
};

LOOP_TEST(foreign_file_is_called_by_its_name, COUNT(files))
{
    char *copy = edge_copy(files[_i].text, files[_i].len);
    struct status st;

    ck_assert(!foreign_refuse_npy(copy, files[_i].len, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_str_eq(st.message + strlen("malformed .npy file: the body "),
                     files[_i].part);
    edge_free(copy, files[_i].len);
}

static const char *const objects[] = {"{", "{}", " \t\r\n{", "\xEF\xBB\xBF{",
                                      "\xEF\xBB\xBF\n{"};

LOOP_TEST(object_is_one_behind_a_mark_and_blanks, COUNT(objects))
{
    ck_assert(foreign_is_object(objects[_i], strlen(objects[_i])));
}
