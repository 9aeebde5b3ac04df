/* Wide levels against the code that goes byte by byte. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/wide.h"
#include "tests/api/wide_case.h"

enum { MOST = 4096 };

static uint32_t state;

static uint32_t pick(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)state * limit) >> 32);
}

static const enum dtype types[] = {
    DTYPE_FP32,  DTYPE_FP64,  DTYPE_FP16,   DTYPE_BF16,  DTYPE_COMPLEX64,
    DTYPE_INT8,  DTYPE_INT16, DTYPE_INT32,  DTYPE_INT64, DTYPE_UINT8,
    DTYPE_UINT4, DTYPE_INT4,  DTYPE_UINT32, DTYPE_UINT64};

enum { TYPES = sizeof(types) / sizeof(types[0]) };

static const char *const floats[] = {"0.12345678",
                                     "-0.5",
                                     "0",
                                     "12.25",
                                     "1e-7",
                                     "1.5E-05",
                                     "1e5",
                                     "-1e+06",
                                     "3.14159",
                                     "100",
                                     "-0",
                                     "0e0",
                                     "NaN",
                                     "-Infinity",
                                     "123456789012345678901234",
                                     "65504",
                                     "65520",
                                     "1e39",
                                     "1e-400",
                                     "0.00000000000000000000001",
                                     "340282350000000000000000000000000000000",
                                     "999999999999999999999999999999999999999"};
static const char *const integers[] = {"0",
                                       "7",
                                       "-8",
                                       "12",
                                       "127",
                                       "-128",
                                       "128",
                                       "255",
                                       "256",
                                       "-0",
                                       "15",
                                       "32767",
                                       "65535",
                                       "2147483647",
                                       "-2147483648",
                                       "2147483648",
                                       "4294967295",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "1",
                                       "2",
                                       "3"};
static const char *const separators[] = {",",  ",",   ", ", ",\n    ",
                                         " ,", "],[", ", ", "], ["};

/* A list whose first number has `lead` digits, with mostly small numbers. */
static size_t make(char *text, bool is_float, int lead, int count, bool wild)
{
    size_t len = (size_t)sprintf(text, "[");
    const char *separator = separators[pick(4)];

    if (lead > 0)
        len +=
            (size_t)sprintf(text + len, is_float ? "0.%0*d," : "%*d,", lead, 1);
    for (int i = 0; i < count && len < MOST - 100; i++) {
        const char *token =
            is_float
                ? floats[pick(wild ? sizeof(floats) / sizeof(floats[0]) : 6)]
                : integers[pick(wild ? sizeof(integers) / sizeof(integers[0])
                                     : 5)];

        if (wild && pick(20) == 0)
            separator = separators[pick(8)];
        if (i > 0)
            len += (size_t)sprintf(text + len, "%s", separator);
        len += (size_t)sprintf(text + len, "%s", token);
    }
    return len + (size_t)sprintf(text + len, "]");
}

/* Every place where blocks may begin, each datatype. */
START_TEST(wide_agrees_at_every_alignment)
{
    bool is_float = dtype_info(types[_i])->kind != DTYPE_KIND_INT &&
                    dtype_info(types[_i])->kind != DTYPE_KIND_UINT;
    char text[MOST];

    state = (uint32_t)_i;
    for (int lead = 0; lead <= 64; lead++)
        for (int round = 0; round < 4; round++) {
            size_t len = make(text, is_float, lead, 17 + lead * 2, round > 2);

            wide_case_check(text, len, types[_i]);
        }
}
END_TEST

static const char errors[] = "0-+.eE ,]x[\"\n9";

/* Each byte of a list replaced by each kind of byte, and each left out. */
START_TEST(wide_agrees_with_an_error_at_every_place)
{
    bool is_float = dtype_info(types[_i])->kind != DTYPE_KIND_INT &&
                    dtype_info(types[_i])->kind != DTYPE_KIND_UINT;
    char text[MOST], copy[MOST];
    size_t len;

    state = 77 + (uint32_t)_i;
    len = make(text, is_float, 0, is_float ? 40 : 90, false);
    for (size_t i = 1; i < len && i < 300; i++) {
        for (const char *byte = errors; *byte; byte++) {
            memcpy(copy, text, len);
            copy[i] = *byte;
            wide_case_check(copy, len, types[_i]);
        }
        memcpy(copy, text, i);
        memcpy(copy + i, text + i + 1, len - i - 1);
        wide_case_check(copy, len - 1, types[_i]);
    }
}
END_TEST

