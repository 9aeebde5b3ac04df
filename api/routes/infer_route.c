#include "api/routes/infer_route.h"

#include "api/infer/infer.h"
#include "api/routes/wire_format.h"

_Static_assert((int)ENCODED_MAX_PIECES <= (int)API_MAX_PIECES,
               "a reply holds all pieces of an encoded result");

static bool find_region(void *context, const char *name, unsigned char **data,
                        size_t *size)
{
    const struct api_regions *regions = context;
    struct api_region region;

    if (!regions->find(regions->context, name, &region))
        return false;
    *data = region.data;
    *size = region.size;
    return true;
}

static struct infer *prepare(const struct model *model,
                             const struct api_request *request,
                             const struct wire_format *format,
                             struct status *st)
{
    struct infer_request decoded;

    if (!format->decode(request, model, &decoded, st))
        return NULL;
    if (request->regions)
        decoded.regions = (struct infer_regions){
            find_region, (void *)(uintptr_t)request->regions};
    return infer_prepare(model, &decoded, st);
}

bool infer_route_prepare(const struct model *model,
                         const struct api_request *request,
                         struct api_plan *plan, struct api_reply *reply)
{
    const struct wire_format *format = wire_format_choose(request);
    struct infer_result result;
    struct status st;

    plan->model = model;
    plan->infer = prepare(model, request, format, &st);
    if (!plan->infer) {
        api_reply_status(reply, &st);
        return false;
    }
    infer_describe(plan->infer, &result);
    plan->format = format;
    plan->headroom = format->encoder->bound(&result);
    plan->memory = infer_memory(plan->infer, plan->headroom);
    plan->heap_bytes = infer_heap_bytes(plan->infer);
    plan->timeout_us = infer_timeout_us(plan->infer);
    return true;
}

void infer_route_execute(struct api_plan *plan, void *buffer,
                         const atomic_bool *cancel, struct api_reply *reply)
{
    const struct wire_format *format = plan->format;
    struct infer_buffer memory = {buffer, plan->headroom};
    struct infer_result result;
    struct encoded encoded;
    struct status st;

    if (!infer_execute(plan->infer, &memory, cancel, &result, &st)) {
        api_reply_status(reply, &st);
        return;
    }
    format->encoder->encode(&result, infer_head(plan->infer, &memory),
                            &encoded);
    *reply = (struct api_reply){
        .status = 200,
        .content_type =
            encoded.json_len > 0 ? format->binary_type : format->type,
        .json_len = encoded.json_len,
        .piece_count = encoded.piece_count,
    };
    for (int i = 0; i < encoded.piece_count; i++)
        reply->pieces[i] =
            (struct api_piece){encoded.pieces[i].data, encoded.pieces[i].len};
}
