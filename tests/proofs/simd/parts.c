/* vector_load_part() and vector_store_part(): the first bytes of a vector, of
 * FIRST to LAST of them, and no others of memory; the rest of the vector is 0.
 */
#include "tests/proofs/harness.h"
#include "tests/proofs/table.h"

static void prove_load(size_t bytes)
{
    unsigned char data[bytes + !bytes]; /* an array has an element */
    const size_t at = any_below(VECTOR_BYTES);
    vector v = vector_load_part(data + !bytes, bytes);

    CHECK(v[at] == (at < bytes ? data[at < bytes ? at : 0] : 0));
}

static void prove_store(size_t bytes, vector v)
{
    unsigned char data[bytes + !bytes];
    const size_t at = any_below(sizeof(data));
    const unsigned char before = data[at];

    vector_store_part(data + !bytes, v, bytes);
    CHECK(data[at] == (bytes > 0 ? v[at] : before));
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
