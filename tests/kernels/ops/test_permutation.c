#include "tests/kernels/naive.h"
#include "tests/unit.h"

/* A permutation is compared as text: for each axis in loop order its extent and
 * its map, the batch axis in brackets, then the row.
 *   k keep   f flip, f3 the first 3   l flip a length
 *   "2f*12 5l*4 row 3": the stride follows the * */
static const char *print(const struct permutation *p)
{
    static char text[512];
    size_t len = 0;

    for (int i = 0; i < p->rank; i++) {
        const struct permutation_axis *axis = &p->axes[i];
        char part[24] = "";

        if (axis->map == PERMUTATION_FLIP && axis->flips != axis->extent)
            snprintf(part, sizeof(part), "%llu",
                     (unsigned long long)axis->flips);
        len += (size_t)snprintf(
            text + len, sizeof(text) - len, "%s%llu%c%s*%llu%s ",
            i == p->batch_axis ? "(" : "", (unsigned long long)axis->extent,
            "kfl"[axis->map], part, (unsigned long long)axis -> stride,
            i == p -> batch_axis ? ")" : "");
    }
    snprintf(text + len, sizeof(text) - len, "row %llu x %llu",
             (unsigned long long)p->row, (unsigned long long)p->row_count);
    return text;
}

/* Letters in `maps`: k keep, f flip, l flip a length, b the batch axis. */
struct collapse {
    const char *maps;
    int64_t dims[8];
    int64_t lens[8];
    const char *expected;
};

static void build(const struct collapse *c, struct naive *n)
{
    memset(n, 0, sizeof(*n));
    n->shape.rank = (int)strlen(c->maps);
    n->batch_axis = -1;
    for (int i = 0; i < n->shape.rank; i++) {
        n->shape.dims[i] = c->dims[i];
        if (c->maps[i] == 'f')
            n->maps[i] = PERMUTATION_FLIP;
        if (c->maps[i] == 'l')
            n->maps[i] = PERMUTATION_FLIP_LENS;
        if (c->maps[i] == 'b')
            n->batch_axis = i;
    }
    memcpy(n->lens, c->lens, sizeof(c->lens));
}

static void check(const struct collapse *c)
{
    static struct naive n;
    struct permutation p;

    build(c, &n);
    naive_permutation(&n, &p);
    ck_assert_msg(strcmp(print(&p), c->expected) == 0,
                  "%s became '%s', not '%s'", c->maps, print(&p), c->expected);
    ck_assert_int_eq(p.batch_axis >= 0, p.lens != NULL);
    permutation_free(&p);
    ck_assert_ptr_null(p.lens);
}

static const struct collapse plain[] = {
    {"", {0}, {0}, "row 1 x 1"},
    {"k", {7}, {0}, "row 7 x 1"},
    {"kkk", {2, 3, 4}, {0}, "row 24 x 1"},
    {"f", {7}, {0}, "7f*1 row 1 x 7"},
    {"ff", {2, 3}, {0}, "6f*1 row 1 x 6"},
    {"fff", {2, 3, 4}, {0}, "24f*1 row 1 x 24"},
    {"fk", {2, 3}, {0}, "2f*1 row 3 x 2"},
    {"fkk", {2, 3, 4}, {0}, "2f*1 row 12 x 2"},
    {"kf", {2, 3}, {0}, "2k*3 3f*1 row 1 x 6"},
    {"kkff", {2, 3, 4, 5}, {0}, "6k*20 20f*1 row 1 x 120"},
    {"ffkk", {2, 3, 4, 5}, {0}, "6f*1 row 20 x 6"},
    {"fkf", {2, 3, 4}, {0}, "2f*12 3k*4 4f*1 row 1 x 24"},
    {"kfk", {2, 3, 4}, {0}, "2k*3 3f*1 row 4 x 6"},
    /* Axes of one entry part nothing. */
    {"f", {1}, {0}, "row 1 x 1"},
    {"kfk", {2, 1, 4}, {0}, "row 8 x 1"},
    {"fkf", {2, 1, 4}, {0}, "8f*1 row 1 x 8"},
    {"kfkfk", {1, 2, 1, 3, 1}, {0}, "6f*1 row 1 x 6"},
};

