#include <signal.h>
#include <sys/time.h>

#include "tests/api/tensor_json/array_case.h"
#include "tests/unit.h"

/* 32 dims of 1, and pairs: the greatest depth. */
UNIT_TEST(index_accepts_the_greatest_depth)
{
    char shape[100] = "", text[200] = "";
    struct data_array a;
    struct status st = {0};

    for (int i = 0; i < SHAPE_MAX_RANK; i++) {
        strcat(shape, i ? ",1" : "1");
        strcat(text, "[");
    }
    strcat(text, "[1,2]");
    for (int i = 0; i < SHAPE_MAX_RANK; i++)
        strcat(text, "]");
    a = array_case(DTYPE_COMPLEX64, shape, text);
    ck_assert_msg(array_case_accepted(&a, &st), "%s", st.message);
    a.dtype = DTYPE_FP32;
    ck_assert(!array_case_accepted(&a, &st));
    array_case_free(&a);
}

static void assert_rows(const char *text, const char *shape, uint64_t row,
                        const char *const *expected, size_t count)
{
    struct data_array a = array_case(DTYPE_BYTES, shape, text);
    struct span rows[8];
    struct status st = {0};

    if (!strchr(text, '"'))
        a.dtype = DTYPE_FP32;
    memset(rows, 0xEE, sizeof(rows));
    ck_assert_msg(tensor_json_index(&a, row, rows, NULL, &st), "%s",
                  st.message);
    for (size_t i = 0; i < count; i++) {
        ck_assert_uint_eq(rows[i].len, strlen(expected[i]));
        ck_assert_mem_eq(a.text + rows[i].start, expected[i], rows[i].len);
    }
    ck_assert_uint_eq(rows[count].start, 0xEEEEEEEE);
    array_case_free(&a);
}

UNIT_TEST(index_rows_end_after_their_last_token)
{
    assert_rows("[ 1 , 22, 333,4 ]", "4", 1,
                (const char *[]){"1", "22", "333", "4"}, 4);
    assert_rows("[ 1 , 22, 333,4 ]", "4", 2,
                (const char *[]){"1 , 22", "333,4"}, 2);
    assert_rows("[[1,2],[3 ,4]]", "2,2", 2, (const char *[]){"1,2", "3 ,4"}, 2);
    assert_rows("[[1,2],[3 ,4] ]", "2,2", 4, (const char *[]){"1,2],[3 ,4"}, 1);
    assert_rows("[\"]\", \"\\\"\"]", "2", 1,
                (const char *[]){"\"]\"", "\"\\\"\""}, 2);
    assert_rows("[]", "0", 1, NULL, 0);
}

UNIT_TEST(index_writes_no_rows_past_the_count)
{
    struct data_array a = array_case(DTYPE_FP32, "2", "[1,2,3,4,5]");
    struct span rows[2];
    struct status st = {0};

    ck_assert(!tensor_json_index(&a, 1, rows, NULL, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "has 5 elements"));
    array_case_free(&a);
}

UNIT_TEST(index_stops_when_cancelled)
{
    struct data_array a = array_case(DTYPE_FP32, "1", "[1]");
    atomic_bool cancel = true;
    struct status st = {0};

    ck_assert(!tensor_json_index(&a, 1, NULL, &cancel, &st));
    ck_assert_int_eq(st.code, STATUS_CANCELLED);
    cancel = false;
    ck_assert(tensor_json_index(&a, 1, NULL, &cancel, &st));
    array_case_free(&a);
}

static atomic_bool alarm_rang;

static void ring(int signal)
{
    (void)signal;
    atomic_store(&alarm_rang, true);
}

/* `cancel` is set after 2 ms of computing. 32 MB of NaN take far longer, for
 * vector code leaves them to the byte-by-byte code. */
UNIT_TEST(index_stops_in_the_middle)
{
    enum { COUNT = 8000000 };
    const struct itimerval soon = {.it_value = {.tv_usec = 2000}};
    char *text = malloc(4 * COUNT + 1);
    struct data_array a;
    struct status st = {0};

    ck_assert_ptr_nonnull(text);
    for (size_t i = 0; i < COUNT; i++)
        memcpy(text + 1 + 4 * i, "NaN,", 4);
    text[0] = '[';
    text[4 * COUNT] = ']';
    a = array_case_bytes(DTYPE_FP32, "8000000", text, 4 * COUNT + 1);
    signal(SIGVTALRM, ring);
    ck_assert_int_eq(setitimer(ITIMER_VIRTUAL, &soon, NULL), 0);
    ck_assert(!tensor_json_index(&a, 1, NULL, &alarm_rang, &st));
    ck_assert_int_eq(st.code, STATUS_CANCELLED);
    array_case_free(&a);
    free(text);
}

UNIT_TEST(index_refuses_more_than_a_span_reaches)
{
    struct data_array a = array_case(DTYPE_FP32, "1", "[1]");
    struct status st = {0};

    a.len = (size_t)UINT32_MAX + 1;
    ck_assert(!tensor_json_index(&a, 1, NULL, NULL, &st));
    ck_assert_int_eq(st.code, STATUS_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(st.message, "'input'"));
    a.len = 3;
    array_case_free(&a);
}

/* An array of `count` elements is refused, as one without a JSON form. */
static void refuses_opaque(enum dtype dtype, const char *shape,
                           const char *text)
{
    struct data_array a = array_case(dtype, shape, text);
    struct status st = {0};

    ck_assert(!array_case_accepted(&a, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "no JSON form"));
    array_case_free(&a);
}

UNIT_TEST(supports_all_but_opaque_elements)
{
    struct status st = {0};

    for (enum dtype dtype = 0; dtype < DTYPE_COUNT; dtype++) {
        bool opaque = dtype_info(dtype)->kind == DTYPE_KIND_OPAQUE;
        struct data_array a = array_case(dtype, "0", "[]");

        ck_assert(tensor_json_supports(dtype, 0, "input", &st));
        ck_assert(array_case_accepted(&a, &st));
        array_case_free(&a);
        ck_assert_int_eq(tensor_json_supports(dtype, 1, "input", &st), !opaque);
        if (!opaque)
            continue;
        refuses_opaque(dtype, "0", "[1]");
        refuses_opaque(dtype, "1", "[1]");
        refuses_opaque(dtype, "1", "[]");
        ck_assert_int_eq(st.code, STATUS_INVALID);
        ck_assert_ptr_nonnull(strstr(st.message, "'input'"));
        ck_assert_ptr_nonnull(strstr(st.message, dtype_info(dtype)->name));
        ck_assert_ptr_nonnull(strstr(st.message, "binary_data_size"));
    }
}
