/* The functions of struct json_simd, written once, and the table of them. The
 * file of an instruction set defines JSON_SIMD_TABLE, the name of its table,
 * and includes this header after block.h. One whose blocks are no vectors of
 * the compiler brings struct block and block_load(), block_equal(),
 * block_digits(), block_spaces() and block_blanks() (the bytes up to ' ': in
 * valid text, white space), whose bit i stands for byte i.
 *
 * An instruction set that can compress defines BLOCK_HAS_COMPRESS and
 * BLOCK_HAS_STORE_ROWS, and brings block_compress(out, block, keep), which may
 * write a whole block, and block_store_rows(). */
#pragma once

#include "api/lex/numbers.h"
#include "api/lex/simd.h"

/* The grammar of lists of numbers as arithmetic on masks. Each rule says which
 * bytes may follow which, so one bit a rule carries over from block to block. A
 * violation sets a bit at or before the comma that ends the number: numbers
 * that end at commas below the lowest violation are valid.
 *
 * Valid but rare text counts as a violation and is left to the byte-by-byte
 * code: white space before a comma, an exponent without '-', '-' in unsigned
 * numbers, runs of digits that may be out of range of a float.
 *
 * Classes of bytes. A byte in no class is no part of a list of numbers. Lists
 * of integers have no point and exponent. */
struct grammar_masks {
    uint64_t digit, zero, minus, point, exponent, comma, space;
};

/* The bytes that follow the bytes of `mask`. */
LEX_INLINE uint64_t grammar_next(uint64_t mask, uint64_t *carry)
{
    uint64_t next = mask * 2 + *carry;

    *carry = mask >> 63;
    return next;
}

/* Marks the runs of `mask` that start after a byte of `marked`. Adding the mark
 * at its first bit clears such a run and sets the bit after it. */
LEX_INLINE uint64_t grammar_add_carry(uint64_t marked, uint64_t mask,
                                      uint64_t *carry)
{
    uint64_t next = grammar_next(marked, carry);
    unsigned long long sum;

    *carry |= __builtin_uaddll_overflow(next, mask, &sum);
    return sum;
}

/* Bits that end a run of at least that length within this block. */
LEX_INLINE uint64_t grammar_runs(uint64_t mask, const struct grammar_run *run)
{
    for (int i = 0; i < 5; i++)
        mask &= mask << run->shifts[i];
    return mask;
}

/* The same for runs that may begin in the block before. */
LEX_INLINE uint64_t grammar_runs_across(uint64_t mask, uint64_t before,
                                        const struct grammar_run *run)
{
    for (int i = 0; i < 5 && run->shifts[i] > 0; i++) {
        unsigned shift = run->shifts[i];

        mask &= mask << shift | before >> (64 - shift);
        before &= before << shift;
    }
    return mask;
}

/* The rules for integers and floats alike. `token` has all bytes of numbers,
 * `whole` the digits before points and exponents, `after_exponent` the bytes
 * that follow an exponent. Returns the violations. */
LEX_INLINE uint64_t grammar_check(const struct grammar_masks *m, uint64_t token,
                                  uint64_t whole, uint64_t after_exponent,
                                  struct grammar_carry *c)
{
    uint64_t after_token = grammar_next(token, &c->token);
    uint64_t after_digit = grammar_next(m->digit, &c->digit);
    uint64_t lead = m->zero & ~after_digit;

    return ~(token | m->comma | m->space) |
           ((m->space | (m->minus & ~after_exponent)) & after_token) |
           ((m->comma | m->point | m->exponent) & ~after_digit) |
           (whole & grammar_next(lead, &c->lead));
}

/* The digits of `whole` of which so many in a row make a number suspect. Only
 * three or more do, and few numbers have as many before the point. */
LEX_INLINE uint64_t grammar_suspects(uint64_t whole,
                                     const struct grammar_run *suspect)
{
    uint64_t two = whole & whole << 1;

    return two & two << 1 ? grammar_runs(whole, suspect) : 0;
}

/* The rules for floats; `exponent`: there are exponents, or have been.
 * `suspect` is a run of half the digits before a point that may be out of
 * range: of so many, half of them stand in one block. */
LEX_INLINE uint64_t grammar_check_floats(const struct grammar_masks *m,
                                         const struct grammar_run *suspect,
                                         struct grammar_carry *c, bool exponent)
{
    uint64_t after = exponent ? grammar_next(m->exponent, &c->exponent) : 0;
    uint64_t body = m->digit | m->minus;
    uint64_t fraction = grammar_add_carry(m->point, body, &c->fraction);
    uint64_t power =
        exponent ? grammar_add_carry(m->exponent, body, &c->power) : UINT64_MAX;
    uint64_t whole = m->digit & fraction & power;
    uint64_t wrong =
        grammar_check(m, body | m->point | m->exponent, whole, after, c);

