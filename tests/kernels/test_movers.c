/* The swap and the copy mover against the naive oracle, bit for bit, with
 * guard bytes round the data and at any alignment. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/move_copy.h"
#include "kernels/move_swap.h"
#include "tests/kernels/naive.h"

enum { GUARD = 48, MAX_BYTES = 4 << 20 };

/* Room for a tensor between two guards, filled with noise. */
struct area {
    unsigned char *memory; /* owned */
    unsigned char *data;
    unsigned char *before; /* owned: what the whole area was */
    size_t size;
};

static void area_init(struct area *area, uint64_t *state, size_t bytes)
{
    area->size = bytes + 2 * GUARD;
    area->memory = malloc(area->size);
    area->before = malloc(area->size);
    /* Any alignment: up to 15 bytes of the guard. */
    area->data = area->memory + GUARD - naive_below(state, 16);
    naive_fill(state, area->memory, area->size);
    memcpy(area->before, area->memory, area->size);
}

static void area_free(struct area *area)
{
    free(area->memory);
    free(area->before);
}

/* What was in the area's data before. */
static const unsigned char *original(const struct area *area)
{
    return area->before + (area->data - area->memory);
}

/* Makes `area->before` what the area must be after the move from `from`. */
static void expect(struct area *area, const struct naive *n,
                   const struct naive_format *f, const unsigned char *from)
{
    unsigned char *out = area->before + (area->data - area->memory);
    uint64_t count = naive_count(n);

    for (uint64_t i = 0; i < count; i++)
        naive_copy_element(f, from, naive_source(n, i), out, i);
}

static void check_area(const struct area *area, const char *mover,
                       const struct naive *n, const struct naive_format *f)
{
    char shape[128];

    ck_assert_msg(memcmp(area->memory, area->before, area->size) == 0,
                  "%s differs: shape %s, %u bits, %s first, batch axis %d",
                  mover, shape_print(&n->shape, shape, sizeof(shape)), f->bits,
                  f->high_first ? "high" : "low", n->batch_axis);
}

static void check_swap(uint64_t *state, const struct naive *n,
                       const struct movement *m, const struct naive_format *f)
{
    size_t bytes = naive_bytes(f, naive_count(n));
    unsigned char *from = malloc(bytes + 1);
    struct area area;

    area_init(&area, state, bytes);
    memcpy(from, original(&area), bytes);
    expect(&area, n, f, from);
    ck_assert(move_swap(m, f->bits, f->high_first, area.data, NULL));
    check_area(&area, "move_swap", n, f);
    area_free(&area);
    free(from);
}

static void check_copy(uint64_t *state, const struct naive *n,
                       const struct movement *m, const struct naive_format *f)
{
    size_t bytes = naive_bytes(f, naive_count(n));
    struct area from, to;

    area_init(&from, state, bytes);
    area_init(&to, state, bytes);
    memset(to.before + (to.data - to.memory), 0, bytes);
    expect(&to, n, f, from.data);
    ck_assert(move_copy(m, f->bits, f->high_first, from.data, to.data, NULL));
    check_area(&to, "move_copy", n, f);
    check_area(&from, "move_copy's source", n, f);
    area_free(&from);
    area_free(&to);
}

static void check_case(uint64_t *state, const struct naive *n,
                       const struct naive_format *f)
{
    struct movement m;

    naive_movement(n, &m);
    check_swap(state, n, &m, f);
    check_copy(state, n, &m, f);
    movement_free(&m);
}

START_TEST(movers_match_naive_loop_on_random_cases)
{
    static struct naive n;
    uint64_t state = 20240611;

    for (int i = 0; i < 1000; i++) {
        naive_random_case(&state, &n);
        for (int f = 0; f < NAIVE_FORMATS; f++)
            check_case(&state, &n, &naive_formats[f]);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("movers");
    TCase *tc = tcase_create("movers");

    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, movers_match_naive_loop_on_random_cases);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
