#include <string.h>

#include "api/document/misplaced.h"
#include "tests/unit.h"

static const struct {
    const char *name, *known;
    bool near;
} rows[] = {
    {"time_axes", "time_axis", true},
    {"time_axi", "time_axis", true},
    {"ime_axis", "time_axis", true},
    {"xtime_axisx", "time_axis", true},
    {"tiem_axis", "time_axis", true},
    {"Time_Axis", "time_axis", true},
    {"time_ax", "time_axis", true},
    {"time_a", "time_axis", false},
    {"time_axis", "time_axis", false},
    {"time_axisxxx", "time_axis", false},
    {"Tine_Axis", "time_axis", false},
    {"seq_axis", "time_axis", false},
    /* Other cases and separators. */
    {"TIME_AXIS", "time_axis", true},
    {"TimeAxis", "time_axis", true},
    {"time - axis?", "time_axis", true},
    {"Mode", "mode", true},
    {"MODE", "mode", true},
    {"TIME_AXI", "time_axis", false},
    {"____", "mode", false},
    /* Four letters at least. */
    {"mods", "mode", true},
    {"mod", "mode", false},
    {"mode", "mod", false},
    {"", "mode", false},
    {"mode", "", false},
    {"modely", "mode", true},
    {"modelly", "mode", false},
};

LOOP_TEST(name_is_near_up_to_two_letters, COUNT(rows))
{
    ck_assert_int_eq(near_name(rows[_i].name, rows[_i].known), rows[_i].near);
    ck_assert_int_eq(near_name(rows[_i].known, rows[_i].name), rows[_i].near);
}

UNIT_TEST(name_that_is_long_is_near_to_none)
{
    char name[1000];

    memset(name, 'k', sizeof(name));
    for (size_t len = 60; len < 70; len++) {
        name[len] = '\0';
        ck_assert(!near_name(name, "time_axis"));
        ck_assert(!near_name("time_axis", name));
        name[len] = 'k';
    }
    name[sizeof(name) - 1] = '\0';
    ck_assert(!near_name(name, "time_axis"));
}
