/* Backward contexts of the running example (documents.h). */
#pragma once

#include "tests/api/ask.h"

enum { CONTEXT_MAX = 1000 };

/* Writes the context that a forward pass answers, CONTEXT_MAX bytes at most. */
void context_of_example(char *context);

/* The gradient of [[1,2],[3,4]] with a context and nothing else. */
struct answer ask_gradient(const char *context);
