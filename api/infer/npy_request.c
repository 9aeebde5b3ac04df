/* An infer request without a document: the body is a .npy file, the rest stands
 * in the query. It becomes the document that a client would have written. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/accept.h"
#include "api/infer/infer.h"
#include "api/infer/npy.h"
#include "api/infer/query.h"

static const char npy_type[] = "application/x-npy";

bool infer_is_npy(const struct api_request *request)
{
    struct accept_entry type;

    return request->content_type && accept_next(request->content_type, &type) &&
           accept_is(&type, npy_type);
}

/* A type that a pattern covers is wanted less than one that is named: `place`
 * is then behind all others. */
static int find_weight(const char *accept, const char *type, int *place)
{
    struct accept_entry entry;
    int weight = 0;

    *place = INT_MAX;
    for (int i = 0; (accept = accept_next(accept, &entry)); i++) {
        if (accept_is(&entry, type)) {
            *place = i;
            return entry.weight;
        }
        if (accept_is(&entry, "*/*") || accept_is(&entry, "application/*"))
            weight = entry.weight;
    }
    return weight;
}

/* A file is answered with a file, unless JSON is named and wanted more. */
static bool wants_json(const char *accept)
{
    int json_at, npy_at, json, npy;

    if (!accept)
        return false;
    json = find_weight(accept, "application/json", &json_at);
    npy = find_weight(accept, npy_type, &npy_at);
    return json > npy || (json > 0 && json == npy && json_at < npy_at);
}

/* The document and, behind it, the query's text, two bytes longer. */
static struct document *allocate(const char *query,
                                 struct document_instance *instance,
                                 struct status *st)
{
    size_t len = query ? strlen(query) : 0;
    struct document *doc = document_new(len + 3);

    if (!doc) {
        status_fail(st, STATUS_NO_MEMORY, "out of memory");
        return NULL;
    }
    *instance = (struct document_instance){.text = (char *)(doc + 1)};
    if (query)
        memcpy(doc + 1, query, len);
    return doc;
}

static bool describe(struct infer *infer, const struct api_request *request,
                     const struct npy *npy, struct status *st)
{
    struct document_input *input = &infer->doc->inputs[0];

    *input = (struct document_input){
        .name = infer->op->data,
        .dtype = npy->dtype,
        .shape = npy->shape,
        .form = DOCUMENT_FORM_BINARY,
        .binary_bytes = request->body_len - npy->size,
    };
    infer->doc->input_count = 1;
    return shape_count(&npy->shape, input->name, &input->count, st);
}

bool infer_read_npy(struct infer *infer, const struct api_request *request,
                    struct npy *npy, struct status *st)
{
    struct query q = {.op = infer->op, .instance = &infer->instance};

    if (!npy_read(request->body, request->body_len, npy, st))
        return false;
    infer->doc = q.doc = allocate(request->query, &infer->instance, st);
    return infer->doc && describe(infer, request, npy, st) &&
           query_read(&q, (char *)(infer->doc + 1), st);
}

bool infer_reply_npy(struct infer *infer, const struct api_request *request,
                     const struct npy *npy, struct status *st)
{
    bool json = wants_json(request->accept);

    infer->to_text = json;
    infer->npy_head = json ? 0 : npy->size;
    if (!npy->swapped || !(json || infer->coefficient != 1.0))
        return true;
    return status_fail(st, STATUS_INVALID,
                       "the array is big-endian: it can be moved, but not be "
                       "%s; send x.astype(x.dtype.newbyteorder('<'))",
                       json ? "answered in JSON" : "scaled");
}
