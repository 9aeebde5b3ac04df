/* The page and the contract as they are sent. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "kernels/ops/op.h"
#include "tests/api/answer.h"
#include "tests/suite.h"

/* The whole of a static answer, as text; the caller frees it. */
static char *get(const char *path, struct api_reply *reply)
{
    struct api_request request = {.method = "GET", .path = path};
    char *text;

    api_answer(&request, reply);
    ck_assert_int_eq(reply->status, 200);
    ck_assert_int_eq(reply->piece_count, 1);
    ck_assert_ptr_null(reply->owned);
    text = strndup(reply->pieces[0].data, reply->pieces[0].len);
    ck_assert_uint_eq(strlen(text), reply->pieces[0].len);
    return text;
}

START_TEST(page_is_html_that_names_every_model)
{
    struct api_reply reply;
    char *page = get("/", &reply);

    ck_assert_str_eq(reply.content_type, "text/html; charset=utf-8");
    ck_assert_ptr_nonnull(reply.policy);
    ck_assert_int_eq(strncmp(page, "<!doctype html>", 15), 0);
    ck_assert_ptr_nonnull(strstr(page, "</html>"));
    for (int i = 0; op_table[i]; i++) {
        char heading[128];

        snprintf(heading, sizeof(heading), "<h3>%s</h3>", op_table[i]->name);
        ck_assert_msg(strstr(page, heading), "%s", heading);
    }
    free(page);
}
END_TEST

static const char *const pages[] = {"/", "/docs", "/status"};

START_TEST(pages_load_nothing_from_elsewhere)
{
    static const char *const outside[] = {"//cdn", "https://", "@import",
                                          " src=", "url(http"};
    struct api_reply reply;
    char *page = get(pages[_i], &reply);

    ck_assert_str_eq(reply.content_type, "text/html; charset=utf-8");
    for (size_t i = 0; i < sizeof(outside) / sizeof(outside[0]); i++)
        ck_assert_msg(!strstr(page, outside[i]), "%s", outside[i]);
    ck_assert_ptr_nonnull(strstr(reply.policy, "default-src 'none'"));
    ck_assert_ptr_null(strstr(reply.policy, "unsafe"));
    free(page);
}
END_TEST

START_TEST(contract_is_the_file_of_the_tree)
{
    struct api_reply reply;
    char *sent = get("/openapi.yaml", &reply);
    FILE *file = fopen(FLIPD_TESTS_DIR "/../api/routes/openapi.yaml", "rb");
    char *want = calloc(1, reply.pieces[0].len + 2);

    ck_assert_str_eq(reply.content_type, "application/yaml");
    ck_assert_ptr_null(reply.policy);
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(want, 1, reply.pieces[0].len + 1, file),
                      reply.pieces[0].len);
    ck_assert_str_eq(sent, want);
    ck_assert_ptr_nonnull(strstr(sent, "\n  version: " FLIPD_VERSION "\n"));
    fclose(file);
    free(want);
    free(sent);
}
END_TEST

SUITE("page", TEST(page_is_html_that_names_every_model),
      LOOP(pages_load_nothing_from_elsewhere, sizeof(pages) / sizeof(pages[0])),
      TEST(contract_is_the_file_of_the_tree))
