#include "kernels/move/nontemporal.h"

#include <stdint.h>
#include <string.h>

#include "kernels/simd/generic/generic.h"

#if defined(__SSE2__)
#include <emmintrin.h>

enum { LINE = 64 };

static void stream_line(unsigned char *to, const unsigned char *from)
{
    for (size_t i = 0; i < LINE; i += 16)
        _mm_stream_si128((void *)(to + i),
                         _mm_loadu_si128((const void *)(from + i)));
}

void move_stream(unsigned char *to, const unsigned char *from, size_t bytes)
{
    size_t head = -(uintptr_t)to % LINE;

    if (head > bytes)
        head = bytes;
    memcpy(to, from, head);
    for (; head + LINE <= bytes; head += LINE)
        stream_line(to + head, from + head);
    memcpy(to + head, from + head, bytes - head);
}

void move_stream_plain(unsigned char *to, const unsigned char *from,
                       size_t bytes, const unsigned char *ahead)
{
    for (size_t i = 0; i < bytes; i += LINE) {
        __builtin_prefetch(ahead + i);
        stream_line(to + i, from + i);
    }
}

void move_stream_end(void)
{
    _mm_sfence();
}
#else
void move_stream(unsigned char *to, const unsigned char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

void move_stream_plain(unsigned char *to, const unsigned char *from,
                       size_t bytes, const unsigned char *ahead)
{
    (void)ahead;
    memcpy(to, from, bytes);
}

void move_stream_end(void)
{
}
#endif
