/* Bodies that are no JSON object. */
#include <stdlib.h>
#include <string.h>

#include "api/document/tree.h"
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
    ROW("\x01", "the body has 1 bytes that begin with 01"),
    ROW("\x01\x02\x03", "the body has 3 bytes that begin with 01 02"),
    ROW("\0", "the body has 1 bytes"),
    ROW("\xEF\xBB{}", "the body has 4 bytes that begin with ef bb"),
};

/* Refuses the first `len` bytes of a text, in a block of exactly that size. */
static struct status refuse(const char *text, size_t len)
{
    char *copy = malloc(len ? len : 1);
    struct status st = {.message = ""};

    ck_assert_ptr_nonnull(copy);
    memcpy(copy, text, len);
    if (!foreign_is_object(copy, len))
        ck_assert(!foreign_refuse("body", copy, len, &st));
    free(copy);
    return st;
}

LOOP_TEST(foreign_body_is_called_by_its_name, COUNT(rows))
{
    struct status st = refuse(rows[_i].text, rows[_i].len);

    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, rows[_i].part), "%s", st.message);
}

/* However early it ends, it is refused with a text. */
LOOP_TEST(foreign_body_may_end_anywhere, COUNT(rows))
{
    for (size_t len = 0; len < rows[_i].len; len++) {
        struct status st = refuse(rows[_i].text, len);

        ck_assert(st.code == STATUS_INVALID || rows[_i].text[0] == '{');
    }
}

UNIT_TEST(foreign_text_of_any_two_bytes_is_refused_or_an_object)
{
    for (int i = 0; i < 1 << 16; i++) {
        const char text[] = {(char)(i >> 8), (char)i, 'x', 'y'};
        struct status st = refuse(text, sizeof(text));

        if ((st.code == STATUS_INVALID) == foreign_is_object(text, 4))
            ck_abort_msg("%04x", i);
    }
}

static const char *const objects[] = {"{", "{}", " \t\r\n{", "\xEF\xBB\xBF{",
                                      "\xEF\xBB\xBF\n{"};

LOOP_TEST(object_is_one_behind_a_mark_and_blanks, COUNT(objects))
{
    ck_assert(foreign_is_object(objects[_i], strlen(objects[_i])));
}
