#include "tests/api/grpc/call.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/protobuf/protobuf.h"
#include "tests/api/answer.h"
#include "tests/api/message.h"

static bool is_text(const unsigned char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!isprint(data[i]))
            return false;
    return true;
}

static bool is_message(const unsigned char *data, size_t len)
{
    size_t left = 1000;
    struct protobuf_reader reader = protobuf_read(data, len, &left);
    struct protobuf_field field;

    while (protobuf_next(&reader, &field))
        if (field.number > 100)
            return false;
    return !reader.fault;
}

static void print_message(FILE *out, const unsigned char *data, size_t len);

static void print_bytes(FILE *out, const struct protobuf_field *field)
{
    if (is_text(field->data, field->len)) {
        fprintf(out, "'%.*s'", (int)field->len, (const char *)field->data);
    } else if (is_message(field->data, field->len)) {
        print_message(out, field->data, field->len);
    } else {
        for (size_t i = 0; i < field->len; i++)
            fprintf(out, "%02x", field->data[i]);
    }
}

static void print_message(FILE *out, const unsigned char *data, size_t len)
{
    size_t left = 10000;
    struct protobuf_reader reader = protobuf_read(data, len, &left);
    struct protobuf_field field;
    const char *blank = "";

    fprintf(out, "{");
    while (protobuf_next(&reader, &field)) {
        fprintf(out, "%s%u=", blank, field.number);
        blank = " ";
        if (field.type == PROTOBUF_BYTES)
            print_bytes(out, &field);
        else
            fprintf(out, "%llu", (unsigned long long)field.value);
    }
    ck_assert_msg(reader.fault == NULL, "%s", reader.fault);
    fprintf(out, "}");
}

static void print_reply(FILE *out, const struct api_reply *reply,
                        const struct api_grpc_status *status)
{
    size_t len;
    char *all = reply_join(reply, &len);

    fprintf(out, "%d", (int)status->code);
    if (status->code == API_GRPC_OK) {
        ck_assert_str_eq(status->text, "");
        fprintf(out, " ");
        print_message(out, (unsigned char *)all, len);
    } else {
        ck_assert_uint_eq(len, 0);
        fprintf(out, " %s", status->text);
    }
    free(all);
}

/* With a reply of the route that is given, or NULL. */
static char *ask_method(const struct api_grpc_method *method, const char *hex,
                        void (*change)(struct api_request *),
                        const struct api_reply *given)
{
    struct api_grpc_status status;
    struct api_grpc_call call;
    struct api_request request = {.ready = true};
    struct api_reply reply;
    size_t len, size = 0;
    unsigned char *message = message_unhex(hex, &len);
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);

    if (api_grpc_request(method, message, len, &call, &request, &reply)) {
        if (change)
            change(&request);
        if (given)
            reply = *given;
        else
            api_answer(&request, &reply);
    } else {
        ck_assert_ptr_null(given);
    }
    api_grpc_reply(&call, &request, &reply, &status);
    print_reply(out, &reply, &status);
    fclose(out);
    api_reply_free(&reply);
    api_grpc_call_free(&call);
    free(message);
    return text;
}

char *call_ask_with(const char *path, const char *hex,
                    void (*change)(struct api_request *))
{
    const struct api_grpc_method *method = api_grpc_find(path);

    return method ? ask_method(method, hex, change, NULL) : strdup("no method");
}

char *call_ask(const char *path, const char *hex)
{
    return call_ask_with(path, hex, NULL);
}

char *call_answer(const char *path, const char *hex, int http_status,
                  const char *json, const char *error)
{
    struct api_reply reply = {.status = http_status,
                              .piece_count = 1,
                              .pieces = {{json, strlen(json)}}};

    if (error)
        api_reply_error(&reply, http_status, error);
    return ask_method(api_grpc_find(path), hex, NULL, &reply);
}
