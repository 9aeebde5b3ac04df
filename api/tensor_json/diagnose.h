/* Error texts for data arrays. The fast scanners only know that something is
 * wrong; these look at the place a second time and say what. All return false.
 */
#pragma once

#include "api/tensor_json/parser.h"

/* Refuses one byte: "malformed JSON at byte 17: ...". */
bool text_refuse_byte(const struct text_scan *s, const char *at,
                      const char *what);

/* Refuses what stands where element number s->tokens starts: no value at all,
 * of another kind, or out of range. */
bool text_refuse_element(const struct text_scan *s, const char *start);

/* Refuses what stands at s->at, behind the token that starts at `start` and
 * has been counted: it may be the rest of a longer one. */
bool text_refuse_rest(const struct text_scan *s, const char *start);

/* Refuses what stands at `at`, where the nesting wants a list. */
bool text_refuse_list(const struct text_scan *s, const char *at);

/* Behind `word` when it stands at `text`, else NULL. `word` has no ']'. */
static inline const char *text_refuse_word(const char *text, const char *word)
{
    while (*word && *text == *word) {
        text++;
        word++;
    }
    return *word ? NULL : text;
}