static const char *const bad[] = {
    "1e-5.5", "1e-5e-5", "1.5.5", "1.5e-3.2", "01.5",  "-01",
    "1.",     "1e-",     "-",     "1e",       "1..5",  "--1",
    "1-2",    ".5",      "1.e-5", "1e-5-5",   "1+5",   "+1",
    "-.5",    "e-5",     "1 2",   "1e--5",    "1e-.5", "1\f",
    "00",     "-00.1",   "1e-+5", "1.-5",     "1e39",  "1e-0+"};

START_TEST(wide_refuses_bad_numbers_at_every_alignment)
{
    char text[MOST];

    for (int lead = 1; lead <= 64; lead++)
        for (int is_float = 0; is_float < 2; is_float++) {
            int len = sprintf(text, is_float ? "[0.%0*d,%s,4" : "[%*d,%s,4",
                              lead, 1, bad[_i]);

            for (int i = 0; i < 70; i++)
                len += sprintf(text + len, ",%d", i % 7);
            text[len++] = ']';
            ck_assert(!wide_case_check(text, (size_t)len,
                                       is_float ? DTYPE_FP32 : DTYPE_INT32));
        }
}
END_TEST

/* Each byte in front of, in, and behind a number. */
START_TEST(wide_agrees_on_every_byte)
{
    char text[MOST];

    for (int place = 0; place < 6; place++)
        for (int i = 0; i < (int)(sizeof(types) / sizeof(types[0])); i += 3) {
            size_t len = (size_t)sprintf(text, "[    ,12, 34");

            for (int k = 0; k < 70; k++)
                len += (size_t)sprintf(text + len, ",%d", k % 7);
            text[len++] = ']';
            text[4] = '1';
            text[place < 3 ? place + 1 : place + 3] = (char)_i;
            wide_case_check(text, len, types[i]);
        }
}
END_TEST

static const char *const limits[] = {"7",
                                     "8",
                                     "-8",
                                     "-9",
                                     "15",
                                     "16",
                                     "127",
                                     "128",
                                     "-128",
                                     "-129",
                                     "255",
                                     "256",
                                     "999",
                                     "-1",
                                     "-0",
                                     "32767",
                                     "32768",
                                     "-32768",
                                     "-32769",
                                     "65535",
                                     "65536",
                                     "99999",
                                     "2147483647",
                                     "2147483648",
                                     "-2147483648",
                                     "-2147483649",
                                     "4294967295",
                                     "4294967296",
                                     "9999999999",
                                     "9223372036854775807",
                                     "9223372036854775808",
                                     "-9223372036854775808",
                                     "-9223372036854775809",
                                     "18446744073709551615",
                                     "18446744073709551616",
                                     "99999999999999999999"};

START_TEST(wide_knows_the_limits_of_integers)
{
    char text[MOST];

    for (int t = 0; t < TYPES; t++)
        for (int before = 0; before < 35; before += 2) {
            size_t len = (size_t)sprintf(text, "[");

            for (int i = 0; i < before; i++)
                len += (size_t)sprintf(text + len, "%d,", i % 5);
            len += (size_t)sprintf(text + len, "%s,3", limits[_i]);
            for (int i = 0; i < 70; i++)
                len += (size_t)sprintf(text + len, ",%d", i % 5);
            text[len++] = ']';
            wide_case_check(text, len, types[t]);
        }
}
END_TEST

static size_t mutate(char *text, size_t len)
{
    for (uint32_t i = pick(4); i > 0; i--) {
        size_t at = 1 + pick((uint32_t)len - 2);

        switch (pick(3)) {
        case 0:
            text[at] = errors[pick(sizeof(errors) - 1)];
            break;
        case 1:
            memmove(text + at + 1, text + at, len - at);
            text[at] = errors[pick(sizeof(errors) - 1)];
            len++;
            break;
        default:
            memmove(text + at, text + at + 1, len - at - 1);
            len--;
        }
    }
    return len;
}

