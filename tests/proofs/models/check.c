/* Compares each model with the instruction, by random inputs. Compiled twice:
 * with the compiler's header as `real`, with the model's as `model` (SIDE);
 * with MAIN it is the program that calls both.
 *
 * An input is two vectors and a number; an output one vector. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT = 160, OUTPUT = 64 };

typedef void operation(const unsigned char *in, unsigned char *out);
struct checked {
    const char *name;
    operation *run;
};
extern const struct checked real[], model[];

#ifndef MAIN
#if defined(__aarch64__) || defined(NEON)
#include <arm_neon.h>

#define LOAD(v, at) memcpy(&(v), in + (at), sizeof(v))
#define UNARY(name, type)                                                      \
    static void run_##name(const unsigned char *in, unsigned char *out)        \
    {                                                                          \
        type a;                                                                \
                                                                               \
        LOAD(a, 0);                                                            \
        a = name(a);                                                           \
        memcpy(out, &a, sizeof(a));                                            \
    }

UNARY(vrev64q_u8, uint8x16_t)
UNARY(vrev64q_u16, uint16x8_t)
UNARY(vrev64q_u32, uint32x4_t)

static void run_vqtbl1q_u8(const unsigned char *in, unsigned char *out)
{
    uint8x16_t a, b;

    LOAD(a, 0);
    LOAD(b, 64);
    a = vqtbl1q_u8(a, b);
    memcpy(out, &a, sizeof(a));
}

static void run_vextq_u8(const unsigned char *in, unsigned char *out)
{
    uint8x16_t a, b, c;

    LOAD(a, 0);
    LOAD(b, 64);
    c = vextq_u8(a, b, 8);
    memcpy(out, &c, 16);
    c = vextq_u8(a, b, 3);
    memcpy(out + 16, &c, 16);
}

#define ALL(X)                                                                 \
    X(vrev64q_u8) X(vrev64q_u16) X(vrev64q_u32) X(vqtbl1q_u8) X(vextq_u8)
#define CHECKED(name) {#name, run_##name},
const struct checked SIDE[] = {ALL(CHECKED){NULL, NULL}};

#else
#include <immintrin.h>

#define LOAD(type, at)                                                         \
    (*(const type *)memcpy(&(type){0}, in + (at), sizeof(type)))
#define STORE(at, v)                                                           \
    do {                                                                       \
        __typeof__(v) v_ = (v);                                                \
                                                                               \
        memcpy(out + (at), &v_, sizeof(v_));                                   \
    } while (0)
#define DEFINE(name, ...)                                                      \
    static void run_##name(const unsigned char *in, unsigned char *out)        \
    {                                                                          \
        __VA_ARGS__                                                            \
    }

#ifdef AVX512
DEFINE(permutexvar,
       STORE(0, _mm512_permutexvar_epi8(LOAD(__m512i, 64), LOAD(__m512i, 0)));)
DEFINE(maskz_loadu, STORE(0, _mm512_maskz_loadu_epi8(LOAD(uint64_t, 128), in));)
DEFINE(mask_storeu,
       _mm512_mask_storeu_epi8(out, LOAD(uint64_t, 128), LOAD(__m512i, 0));)
DEFINE(stream, _mm512_stream_si512((void *)out, LOAD(__m512i, 0));)
DEFINE(inserti32x4, __m512i v = _mm512_castsi128_si512(LOAD(__m128i, 0));
       v = _mm512_inserti32x4(v, LOAD(__m128i, 16), 1);
       v = _mm512_inserti32x4(v, LOAD(__m128i, 32), 2);
       STORE(0, _mm512_inserti32x4(v, LOAD(__m128i, 48), 3));)
#define ALL(X)                                                                 \
    X(permutexvar) X(maskz_loadu) X(mask_storeu) X(stream) X(inserti32x4)
#else
DEFINE(loadu, STORE(0, _mm_loadu_si128((const void *)(in + 1)));)
DEFINE(storeu, _mm_storeu_si128((void *)(out + 1), LOAD(__m128i, 0));)
DEFINE(set, long long x[2]; memcpy(x, in, 16);
       STORE(0, _mm_set_epi64x(x[0], x[1]));)
DEFINE(low, STORE(0, _mm256_castsi256_si128(LOAD(__m256i, 0)));)
DEFINE(widen,
       STORE(0,
             _mm256_castsi256_si128(_mm256_castsi128_si256(LOAD(__m128i, 0))));)
DEFINE(insert, STORE(0, _mm256_inserti128_si256(LOAD(__m256i, 0),
                                                LOAD(__m128i, 64), 1));
       STORE(32,
             _mm256_inserti128_si256(LOAD(__m256i, 0), LOAD(__m128i, 64), 0));)
DEFINE(loadu2, STORE(0, _mm256_loadu2_m128i((const void *)(in + 3),
                                            (const void *)(in + 50)));)
DEFINE(permute2x128,
       STORE(0, _mm256_permute2x128_si256(LOAD(__m256i, 0), LOAD(__m256i, 64),
                                          0x21));
       STORE(32, _mm256_permute2x128_si256(LOAD(__m256i, 0), LOAD(__m256i, 64),
                                           0x81) |
                     _mm256_permute2x128_si256(LOAD(__m256i, 0),
                                               LOAD(__m256i, 64), 0x38));)
DEFINE(shuffle,
       STORE(0, _mm256_shuffle_epi8(LOAD(__m256i, 0), LOAD(__m256i, 64)));)
#define ALL(X)                                                                 \
    X(loadu)                                                                   \
    X(storeu)                                                                  \
    X(set)                                                                     \
    X(low)                                                                     \
    X(widen)                                                                   \
    X(insert)                                                                  \
    X(loadu2)                                                                  \
    X(permute2x128)                                                            \
    X(shuffle)
#endif

#define CHECKED(name) {#name, run_##name},
const struct checked SIDE[] = {ALL(CHECKED){NULL, NULL}};
#endif

#else

enum { TIMES = 100000 };

/* Small index bytes are as likely as large ones. */
static void fill(unsigned char *bytes, size_t count, int small)
{
    for (size_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)(rand() >> 7 & (small ? 63 : 255));
}

static int differs(const struct checked *a, const struct checked *b)
{
    static _Alignas(64) unsigned char in[INPUT], out[2][OUTPUT];

    for (int i = 0; i < TIMES; i++) {
        fill(in, INPUT, i % 2);
        fill(out[0], OUTPUT, 0);
        memcpy(out[1], out[0], OUTPUT);
        a->run(in, out[0]);
        b->run(in, out[1]);
        if (memcmp(out[0], out[1], OUTPUT) != 0)
            return 1;
    }
    return 0;
}

int main(void)
{
    int failed = 0, checked = 0;

    for (size_t i = 0; real[i].name; i++) {
        checked++;
        if (differs(&real[i], &model[i])) {
            printf("FAILED %s\n", real[i].name);
            failed++;
        }
    }
    printf("%d models agree with the processor, %d do not\n", checked - failed,
           failed);
    return failed > 0 || checked == 0;
}
#endif
