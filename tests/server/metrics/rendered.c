#include "tests/server/metrics/rendered.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

char *rendered(struct metrics *const parts[], int count,
               const struct metrics_gauges *gauges)
{
    struct metrics *total = calloc(1, sizeof(*total));
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (int i = 0; i < count; i++)
        metrics_merge(total, parts[i]);
    metrics_text_print(out, total, gauges, api_models_builtin());
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_eq(strlen(text), len);
    free(total);
    return text;
}

char *rendered_one(struct metrics *metrics)
{
    return rendered(&metrics, 1,
                    &(struct metrics_gauges){.started = 1234567890});
}

void rendered_has(const char *text, const char *line)
{
    ck_assert_msg(strstr(text, line) != NULL, "no %s in\n%.3000s", line, text);
}
