/* Tensors in shared memory: every operator and datatype, in and out of a region
 * and through it, against the formula. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/ask.h"
#include "tests/api/ask_region.h"
#include "tests/api/infer/elements.h"
#include "tests/api/infer/form_case.h"
#include "tests/unit.h"

enum { MOST_BYTES = FORM_MOST * 24, WIDE = 3 * MOST_BYTES, AT = 100 };

enum way { WAY_JSON, WAY_BINARY, WAY_REGION };

/* One question. A region of its own has exactly the tensor's bytes; `shift` is
 * where the output lies from the input in a larger one, or NO_SHIFT. */
struct move {
    const struct form_case *c;
    enum dtype dtype;
    enum way from, to;
    bool control_region;
    int shift;
};

enum { NO_SHIFT = 1 << 20 };

static unsigned char data[MOST_BYTES], want[MOST_BYTES], control[64];
static size_t size, control_size;
static uint64_t order[FORM_MOST], moved[FORM_MOST], count;

static void pack(const struct move *m)
{
    control_size = form_case_control(m->c, control);
    count = form_case_order(m->c, false, order);
    form_case_order(m->c, true, moved);
    size = elements_pack(m->dtype, order, count, data);
    ck_assert_uint_eq(elements_pack(m->dtype, moved, count, want), size);
}

static void print_data(FILE *out, const struct move *m)
{
    char text[256];

    fprintf(out, "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,",
            m->c->data, dtype_info(m->dtype)->name,
            shape_print(&m->c->shape, text, sizeof(text)));
    if (m->from == WAY_JSON) {
        fputs("\"data\":[", out);
        elements_print(out, m->dtype, order, count, false);
        fputs("]}", out);
    } else if (m->from == WAY_BINARY) {
        fprintf(out, "\"parameters\":{\"binary_data_size\":%zu}}", size);
    } else {
        fprintf(out,
                "\"parameters\":{\"shared_memory_region\":\"%s\","
                "\"shared_memory_offset\":%d,"
                "\"shared_memory_byte_size\":%zu}}",
                m->shift == NO_SHIFT ? "in" : "wide",
                m->shift == NO_SHIFT ? 0 : AT, size);
    }
}

static void print_control(FILE *out, const struct move *m)
{
    fprintf(out, ",{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":[%d],",
            m->c->control, m->c->control_datatype, m->c->control_count);
    if (m->control_region)
        fprintf(out,
                "\"parameters\":{\"shared_memory_region\":\"control\","
                "\"shared_memory_byte_size\":%zu}}",
                control_size);
    else
        fprintf(out, "\"data\":%s}", m->c->control_data);
}

static void print_output(FILE *out, const struct move *m)
{
    fprintf(out, "],\"outputs\":[{\"name\":\"%s\",\"parameters\":{",
            m->c->output);
    if (m->to == WAY_REGION && m->shift != NO_SHIFT)
        fprintf(out,
                "\"shared_memory_region\":\"wide\","
                "\"shared_memory_offset\":%d,"
                "\"shared_memory_byte_size\":%zu",
                AT + m->shift, size);
    else if (m->to == WAY_REGION)
        fprintf(out,
                "\"shared_memory_region\":\"out\","
                "\"shared_memory_byte_size\":%zu",
                size);
    else
        fprintf(out, "\"binary_data\":%s",
                m->to == WAY_BINARY ? "true" : "false");
    fputs("}}]}", out);
}

static char *document(const struct move *m)
{
    size_t len;
    char *json;
    FILE *out = open_memstream(&json, &len);

    fprintf(out, "{\"parameters\":{%s\"binary_data_output\":true},\"inputs\":[",
            m->c->parameters);
    print_data(out, m);
    print_control(out, m);
    print_output(out, m);
    fclose(out);
    return json;
}

static struct answer ask_move(const struct move *m, struct ask_region *regions)
{
    char *json = document(m);
    char header[32], path[128];
    struct answer a;

    snprintf(header, sizeof(header), "%zu", strlen(json));
    snprintf(path, sizeof(path), "/v2/models/%s/infer", m->c->model);
    a = ask(&(struct ask){
        .path = path,
        .header = header,
        .json = json,
        .tail = data,
        .tail_len = m->from == WAY_BINARY ? size : 0,
        .regions = regions,
    });
    free(json);
    return a;
}

