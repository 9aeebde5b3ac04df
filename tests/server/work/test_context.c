/* What jobs share is as large as the options say. */
#include <stdio.h>
#include <string.h>

#include "server/work/context.h"
#include "tests/unit.h"

#define MIB (INT64_C(1) << 20)

/* A quarter, and 512 MiB at most. */
static const struct {
    int64_t inflight, kept; /* MiB */
} rows[] = {{1, 0},      {4, 1},      {64, 16},    {256, 64},   {512, 128},
            {1024, 256}, {4096, 512}, {2052, 512}, {65536, 512}};

LOOP_TEST(context_keeps_a_part_of_the_budget, COUNT(rows))
{
    struct options options = {
        .max_inflight_bytes = rows[_i].inflight * MIB,
        .max_inflight_bytes_per_address = 5,
        .max_connections = 3,
        .shm_prefix = "/",
    };
    static struct job_context context;
    struct status st;

    ck_assert(job_context_init(&context, &options, NULL, &st));
    ck_assert_uint_eq(context.budget.kept_limit,
                      rows[_i].kept ? (size_t)(rows[_i].kept * MIB)
                                    : (size_t)MIB / 4);
    ck_assert_uint_eq(context.budget.limit, (size_t)options.max_inflight_bytes);
    ck_assert_uint_eq(context.budget.addresses.limit, 5);
    ck_assert_uint_eq(context.shm.bytes_limit,
                      (size_t)options.max_inflight_bytes);
    job_context_free(&context);
}

UNIT_TEST(context_without_a_models_file_has_none_to_read_again)
{
    static const struct options options = {
        .max_inflight_bytes = MIB, .max_connections = 3, .shm_prefix = "/"};
    static struct job_context context;
    char line[LOG_LINE_SIZE] = "";
    FILE *file = tmpfile();
    struct status st;
    struct log log;

    log_init(&log, fileno(file), LOG_INFO, false);
    ck_assert(job_context_init(&context, &options, &log, &st));
    served_models_reload(&context.models, &log);
    rewind(file);
    ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
    ck_assert_ptr_nonnull(strstr(line, "there is no models file to read"));
    ck_assert_int_eq(atomic_load(&context.models.reload.success_at), 0);
    job_context_free(&context);
    fclose(file);
}
