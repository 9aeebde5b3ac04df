/* The query of a URL that takes the place of a document around the data. */
#pragma once

#include "api/document/document.h"
#include "kernels/ops/op.h"

struct query {
    const struct op *op;
    struct document *doc; /* its first input is the data, its text the query */
};

/* Reads "sequence_lens=4,3,2,1&time_axis=0" into the document: the operator's
 * other input as a data array, `id`, and parameters. Decodes the text in place;
 * the document borrows from it. Two bytes behind its NUL are written as well.
 * Fails with INVALID. */
bool query_read(struct query *query, char *text, struct status *st);

/* The timeout in a query that is not read yet, in microseconds; 0 when there is
 * none, or the query is NULL. */
uint64_t query_timeout(const char *query);
