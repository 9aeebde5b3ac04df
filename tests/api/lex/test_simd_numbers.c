/* Single numbers in vector code: malformed ones, and ones out of range. */
#include "tests/api/lex/random_list.h"
#include "tests/api/lex/simd_case.h"
#include "tests/unit.h"

static const char *const bad[] = {
    "1e-5.5", "1e-5e-5", "1.5.5", "1.5e-3.2", "01.5",  "-01",
    "1.",     "1e-",     "-",     "1e",       "1..5",  "--1",
    "1-2",    ".5",      "1.e-5", "1e-5-5",   "1+5",   "+1",
    "-.5",    "e-5",     "1 2",   "1e--5",    "1e-.5", "1\f",
    "00",     "-00.1",   "1e-+5", "1.-5",     "1e39",  "1e-0+"};

/* Common text of more than two blocks. */
static const char common[] = "[0.25,-1.5,2,0.125,-1,0.25,1.75,2,0.125,1,0.25,"
                             "1.75,2,0.125,1,10.5,9,8,7,6,5,4,3,2,1,0,-0.5,11,"
                             "12,13,14,15,16,17,18,19,20.25,21,22,23,24,25,26,";

/* Long lists in rows of one number only, which takes a sixth of the time. */
static bool check_one_token_rows(const char *text, size_t len, enum dtype dtype)
{
    uint64_t count = 1;

    for (size_t i = 0; i < len; i++)
        count += text[i] == ',';
    return simd_case_rows(text, len, dtype, count, 1);
}

/* Appends `count` small numbers and the end of the list; returns its length. */
static size_t finish(char *text, int len, int count)
{
    for (int i = 0; i < count; i++)
        len += sprintf(text + len, ",%d", i % 7);
    text[len] = ']';
    return (size_t)len + 1;
}

LOOP_TEST(simd_refuses_bad_numbers_at_every_alignment, COUNT(bad))
{
    char text[RANDOM_LIST_MAX];

    for (int lead = 1; lead <= 128; lead++)
        for (int is_float = 0; is_float < 2; is_float++) {
            int len =
                lead > 64
                    ? sprintf(text, "%s0.%0*d,%s,4", common, lead - 64, 1,
                              bad[_i])
                    : sprintf(text, is_float ? "[0.%0*d,%s,4" : "[%*d,%s,4",
                              lead, 1, bad[_i]);

            ck_assert(!(lead > 64 ? check_one_token_rows : simd_case_check)(
                text, finish(text, len, 70),
                is_float ? DTYPE_FP32 : DTYPE_INT32));
        }
}

/* Each byte before, in and after a number. */
LOOP_TEST(simd_agrees_on_every_byte, 256)
{
    char text[RANDOM_LIST_MAX];

    for (int position = 0; position < 6; position++)
        for (int i = 0; i < (int)(RANDOM_LIST_TYPES); i += 3) {
            size_t len = finish(text, sprintf(text, "[    ,12, 34"), 70);

            text[4] = '1';
            text[position < 3 ? position + 1 : position + 3] = (char)_i;
            simd_case_check(text, len, random_list_types[i]);
            /* Long enough for the first part that arrives to have common
             * blocks. */
            len = finish(text, sprintf(text, "%s1,12,34", common), 700);
            text[sizeof(common) - 1 + (size_t)position] = (char)_i;
            check_one_token_rows(text, len, random_list_types[i]);
        }
}

/* Two numbers longer than several blocks, between common ones, at every offset
 * in a block. */
LOOP_TEST(simd_agrees_on_long_numbers, 8)
{
    static const int lengths[] = {189, 190, 191, 251, 252, 253, 254, 255};
    char text[RANDOM_LIST_MAX];

    for (int lead = 1; lead <= 64; lead++) {
        int len =
            sprintf(text, "%s0.%0*d,0.%0*d", common, lead, 1, lengths[_i], 1);

        ck_assert(
            check_one_token_rows(text, finish(text, len, 1000), DTYPE_FP32));
    }
}

static const char *const limits[] = {
    "7",           "8",          "-8",         "-9",         "15",
    "16",          "127",        "128",        "-128",       "-129",
    "255",         "256",        "999",        "-1",         "-0",
    "32767",       "32768",      "-32768",     "-32769",     "65535",
    "65536",       "99999",      "2147483647", "2147483648", "-2147483648",
    "-2147483649", "4294967295", "4294967296", "9999999999"};
static const char *const limits_of_64_bits[] = {
    "9223372036854775807",  "9223372036854775808",  "-9223372036854775808",
    "-9223372036854775809", "18446744073709551615", "18446744073709551616",
    "99999999999999999999"};

LOOP_TEST(simd_checks_the_limits_of_integers,
          COUNT(limits) + COUNT(limits_of_64_bits))
{
    const char *limit =
        _i < COUNT(limits) ? limits[_i] : limits_of_64_bits[_i - COUNT(limits)];
    char text[RANDOM_LIST_MAX];

    for (int t = 0; t < RANDOM_LIST_TYPES; t++)
        for (int before = 0; before < 35; before += 2) {
            int len = sprintf(text, "[");

            for (int i = 0; i < before; i++)
                len += sprintf(text + len, "%d,", i % 5);
            len += sprintf(text + len, "%s,3", limit);
            simd_case_check(text, finish(text, len, 70), random_list_types[t]);
        }
}

static const char *const far[] = {"65504",
                                  "65520",
                                  "-65520.5",
                                  "99999.5",
                                  "-99999",
                                  "100000",
                                  "340282350000000000000000000000000000000",
                                  "-999999999999999999999999999999999999999.5"};

/* At every offset in a block. */
LOOP_TEST(simd_checks_the_limits_of_floats, COUNT(far))
{
    static const enum dtype types[] = {DTYPE_FP16, DTYPE_BF16, DTYPE_FP32};
    char text[RANDOM_LIST_MAX];

    for (int t = 0; t < COUNT(types); t++)
        for (int lead = 1; lead <= 64; lead++) {
            int len = sprintf(text, "[0.%0*d,%s", lead, 1, far[_i]);

            simd_case_check(text, finish(text, len, 70), types[t]);
        }
}
