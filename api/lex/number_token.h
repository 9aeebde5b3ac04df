/* One number of JSON, read byte by byte: RFC 8259, section 6. grammar.h has the
 * same rules as arithmetic on masks. */
#pragma once

#include "api/lex/grammar.h"
#include "api/lex/scan.h"

struct number_token {
    const char *end; /* the byte after it, or the one that is wrong */
    const char *why; /* what is wrong with it; NULL: nothing */
    size_t whole;    /* digits before the point */
    bool fraction;
    const char *exponent; /* the byte after the 'e'; NULL: there is none */
};

/* The byte after the digits at `text`; the text ends at `end`, with a byte that
 * is no digit. */
LEX_INLINE const char *number_token_digits(const char *text, const char *end)
{
    while (end - text >= SCAN_BLOCK) {
        uint64_t mask = scan_other_than_digits(scan_load(text));

        if (mask)
            return text + scan_first(mask);
        text += SCAN_BLOCK;
    }
    while (scan_is_digit(*text))
        text++;
    return text;
}

/* Reads one or more digits; false when there is none. */
LEX_INLINE bool number_token_part(struct number_token *t, const char *text,
                                  const char *end)
{
    t->end = text;
    if (!scan_is_digit(*text)) {
        t->why = "a digit is expected";
        return false;
    }
    /* Most numbers have one digit before the point. */
    t->end =
        scan_is_digit(text[1]) ? number_token_digits(text + 2, end) : text + 1;
    return true;
}

/* Reads the number at `text`. The text ends at `end`, with a byte that is part
 * of no number. */
LEX_INLINE struct number_token number_token_read(const char *text,
                                                 const char *end)
{
    struct number_token t = {.why = NULL};

    text += *text == '-';
    if (!number_token_part(&t, text, end))
        return t;
    t.whole = (size_t)(t.end - text);
    if (*text == '0' && t.whole > 1) {
        t.end = text;
        t.why = "a number has a leading zero";
        return t;
    }
    t.fraction = *t.end == '.';
    if (t.fraction && !number_token_part(&t, t.end + 1, end))
        return t;
    if ((*t.end | 0x20) == 'e') {
        text = t.exponent = t.end + 1;
        number_token_part(&t, text + (*text == '-' || *text == '+'), end);
    }
    return t;
}