START_TEST(wide_agrees_on_random_lists)
{
    char text[MOST];

    state = 1000 + (uint32_t)_i;
    for (int round = 0; round < 600; round++) {
        enum dtype dtype = types[pick(TYPES)];
        bool is_float = dtype_info(dtype)->kind != DTYPE_KIND_INT &&
                        dtype_info(dtype)->kind != DTYPE_KIND_UINT;
        size_t len = make(text, is_float, (int)pick(65), 1 + (int)pick(100),
                          pick(2) == 0);

        wide_case_check(text, mutate(text, len), dtype);
    }
}
END_TEST

/* `lists` lists of `row` numbers each, in text with `space` at each comma. */
static size_t nest(char *text, int lists, int row, const char *space)
{
    size_t len = 0;

    text[len++] = '[';
    for (int i = 0; i < lists; i++) {
        len += (size_t)sprintf(text + len, "%s[", i > 0 ? space : "");
        for (int k = 0; k < row; k++)
            len += (size_t)sprintf(text + len, "%s%u", k > 0 ? space : "",
                                   pick(1000));
        text[len++] = ']';
    }
    text[len++] = ']';
    return len;
}

START_TEST(wide_agrees_on_nested_lists)
{
    static const char *const spaces[] = {",", ", ", ",\n  ", " , "};
    char text[16384];

    state = (uint32_t)_i;
    for (int row = 1; row < 70; row++) {
        uint64_t count = (uint64_t)row * 30;
        size_t len = nest(text, 30, row, spaces[_i]);

        ck_assert(wide_case_rows(text, len, DTYPE_FP32, count, (uint64_t)row));
        ck_assert(wide_case_rows(text, len, DTYPE_INT16, count, (uint64_t)row));
        text[1 + pick((uint32_t)len - 2)] = errors[pick(sizeof(errors) - 1)];
        wide_case_rows(text, len, DTYPE_FP32, count, (uint64_t)row);
        wide_case_rows(text, len, DTYPE_INT16, count, 1);
    }
}
END_TEST

/* 3 numbers more than the shape has, or fewer: no row past the end. */
START_TEST(wide_writes_no_row_past_the_count)
{
    char text[MOST];

    for (uint64_t count = 1; count < 300; count += 7) {
        size_t len = 0;

        text[len++] = '[';
        for (int i = 0; i < 150; i++)
            len += (size_t)sprintf(text + len, "%s%d", i ? "," : "", i % 10);
        text[len++] = ']';
        wide_case_rows(text, len, DTYPE_INT64, count, 1);
        wide_case_rows(text, len, DTYPE_FP32, count, count);
    }
}
END_TEST

/* More than a MiB, so that the walk stops to look at the cancel flag. */
START_TEST(wide_agrees_on_a_long_list)
{
    const int count = 300000;
    char *text = malloc((size_t)count * 8), *at = text;

    ck_assert_ptr_nonnull(text);
    *at++ = '[';
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s%u", i ? "," : "", pick(100000));
    *at++ = ']';
    ck_assert(wide_case_rows(text, (size_t)(at - text), DTYPE_INT32,
                             (uint64_t)count, 1));
    ck_assert(wide_case_rows(text, (size_t)(at - text), DTYPE_FP32,
                             (uint64_t)count, 100));
    free(text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("wide");
    TCase *tcase = tcase_create("wide");
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, wide_agrees_at_every_alignment, 0, TYPES);
    tcase_add_loop_test(tcase, wide_agrees_with_an_error_at_every_place, 0,
                        TYPES);
    tcase_add_loop_test(tcase, wide_refuses_bad_numbers_at_every_alignment, 0,
                        sizeof(bad) / sizeof(bad[0]));
    tcase_add_loop_test(tcase, wide_agrees_on_every_byte, 0, 256);
    tcase_add_loop_test(tcase, wide_knows_the_limits_of_integers, 0,
                        sizeof(limits) / sizeof(limits[0]));
    tcase_add_loop_test(tcase, wide_agrees_on_random_lists, 0, 10);
    tcase_add_loop_test(tcase, wide_agrees_on_nested_lists, 0, 4);
    tcase_add_test(tcase, wide_writes_no_row_past_the_count);
    tcase_add_test(tcase, wide_agrees_on_a_long_list);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
