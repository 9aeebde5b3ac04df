/* Every operator, every datatype, every mix of JSON, bytes and shared memory:
 * against the formula, with elements whose forms are written down by hand. */
#include "kernels/core/require.h"
#include "kernels/ops/op.h"
#include "tests/api/message.h"
#include "tests/kernels/naive.h"
#include "tests/unit.h"
#include "tests/vector_file.h"

/* "text hex shown" of each sample, separated by ';'. `hex` is little-endian;
 * `shown` is left out where it is as `text`; "-" is no text. Written down from
 * the formats' definitions, with Python's struct module for the decimals; u1
 * and u2 lie in the high bits, the 4-bit types in the low. */
static const char *const samples[DTYPE_COUNT] = {
    [DTYPE_BOOL] = "true 01;false 00",
    [DTYPE_INT8] = "-128 80;127 7f;0 00;-1 ff;42 2a;7 07;-100 9c",
    [DTYPE_INT16] = "-32768 0080;32767 ff7f;0 0000;-1 ffff;258 0201;-515 fdfd;"
                    "7 0700",
    [DTYPE_INT32] = "-2147483648 00000080;2147483647 ffffff7f;0 00000000;"
                    "-1 ffffffff;16909060 04030201;-2 feffffff;7 07000000",
    [DTYPE_INT64] = "-9223372036854775808 0000000000000080;"
                    "9223372036854775807 ffffffffffffff7f;0 0000000000000000;"
                    "-1 ffffffffffffffff;9007199254740993 0100000000002000;"
                    "-9007199254740993 ffffffffffffdfff;7 0700000000000000",
    [DTYPE_UINT8] = "0 00;255 ff;128 80;1 01;42 2a;77 4d;200 c8",
    [DTYPE_UINT16] =
        "0 0000;65535 ffff;32768 0080;1 0100;258 0201;77 4d00;513 0102",
    [DTYPE_UINT32] =
        "0 00000000;4294967295 ffffffff;2147483648 00000080;1 01000000;"
        "16909060 04030201;77 4d000000;5 05000000",
    [DTYPE_UINT64] = "0 0000000000000000;18446744073709551615 ffffffffffffffff;"
                     "9223372036854775808 0000000000000080;1 0100000000000000;"
                     "9007199254740993 0100000000002000;77 4d00000000000000;"
                     "5 0500000000000000",
    [DTYPE_FP16] = "1.5 003e;-0.0 0080;NaN 007e;-Infinity 00fc;65504 ff7b;"
                   "0.333251953125 5535 0.3333;1e-400 0000 0;2049 0068 2048",
    [DTYPE_BF16] = "1.5 c03f;-0.0 0080;NaN c07f;Infinity 807f;-3 40c0;"
                   "0.333984375 ab3e 0.334;257 8043 256;7 e040",
    [DTYPE_FP32] = "1.5 0000c03f;-0.0 00000080;NaN 0000c07f;-Infinity 000080ff;"
                   "0.1 cdcccc3d;16777217 0000804b 16777216;"
                   "3.4028235e+38 ffff7f7f;1E-45 01000000 1e-45",
    [DTYPE_FP64] = "1.5 000000000000f83f;-0 0000000000000080 -0.0;"
                   "NaN 000000000000f87f;Infinity 000000000000f07f;"
                   "0.1 9a9999999999b93f;"
                   "9007199254740993 0000000000004043 9007199254740992;"
                   "1.7976931348623157e+308 ffffffffffffef7f;"
                   "0.10000000000000001 9a9999999999b93f 0.1",
    [DTYPE_COMPLEX64] = "1.5,-2 0000c03f000000c0;NaN,Infinity 0000c07f0000807f;"
                        "0.1,-0.0 cdcccc3d00000080;7,8 0000e04000000041;"
                        "-Infinity,0 000080ff00000000",
    [DTYPE_COMPLEX128] = "1.5,-2 000000000000f83f00000000000000c0;"
                         "NaN,Infinity 000000000000f87f000000000000f07f;"
                         "0.1,-0.0 9a9999999999b93f0000000000000080;"
                         "7,8 0000000000001c400000000000002040;"
                         "3,0.25 0000000000000840000000000000d03f",
    [DTYPE_BYTES] =
        "\"\" 00000000;\"a\" 0100000061;"
        "\"\\u00e9t\\u00E9\" 05000000c3a974c3a9 \"\303\251t\303\251\";"
        "\"\346\227\245\346\234\254\350\252\236\" 09000000e697a5e69cace8aa9e;"
        "\"\\u0000x\" 020000000078;"
        "\"\\ud83d\\ude00\" 04000000f09f9880 \"\360\237\230\200\";"
        "\"q\\\"\\\\\\/\" 0400000071225c2f \"q\\\"\\\\/\";"
        "\"],[{,:\" 060000005d2c5b7b2c3a",
    [DTYPE_INT4] = "-8 08;7 07;0 00;-1 0f;3 03;5 05;-4 0c",
    [DTYPE_UINT4] = "0 00;15 0f;8 08;1 01;3 03;5 05;10 0a",
    [DTYPE_UINT2] = "0 00;3 c0;1 40;2 80;3 c0",
    [DTYPE_UINT1] = "1 80;0 00;0 00;1 80;1 80",
    [DTYPE_FP8_E4M3] = "- 00;- ff;- 7f;- 80;- 3c;- c1;- 05",
    [DTYPE_FP8_E5M2] = "- 00;- ff;- 7f;- 80;- 3c;- c1;- 05",
    [DTYPE_FP8_E8M0] = "- 00;- ff;- 7f;- 80;- 3c;- c1;- 05",
    [DTYPE_FP4_E2M1] = "- 00;- 0f;- 07;- 08;- 03;- 0c;- 05",
    [DTYPE_NF4] = "- 00;- 0f;- 07;- 08;- 03;- 0c;- 05",
};

