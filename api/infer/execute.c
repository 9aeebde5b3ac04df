#include "api/infer/infer.h"
#include "api/infer/run_spans.h"
#include "api/infer/run_values.h"
#include "kernels/core/cancel.h"

static bool run_all(struct run *run)
{
    const struct infer *infer = run->infer;
    bool shared = infer->source.is_shared || infer->target.region;

    if (infer_moves_spans(infer))
        return run_spans(run);
    if (infer->source.is_text || !shared)
        return run_values(run);
    run_shared(run);
    return true;
}

/* Everything in the body before the data has been read by now; the document
 * does not point into it. */
static size_t headroom_of(const struct run *run,
                          const struct infer_buffer *buffer)
{
    const struct infer_request *request = &run->infer->request;

    if (run->data == run->out)
        return buffer->headroom;
    return (size_t)(run->data - request->body);
}

char *infer_head(const struct infer *infer, const struct infer_buffer *buffer)
{
    return (char *)buffer->memory + infer->layout.index;
}

bool infer_execute(struct infer *infer, const struct infer_buffer *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st)
{
    struct run run = {
        .infer = infer,
        .rows = (struct span *)(void *)buffer->memory,
        .out = buffer->memory + infer->layout.index + buffer->headroom,
        .cancel = cancel,
        .st = st,
    };

    if (!run_all(&run))
        return false;
    /* The one test for all movers above: see core/cancel.h. */
    if (cancel_requested(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    infer_describe(infer, result);
    if (infer->target.form == INFER_FORM_REGION)
        return true;
    result->tensor.data = run.data;
    result->tensor.len = run.len;
    result->tensor.headroom = headroom_of(&run, buffer);
    return true;
}
