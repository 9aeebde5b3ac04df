/* vector_load_part() and vector_store_part(): the first bytes of a vector, of
 * FIRST to LAST of them, at the end of memory; the others are 0. */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

static void prove_load(size_t bytes)
{
    unsigned char data[VECTOR_BYTES + GUARD];
    const size_t start = sizeof(data) - bytes, at = any_below(VECTOR_BYTES);
    vector v = vector_load_part(data + start, bytes);

    CHECK(v[at] == (at < bytes ? data[start + (at < bytes ? at : 0)] : 0));
}

static void prove_store(size_t bytes, vector v)
{
    unsigned char data[VECTOR_BYTES + GUARD], before[VECTOR_BYTES + GUARD];
    const size_t start = sizeof(data) - bytes, at = any_below(sizeof(data));

    memcpy(before, data, sizeof(data));
    vector_store_part(data + start, v, bytes);
    if (at < start)
        CHECK(data[at] == before[at]);
    else
        CHECK(data[at] == v[at - start]);
}

int main(void)
{
    unsigned char any[VECTOR_BYTES];
    const vector v = vector_load(any);

    for (size_t bytes = FIRST; bytes <= LAST; bytes++) {
        prove_load(bytes);
        prove_store(bytes, v);
    }
    REACHED();
}