static bool elements_have_text(enum dtype dtype)
{
    return strncmp(samples[dtype], "- ", 2) != 0;
}

enum { ELEMENT_TEXT = 64 }; /* bytes */

/* Element `index` of an endless list that repeats in no simple pattern. */
struct element {
    char text[ELEMENT_TEXT];  /* as a client may write it; "-": no JSON form */
    char shown[ELEMENT_TEXT]; /* as it is printed from its bytes */
    unsigned char bytes[24];  /* packed types: as first element of a byte */
    size_t size;
};

static struct element element_at(enum dtype dtype, uint64_t index)
{
    const char *at = samples[dtype];
    char hex[ELEMENT_TEXT];
    unsigned char *bytes;
    struct element e;
    uint64_t count = 1;

    for (const char *c = at; *c; c++)
        count += *c == ';';
    index = (index * 5 + index / count * 3 + index / 4) % count;
    while (index-- > 0)
        at = strchr(at, ';') + 1;
    /* 64 is ELEMENT_TEXT */
    if (sscanf(at, "%63[^ ;] %63[^ ;] %63[^ ;]", e.text, hex, e.shown) < 3)
        memcpy(e.shown, e.text, sizeof(e.text));
    bytes = message_unhex(hex, &e.size);
    memcpy(e.bytes, bytes, e.size);
    free(bytes);
    return e;
}

/* A tensor of `count` elements, element i being number order[i] of the list, in
 * the binary form: 24 bytes an element at most, padding bits 0. Returns its
 * size. */
static size_t elements_pack(enum dtype dtype, const uint64_t *order,
                            uint64_t count, unsigned char *out)
{
    const struct dtype_traits *info = dtype_info(dtype);
    struct element_format format = {info->bits, info->high_first};
    size_t size = 0;

    if (info->bits > 0) {
        size = naive_bytes(&format, count);
        memset(out, 0, size);
    }
    for (uint64_t i = 0; i < count; i++) {
        struct element e = element_at(dtype, order[i]);

        if (info->bits > 0) {
            naive_copy_element(&format, e.bytes, 0, out, i);
        } else {
            memcpy(out + size, e.bytes, e.size);
            size += e.size;
        }
    }
    return size;
}

/* The same as the inside of a JSON array. */
static void elements_print(FILE *out, enum dtype dtype, const uint64_t *order,
                           uint64_t count, bool shown)
{
    for (uint64_t i = 0; i < count; i++) {
        struct element e = element_at(dtype, order[i]);

        fprintf(out, "%s%s", i ? "," : "", shown ? e.shown : e.text);
    }
}

enum { CONTROL_MOST = 8, MOST = 64 /* elements */, CASES_MOST = 64 };

