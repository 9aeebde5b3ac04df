#include <immintrin.h>

#include "kernels/simd/avx2/avx2.h"

enum { WIDTH = 16 };

/* A store also writes the bytes after the last whole plane of its vector. The
 * next store corrects them; in place, its source is loaded before. */
void avx2_shuffle(const unsigned char *from, unsigned char *to, size_t bytes,
                  const struct shuffle *s)
{
    __m128i index = _mm_loadu_si128((const void *)s->index);
    size_t step = s->step, done = 0;
    __m128i x, next;

    if (bytes < WIDTH + step) {
        shuffle_rest(from, to, bytes, s);
        return;
    }
    x = _mm_loadu_si128((const void *)from);
    for (; done + step + WIDTH <= bytes; done += step, x = next) {
        next = _mm_loadu_si128((const void *)(from + done + step));
        _mm_storeu_si128((void *)(to + done), _mm_shuffle_epi8(x, index));
    }
    shuffle_rest(from + done, to + done, bytes - done, s);
}