    wrong |= (fraction & m->point) | grammar_suspects(whole, suspect);
    if (exponent)
        wrong |= (after & ~m->minus) | (power & (m->point | m->exponent));
    return wrong;
}

/* *suspects gets the commas after numbers of `unsafe` or more digits, whose
 * range is still to be checked. */
LEX_INLINE uint64_t grammar_check_integers(const struct grammar_masks *m,
                                           const struct grammar_run *unsafe,
                                           struct grammar_carry *c,
                                           uint64_t *suspects)
{
    uint64_t wrong = grammar_check(m, m->digit | m->minus, m->digit, 0, c);
    uint64_t runs = grammar_runs_across(m->digit, c->digits, unsafe);

    *suspects = m->comma & grammar_next(runs, &c->power);
    c->digits = m->digit;
    return wrong;
}

/* The 8 characters at `text`, the first one in the highest byte. */
static inline uint64_t number_range_load(const char *text)
{
    return __builtin_bswap64(scan_load(text));
}

/* Whether the number that ends at `end` has exactly one digit more than the
 * safe ones and is in range: its text is compared with that of the limit.
 * `text` is the start of the array. */
static inline bool number_range_holds_text(const struct number_range *range,
                                           const char *text, const char *end)
{
    const struct limit_text *limit = &range->most_text;
    unsigned digits = (unsigned)range->safe_digits + 1;
    uint64_t high = 0, low;
    char before;

    if (digits > 16 || end - text <= 16)
        return false;
    before = *(end - digits - 1);
    if (scan_is_digit(before))
        return false;
    if (before == '-')
        limit = &range->least_text;
    low = number_range_load(end - 8);
    if (digits < 8)
        low &= (UINT64_C(1) << digits * 8) - 1;
    else if (digits > 8)
        high = number_range_load(end - 16) & (UINT64_MAX >> (16 - digits) * 8);
    return high < limit->high || (high == limit->high && low <= limit->low);
}

/* The lowest of the commas `suspects` of a block that ends a number out of
 * range, as a bit; 0 when there is none. */
static inline uint64_t number_range_check(const struct number_range *range,
                                          const char *text, const char *block,
                                          uint64_t suspects)
{
    for (; suspects; suspects &= suspects - 1) {
        const char *end = block + __builtin_ctzll(suspects);
        const char *start = end;

        if (number_range_holds_text(range, text, end))
            continue;
        while (scan_is_digit(start[-1]))
            start--;
        start -= start[-1] == '-';
        if (!number_range_holds(range, start, (size_t)(end - start)))
            return suspects & -suspects;
    }
    return 0;
}

/* Index of the set bit that has `n` set bits below it. */
static inline unsigned row_index_nth_bit(uint64_t mask, uint64_t n)
{
#ifdef __BMI2__
    return (unsigned)__builtin_ctzll(
        __builtin_ia32_pdep_di(UINT64_C(1) << n, mask));
#else
    while (n-- > 0)
        mask &= mask - 1;
    return (unsigned)__builtin_ctzll(mask);
#endif
}

/* Ends the rows that the 64 bytes from offset `base` on complete, where a bit
 * of `commas` stands for each comma; most complete none. */
static inline void row_index_end_block(struct row_index *index,
                                       const char *text, size_t base,
                                       uint64_t commas)
{
    uint64_t left = (uint64_t)__builtin_popcountll(commas);

    while (left >= index->tokens_left) {
        unsigned bit = row_index_nth_bit(commas, index->tokens_left - 1);

        left -= index->tokens_left;
        commas &= UINT64_MAX << bit << 1;
        row_index_end(index, text, base + bit);
    }
    index->tokens_left -= left;
}

/* Prefetches one page ahead: the hardware prefetcher stops at the end of a page
 * and has to detect the stream anew. */
static inline void prefetch_page(const char *text)
{
    const uintptr_t page = 4096;

    __builtin_prefetch((const void *)((uintptr_t)text + page));
}

/* Finds the classes of the usual bytes; returns the others. */
LEX_INLINE uint64_t classify(struct block b, bool floats,
                             struct grammar_masks *m)
{
    m->digit = block_digits(b);
    m->zero = block_equal(b, '0');
    m->minus = block_equal(b, '-');
    m->comma = block_equal(b, ',');
    m->space = block_equal(b, ' ');
    m->point = floats ? block_equal(b, '.') : 0;
    return ~(m->digit | m->minus | m->comma | m->space | m->point);
}

/* The bits below the lowest one of `mask`; all when there is none. */
static inline uint64_t bits_below(uint64_t mask)
{
    return (mask & -mask) - 1;
}

/* USUAL_FLOATS have no exponents and no other white space than ' ': with masks
 * that are known to be 0, half of the arithmetic goes. */
