#include "tests/api/ask.h"

#include <check.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/server_state.h"
#include "tests/api/answer.h"
#include "tests/edge.h"
#include "tests/heap_in_use.h"

static bool ask_region_find(void *context, const char *name,
                            struct api_region *region)
{
    const struct ask_region *r = context;

    while (r->name && strcmp(r->name, name) != 0)
        r++;
    if (r->name)
        *region = (struct api_region){.data = r->data, .size = r->size};
    return r->name != NULL;
}

static unsigned char *copy_of(const struct ask_region *r)
{
    unsigned char *copy = malloc(r->size + 1);

    ck_assert_ptr_nonnull(copy);
    if (r->data)
        memcpy(copy, r->data, r->size);
    return copy;
}

static void ask_region_save(struct ask_region *r)
{
    for (; r && r->name; r++)
        r->before = copy_of(r);
}

static void ask_region_restore(struct ask_region *r)
{
    for (; r && r->name; r++) {
        r->after = copy_of(r);
        if (r->data)
            memcpy(r->data, r->before, r->size);
    }
}

static void ask_region_compare(struct ask_region *r)
{
    for (; r && r->name; r++) {
        ck_assert(!r->data || memcmp(r->data, r->after, r->size) == 0);
        free(r->before);
        free(r->after);
    }
}

/* A block of edge.h: nothing may be read behind it. NULL if it is empty. */
static unsigned char *body_of(const struct ask *q, size_t *len)
{
    size_t json_len = q->json_len;
    unsigned char *body;

    if (q->json && json_len == 0)
        json_len = strlen(q->json);
    *len = json_len + q->tail_len;
    if (*len == 0)
        return NULL;
    body = edge_new(*len);
    if (q->json)
        memcpy(body, q->json, json_len);
    if (q->tail_len > 0)
        memcpy(body + json_len, q->tail, q->tail_len);
    return body;
}

static bool lies_in(const struct api_piece *piece, const void *block,
                    size_t len)
{
    uintptr_t start = (uintptr_t)block;
    uintptr_t at = (uintptr_t)piece->data;

    return block && at >= start && at + piece->len <= start + len;
}

/* Where the pieces may point: the body, the buffer, what the reply owns (its
 * one piece is then the whole of it), or static text without memory. */
static void check_places(const struct api_request *request,
                         const struct api_reply *reply, const void *buffer,
                         size_t memory)
{
    for (int i = 0; i < reply->piece_count; i++) {
        const struct api_piece *piece = &reply->pieces[i];

        ck_assert_uint_gt(piece->len, 0);
        ck_assert_msg(lies_in(piece, request->body, request->body_len) ||
                          lies_in(piece, buffer, memory) ||
                          (piece->data == reply->owned && i == 0) ||
                          reply->status == 503,
                      "piece %d lies nowhere", i);
    }
}

char *reply_join(const struct api_reply *reply, size_t *len)
{
    char *all = malloc(api_reply_bytes(reply) + 1);

    ck_assert_ptr_nonnull(all);
    *len = 0;
    for (int i = 0; i < reply->piece_count; i++) {
        memcpy(all + *len, reply->pieces[i].data, reply->pieces[i].len);
        *len += reply->pieces[i].len;
    }
    all[*len] = '\0';
    return all;
}

static struct answer join(const struct api_reply *reply)
{
    struct answer a = {.status = reply->status,
                       .content_type = reply->content_type,
                       .allow = reply->allow,
                       .json_len = reply->json_len,
                       .pieces = reply->piece_count,
                       .malformed = reply->malformed};

    ck_assert_int_ge(reply->piece_count, 1);
    ck_assert_int_le(reply->piece_count, API_MAX_PIECES);
    a.body = reply_join(reply, &a.len);
    return a;
}

/* The body arrives in parts, each in a block of its own size. `index` is memory
 * for an index of half of it. */
static struct early_read *read_early(const struct api_request *request,
                                     unsigned char **index)
{
    const size_t step = request->body_len / 5 + 1;
    struct early_read *early = api_early_new();

    ck_assert_ptr_nonnull(early);
    *index = malloc(request->body_len / 16 + 1);
    ck_assert_ptr_nonnull(*index);
    api_early_lend(early, *index, request->body_len / 16 + 1);
    for (size_t len = step; len < request->body_len; len += step) {
        unsigned char *part = edge_new(len);

        memcpy(part, request->body, len);
        api_early_read(early, part, len);
        edge_free(part, len);
    }
    return early;
}