/* The vectors that are asked everywhere. Their data is 0, 1, 2 ..., so their
 * answer is the order of the elements. */
struct form_case {
    const struct op *op;
    char parameters[128]; /* in front of binary_data_output */
    enum dtype control_dtype;
    char control_data[64];
    int control_count;
    int64_t control_values[CONTROL_MOST];
    struct shape shape;
    uint64_t count, order[MOST];
};

static struct form_case form_cases[CASES_MOST];

/* Reads a list of numbers or booleans; returns their count. */
static int read_list(struct vector_text list, int most, int64_t *values)
{
    const char *at = list.text + 1, *end = list.text + list.len - 1;
    int count = 0;

    for (; at < end; at += strspn(at, ", ")) {
        size_t len = strcspn(at, ",]");

        REQUIRE(count < most);
        values[count++] = *at == 't'   ? 1
                          : *at == 'f' ? 0
                                       : (int64_t)strtod(at, NULL);
        at += len;
    }
    return count;
}

static void read_case(const struct vector *v, struct form_case *c)
{
    int64_t data[MOST], moved[MOST];
    int len = (int)v->parameters.len - 2;

    c->op = op_table_find(v->op, strlen(v->op));
    REQUIRE(c->op);
    snprintf(c->parameters, sizeof(c->parameters), "%.*s%s", len,
             v->parameters.text + 1, len > 0 ? "," : "");
    c->control_dtype = v->control_dtype;
    snprintf(c->control_data, sizeof(c->control_data), "%.*s",
             (int)v->control.len, v->control.text);
    c->control_count = read_list(v->control, CONTROL_MOST, c->control_values);
    c->shape = v->shape;
    c->count = (uint64_t)read_list(v->data, MOST, data);
    REQUIRE((uint64_t)read_list(v->expect, MOST, moved) == c->count);
    for (uint64_t i = 0; i < c->count; i++) {
        REQUIRE(data[i] == (int64_t)i);
        c->order[i] = (uint64_t)moved[i];
    }
}

/* Reads the cases once, and returns their number. */
static int read_cases(void)
{
    static int count;
    struct vector_file file;

    if (count > 0)
        return count;
    vector_file_read(&file);
    for (int i = 0; i < file.count; i++) {
        REQUIRE(count < CASES_MOST);
        if (file.vectors[i].everywhere)
            read_case(&file.vectors[i], &form_cases[count++]);
    }
    vector_file_free(&file);
    REQUIRE(count > 0);
    return count;
}

enum { MOST_BYTES = MOST * 24, WIDE = 3 * MOST_BYTES, AT = 100 };

enum way { WAY_JSON, WAY_BINARY, WAY_REGION };

/* One question. A region of its own has exactly the tensor's bytes; `shift` is
 * where the output lies from the input in a larger one, or NO_SHIFT. */
struct move {
    const struct form_case *c;
    enum dtype dtype;
    enum way from, control, to;
    bool control_first;
    int shift;
};

enum { NO_SHIFT = 1 << 20 };

static unsigned char data[MOST_BYTES], want[MOST_BYTES], control[64];
static size_t size, control_size;
static uint64_t same[MOST];

static bool uses_regions(const struct move *m)
{
    return m->from == WAY_REGION || m->control == WAY_REGION ||
           m->to == WAY_REGION;
}

static void pack(const struct move *m)
{
    const struct form_case *c = m->c;
    size_t bytes = dtype_info(c->control_dtype)->bits / 8;

    for (int i = 0; i < c->control_count; i++)
        memcpy(control + (size_t)i * bytes, &c->control_values[i], bytes);
    control_size = (size_t)c->control_count * bytes;
    for (uint64_t i = 0; i < MOST; i++)
        same[i] = i;
    size = elements_pack(m->dtype, same, c->count, data);
    ck_assert_uint_eq(elements_pack(m->dtype, c->order, c->count, want), size);
}

/* The end of a tensor that is no JSON. */
static void print_place(FILE *out, enum way way, const char *region, int offset,
                        size_t bytes)
{
    if (way == WAY_BINARY) {
        fprintf(out, "\"parameters\":{\"binary_data_size\":%zu}}", bytes);
        return;
    }
    fprintf(out, "\"parameters\":{\"shared_memory_region\":\"%s\",", region);
    if (offset > 0)
        fprintf(out, "\"shared_memory_offset\":%d,", offset);
    fprintf(out, "\"shared_memory_byte_size\":%zu}}", bytes);
}

