/* A URL's query that stands for what a document would say beside its data;
 * private to api/. */
#pragma once

#include "api/document/document.h"
#include "kernels/ops/op.h"

struct query {
    const struct op *op;
    struct document *doc;               /* whose first input is the data's */
    struct document_instance *instance; /* whose text the query is */
};

/* Reads "sequence_lens=4,3,2,1&time_axis=0" into the document: the operator's
 * other input as a data array, `id`, and parameters. The text is decoded where
 * it stands, and keeps what the document borrows; two bytes behind its NUL are
 * written too. Fails with INVALID, naming what is wrong. */
bool query_read(struct query *query, char *text, struct status *st);