enum kind { INTEGERS, FLOATS, USUAL_FLOATS };

/* Whether any of these `others` of a block may be part of a list of floats. */
static inline bool has_unusual(struct block b, uint64_t others)
{
    return others &
           (block_spaces(b) | block_equal(b, 'e') | block_equal(b, 'E'));
}

/* The violations of the block `b`; `m` has the usual classes of its bytes. */
LEX_INLINE uint64_t check_floats(enum kind kind, struct block b,
                                 struct grammar_masks *m,
                                 const struct grammar_run *suspect,
                                 struct grammar_carry *carry)
{
    if (kind == USUAL_FLOATS)
        return grammar_check_floats(m, suspect, carry, false);
    m->space = block_spaces(b);
    m->exponent = block_equal(b, 'e') | block_equal(b, 'E');
    return grammar_check_floats(m, suspect, carry, true);
}

/* The same for integers; `text` is the array, with the block at `at`. */
LEX_INLINE uint64_t check_integers(const struct number_range *range,
                                   const char *text, const char *at,
                                   struct grammar_masks *m,
                                   struct grammar_carry *carry)
{
    uint64_t suspects;
    uint64_t wrong =
        grammar_check_integers(m, &range->suspect, carry, &suspects);

    if (range->least == 0)
        wrong |= m->minus;
    return wrong |
           number_range_check(range, text, at, suspects & bits_below(wrong));
}

/* The state is copied to variables, which stay in registers. */
LEX_INLINE void append_blocks(struct comma_index *index, const char *text,
                              size_t blocks, enum kind kind)
{
    const struct number_range *range = index->range;
    const struct grammar_run run = range->suspect;
    const char *at = text + index->first + index->count * JSON_SIMD_BLOCK;
    struct grammar_carry carry = index->carry;
    uint64_t *words = index->words + index->count;
    uint64_t wrong = 0, spaces = 0;
    size_t i;

    for (i = 0; i < blocks && !wrong; i++, at += JSON_SIMD_BLOCK) {
        struct block b = block_load(at);
        struct grammar_masks m = {0};
        uint64_t others = classify(b, kind != INTEGERS, &m);

        prefetch_page(at);
        if (kind == USUAL_FLOATS && others && has_unusual(b, others))
            break;
        if (kind == INTEGERS && others)
            m.space = block_spaces(b);
        if (kind == INTEGERS)
            wrong = check_integers(range, text, at, &m, &carry);
        else
            wrong = check_floats(kind, b, &m, &run, &carry);
        words[i] = m.comma;
        spaces |= m.space;
    }
    if (wrong)
        words[i - 1] &= bits_below(wrong);
    index->count += i;
    index->stopped = wrong != 0;
    index->has_spaces |= spaces != 0;
    index->carry = carry;
}

/* The two loops over floats are functions of their own: in one, gcc keeps the
 * state of the usual blocks in memory, which takes a third longer. */
__attribute__((noinline)) static void
append_usual_floats(struct comma_index *index, const char *text, size_t blocks)
{
    append_blocks(index, text, blocks, USUAL_FLOATS);
}

__attribute__((noinline)) static void
append_floats(struct comma_index *index, const char *text, size_t blocks)
{
    append_blocks(index, text, blocks, FLOATS);
}

static void numbers(struct comma_index *index, const char *text, size_t blocks)
{
    enum { AT_ONCE = 4 }; /* blocks: one unusual block is rarely alone */
    size_t end = index->count + blocks;

    if (index->range->most > 0) {
        append_blocks(index, text, blocks, INTEGERS);
        return;
    }
    while (index->count < end && !index->stopped) {
        if (!(index->carry.exponent | index->carry.power))
            append_usual_floats(index, text, end - index->count);
        blocks = end - index->count < AT_ONCE ? end - index->count : AT_ONCE;
        if (!index->stopped)
            append_floats(index, text, blocks);
    }
}

/* Index of the lowest set bit; 64 when there is none. */
static inline uint32_t first_bit(uint64_t mask)
{
    return mask ? (uint32_t)__builtin_ctzll(mask) : 64;
}

#ifndef BLOCK_HAS_STORE_ROWS
/* Stores a row of one token for each comma of the block at offset `base`. The
 * start of the first row is there; `starts` are those of the others. Stores
 * groups of eight, whether a group has that many or not: a loop of exactly as
 * many as there are ends in a mispredicted branch each time. */
LEX_INLINE void block_store_rows(struct span *row, uint32_t base,
                                 uint64_t commas, uint64_t starts)
{
    uint32_t start = row->start;

    for (; commas; row += 8)
        for (int i = 0; i < 8; i++) {
            row[i] = (struct span){start, base + first_bit(commas) - start};
            start = base + first_bit(starts);
            commas &= commas - 1;
            starts &= starts - 1;
        }
}
#endif

