/* move_rows() of planes that are prefetched, as is_near() says: 3 planes of two
 * rows of ROW bytes, STEP bytes apart, in LARGE bytes of data. */
#define BYTES (8 << 20)
#include "tests/proofs/move/token.h"

#include "kernels/move/move.c"

void require_failed(const char *file, int line, const char *condition,
                    const char *format, ...)
{
    CHECK(!file); /* never called */
    ASSUME(false);
}

int main(void)
{
    struct mover mover = {
        .memory = {.kernels = &token_table, .from = to_bytes, .to = to_bytes},
        .total = BYTES};
    const struct strided_rows rows = {.a = BYTES - 3 * STEP,
                                      .b = BYTES - 3 * STEP + ROW,
                                      .count = 1,
                                      .size = ROW,
                                      .batch = 3,
                                      .batch_step = STEP};
    size_t rest;

    units = BYTES;
    unit_bits = 8;
    in_place_call = tested = true;
    origin = token = any_below(BYTES);
    move_rows(&mover, &rows);
    rest = (origin - rows.a) % STEP;
    if (origin < rows.a || rest >= 2 * ROW)
        CHECK(token == origin);
    else
        CHECK(token == (rest < ROW ? origin + ROW : origin - ROW));
    REACHED();
}
