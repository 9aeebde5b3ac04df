#include <string.h>

#include "api/base/digits.h"
#include "api/document/misplaced.h"
#include "api/lex/scan.h"
#include "api/wire/early_read.h"
#include "api/wire/wire.h"

bool decode_json_length(const struct api_request *request, size_t *len,
                        struct status *st)
{
    const char *header = request->inference_header;
    uint64_t value;

    *len = request->body_len;
    if (!header)
        return true;
    if (!digits_read(header, strlen(header), &value))
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is '%.40s', but it "
                           "must be a number of bytes",
                           header);
    if (value > request->body_len)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is %.40s, but the "
                           "body has %zu bytes",
                           header, request->body_len);
    if (value == 0)
        return status_fail(st, STATUS_INVALID,
                           "Inference-Header-Content-Length is 0, which asks "
                           "for a raw binary request: no model here takes one, "
                           "for each has two inputs");
    *len = (size_t)value;
    return true;
}

/* At the refusal of a request with the header: says where the document really
 * ends, when that is not where the header has it. `len`: there, or 0. Returns
 * false. */
static bool blame_header(const struct api_request *request, size_t len,
                         struct status *st)
{
    const char *text = (const char *)request->body;
    struct tree_text whole = tree_infer(text, request->body_len);
    const struct status what = *st;
    struct tree tree;
    size_t end;

    if (!request->inference_header || st->code != STATUS_INVALID ||
        request->body_len == 0)
        return false;
    whole.heap = &tree_no_heap;
    tree_init(&tree, NULL, 0);
    tree_read(&tree, &whole, st);
    end = tree.end;
    tree_free(&tree);
    *st = what;
    if (end == 0)
        return false;
    if (len == 0)
        return status_fail(st, STATUS_INVALID,
                           "%s; the JSON document has %zu bytes", what.message,
                           end);
    while (end < len && scan_is_space(text[len - 1]))
        len--;
    if (end != len)
        status_fail(st, STATUS_INVALID,
                    "Inference-Header-Content-Length is %.40s, but the JSON "
                    "document has %zu bytes",
                    request->inference_header, end);
    return false;
}

bool decode_json(const struct api_request *request, const struct op *op,
                 struct infer_request *decoded, struct status *st)
{
    /* An empty body may be NULL. */
    struct tree_text text =
        tree_infer(request->body_len > 0 ? (const char *)request->body : "", 0);
    const struct early_read *early = request->early;

    (void)op;
    text.lacks_header = !request->inference_header;
    text.heap = request->heap;
    *decoded = (struct infer_request){.body = request->body,
                                      .body_len = request->body_len};
    if (!decode_json_length(request, &text.len, st))
        return blame_header(request, 0, st);
    if (request->query && !misplaced_pass_query(request->query, st))
        return false;
    /* A part that goes past the document is of no use: the document will be
     * refused. */
    if (early && early->validated.part.validated_end <= text.len)
        decoded->validated = early->validated;
    text.scanned = decoded->validated.part;
    decoded->binary_start = text.len;
    decoded->doc = document_read(&text, st);
    return decoded->doc != NULL || blame_header(request, text.len, st);
}
