#include <immintrin.h>

#include "kernels/move/tiny_planes.h"
#include "kernels/simd/avx2/avx2.h"

enum { WIDTH = 16 };

/* A store also writes back what lies after the last whole plane of its vector.
 * The next one puts that right: in place, its bytes are loaded before. */
void move_avx2_turn(const unsigned char *from, unsigned char *to, size_t bytes,
                    const struct move_order *planes)
{
    __m128i order = _mm_loadu_si128((const void *)planes->from);
    size_t step = planes->step, done = 0;
    __m128i x, next;

    if (bytes < WIDTH + step) {
        move_periods_rest(from, to, bytes, planes);
        return;
    }
    x = _mm_loadu_si128((const void *)from);
    for (; done + step + WIDTH <= bytes; done += step, x = next) {
        next = _mm_loadu_si128((const void *)(from + done + step));
        _mm_storeu_si128((void *)(to + done), _mm_shuffle_epi8(x, order));
    }
    move_periods_rest(from + done, to + done, bytes - done, planes);
}