/* Executes with plan->memory bytes and not one more. */
static struct answer execute(const struct api_request *request,
                             struct api_plan *plan)
{
    size_t memory = plan->memory;
    unsigned char *buffer = malloc(memory);
    struct api_reply reply = {0};
    struct answer a;

    ck_assert_ptr_nonnull(buffer);
    memset(buffer, 0xA5, memory);
    api_execute(plan, buffer, NULL, &reply);
    check_places(request, &reply, buffer, memory);
    a = join(&reply);
    api_reply_free(&reply);
    free(buffer);
    return a;
}

static struct answer in_two_steps(const struct api_request *request)
{
    struct api_reply reply = {0};
    struct api_plan plan;
    struct answer a;

    if (api_prepare(request, &plan, &reply)) {
        a = execute(request, &plan);
        api_plan_free(&plan);
        return a;
    }
    ck_assert_ptr_null(plan.infer);
    check_places(request, &reply, NULL, 0);
    a = join(&reply);
    api_reply_free(&reply);
    return a;
}

static void check_error(const struct answer *a)
{
    json_t *error = json_loadb(a->body, a->len, JSON_ALLOW_NUL, NULL);

    ck_assert_str_eq(a->content_type, "application/json");
    ck_assert_uint_eq(a->json_len, 0);
    ck_assert_msg(json_is_object(error), "%s", a->body);
    ck_assert_uint_eq(json_object_size(error), 1);
    ck_assert(json_is_string(json_object_get(error, "error")));
    ck_assert_uint_gt(json_string_length(json_object_get(error, "error")), 5);
    json_decref(error);
}

static void check_same(const struct answer *a, const struct answer *b)
{
    ck_assert_int_eq(a->status, b->status);
    ck_assert_str_eq(a->content_type, b->content_type);
    ck_assert_uint_eq(a->json_len, b->json_len);
    ck_assert_uint_eq(a->len, b->len);
    ck_assert_int_eq(memcmp(a->body, b->body, a->len), 0);
}

static struct answer in_one(const struct api_request *request)
{
    struct api_reply reply = {0};
    struct answer a;

    api_answer(request, &reply);
    a = join(&reply);
    api_reply_free(&reply);
    return a;
}

/* Once more: no byte may stay on the heap. */
static void check_heap(const struct ask *q, struct api_request *request)
{
    unsigned char *body;
    struct answer a;
    size_t before;

    request->early = NULL;
    request->body = body = body_of(q, &request->body_len);
    before = heap_in_use();
    a = in_one(request);
    answer_free(&a);
    if (heap_is_exact() && heap_in_use() > before)
        ck_abort_msg("%s leaves memory behind: %s", q->path,
                     q->json ? q->json : "");
    edge_free(body, request->body_len);
}

struct answer ask(const struct ask *q)
{
    struct api_request request = {
        .method = q->method ? q->method : "POST",
        .path = q->path,
        .query = q->query,
        .content_type = q->content_type,
        .accept = q->accept,
        .inference_header = q->header,
        .ready = !q->not_ready,
        .is_protobuf = q->protobuf,
        .models = q->models,
    };
    struct api_regions regions = {ask_region_find, q->regions};
    struct early_read *early;
    unsigned char *index;
    struct api_head head = {.body = NULL};
    struct answer a, b;
    unsigned char *body;

    request.head = &head;
    if (q->regions)
        request.regions = &regions;
    ask_region_save(q->regions);
    request.body = body = body_of(q, &request.body_len);
    a = in_one(&request);
    edge_free(body, request.body_len);
    ask_region_restore(q->regions);
    head.body = NULL;
    request.body = body = body_of(q, &request.body_len);
    request.early = early = read_early(&request, &index);
    b = in_two_steps(&request);
    check_same(&a, &b);
    ask_region_compare(q->regions);
    if (a.status != 200 && !(q->not_ready && strstr(q->path, "/ready")))
        check_error(&a);
    answer_free(&b);
    api_early_free(early);
    free(index);
    edge_free(body, request.body_len);
    if (!q->regions) /* an answer would overwrite the one that is there */
        check_heap(q, &request);
    return a;
}

void answer_free(struct answer *answer)
{
    free(answer->body);
    *answer = (struct answer){0};
}

struct answer ask_get(const char *path)
{
    return ask(&(struct ask){.method = "GET", .path = path});
}

struct answer ask_getf(const char *format, ...)
{
    va_list values;
    struct answer a;
    char *path;

    va_start(values, format);
    ck_assert_int_ge(vasprintf(&path, format, values), 0);
    va_end(values);
    a = ask_get(path);
    free(path);
    return a;
}

void ask_quote(char *text)
{
    for (; *text; text++)
        *text = *text == '\'' ? '"' : *text;
}

