/* Error texts for data arrays. The scanners only find that something is wrong;
 * these functions read the text there again and say what. Elements are named by
 * their index in the flat array. All return false. */
#pragma once

#include "api/tensor_json/parser.h"

/* Reports a byte that is in no element: "malformed JSON at byte 17: ...", with
 * the element before it. */
bool diagnose_byte(const struct parser *p, const char *at, const char *what);

/* Reports the text at `start`, where token number p->stream.tokens is expected:
 * it is no value, a value of another kind, or out of range. */
bool diagnose_element(const struct parser *p, const char *start);

/* Reports the text at p->stream.at, after the token at `start`, which has been
 * counted: that token may be the beginning of a longer one. */
bool diagnose_rest(const struct parser *p, const char *start);

/* Reports the text at `at`, where the nesting requires a list. */
bool diagnose_list(const struct parser *p, const char *at);
