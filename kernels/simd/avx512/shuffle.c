#include "kernels/simd/avx512/avx512.h"
#include "kernels/simd/avx512/vector.h"

enum { WIDTH = VECTOR_BYTES };

/* Moves the last bytes, fewer than two vectors plus one step. Writes nothing
 * outside them. */
static void shuffle_end(const unsigned char *from, unsigned char *to,
                        size_t bytes, size_t step, __m512i index)
{
    for (size_t done = 0; done < bytes; done += step) {
        size_t left = bytes - done;
        __mmask64 mask = vector_mask(left < step ? left : step);
        __m512i x = _mm512_maskz_loadu_epi8(mask, from + done);

        _mm512_mask_storeu_epi8(to + done, mask,
                                _mm512_permutexvar_epi8(index, x));
    }
}

/* A store also writes the bytes after the last whole plane of its vector. The
 * next store corrects them; in place, its source is loaded before. */
void avx512_shuffle(const unsigned char *from, unsigned char *to, size_t bytes,
                    const struct shuffle *s)
{
    __m512i index = vector_load(s->index);
    size_t step = s->step, done = 0;
    __m512i x = index, next;

    if (bytes >= WIDTH)
        x = vector_load(from);
    for (; done + step + WIDTH <= bytes; done += step, x = next) {
        next = vector_load(from + done + step);
        vector_store(to + done, _mm512_permutexvar_epi8(index, x));
    }
    shuffle_end(from + done, to + done, bytes - done, step, index);
}