struct model_set *ask_models(const char *text, const struct model_set *previous,
                             struct status *st)
{
    char *json = strdup(text);
    struct model_set *set;

    ask_quote(json);
    set = api_models_read(json, strlen(json), previous, st);
    free(json);
    return set;
}

struct api_request ask_post(const char *path, char *json)
{
    ask_quote(json);
    return (struct api_request){.method = "POST",
                                .path = path,
                                .body = (unsigned char *)json,
                                .body_len = strlen(json)};
}

struct answer ask_infer(const char *model, const char *json,
                        struct ask question)
{
    char path[256];
    char *text = strdup(json);
    struct answer a;

    ask_quote(text);
    snprintf(path, sizeof(path), "/v2/models/%s/infer", model);
    question.path = path;
    question.json = text;
    a = ask(&question);
    free(text);
    return a;
}

struct answer ask_header(const char *model, const char *header,
                         const char *json, const void *tail, size_t len)
{
    return ask_infer(
        model, json,
        (struct ask){.header = header, .tail = tail, .tail_len = len});
}

struct answer ask_json(const char *model, const char *json)
{
    return ask_header(model, NULL, json, NULL, 0);
}

struct answer ask_jsonf(const char *model, const char *format, ...)
{
    va_list values;
    struct answer a;
    char *json;

    va_start(values, format);
    ck_assert_int_ge(vasprintf(&json, format, values), 0);
    va_end(values);
    a = ask_json(model, json);
    free(json);
    return a;
}

struct answer ask_binary(const char *model, const char *json, const void *tail,
                         size_t len)
{
    char header[32];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    return ask_header(model, header, json, tail, len);
}

void assert_answer_body(struct answer a, int status, const char *body)
{
    ck_assert_msg(a.status == status, "%d %s", a.status, a.body);
    ck_assert_str_eq(a.body, body);
    ck_assert_uint_eq(a.len, strlen(body));
    answer_free(&a);
}

/* Each of `parts`, separated by '|', is in the text. */
static void check_parts(const char *text, size_t size, const char *parts)
{
    for (size_t len; *parts; parts += len + (parts[len] == '|')) {
        len = strcspn(parts, "|");
        ck_assert_msg(memmem(text, size, parts, len), "no \"%.*s\" in: %s",
                      (int)len, parts, text);
    }
}

void assert_parts(const char *text, const char *parts)
{
    check_parts(text, strlen(text), parts);
}

void assert_answer_has(struct answer a, int status, const char *parts)
{
    ck_assert_msg(a.status == status, "%d %s", a.status, a.body);
    check_parts(a.body, a.len, parts);
    answer_free(&a);
}

void assert_answer_refused(struct answer a, int status, ...)
{
    json_t *body = json_loadb(a.body, a.len, JSON_ALLOW_NUL, NULL);
    const char *text = json_string_value(json_object_get(body, "error"));
    const char *part;
    va_list parts;

    ck_assert_msg(a.status == status && text, "%d %s", a.status, a.body);
    va_start(parts, status);
    while ((part = va_arg(parts, const char *)))
        assert_parts(text, part);
    va_end(parts);
    json_decref(body);
    answer_free(&a);
}

void assert_answer_data(struct answer a, const char *data)
{
    const char *start = strstr(a.body, ",\"data\":");
    size_t len = strlen(data);

    ck_assert_msg(a.status == 200 && start, "%d %s", a.status, a.body);
    ck_assert_str_eq(a.content_type, "application/json");
    ck_assert_uint_eq(a.json_len, 0);
    start += strlen(",\"data\":");
    ck_assert_msg(strlen(start) == len + 3 && memcmp(start, data, len) == 0 &&
                      strcmp(start + len, "}]}") == 0,
                  "%s in place of %s", start, data);
    answer_free(&a);
}

void assert_answer_bytes(struct answer a, const void *bytes, size_t len)
{
    char size[64];

    ck_assert_msg(a.status == 200, "%d %s", a.status, a.body);
    snprintf(size, sizeof(size), "\"parameters\":{\"binary_data_size\":%zu}}]}",
             len);
    ck_assert_msg(strstr(a.body, size), "no %s in: %s", size, a.body);
    ck_assert_str_eq(a.content_type,
                     len ? "application/octet-stream" : "application/json");
    if (len > 0)
        ck_assert_uint_eq(a.json_len + len, a.len);
    else
        ck_assert_uint_eq(a.json_len, 0);
    ck_assert_int_eq(memcmp(a.body + a.len - len, bytes, len), 0);
    answer_free(&a);
}
