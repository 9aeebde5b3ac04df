#include <limits.h>

#include "api/base/accept.h"
#include "tests/unit.h"

/* A list, and its entries as "name=weight ". */
static const struct {
    const char *list, *entries;
} lists[] = {
    {"", ""},
    {" , ,\t", ""},
    {"gzip", "gzip=1000 "},
    {"gzip, *", "gzip=1000 *=1000 "},
    {",gzip,,br,", "gzip=1000 br=1000 "},
    {"gzip;q=0.5,br", "gzip=500 br=1000 "},
    {"gzip ; q=0.25 , br ;q=1", "gzip=250 br=1000 "},
    {"gzip;Q=0", "gzip=0 "},
    {"gzip; q = 0.125", "gzip=125 "},
    {"gzip;q=0.001;a=b", "gzip=1 "},
    {"gzip;q=1.000", "gzip=1000 "},
    {"a/b;level=1;q=0.3, c/d;quality=0", "a/b=300 c/d=1000 "},
    {"a/b;a=q;q=0.3", "a/b=300 "},
    {"gzip;q=", "gzip=0 "},
    {"gzip;q", "gzip=1000 "},
    {"gzip;", "gzip=1000 "},
    {"gzip;q=x,br", "gzip=0 br=1000 "},
};

LOOP_TEST(accept_lists_names_and_weights, COUNT(lists))
{
    char text[200] = "";
    size_t len = 0;
    struct accept_entry entry;
    const char *at = lists[_i].list;

    while ((at = accept_next(at, &entry)))
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%.*s=%d ",
                                (int)entry.len, entry.name, entry.weight);
    ck_assert_str_eq(text, lists[_i].entries);
}

UNIT_TEST(accept_compares_whole_names_in_any_case)
{
    struct accept_entry entry;

    ck_assert_ptr_nonnull(accept_next(" GZip;q=0.5", &entry));
    ck_assert(accept_is(&entry, "gzip"));
    ck_assert(!accept_is(&entry, "gzi"));
    ck_assert(!accept_is(&entry, "gzipx"));
}

/* A list; weight and index of "gzip", which "*" covers. */
static const struct {
    const char *list;
    int weight, index;
} gzips[] = {
    {"", 0, INT_MAX},          {"br", 0, INT_MAX},
    {"*;q=0.5", 500, INT_MAX}, {"br, X-GZIP;q=0.3", 300, 1},
    {"*, gzip;q=0", 0, 1},     {"gzip;q=0.2, *;q=0.9", 200, 0},
};

LOOP_TEST(accept_weighs_a_name_before_its_patterns, COUNT(gzips))
{
    static const char *const names[] = {"gzip", "x-gzip", NULL};
    static const char *const patterns[] = {"*", NULL};
    int index;

    ck_assert_int_eq(accept_weight(gzips[_i].list, names, patterns, &index),
                     gzips[_i].weight);
    ck_assert_int_eq(index, gzips[_i].index);
}
