/* What jobs share is as large as the options say. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "server/work/context.h"
#include "tests/heap_watch.h"
#include "tests/server/log_text.h"
#include "tests/unit.h"

#define MIB (INT64_C(1) << 20)

static const struct options without = {
    .max_inflight_bytes = MIB, .max_connections = 3, .shm_prefix = "/"};
static struct job_context context;
static struct status st;

/* A quarter, and 512 MiB at most. */
static const struct {
    int64_t inflight, kept; /* MiB */
} rows[] = {{1, 0},      {4, 1},      {64, 16},    {256, 64},   {512, 128},
            {1024, 256}, {4096, 512}, {2052, 512}, {65536, 512}};

LOOP_TEST(context_keeps_a_part_of_the_budget, COUNT(rows))
{
    struct options options = without;

    options.max_inflight_bytes = rows[_i].inflight * MIB;
    options.max_inflight_bytes_per_address = 5;
    memset(&context, 0xA5, sizeof(context));
    ck_assert(job_context_init(&context, &options, NULL, &st));
    ck_assert_ptr_eq(context.options, &options);
    ck_assert_ptr_null(context.workers);
    ck_assert_ptr_null(context.metrics);
    ck_assert_int_eq(atomic_load(&context.certificate_expiry), 0);
    ck_assert_int_le(context.started, time(NULL));
    ck_assert_uint_eq(context.budget.kept_limit,
                      rows[_i].kept ? (size_t)(rows[_i].kept * MIB)
                                    : (size_t)MIB / 4);
    ck_assert_uint_eq(context.budget.limit, (size_t)options.max_inflight_bytes);
    ck_assert_uint_eq(context.budget.addresses.limit, 5);
    ck_assert_uint_eq(context.shm.bytes_limit,
                      (size_t)options.max_inflight_bytes);
    job_context_free(&context);
}

static char path[40];
static struct log logged;

static void set_up(void)
{
    strcpy(path, "/tmp/flipd-models-XXXXXX");
    close(mkstemp(path));
    log_text_start(&logged, LOG_INFO);
}

static void tear_down(void)
{
    unlink(path);
}

static void write_models(const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

static bool init_with_models(void)
{
    struct options options = without;

    options.models = path;
    options.max_inflight_bytes_per_address = 5;
    return job_context_init(&context, &options, &logged, &st);
}

static void reload(const char *part)
{
    const char *line;

    served_models_reload(&context.models, &logged);
    line = log_text_take(&logged);
    ck_assert_msg(strstr(line, part) != NULL, "%s", line);
}

UNIT_TEST(context_without_a_models_file_has_none_to_read_again)
{
    ck_assert(job_context_init(&context, &without, &logged, &st));
    reload("there is no models file to read");
    ck_assert_int_eq(atomic_load(&context.models.reload.success_at), 0);
    ck_assert_ptr_eq(served_models_ref(&context.models), api_models_builtin());
    job_context_free(&context);
}

#define MODEL(name) "{\"name\":\"" name "\",\"op\":\"openvino.Reverse\"}"
#define MODELS(list) "{\"models\":[" list "]}"

/* A request keeps the models that it started with. */
static void read_again(void)
{
    struct reload *note = &context.models.reload;
    size_t operators = api_models_count(api_models_builtin());
    struct model_set *first, *second;

    write_models(MODELS(MODEL("a")));
    ck_assert_msg(init_with_models(), "%s", st.message);
    ck_assert(atomic_load(&note->ok));
    ck_assert_int_gt(atomic_load(&note->success_at), 0);
    first = served_models_ref(&context.models);
    write_models(MODELS(MODEL("a") "," MODEL("b")));
    atomic_store(&note->success_at, 0);
    reload("models read file=/tmp/flipd-models-");
    ck_assert_int_gt(atomic_load(&note->success_at), 0);
    second = served_models_ref(&context.models);
    ck_assert_uint_eq(api_models_count(second), operators + 2);
    ck_assert_uint_eq(api_models_count(first), operators + 1);
    api_models_unref(first);
    write_models(MODELS("7"));
    reload("models[0]");
    ck_assert(!atomic_load(&note->ok));
    ck_assert_ptr_eq(served_models_ref(&context.models), second);
    api_models_unref(second);
    api_models_unref(second);
    job_context_free(&context);
    ck_assert(!init_with_models());
}

UNIT_TEST(context_reads_its_models_file_again)
{
    struct heap_watch watch = {.times = 20, .room = 10 * 32};

    while (heap_goes_on(&watch))
        read_again();
}

/* Where the text goes on with the name of the file. */
UNIT_TEST(context_tells_what_stops_it)
{
    struct options options = without;
    char text[200];

    write_models("");
    snprintf(text, sizeof(text), "models file %s: ", path);
    ck_assert(!init_with_models());
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strncmp(st.message, text, strlen(text)) == 0, "%s",
                  st.message);
    unlink(path);
    strcat(text, strerror(ENOENT));
    ck_assert(!init_with_models());
    ck_assert_str_eq(st.message, text);
    options.allow_client_shm = true;
    options.shm_prefix = "x";
    ck_assert(!job_context_init(&context, &options, &logged, &st));
    ck_assert_msg(strstr(st.message, "--shm-prefix is 'x'"), "%s", st.message);
    setenv("FLIPD_SIMD", "mmx", 1);
    ck_assert(!job_context_init(&context, &without, &logged, &st));
    ck_assert_msg(strstr(st.message, "FLIPD_SIMD is \"mmx\""), "%s",
                  st.message);
}

FIXTURE(set_up, tear_down)
