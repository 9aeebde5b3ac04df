/* transpose_prefetch(): the cache lines of the next rows, each once, in the
 * order of their addresses, and none beside them. */
#include "tests/proofs/harness.h"

enum { ROWS = 2, STEP = 300, MOST = 8 };

static const unsigned char *noted[MOST];
static size_t count;

static void note(const unsigned char *at)
{
    CHECK(count < MOST);
    noted[count++] = at;
}
#define __builtin_prefetch(at, ...) note(at)
#include "tests/proofs/table.h"

int main(void)
{
    unsigned char next[ROWS * STEP];
    const size_t bytes = 1 + any_below(STEP / 2);
    const size_t lines = (bytes + TRANSPOSE_LINE - 1) / TRANSPOSE_LINE;
    const size_t total = ROWS * lines, wanted = MOST < total ? MOST : total;
    struct transpose t = {.next = next,
                          .next_rows = ROWS,
                          .next_step = STEP,
                          .next_bytes = bytes};
    const size_t at = any_below(MOST);

    transpose_prefetch(&t, transpose_prefetch(&t, 0, 3), MOST - 3);
    CHECK(count == wanted);
    if (at < wanted)
        CHECK(noted[at] ==
              next + at / lines * STEP + at % lines * TRANSPOSE_LINE);
    REACHED();
}