static unsigned char *filled(size_t len, const unsigned char *from, size_t at)
{
    unsigned char *block = malloc(len ? len : 1);

    ck_assert_ptr_nonnull(block);
    memset(block, 0x5A, len);
    if (from)
        memcpy(block + at, from, from == control ? control_size : size);
    return block;
}

/* The reply describes the output without its data. */
static void expect_placed(struct answer a)
{
    ck_assert_msg(a.status == 200, "%d %s", a.status, a.body);
    ck_assert_uint_eq(a.json_len, 0);
    ck_assert_str_eq(a.content_type, "application/json");
    ck_assert_ptr_null(strstr(a.body, "data\""));
    ck_assert_ptr_null(strstr(a.body, "shared_memory"));
    ck_assert_str_eq(a.body + a.len - 4, "]}]}");
    answer_free(&a);
}

static void check_move(const struct move *m)
{
    unsigned char simd[WIDE];
    struct ask_region regions[5] = {
        {.name = "in"}, {.name = "out"}, {.name = "control"}, {.name = "wide"}};
    struct answer a;
    char *text;

    pack(m);
    text = elements_text(m->dtype, moved, count, m->from != WAY_JSON);
    regions[0].data = filled(regions[0].size = size, data, 0);
    regions[1].data = filled(regions[1].size = size, NULL, 0);
    regions[2].data = filled(regions[2].size = control_size, control, 0);
    regions[3].data = filled(regions[3].size = WIDE, data, AT);
    memcpy(simd, regions[3].data, WIDE);
    a = ask_move(m, regions);
    if (m->to == WAY_JSON)
        assert_answer_data(a, text);
    else if (m->to == WAY_BINARY)
        assert_answer_bytes(a, want, size);
    else
        expect_placed(a);
    if (m->to == WAY_REGION && m->shift == NO_SHIFT)
        ck_assert_int_eq(memcmp(regions[1].data, want, size), 0);
    if (m->to == WAY_REGION && m->shift != NO_SHIFT)
        memcpy(simd + AT + m->shift, want, size);
    ck_assert_msg(memcmp(regions[3].data, simd, WIDE) == 0, "%s %s moved by %d",
                  m->c->model, dtype_info(m->dtype)->name, m->shift);
    ck_assert_int_eq(memcmp(regions[0].data, data, size), 0);
    ck_assert_int_eq(memcmp(regions[2].data, control, control_size), 0);
    free(text);
    for (int i = 0; i < 4; i++)
        free(regions[i].data);
}

/* Whether the operator takes it, and both forms are there. */
static bool is_possible(const struct move *m)
{
    const struct dtype_traits *info = dtype_info(m->dtype);
    bool floats = strcmp(m->c->model, "graiphic.ReverseSequenceGrad") == 0;

    if (floats && info->kind != DTYPE_KIND_FLOAT &&
        info->kind != DTYPE_KIND_COMPLEX)
        return false;
    return elements_have_text(m->dtype) ||
           (m->from != WAY_JSON && m->to != WAY_JSON);
}

LOOP_TEST(region_holds_the_answer, form_cases_read())
{
    struct move m = {.c = &form_cases[_i], .shift = NO_SHIFT};

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        for (int way = 0; way < 9; way++) {
            m.dtype = (enum dtype)dtype;
            m.from = (enum way)(way / 3);
            m.to = (enum way)(way % 3);
            m.control_region = m.from != WAY_REGION && m.to != WAY_REGION;
            for (int more = 0; more < 2 && is_possible(&m); more++) {
                check_move(&m);
                m.control_region = true;
            }
        }
}

LOOP_TEST(region_may_hold_source_and_target, form_cases_read())
{
    static const int shifts[] = {0, 1, -1, 7, -8, 16, -33, MOST_BYTES};
    struct move m = {
        .c = &form_cases[_i], .from = WAY_REGION, .to = WAY_REGION};

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        for (int i = 0; i < COUNT(shifts); i++) {
            m.dtype = (enum dtype)dtype;
            m.shift = shifts[i];
            if (is_possible(&m))
                check_move(&m);
        }
}
