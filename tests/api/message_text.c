/* Responses as text: a decoder that knows ModelInferResponse only. */
#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/api/message.h"

struct in {
    const unsigned char *at, *end;
};

static uint64_t get_varint(struct in *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0;; shift += 7) {
        ck_assert(in->at < in->end && shift < 64);
        value |= (uint64_t)(*in->at & 0x7F) << shift;
        if (*in->at++ < 0x80)
            return value;
    }
}

/* The number of the next field and its bytes; every field here has some. */
static unsigned get_field(struct in *in, struct in *field)
{
    uint64_t tag = get_varint(in), len;

    ck_assert_uint_eq(tag & 7, 2);
    len = get_varint(in);
    ck_assert_uint_le(len, (size_t)(in->end - in->at));
    *field = (struct in){in->at, in->at + len};
    in->at += len;
    return (unsigned)(tag >> 3);
}

static void print_text(FILE *out, const char *name, const struct in *text)
{
    fprintf(out, "%s'%.*s'", name, (int)(text->end - text->at),
            (const char *)text->at);
}

static void print_entry(FILE *out, struct in entry)
{
    struct in key, value, text;

    ck_assert_uint_eq(get_field(&entry, &key), 1);
    ck_assert_uint_eq(get_field(&entry, &value), 2);
    print_text(out, " ", &key);
    if (value.end - value.at == 2 && *value.at == 1 << 3) {
        fprintf(out, "=%s", value.at[1] ? "true" : "false");
        return;
    }
    ck_assert_uint_eq(get_field(&value, &text), 3);
    ck_assert(entry.at == entry.end && value.at == value.end);
    print_text(out, "=", &text);
}

static void print_output(FILE *out, struct in output)
{
    struct in field;

    ck_assert_uint_eq(get_field(&output, &field), 1);
    print_text(out, " ", &field);
    ck_assert_uint_eq(get_field(&output, &field), 2);
    print_text(out, " ", &field);
    if (output.at == output.end)
        return;
    ck_assert_uint_eq(get_field(&output, &field), 3);
    while (field.at < field.end)
        fprintf(out, " %llu", (unsigned long long)get_varint(&field));
    ck_assert(output.at == output.end);
}

static void print_hex(FILE *out, struct in bytes)
{
    fprintf(out, " ");
    for (; bytes.at < bytes.end; bytes.at++)
        fprintf(out, "%02x", *bytes.at);
}

char *message_text(const unsigned char *data, size_t len)
{
    static const char *const names[] = {"", "model", "version", "id",
                                        "", "",      ""};
    struct in in = {data, data + len}, field;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    while (in.at < in.end) {
        unsigned number = get_field(&in, &field);

        ck_assert(number >= 1 && number <= 6);
        fprintf(out, "%s%s", size > 0 || number > 1 ? " " : "", names[number]);
        if (number <= 3)
            print_text(out, "=", &field);
        else if (number == 4)
            print_entry(out, field);
        else if (number == 5)
            print_output(out, field);
        else
            print_hex(out, field);
    }
    fclose(out);
    return text;
}

struct answer ask_message(const char *json, struct ask question)
{
    struct message message = message_of(json, question.unpacked);
    struct answer a;

    question.path = "/v2/models/-/infer";
    question.protobuf = true;
    question.json = (const char *)message.data;
    question.json_len = message.len;
    a = ask(&question);
    message_free(&message);
    return a;
}