/* The first bytes of tokens in a block that follow a comma in it. */
LEX_INLINE uint64_t find_starts(const char *block, uint64_t commas)
{
    uint64_t token = ~(commas | block_blanks(block_load(block)));

    return token & ~(token << 1) & ~(commas ^ (commas - 1));
}

/* Ends a row of one token at each comma of a block, of which there are some. */
LEX_INLINE void end_short_rows(struct row_index *index, const char *text,
                               size_t base, uint64_t commas, bool spaces)
{
    struct span *row = index->rows + index->count;
    const char *first = text + index->row_start;

    index->count += (uint64_t)__builtin_popcountll(commas);
    index->row_start = base + 64 - (size_t)__builtin_clzll(commas);
    if (spaces)
        first = scan_skip_space(first);
    row->start = (uint32_t)(first - text);
    block_store_rows(row, (uint32_t)base, commas,
                     spaces ? find_starts(text + base, commas) : commas << 1);
}

LEX_INLINE uint64_t append_rows(struct row_index *rows, const char *text,
                                const struct comma_index *commas,
                                bool one_token, bool spaces)
{
    size_t base = commas->first;
    uint64_t tokens = 0;

    for (size_t i = 0; i < commas->count; i++, base += JSON_SIMD_BLOCK) {
        uint64_t word = commas->words[i];

        /* A full index is soon written from this text. */
        if (rows->full > 0)
            __builtin_prefetch(text + base);
        if (!word)
            continue;
        tokens += (uint64_t)__builtin_popcountll(word);
        if (one_token)
            row_index_reserve(rows);
        if (one_token && rows->capacity - rows->count >= ROW_INDEX_TAILROOM)
            end_short_rows(rows, text, base, word, spaces);
        else
            row_index_end_block(rows, text, base, word);
    }
    return tokens;
}

static uint64_t rows(struct row_index *index, const char *text,
                     const struct comma_index *commas)
{
    if (index->row_tokens != 1)
        return append_rows(index, text, commas, false, false);
    if (commas->has_spaces)
        return append_rows(index, text, commas, true, true);
    return append_rows(index, text, commas, true, false);
}

/* Counts the brackets of one block; false when the last open one closes in it,
 * *depth is then unchanged. */
static inline bool count_brackets(uint64_t opening, uint64_t closing,
                                  size_t *depth)
{
    uint64_t both = opening | closing;
    size_t open = *depth;

    for (; both; both &= both - 1) {
        open += opening & both & -both ? 1 : SIZE_MAX;
        if (open == 0)
            return false;
    }
    *depth = open;
    return true;
}

static const char *lists(const char *text, const char *end, size_t *depth)
{
    for (; end - text >= JSON_SIMD_BLOCK; text += JSON_SIMD_BLOCK) {
        struct block b = block_load(text);
        uint64_t opening = block_equal(b, '['), closing = block_equal(b, ']');

        prefetch_page(text);
        if (block_equal(b, '"'))
            break;
        if ((opening | closing) && !count_brackets(opening, closing, depth))
            break;
    }
    return text;
}

#ifdef BLOCK_HAS_COMPRESS
LEX_INLINE void copy_pieces(char *out, const char *from, size_t len,
                            uint64_t skip)
{
    (void)len;
    block_compress(out, block_load(from), ~skip);
}
#else
/* Copies the pieces between skipped bytes as 32 bytes, or as two times 32; the
 * surplus of one is overwritten by the next. */
LEX_INLINE void copy_pieces(char *out, const char *from, size_t len,
                            uint64_t skip)
{
    enum { PIECE = 32 };
    size_t at = 0, next;

    do {
        next = skip ? (size_t)__builtin_ctzll(skip) : len;
        memcpy(out, from + at, PIECE);
        if (next - at > PIECE)
            memcpy(out + PIECE, from + at + PIECE, PIECE);
        out += next - at;
        at = next + 1;
        skip &= skip - 1;
    } while (next < len);
}
#endif

static char *flatten(const char *from, const char *end, char *out)
{
    while (from < end) {
        struct block b = block_load(from);
        uint64_t skip =
            block_blanks(b) | block_equal(b, '[') | block_equal(b, ']');
        size_t len = (size_t)(end - from);

        if (len > JSON_SIMD_BLOCK)
            len = JSON_SIMD_BLOCK;
        else if (len < JSON_SIMD_BLOCK)
            skip &= (UINT64_C(1) << len) - 1;
        copy_pieces(out, from, len, skip);
        out += len - (size_t)__builtin_popcountll(skip);
        from += len;
    }
    return out;
}

const struct json_simd JSON_SIMD_TABLE = {numbers, rows, lists, flatten};
