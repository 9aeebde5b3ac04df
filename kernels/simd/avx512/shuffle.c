#include <immintrin.h>
#include <stdint.h>

#include "kernels/move/tiny_planes.h"
#include "kernels/simd/avx512/avx512.h"

enum { WIDTH = 64 };

static __mmask64 mask_of(size_t bytes)
{
    return ~UINT64_C(0) >> (WIDTH - bytes);
}

/* Less than two vectors and a step, nothing beside them. */
static void turn_rest(const unsigned char *from, unsigned char *to,
                      size_t bytes, size_t step, __m512i order)
{
    for (size_t done = 0; done < bytes; done += step) {
        size_t left = bytes - done;
        __mmask64 mask = mask_of(left < step ? left : step);
        __m512i x = _mm512_maskz_loadu_epi8(mask, from + done);

        _mm512_mask_storeu_epi8(to + done, mask,
                                _mm512_permutexvar_epi8(order, x));
    }
}

/* A store also writes back what lies after the last whole plane of its vector.
 * The next one puts that right: in place, its bytes are loaded before. */
void move_avx512_turn(const unsigned char *from, unsigned char *to,
                      size_t bytes, const struct move_order *planes)
{
    __m512i order = _mm512_loadu_si512(planes->from);
    size_t step = planes->step, done = 0;
    __m512i x = order, next;

    if (bytes >= WIDTH)
        x = _mm512_loadu_si512(from);
    for (; done + step + WIDTH <= bytes; done += step, x = next) {
        next = _mm512_loadu_si512(from + done + step);
        _mm512_storeu_si512(to + done, _mm512_permutexvar_epi8(order, x));
    }
    turn_rest(from + done, to + done, bytes - done, step, order);
}
