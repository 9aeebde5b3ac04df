#include "kernels/core/edit_distance.h"
#include "tests/unit.h"

static const struct {
    const char *a, *b;
    int distance;
} rows[] = {
    {"", "", 0},         {"a", "", 1},
    {"axis", "axis", 0}, {"axis", "axes", 1},
    {"axis", "axi", 1},  {"axis", "taxis", 1},
    {"port", "prot", 1}, {"kitten", "sitting", 3},
    {"hepl", "help", 1}, {"elhp", "help", 2},
    {"ab", "ba", 1},     {"ca", "abc", 3},
    {"abc", "xyz", 3},   {"time_axis", "axis", 5},
    {"AXIS", "axis", 4},
};

LOOP_TEST(distance_counts_letters_both_ways, COUNT(rows))
{
    const char *a = rows[_i].a, *b = rows[_i].b;

    ck_assert_int_eq(edit_distance(a, strlen(a), b, strlen(b)),
                     rows[_i].distance);
    ck_assert_int_eq(edit_distance(b, strlen(b), a, strlen(a)),
                     rows[_i].distance);
}

UNIT_TEST(distance_takes_the_longest_name)
{
    char name[EDIT_DISTANCE_LONGEST], other[200];

    memset(name, 'a', sizeof(name));
    memset(other, 'a', sizeof(other));
    ck_assert_int_eq(edit_distance(other, sizeof(other), name, sizeof(name)),
                     sizeof(other) - sizeof(name));
}