LOOP_TEST(permutation_collapses_flips_and_keeps, COUNT(plain))
{
    check(&plain[_i]);
}

static const struct collapse with_lens[] = {
    /* Batch-major: the lengths' axis may be the innermost, or above a row. */
    {"bl", {2, 5}, {3, 4}, "(2k*5) 5l*1 row 1 x 10"},
    {"blk", {2, 5, 6}, {3, 4}, "(2k*5) 5l*1 row 6 x 10"},
    {"blkk", {2, 5, 2, 3}, {3, 4}, "(2k*5) 5l*1 row 6 x 10"},
    {"kbl", {4, 2, 5}, {3, 4}, "4k*10 (2k*5) 5l*1 row 1 x 40"},
    {"bkl", {2, 4, 5}, {3, 4}, "(2k*20) 4k*5 5l*1 row 1 x 40"},
    /* Time-major: the batch axis comes first in the loops. */
    {"lb", {5, 2}, {3, 4}, "(2k*1) 5l*2 row 1 x 10"},
    {"lbk", {5, 2, 6}, {3, 4}, "(2k*1) 5l*2 row 6 x 10"},
    {"lkb", {5, 3, 2}, {3, 4}, "(2k*1) 5l*6 3k*2 row 1 x 30"},
    {"klkbk", {2, 5, 3, 2, 7}, {3, 4}, "2k*30 (2k*1) 5l*6 3k*2 row 7 x 60"},
    /* Axes of one entry before, between and behind move the others up. */
    {"kbl", {1, 2, 5}, {3, 4}, "(2k*5) 5l*1 row 1 x 10"},
    {"fkbfl", {1, 1, 2, 1, 5}, {3, 4}, "(2k*5) 5l*1 row 1 x 10"},
    {"klkb", {1, 5, 1, 2}, {3, 4}, "(2k*1) 5l*2 row 1 x 10"},
    {"kblk", {1, 2, 5, 1}, {3, 4}, "(2k*5) 5l*1 row 1 x 10"},
    /* Flips beside it; two on either side of the batch axis do not meet. */
    {"fblf", {2, 2, 5, 3}, {3, 4}, "2f*30 (2k*15) 5l*3 3f*1 row 1 x 60"},
    {"fbfl", {2, 2, 3, 5}, {3, 4}, "2f*30 (2k*15) 3f*5 5l*1 row 1 x 60"},
    {"kbkl", {2, 2, 3, 5}, {3, 4}, "2k*30 (2k*15) 3k*5 5l*1 row 1 x 60"},
    /* All lengths are the whole axis: a flip, and batch is like any axis. */
    {"bl", {2, 5}, {5, 5}, "2k*5 5f*1 row 1 x 10"},
    {"lb", {5, 2}, {5, 5}, "5f*1 row 2 x 5"},
    {"lbk", {5, 2, 6}, {5, 5}, "5f*1 row 12 x 5"},
    {"kbl", {4, 2, 5}, {5, 5}, "8k*5 5f*1 row 1 x 40"},
    {"blf", {2, 5, 3}, {5, 5}, "2k*15 15f*1 row 1 x 30"},
    /* All lengths are 0 or 1: nothing moves. */
    {"bl", {2, 5}, {0, 1}, "row 10 x 1"},
    {"lbf", {5, 2, 3}, {1, 0}, "10k*3 3f*1 row 1 x 30"},
    {"bl", {2, 1}, {0, 1}, "row 2 x 1"},
    {"bl", {2, 1}, {1, 1}, "row 2 x 1"},
    /* A batch of one gives its length, and parts nothing. */
    {"bl", {1, 5}, {3}, "5f3*1 row 1 x 5"},
    {"lb", {5, 1}, {3}, "5f3*1 row 1 x 5"},
    {"lkb", {5, 3, 1}, {3}, "5f3*1 row 3 x 5"},
    {"kbkl", {2, 1, 3, 5}, {3}, "6k*5 5f3*1 row 1 x 30"},
    /* Equal, but not the whole axis. */
    {"bl", {2, 5}, {4, 4}, "2k*5 5f4*1 row 1 x 10"},
    {"lb", {5, 2}, {4, 4}, "5f4*1 row 2 x 5"},
    {"blf", {2, 5, 3}, {4, 4}, "2k*15 5f4*3 3f*1 row 1 x 30"},
    {"flb", {3, 5, 2}, {4, 4}, "3f*5 5f4*1 row 2 x 15"},
};

