/* The page and the contract as they are sent. */
#include "kernels/ops/op.h"
#include "tests/api/answer.h"
#include "tests/unit.h"

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

UNIT_TEST(page_is_html_that_names_every_model)
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

static const char *const pages[] = {"/", "/docs", "/status"};

LOOP_TEST(pages_load_nothing_from_elsewhere, COUNT(pages))
{
    static const char *const outside[] = {"//cdn", "https://", "@import",
                                          " src=", "url(http"};
    struct api_reply reply;
    char *page = get(pages[_i], &reply);

    ck_assert_str_eq(reply.content_type, "text/html; charset=utf-8");
    for (int i = 0; i < COUNT(outside); i++)
        ck_assert_msg(!strstr(page, outside[i]), "%s", outside[i]);
    ck_assert_ptr_nonnull(strstr(reply.policy, "default-src 'none'"));
    ck_assert_ptr_null(strstr(reply.policy, "unsafe"));
    free(page);
}

/* The build adds parts at the lines `# tables: PART`, and nothing else. */
UNIT_TEST(contract_has_the_lines_of_the_file_in_the_tree)
{
    static char line[512];
    struct api_reply reply;
    char *sent = get("/openapi.yaml", &reply);
    const char *at = sent;
    FILE *file = fopen(FLIPD_TESTS_DIR "/../api/routes/openapi.yaml", "rb");
    bool may_skip = false;
    int parts = 0;

    ck_assert_str_eq(reply.content_type, "application/yaml");
    ck_assert_ptr_null(reply.policy);
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof(line), file)) {
        const char *next;

        if (strstr(line, "# tables: ")) {
            may_skip = true;
            parts++;
            continue;
        }
        next = may_skip ? strstr(at, line) : at;
        ck_assert_msg(next && strncmp(next, line, strlen(line)) == 0,
                      "not in its place: %s", line);
        may_skip = false;
        at = next + strlen(line);
    }
    ck_assert_int_eq(parts, 6);
    ck_assert_ptr_null(strstr(sent, "# tables: "));
    ck_assert(may_skip || *at == '\0');
    ck_assert_ptr_nonnull(strstr(sent, "\n  version: " FLIPD_VERSION "\n"));
    fclose(file);
    free(sent);
}
