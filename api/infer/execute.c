#include "api/infer/execute_spans.h"
#include "api/infer/execute_values.h"
#include "api/infer/infer.h"
#include "kernels/core/cancel.h"

static bool execute_all(struct execution *execution)
{
    const struct infer *infer = execution->infer;
    bool shared = infer->source.is_shared || infer->target.region;

    if (infer_moves_spans(infer))
        return execute_spans(execution);
    if (infer->source.is_text || !shared)
        return execute_values(execution);
    execute_shared(execution);
    return true;
}

/* Everything in the body before the data has been read by now; the document
 * does not point into it. */
static size_t headroom_of(const struct execution *execution,
                          const struct infer_buffer *buffer)
{
    const struct infer_request *request = &execution->infer->request;

    if (execution->data == execution->out)
        return buffer->headroom;
    return (size_t)(execution->data - request->body);
}

char *infer_head(const struct infer *infer, const struct infer_buffer *buffer)
{
    return (char *)buffer->memory + infer->layout.index;
}

bool infer_execute(struct infer *infer, const struct infer_buffer *buffer,
                   const atomic_bool *cancel, struct infer_result *result,
                   struct status *st)
{
    struct execution execution = {
        .infer = infer,
        .rows = (struct span *)(void *)buffer->memory,
        .out = buffer->memory + infer->layout.index + buffer->headroom,
        .cancel = cancel,
        .st = st,
    };

    if (!execute_all(&execution))
        return false;
    /* The one test for all movers above: see core/cancel.h. */
    if (cancel_requested(cancel))
        return status_fail(st, STATUS_CANCELLED, "the request was cancelled");
    infer_describe(infer, result);
    if (infer->target.form == INFER_FORM_REGION)
        return true;
    result->tensor.data = execution.data;
    result->tensor.len = execution.len;
    result->tensor.headroom = headroom_of(&execution, buffer);
    return true;
}
