#include "api/wire/decode_npy.h"

#include <string.h>

#include "api/wire/npy_header.h"
#include "api/wire/query.h"

/* The document and, behind it, the query's text, two bytes longer. */
static struct document *new_document(const char *query, struct status *st)
{
    size_t len = query ? strlen(query) : 0;
    struct document *doc = document_new(len + 3);

    if (!doc) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    if (query)
        memcpy(doc + 1, query, len);
    return doc;
}

static bool describe(const struct decode_npy_source *source,
                     const struct npy_header *npy, struct document *doc,
                     struct status *st)
{
    struct document_input *input = &doc->inputs[0];

    *input = (struct document_input){
        .name = source->op->data,
        .dtype = npy->dtype,
        .shape = npy->shape,
        .form = DOCUMENT_FORM_BINARY,
        .binary_bytes = source->len - npy->size,
    };
    doc->input_count = 1;
    return shape_count(&npy->shape, input->name, &input->count, st);
}

static bool read_query(const struct decode_npy_source *source,
                       struct infer_request *request, struct status *st)
{
    struct query query = {
        .op = source->op, .doc = request->doc, .instance = &request->instance};
    char *text = (char *)(request->doc + 1);

    request->instance.text = text;
    return query_read(&query, text, st);
}

bool decode_npy(const struct decode_npy_source *source,
                struct infer_request *request, struct status *st)
{
    struct npy_header npy;

    *request = (struct infer_request){
        .body = source->body,
        .body_len = source->len,
        .form = source->to_text ? INFER_FORM_TEXT : INFER_FORM_BINARY,
    };
    if (!npy_header_read(source->body, source->len, &npy, st))
        return false;
    request->binary_start = npy.size;
    request->big_endian = npy.big_endian;
    request->doc = new_document(source->query, st);
    if (request->doc && describe(source, &npy, request->doc, st) &&
        read_query(source, request, st))
        return true;
    document_unref(request->doc);
    request->doc = NULL;
    return false;
}
