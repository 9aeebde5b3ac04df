/* Vector code against the byte-by-byte code. */
#include "api/lex/simd.h"
#include "tests/api/lex/random_list.h"
#include "tests/api/lex/simd_case.h"
#include "tests/unit.h"

/* Blocks start at every byte of a number, for each datatype. */
LOOP_TEST(simd_agrees_at_every_alignment, RANDOM_LIST_TYPES)
{
    bool is_float = random_list_is_float(random_list_types[_i]);
    char text[RANDOM_LIST_MAX];

    random_list_seed((uint32_t)_i);
    for (int lead = 0; lead <= 64; lead++)
        for (int round = 0; round < 4; round++) {
            size_t len = random_list_write(text, is_float, lead, 17 + lead * 2,
                                           round > 2);

            simd_case_check(text, len, random_list_types[_i]);
        }
}

static const char errors[] = "0-+.eE ,]x[\"\n9";

/* Each byte of a list is replaced by each kind of byte, or left out. */
LOOP_TEST(simd_agrees_on_an_error_at_every_byte, RANDOM_LIST_TYPES)
{
    bool is_float = random_list_is_float(random_list_types[_i]);
    char text[RANDOM_LIST_MAX], copy[RANDOM_LIST_MAX];
    size_t len;

    random_list_seed(77 + (uint32_t)_i);
    len = random_list_write(text, is_float, 0, is_float ? 40 : 90, false);
    for (size_t i = 1; i < len && i < 300; i++) {
        for (const char *byte = errors; *byte; byte++) {
            memcpy(copy, text, len);
            copy[i] = *byte;
            simd_case_check(copy, len, random_list_types[_i]);
        }
        memcpy(copy, text, i);
        memcpy(copy + i, text + i + 1, len - i - 1);
        simd_case_check(copy, len - 1, random_list_types[_i]);
    }
}

static size_t mutate(char *text, size_t len)
{
    for (uint32_t i = random_list_pick(4); i > 0; i--) {
        size_t at = 1 + random_list_pick((uint32_t)len - 2);

        switch (random_list_pick(3)) {
        case 0:
            text[at] = errors[random_list_pick(sizeof(errors) - 1)];
            break;
        case 1:
            memmove(text + at + 1, text + at, len - at);
            text[at] = errors[random_list_pick(sizeof(errors) - 1)];
            len++;
            break;
        default:
            memmove(text + at, text + at + 1, len - at - 1);
            len--;
        }
    }
    return len;
}

LOOP_TEST(simd_agrees_on_random_lists, 10)
{
    char text[RANDOM_LIST_MAX];

    random_list_seed(1000 + (uint32_t)_i);
    for (int round = 0; round < 600; round++) {
        enum dtype dtype =
            random_list_types[random_list_pick(RANDOM_LIST_TYPES)];
        bool is_float = random_list_is_float(dtype);
        size_t len = random_list_write(
            text, is_float, (int)random_list_pick(65),
            1 + (int)random_list_pick(100), random_list_pick(2) == 0);

        simd_case_check(text, mutate(text, len), dtype);
    }
}

LOOP_TEST(simd_agrees_on_nested_lists, 4)
{
    static const char *const spaces[] = {",", ", ", ",\n  ", " , "};
    char text[16384];

    random_list_seed((uint32_t)_i);
    for (int row = 1; row < 70; row++) {
        uint64_t count = (uint64_t)row * 30;
        size_t len = random_list_write_nested(text, 30, row, spaces[_i]);

        ck_assert(simd_case_rows(text, len, DTYPE_FP32, count, (uint64_t)row));
        ck_assert(simd_case_rows(text, len, DTYPE_INT16, count, (uint64_t)row));
        text[1 + random_list_pick((uint32_t)len - 2)] =
            errors[random_list_pick(sizeof(errors) - 1)];
        simd_case_rows(text, len, DTYPE_FP32, count, (uint64_t)row);
        simd_case_rows(text, len, DTYPE_INT16, count, 1);
    }
}

/* The array has up to 149 numbers more, or fewer, than the shape. */
UNIT_TEST(simd_writes_no_row_past_the_count)
{
    char text[RANDOM_LIST_MAX];

    for (uint64_t count = 1; count < 300; count += 7) {
        size_t len = 0;

        text[len++] = '[';
        for (int i = 0; i < 150; i++)
            len += (size_t)sprintf(text + len, "%s%d", i ? "," : "", i % 10);
        text[len++] = ']';
        simd_case_rows(text, len, DTYPE_INT64, count, 1);
        simd_case_rows(text, len, DTYPE_FP32, count, count);
    }
}

/* More than a MiB, so that the loop stops to check the cancel flag. */
UNIT_TEST(simd_agrees_on_a_long_list)
{
    const int count = 300000;
    char *text = malloc((size_t)count * 8), *at = text;

    ck_assert_ptr_nonnull(text);
    *at++ = '[';
    for (int i = 0; i < count; i++)
        at += sprintf(at, "%s%u", i ? "," : "", random_list_pick(100000));
    *at++ = ']';
    ck_assert(simd_case_rows(text, (size_t)(at - text), DTYPE_INT32,
                             (uint64_t)count, 1));
    ck_assert(simd_case_rows(text, (size_t)(at - text), DTYPE_FP32,
                             (uint64_t)count, 100));
    free(text);
}
