#include "tests/api/message.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct out {
    FILE *file;
    bool unpacked;
};

static void put_varint(FILE *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        fputc((int)(value & 0x7F) | 0x80, out);
    fputc((int)value, out);
}

static void put_bytes(FILE *out, unsigned number, const void *data, size_t len)
{
    put_varint(out, number << 3 | 2);
    put_varint(out, len);
    fwrite(data, 1, len, out);
}

static void put_fixed(FILE *out, uint64_t bits, int size)
{
    for (int i = 0; i < size; i++)
        fputc((int)(bits >> 8 * i & 0xFF), out);
}

/* A number without its tag, as the list or parameter `number` has it. */
static unsigned put_number(FILE *out, const json_t *value, int fixed)
{
    double real = json_number_value(value);
    float narrow = (float)real;
    uint32_t bits32;
    uint64_t bits64;

    memcpy(&bits32, &narrow, sizeof(bits32));
    memcpy(&bits64, &real, sizeof(bits64));
    if (fixed > 0) {
        put_fixed(out, fixed == 4 ? bits32 : bits64, fixed);
        return fixed == 4 ? 5 : 1;
    }
    put_varint(out, json_is_boolean(value)
                        ? (uint64_t)json_is_true(value)
                        : (uint64_t)json_integer_value(value));
    return 0;
}

unsigned char *message_unhex(const char *hex, size_t *len)
{
    unsigned char *bytes = malloc(strlen(hex) / 2 + 1);
    unsigned byte;

    *len = 0;
    for (hex += strspn(hex, " "); *hex; hex += 2 + strspn(hex + 2, " ")) {
        ck_assert_int_eq(sscanf(hex, "%2x", &byte), 1);
        bytes[(*len)++] = (unsigned char)byte;
    }
    return bytes;
}

static void put_hex(FILE *out, const char *hex)
{
    size_t len;
    unsigned char *bytes = message_unhex(hex, &len);

    fwrite(bytes, 1, len, out);
    free(bytes);
}

/* A field that is a message, whose content `write` writes. */
typedef void writer(const struct out *out, const json_t *json);

static void put_message(const struct out *out, unsigned number, writer *write,
                        const json_t *json)
{
    struct message inner = {NULL, 0};
    struct out nested = {open_memstream((char **)&inner.data, &inner.len),
                         out->unpacked};

    write(&nested, json);
    fclose(nested.file);
    put_bytes(out->file, number, inner.data, inner.len);
    free(inner.data);
}

static void write_parameter(const struct out *out, const json_t *value)
{
    const char *uint = json_string_value(json_object_get(value, "uint64"));

    if (json_is_string(value)) {
        put_bytes(out->file, 3, json_string_value(value),
                  json_string_length(value));
    } else if (json_is_real(value)) {
        put_varint(out->file, 4 << 3 | 1);
        put_number(out->file, value, 8);
    } else if (uint) {
        put_varint(out->file, 5 << 3);
        put_varint(out->file, strtoull(uint, NULL, 10));
    } else if (!json_is_null(value)) {
        put_varint(out->file, json_is_boolean(value) ? 8U : 16U);
        put_number(out->file, value, 0);
    }
}

/* `pair` is an array of key and value. */
static void write_entry(const struct out *out, const json_t *pair)
{
    const json_t *key = json_array_get(pair, 0);

    put_bytes(out->file, 1, json_string_value(key), json_string_length(key));
    put_message(out, 2, write_parameter, json_array_get(pair, 1));
}

static void put_map(const struct out *out, unsigned number, const json_t *map)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)map, key, value)
    {
        json_t *pair = json_pack("[sO]", key, value);

        put_message(out, number, write_entry, pair);
        json_decref(pair);
    }
}

static void put_list(const struct out *out, unsigned number, const json_t *list,
                     int fixed)
{
    struct message packed = {NULL, 0};
    FILE *file = open_memstream((char **)&packed.data, &packed.len);

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *value = json_array_get(list, i);

        if (out->unpacked) {
            put_varint(out->file, number << 3 | (fixed == 4   ? 5U
                                                 : fixed == 8 ? 1U
                                                              : 0U));
            put_number(out->file, value, fixed);
        } else {
            put_number(file, value, fixed);
        }
    }
    fclose(file);
    if (packed.len > 0)
        put_bytes(out->file, number, packed.data, packed.len);
    free(packed.data);
}

