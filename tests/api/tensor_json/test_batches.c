/* tensor_json_move(), which works in batches. */
#include <stdlib.h>
#include <string.h>

#include "tests/api/tensor_json/batches_case.h"
#include "tests/unit.h"

static const int64_t row_of[] = {1, 2, 3, 7};

LOOP_TEST(batches_agree_with_an_index_of_the_whole, 4)
{
    static const char *const commas[] = {",", ", ", ",\n   ", " ,"};
    int64_t row = row_of[_i];

    for (int comma = 0; comma < 4; comma++)
        for (int nested = 0; nested < 2; nested++) {
            uint64_t count = (uint64_t)(BATCH * TIME * row);
            struct data_array a;
            struct permutation m;

            batches_case_seed((uint32_t)(_i * 8 + comma * 2 + nested));
            a = batches_case_array(count, nested ? (uint64_t)row : 0,
                                   commas[comma]);
            m = batches_case_permutation(&a, row, false);
            if (nested) /* the shape needs a dim for each level */
                a.shape = (struct shape){2, {BATCH * TIME, row}};
            ck_assert_uint_lt(tensor_json_move_capacity(&a, &m),
                              m.row_count / 2);
            batches_case_check(&a, &m);
            permutation_free(&m);
            free((void *)(uintptr_t)a.text);
        }
}

/* No row can be moved before the last one has been read. */
LOOP_TEST(time_major_takes_one_batch, 4)
{
    struct data_array a =
        batches_case_array((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = batches_case_permutation(&a, row_of[_i], true);

    ck_assert_uint_eq(tensor_json_move_capacity(&a, &m), m.row_count);
    batches_case_check(&a, &m);
    permutation_free(&m);
    free((void *)(uintptr_t)a.text);
}

/* Rows and lengths past the shape's count are not stored. */
LOOP_TEST(batches_refuse_a_wrong_count, 4)
{
    static const int64_t more[] = {-1, 1, 200, 5000, 12000};

    for (int i = 0; i < 5; i++) {
        uint64_t count = (uint64_t)(BATCH * TIME * row_of[_i] + more[i]);
        struct data_array a = batches_case_array(count, 0, ",");
        struct permutation m = batches_case_permutation(&a, row_of[_i], false);

        batches_case_check(&a, &m);
        permutation_free(&m);
        free((void *)(uintptr_t)a.text);
    }
}

LOOP_TEST(errors_are_the_same_in_every_batch, 4)
{
    struct data_array a =
        batches_case_array((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = batches_case_permutation(&a, row_of[_i], false);
    char *text = (char *)(uintptr_t)a.text;

    for (int i = 0; i < 40; i++) {
        size_t at = 1 + batches_case_pick((uint32_t)a.len - 2);
        char was = text[at];

        text[at] = "x,- ]["[i % 6];
        batches_case_check(&a, &m);
        text[at] = was;
    }
    permutation_free(&m);
    free(text);
}

/* An error after the last element of a batch is diagnosed by reading that
 * element again. */
LOOP_TEST(last_element_of_a_batch_stays_until_the_next, 4)
{
    struct data_array a =
        batches_case_array((uint64_t)(BATCH * TIME * row_of[_i]), 0, ",");
    struct permutation m = batches_case_permutation(&a, row_of[_i], false);
    char *text = (char *)(uintptr_t)a.text, *comma = text;
    uint64_t entry = (uint64_t)(TIME * row_of[_i]);

    for (uint64_t i = 1; i < 300 * entry; i++) {
        comma = strchr(comma + 1, ',');
        ck_assert_ptr_nonnull(comma);
        if (i % entry != 0)
            continue;
        *comma = ' ';
        batches_case_check_one(&a, &m);
        *comma = ',';
    }
    permutation_free(&m);
    free(text);
}
