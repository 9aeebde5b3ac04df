/* Backward contexts of the running example (documents.h). */
#pragma once

#include "tests/api/ask.h"

enum { CONTEXT_MAX = 1000 };

/* Writes the context in the answer of a forward pass, CONTEXT_MAX bytes at
 * most. Frees the answer. */
void context_of_answer(struct answer a, char *context);

/* The same of the example. */
void context_of_example(char *context);

/* The gradient of [[1,2],[3,4]] with a context and nothing else. */
struct answer ask_gradient(const char *context);