static void put_texts(const struct out *out, unsigned number,
                      const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *text = json_array_get(list, i);

        put_bytes(out->file, number, json_string_value(text),
                  json_string_length(text));
    }
}

static void write_contents(const struct out *out, const json_t *contents)
{
    static const struct {
        const char *name;
        int fixed;
    } lists[] = {
        {"bool_contents", 0}, {"int_contents", 0},    {"int64_contents", 0},
        {"uint_contents", 0}, {"uint64_contents", 0}, {"fp32_contents", 4},
        {"fp64_contents", 8},
    };

    for (unsigned i = 0; i < 7; i++)
        put_list(out, i + 1, json_object_get(contents, lists[i].name),
                 lists[i].fixed);
    put_texts(out, 8, json_object_get(contents, "bytes_contents"));
    if (json_object_get(contents, "raw"))
        put_hex(out->file, json_string_value(json_object_get(contents, "raw")));
}

static void write_tensor(const struct out *out, const json_t *tensor,
                         bool is_output)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)tensor, key, value)
    {
        if (strcmp(key, "name") == 0)
            put_bytes(out->file, 1, json_string_value(value),
                      json_string_length(value));
        else if (strcmp(key, "datatype") == 0)
            put_bytes(out->file, 2, json_string_value(value),
                      json_string_length(value));
        else if (strcmp(key, "shape") == 0)
            put_list(out, 3, value, 0);
        else if (strcmp(key, "parameters") == 0)
            put_map(out, is_output ? 2 : 4, value);
        else if (strcmp(key, "contents") == 0)
            put_message(out, 5, write_contents, value);
        else
            put_hex(out->file, json_string_value(value));
    }
}

static void write_input(const struct out *out, const json_t *input)
{
    write_tensor(out, input, false);
}

static void write_output(const struct out *out, const json_t *output)
{
    write_tensor(out, output, true);
}

static void put_all(const struct out *out, unsigned number, writer *write,
                    const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        put_message(out, number, write, json_array_get(list, i));
}

static void put_raw(const struct out *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *hex = json_string_value(json_array_get(list, i));
        size_t len;
        unsigned char *bytes = message_unhex(hex, &len);

        put_bytes(out->file, 7, bytes, len);
        free(bytes);
    }
}

static void put_member(const struct out *out, const char *key,
                       const json_t *value)
{
    static const char *const texts[] = {"model_name", "model_version", "id"};

    for (unsigned i = 0; i < 3; i++)
        if (strcmp(key, texts[i]) == 0) {
            put_bytes(out->file, i + 1, json_string_value(value),
                      json_string_length(value));
            return;
        }
    if (strcmp(key, "parameters") == 0)
        put_map(out, 4, value);
    else if (strcmp(key, "inputs") == 0)
        put_all(out, 5, write_input, value);
    else if (strcmp(key, "outputs") == 0)
        put_all(out, 6, write_output, value);
    else if (strcmp(key, "raw_input_contents") == 0)
        put_raw(out, value);
    else
        put_hex(out->file, json_string_value(value));
}

struct message message_of(const char *json, bool unpacked)
{
    struct message message = {NULL, 0};
    struct out out = {NULL, unpacked};
    char *text = strdup(json);
    json_error_t error;
    const char *key;
    json_t *root, *value;

    ask_quote(text);
    root = json_loads(text, JSON_ALLOW_NUL, &error);
    ck_assert_msg(root != NULL, "%s: %s", error.text, text);
    out.file = open_memstream((char **)&message.data, &message.len);
    json_object_foreach(root, key, value) put_member(&out, key, value);
    fclose(out.file);
    json_decref(root);
    free(text);
    return message;
}

void message_free(struct message *message)
{
    free(message->data);
}

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

void assert_message(struct answer a, const char *wanted)
{
    char *text;

    ck_assert_msg(a.status == 200, "%s", a.body);
    ck_assert_str_eq(a.content_type, "application/grpc");
    text = message_text((unsigned char *)a.body, a.len);
    ck_assert_str_eq(text, wanted);
    free(text);
    answer_free(&a);
}