static void print_data(FILE *out, const struct move *m)
{
    bool own = m->shift == NO_SHIFT;
    char text[256];

    fprintf(out, "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,",
            m->c->op->data, dtype_info(m->dtype)->name,
            shape_print(&m->c->shape, text, sizeof(text)));
    if (m->from != WAY_JSON) {
        print_place(out, m->from, own ? "in" : "wide", own ? 0 : AT, size);
        return;
    }
    fputs("\"data\" : [", out);
    elements_print(out, m->dtype, same, m->c->count, false);
    fputs("]}", out);
}

static void print_control(FILE *out, const struct move *m)
{
    fprintf(out, "{\"shape\":[%d],\"datatype\":\"%s\",\"name\":\"%s\",",
            m->c->control_count, dtype_info(m->c->control_dtype)->name,
            m->c->op->control);
    if (m->control == WAY_JSON)
        fprintf(out, "\"data\":%s,\"parameters\":{}}", m->c->control_data);
    else
        print_place(out, m->control, "control", 0, control_size);
}

static void print_output(FILE *out, const struct move *m)
{
    bool own = m->shift == NO_SHIFT;

    fprintf(out, ",\"outputs\":[{\"name\":\"%s\",", m->c->op->output);
    if (m->to == WAY_REGION)
        print_place(out, m->to, own ? "out" : "wide", own ? 0 : AT + m->shift,
                    size);
    else
        fprintf(out, "\"parameters\":{\"binary_data\":%s}}",
                m->to == WAY_BINARY ? "true" : "false");
    fputc(']', out);
}

/* Without a region, a parameter of the request says how to answer. */
static char *document(const struct move *m)
{
    bool regions = uses_regions(m);
    size_t len;
    char *json;
    FILE *out = open_memstream(&json, &len);

    fprintf(out, "{\"parameters\":{%s\"binary_data_output\":%s},\"inputs\":[",
            m->c->parameters,
            regions || m->to == WAY_BINARY ? "true" : "false");
    (m->control_first ? print_control : print_data)(out, m);
    fputc(',', out);
    (m->control_first ? print_data : print_control)(out, m);
    fputc(']', out);
    if (regions)
        print_output(out, m);
    fputc('}', out);
    fclose(out);
    return json;
}

static struct answer ask_move(const struct move *m, struct ask_region *regions)
{
    char *json = document(m), header[32];
    unsigned char tail[MOST_BYTES + sizeof(control)];
    size_t len = 0;
    struct answer a;

    for (int i = 0; i < 2; i++) {
        bool is_control = (i == 0) == m->control_first;

        if ((is_control ? m->control : m->from) != WAY_BINARY)
            continue;
        memcpy(tail + len, is_control ? control : data,
               is_control ? control_size : size);
        len += is_control ? control_size : size;
    }
    snprintf(header, sizeof(header), "%zu", strlen(json));
    a = ask_infer(m->c->op->name, json,
                  (struct ask){.header = header,
                               .tail = tail,
                               .tail_len = len,
                               .regions = regions});
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

static void expect_head(const struct move *m, const struct answer *a)
{
    char head[256], shape[128];
    size_t len;

    len = (size_t)snprintf(
        head, sizeof(head),
        "\"outputs\":[{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":",
        m->c->op->output, dtype_info(m->dtype)->name);
    shape_print(&m->c->shape, shape, sizeof(shape));
    for (const char *at = shape; *at; at++)
        if (*at != ' ')
            head[len++] = *at;
    head[len] = '\0';
    ck_assert_msg(a->status == 200 && strstr(a->body, head), "no %s in: %s",
                  head, a->body);
}

/* JSON to JSON keeps the tokens; others print the values. The reply of a tensor
 * in a region describes it without its data. */
static void expect(const struct move *m, struct answer a)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    fputc('[', out);
    elements_print(out, m->dtype, m->c->order, m->c->count,
                   m->from != WAY_JSON);
    fputc(']', out);
    fclose(out);
    expect_head(m, &a);
    if (m->to == WAY_JSON) {
        assert_answer_data(a, text);
    } else if (m->to == WAY_BINARY) {
        assert_answer_bytes(a, want, size);
    } else {
        ck_assert_uint_eq(a.json_len, 0);
        ck_assert_str_eq(a.content_type, "application/json");
        ck_assert_ptr_null(strstr(a.body, "data\""));
        ck_assert_ptr_null(strstr(a.body, "shared_memory"));
        ck_assert_str_eq(a.body + a.len - 4, "]}]}");
        answer_free(&a);
    }
    free(text);
}

