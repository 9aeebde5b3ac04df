/* The JSON document as a request and as a reply. */
#include "api/wire/wire.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api/base/text.h"
#include "api/base/writer.h"
#include "api/document/misplaced.h"
#include "api/lex/scan.h"
#include "api/tensor_json/tensor_json.h"
#include "kernels/core/require.h"

bool json_length(const struct api_request *request, size_t *len,
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
    whole.heap = request->heap;
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

/* Bytes that all searches for the array may scan: each starts at byte 0, on the
 * thread that receives. */
enum { MOST_SEARCHED = 4 << 20 };

/* Finds the data array that the text leaves open, and whether a datatype
 * precedes it. */
static bool find_open(const char *text, size_t len, size_t *start,
                      enum dtype *dtype, bool *is_typed)
{
    struct tree_text source = tree_infer(text, len);
    const struct tree_value *datatype;
    struct tree tree;
    struct status st;

    source.heap = &tree_no_heap;
    tree_init(&tree, NULL, 0);
    tree_read(&tree, &source, &st);
    *start = tree.open;
    datatype = tree_get(tree.open_input, "datatype");
    *is_typed = datatype && datatype->kind == TREE_STRING &&
                dtype_parse(datatype->text, datatype->len, dtype);
    tree_free(&tree);
    return *start > 0;
}

/* Finds the array that the document leaves open, and the datatype before it. */
static bool find_array(struct early_read *early, const char *text, size_t len)
{
    struct infer_validated *validated = &early->validated;
    const struct number_range *range;
    size_t start, at;
    bool is_typed;

    /* A search is due each time the document has doubled, so that all of them
     * scan less than twice its length. */
    if (len < early->next_search)
        return false;
    early->next_search = 2 * len;
    early->done = len > MOST_SEARCHED - early->searched;
    early->searched += len;
    if (early->done ||
        !find_open(text, len, &start, &validated->dtype, &is_typed))
        return false;
    for (at = start + 1; at < len && scan_is_space(text[at]); at++)
        ;
    if (at == len) {
        early->next_search = len; /* the first element is still to come */
        return false;
    }
    range = is_typed ? tensor_json_range(validated->dtype) : NULL;
    early->done = !range;
    if (early->done)
        return false;
    validated->part = (struct validated_part){start, at};
    validated->commas = &early->commas;
    comma_index_start(&early->commas, range, at - start);
    return true;
}

struct early_read *api_early_new(void)
{
    return calloc(1, sizeof(struct early_read));
}

void api_early_free(struct early_read *early)
{
    free(early);
}

void api_early_read(struct early_read *early, const unsigned char *body,
                    size_t len)
{
    struct infer_validated *validated = &early->validated;
    struct validated_part *part = &validated->part;
    const char *text = (const char *)body;

    if (early->done || (part->start == 0 && !find_array(early, text, len)))
        return;
    comma_index_append(&early->commas, text + part->start, len - part->start);
    part->validated_end = part->start + early->commas.end;
    early->done = early->commas.stopped;
}

/* A bit for each byte, in whole words. */
size_t api_early_capacity(const struct early_read *early, size_t len)
{
    return early->done ? 0 : len / 64 * sizeof(uint64_t);
}

void api_early_lend(struct early_read *early, void *memory, size_t capacity)
{
    early->commas.words = memory;
    early->commas.capacity = capacity / sizeof(uint64_t);
}

bool decode_json(struct infer *infer, struct status *st)
{
    const struct api_request *request = infer->request;
    const struct op *op = infer->model->op;
    /* An empty body may be NULL. */
    struct tree_text text =
        tree_infer(request->body_len > 0 ? (const char *)request->body : "", 0);
    const struct early_read *early = request->early;

    text.lacks_header = !request->inference_header;
    text.heap = request->heap;
    if (!json_length(request, &text.len, st))
        return blame_header(request, 0, st);
    if (request->query && !misplaced_pass_query(request->query, op, st))
        return false;
    /* A part that goes past the document is of no use: the document will be
     * refused. */
    if (early && early->validated.part.validated_end <= text.len)
        infer->validated = early->validated;
    text.scanned = infer->validated.part;
    infer->binary_start = text.len;
    return document_read(&infer->doc, &text, op, st) ||
           blame_header(request, text.len, st);
}

/* Closes the data array and the objects around it. */
static const char tail[INFER_RESULT_TAILROOM] = {']', '}', ']', '}'};

static void write_parameters(const struct infer *infer, struct writer *w)
{
    const char *echo = infer_echo(infer), *context = infer->backward_context;

    if (!echo && !context)
        return;
    writer_text(w, ",\"parameters\":{");
    if (echo)
        json_write_print(w, context ? "\"name\":%s," : "\"name\":%s", echo);
    if (context)
        json_write_print(w, "\"backward_context\":%s", context);
    writer_text(w, "}");
}

/* Up to the data array, or the whole document when the data is not in it. */
static void write_head(const struct infer_result *result, struct writer *w)
{
    const struct infer *infer = result->infer;
    const struct tensor *tensor = &infer->call.data;

    writer_text(w, "{\"model_name\":\"");
    writer_text(w, infer->model->name);
    writer_text(w, "\",\"model_version\":\"");
    writer_text(w, infer->model->version);
    writer_text(w, "\"");
    if (infer->doc.id) {
        writer_text(w, ",\"id\":");
        json_write_string_bytes(w, infer->doc.id, infer->doc.id_len);
    }
    write_parameters(infer, w);
    writer_text(w, ",\"outputs\":[{\"name\":");
    json_write_string(w, infer->target.name);
    writer_text(w, ",\"datatype\":\"");
    writer_text(w, dtype_info(tensor->dtype)->name);
    writer_text(w, "\",\"shape\":");
    json_write_shape(w, &tensor->shape);
    if (infer->target.form == DOCUMENT_FORM_JSON) {
        writer_text(w, ",\"data\":[");
    } else if (infer->target.form == DOCUMENT_FORM_REGION) {
        writer_text(w, "}]}");
    } else {
        writer_text(w, ",\"parameters\":{\"binary_data_size\":");
        json_write_uint(w, result->len);
        writer_text(w, "}}]}");
    }
}

void encode_json(const struct infer_result *result, struct api_reply *reply)
{
    struct writer w = {.data = result->head, .size = result->head_size};
    size_t data_len = result->len;

    write_head(result, &w);
    REQUIRE(!w.failed);
    reply->content_type = "application/json";
    if (result->infer->target.form == DOCUMENT_FORM_JSON) {
        memcpy(result->data + result->len, tail, sizeof(tail));
        data_len += sizeof(tail);
    } else if (result->len > 0) {
        reply->content_type = "application/octet-stream";
        reply->json_len = w.len;
    }
    encoder_add_both(reply, result, w.len, data_len);
}
