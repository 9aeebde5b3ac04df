#include <string.h>

#include "api/wire/npy_header.h"
#include "api/wire/query.h"
#include "api/wire/wire.h"

/* The document and, behind it, the query's text, two bytes longer. */
static struct document *new_document(const char *query, struct status *st)
{
    size_t len = query ? strlen(query) : 0;
    struct document *doc = document_new(len + 3, st);

    if (doc && query)
        memcpy(doc + 1, query, len);
    return doc;
}

static bool describe(const struct api_request *request, const char *name,
                     const struct npy_header *npy, struct document *doc,
                     struct status *st)
{
    struct document_input *input = &doc->inputs[0];

    *input = (struct document_input){
        .name = name,
        .dtype = npy->dtype,
        .shape = npy->shape,
        .form = DOCUMENT_FORM_BINARY,
        .binary_bytes = request->body_len - npy->size,
    };
    doc->input_count = 1;
    return shape_count(&npy->shape, name, &input->count, st);
}

static bool read_query(const struct op *op, struct infer_request *decoded,
                       struct status *st)
{
    struct query query = {.op = op, .doc = decoded->doc};
    char *text = (char *)(decoded->doc + 1);

    decoded->doc->text = text;
    return query_read(&query, text, st);
}

bool decode_npy(const struct api_request *request, const struct op *op,
                struct infer_request *decoded, struct status *st)
{
    struct npy_header npy;

    *decoded = (struct infer_request){.body = request->body,
                                      .body_len = request->body_len};
    if (!npy_header_read(request->body, request->body_len, &npy, st))
        return false;
    decoded->binary_start = npy.size;
    decoded->big_endian = npy.big_endian;
    decoded->column_major = npy.column_major;
    decoded->doc = new_document(request->query, st);
    if (decoded->doc && describe(request, op->data, &npy, decoded->doc, st) &&
        read_query(op, decoded, st))
        return true;
    document_free(decoded->doc);
    decoded->doc = NULL;
    return false;
}