/* Asks with the regions, and compares what they have then. */
static void check_move(const struct move *m)
{
    unsigned char wide[WIDE];
    struct ask_region regions[5] = {
        {.name = "in"}, {.name = "out"}, {.name = "control"}, {.name = "wide"}};

    pack(m);
    regions[0].data = filled(regions[0].size = size, data, 0);
    regions[1].data = filled(regions[1].size = size, NULL, 0);
    regions[2].data = filled(regions[2].size = control_size, control, 0);
    regions[3].data = filled(regions[3].size = WIDE, data, AT);
    memcpy(wide, regions[3].data, WIDE);
    expect(m, ask_move(m, uses_regions(m) ? regions : NULL));
    if (m->to == WAY_REGION && m->shift == NO_SHIFT)
        ck_assert_int_eq(memcmp(regions[1].data, want, size), 0);
    if (m->to == WAY_REGION && m->shift != NO_SHIFT)
        memcpy(wide + AT + m->shift, want, size);
    ck_assert_msg(memcmp(regions[3].data, wide, WIDE) == 0, "%s %s moved by %d",
                  m->c->op->name, dtype_info(m->dtype)->name, m->shift);
    ck_assert_int_eq(memcmp(regions[0].data, data, size), 0);
    ck_assert_int_eq(memcmp(regions[2].data, control, control_size), 0);
    for (int i = 0; i < 4; i++)
        free(regions[i].data);
}

/* The gradient takes what can be scaled. */
static bool takes(const struct move *m)
{
    enum dtype_kind kind = dtype_info(m->dtype)->kind;

    return strcmp(m->c->op->data, "dY") != 0 || kind == DTYPE_KIND_FLOAT ||
           kind == DTYPE_KIND_COMPLEX;
}

/* Whether the operator takes it, and both forms are there. */
static bool is_possible(const struct move *m)
{
    return takes(m) && (elements_have_text(m->dtype) ||
                        (m->from != WAY_JSON && m->to != WAY_JSON));
}

static void check_mix(const struct move *m)
{
    const char *name = dtype_info(m->dtype)->name;

    if (is_possible(m)) {
        check_move(m);
        return;
    }
    if (m->from == WAY_JSON && !elements_have_text(m->dtype))
        return;
    pack(m);
    if (!takes(m))
        assert_answer_refused(ask_move(m, NULL), 400, "dY is ", name,
                              "must be FP16, BF16, FP32", NULL);
    else
        assert_answer_refused(ask_move(m, NULL), 400, name, "binary",
                              m->c->op->data, NULL);
}

LOOP_TEST(forms_agree_for_this_operator_with_every_datatype, read_cases())
{
    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        for (int bits = 0; bits < 16; bits++) {
            const struct move m = {.c = &form_cases[_i],
                                   .dtype = (enum dtype)dtype,
                                   .from = bits & 1 ? WAY_BINARY : WAY_JSON,
                                   .control = bits & 2 ? WAY_BINARY : WAY_JSON,
                                   .to = bits & 4 ? WAY_BINARY : WAY_JSON,
                                   .control_first = bits & 8,
                                   .shift = NO_SHIFT};

            check_mix(&m);
        }
}

LOOP_TEST(region_holds_the_answer, read_cases())
{
    struct move m = {.c = &form_cases[_i], .shift = NO_SHIFT};

    for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
        for (int way = 0; way < 9; way++) {
            m.dtype = (enum dtype)dtype;
            m.from = (enum way)(way / 3);
            m.to = (enum way)(way % 3);
            m.control = WAY_JSON;
            if (uses_regions(&m) && is_possible(&m))
                check_move(&m);
            m.control = WAY_REGION;
            if (is_possible(&m))
                check_move(&m);
        }
}

LOOP_TEST(region_may_hold_source_and_target, read_cases())
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