LOOP_TEST(permutation_collapses_lengths, COUNT(with_lens))
{
    check(&with_lens[_i]);
}

static const struct collapse empty[] = {
    {"k", {0}, {0}, "row 1 x 0"},
    {"kf", {INT64_MAX, 0}, {0}, "row 1 x 0"},
    {"fkf", {INT64_MAX, 0, INT64_MAX}, {0}, "row 1 x 0"},
    {"ff", {0, INT64_MAX}, {0}, "row 1 x 0"},
    {"bl", {0, 5}, {0}, "row 1 x 0"},
    {"bl", {2, 0}, {0, 0}, "row 1 x 0"},
    {"lb", {INT64_MAX, 0}, {0}, "row 1 x 0"},
    {"blk", {2, 5, 0}, {3, 4}, "row 1 x 0"},
};

LOOP_TEST(permutation_of_empty_tensor_has_no_rows, COUNT(empty))
{
    check(&empty[_i]);
}

UNIT_TEST(permutation_init_keeps_every_axis)
{
    struct shape shape = {3, {2, 3, 4}};
    struct permutation p;

    permutation_init(&p, &shape, false);
    ck_assert_str_eq(print(&p), "2k*12 3k*4 4k*1 row 1 x 24");
    ck_assert(naive_keeps_all(&p));
    permutation_free(&p);
}

/* Column-major order is row-major order of the mirrored shape. */
UNIT_TEST(permutation_of_columns_is_mirrored)
{
    struct shape shape = {3, {2, 3, 4}};
    struct permutation p;
    int64_t *lens = calloc(2, sizeof(*lens));

    permutation_init(&p, &shape, true);
    ck_assert_str_eq(print(&p), "4k*6 3k*2 2k*1 row 1 x 24");
    permutation_flip(&p, 2);
    permutation_collapse(&p);
    ck_assert_str_eq(print(&p), "4f*1 row 6 x 4");
    permutation_free(&p);
    permutation_init(&p, &shape, true);
    lens[0] = 3;
    permutation_flip_lens(&p, 1, 0, lens);
    permutation_collapse(&p);
    ck_assert_int_eq(p.batch_axis, 1);
    ck_assert_str_eq(print(&p), "4k*6 (2k*1) 3l*2 row 1 x 24");
    permutation_free(&p);
}

UNIT_TEST(permutation_holds_largest_shape)
{
    struct shape shape = {2, {INT64_C(1) << 31, (INT64_C(1) << 32) - 1}};
    struct permutation p;

    permutation_init(&p, &shape, false);
    permutation_flip(&p, 0);
    permutation_flip(&p, 1);
    permutation_collapse(&p);
    ck_assert_str_eq(print(&p), "9223372034707292160f*1 row 1 x "
                                "9223372034707292160");
    permutation_free(&p);
}

LOOP_TEST(permutation_recognises_identity, 2)
{
    static struct naive n;
    struct permutation p;
    struct collapse c = {"kbl", {4, 2, 5}, {0, _i + 1}, ""};

    build(&c, &n);
    naive_permutation(&n, &p);
    ck_assert_int_eq(naive_keeps_all(&p), _i == 0);
    permutation_free(&p);
}

UNIT_TEST(permutation_free_accepts_zeroed)
{
    struct permutation p = {0};

    permutation_free(&p);
    ck_assert_ptr_null(p.lens);
}
