/* What each table makes of its own: shuffles by any indexes, the reversal of a
 * vector for each size of entries, lanes, interleaving, and other words. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

static const size_t sizes[] = {1, 2, 4, 8};

static void prove_shuffle(vector v)
{
#if VECTOR_SHUFFLES
    unsigned char indexes[VECTOR_BYTES];
    const size_t at = any_below(VECTOR_BYTES);

    ASSUME(indexes[at] < VECTOR_BYTES);
    vector w = vector_shuffle(v, vector_load(indexes));
    CHECK(w[at] == v[indexes[at]]);
#else
    (void)v;
#endif
}

static void prove_reverse(vector v, size_t size)
{
    const struct reverse_index index = reverse_index_of_rows(size);
    const size_t at = any_below(VECTOR_BYTES);
    const vector w = reverse_all(v, &index);

    CHECK(w[at] == v[VECTOR_BYTES - size - at / size * size + at % size]);
}

/* Element i of a half of each lane comes from element i / 2 of a or b. */
static void prove_interleave(vector a, vector b, size_t size)
{
    const size_t at = any_below(VECTOR_BYTES), lane = at / 16 * 16;
    const size_t element = at % 16 / size, byte = at % size;
    const size_t from = lane + element / 2 * size + byte;
    const vector low = vector_interleave_low(a, b, size);
    const vector high = vector_interleave_high(a, b, size);

    CHECK(low[at] == (element % 2 ? b : a)[from]);
    CHECK(high[at] == (element % 2 ? b : a)[from + 8]);
}

static void prove_lanes(void)
{
    unsigned char data[16 * VECTOR_LANES + 5 * (VECTOR_LANES - 1)];
    const size_t at = any_below(VECTOR_BYTES);
    const vector v = vector_load_lanes(data, 21);

    CHECK(v[at] == data[at / 16 * 21 + at % 16]);
}

int main(void)
{
    unsigned char one[VECTOR_BYTES], other[VECTOR_BYTES];
    const vector a = vector_load(one), b = vector_load(other);

    prove_shuffle(a);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        prove_reverse(a, sizes[i]);
        prove_interleave(a, b, sizes[i]);
    }
    prove_lanes();
    nontemporal_fence();
    REACHED();
}
