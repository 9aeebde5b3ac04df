#include "api/lex/numbers.h"

#include "api/lex/simd.h"
#include "kernels/core/require.h"
#include "kernels/core/size.h"

static size_t count_digits(uint64_t value)
{
    uint64_t limit = 10;
    size_t digits = 1;

    while (value >= limit && digits < 20) {
        limit *= 10;
        digits++;
    }
    return digits;
}

static struct limit_text print_limit(uint64_t value)
{
    struct limit_text text = {0, 0};

    if (value >= UINT64_C(10000000000000000))
        return text; /* of more digits, and never compared */
    for (int i = 0; value > 0; i++, value /= 10) {
        uint64_t *half = i < 8 ? &text.low : &text.high;

        *half |= ('0' + value % 10) << (i % 8 * 8);
    }
    return text;
}

static struct grammar_run run_of(unsigned length)
{
    struct grammar_run run = {{0}};
    unsigned has = 1;

    for (int i = 0; i < 5 && has < length; i++) {
        unsigned shift = has < length - has ? has : length - has;

        run.shifts[i] = (unsigned char)shift;
        has += shift;
    }
    return run;
}

void number_range_init(struct number_range *range, uint64_t most,
                       uint64_t least, size_t safe_exponent)
{
    size_t digits = count_digits(most);
    /* A float out of range that has no exponent has more than safe_exponent
     * digits before its point, and so half of them in one block. */
    size_t suspect = most == 0 ? size_min(safe_exponent / 2 + 1, 32) : digits;

    *range = (struct number_range){
        .most = most,
        .least = least,
        .most_text = print_limit(most),
        .least_text = print_limit(least),
        /* A number of fewer digits than the limit is below the limit. */
        .safe_digits = digits - 1,
        .safe_negative_digits = least > 0 ? digits - 1 : 0,
        .safe_exponent = safe_exponent,
        .suspect = run_of((unsigned)suspect),
    };
}

bool number_range_holds(const struct number_range *range, const char *token,
                        size_t len)
{
    bool negative = *token == '-';
    uint64_t limit = negative ? range->least : range->most;
    uint64_t value = 0;

    for (size_t i = negative; i < len; i++) {
        uint64_t digit = (uint64_t)(token[i] - '0');

        if (value > limit / 10 || limit - value * 10 < digit)
            return false;
        value = value * 10 + digit;
    }
    return true;
}

void comma_index_start(struct comma_index *index,
                       const struct number_range *range, size_t first)
{
    *index = (struct comma_index){.range = range,
                                  .words = index->words,
                                  .capacity = index->capacity,
                                  .first = first,
                                  .end = first};
}

void comma_index_append(struct comma_index *index, const char *text, size_t len)
{
    size_t before = index->count;
    size_t at = index->first + before * JSON_SIMD_BLOCK;
    size_t blocks = at < len ? (len - at) / JSON_SIMD_BLOCK : 0;

    if (blocks > index->capacity - before)
        blocks = index->capacity - before;
    if (index->stopped || blocks == 0)
        return;
    json_simd_active()->numbers(index, text, blocks);
    REQUIRE(index->count >= before && index->count <= index->capacity);
    for (size_t i = index->count; i > before; i--)
        if (index->words[i - 1]) {
            index->end = index->first + i * JSON_SIMD_BLOCK -
                         (size_t)__builtin_clzll(index->words[i - 1]);
            break;
        }
}
