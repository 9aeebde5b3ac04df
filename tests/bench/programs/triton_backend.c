/* ReverseSequence as a backend of Triton Inference Server in C: Triton at its
 * best, for it moves the data by flipd's own movers, and what remains is the
 * cost of the server around them. */
#include "tests/bench/programs/operators.h"
#include "tests/bench/programs/triton_interface.h"

#include <stdlib.h>
#include <string.h>

struct tensor_in {
    struct TRITONBACKEND_Input *input;
    const int64_t *shape;
    uint32_t rank;
    uint64_t bytes;
    uint32_t parts; /* buffers that hold it */
};

/* Keeps the error of a call; true if there is one. */
#define FAILED(st, call) (((st) = (call)) != NULL)

static struct TRITONSERVER_Error *refuse(const char *text)
{
    return TRITONSERVER_ErrorNew(TRITONSERVER_ERROR_INVALID_ARG, text);
}

static struct TRITONSERVER_Error *find(struct TRITONBACKEND_Request *request,
                                       const char *name, struct tensor_in *t)
{
    struct TRITONSERVER_Error *st;

    if (FAILED(st, TRITONBACKEND_RequestInput(request, name, &t->input)))
        return st;
    return TRITONBACKEND_InputProperties(t->input, NULL, NULL, &t->shape,
                                         &t->rank, &t->bytes, &t->parts);
}

static struct TRITONSERVER_Error *part(const struct tensor_in *t,
                                       uint32_t index, const void **buffer,
                                       uint64_t *bytes)
{
    int memory = TRITONSERVER_MEMORY_CPU;
    int64_t memory_id = 0;
    struct TRITONSERVER_Error *st = TRITONBACKEND_InputBuffer(
        t->input, index, buffer, bytes, &memory, &memory_id);

    if (!st && memory != TRITONSERVER_MEMORY_CPU)
        st = refuse("an input is not in the processor's memory");
    return st;
}

/* Puts the parts of a tensor together. */
static struct TRITONSERVER_Error *gather(const struct tensor_in *t, char *to)
{
    struct TRITONSERVER_Error *st;
    uint64_t at = 0, bytes = 0;
    const void *buffer = NULL;

    for (uint32_t i = 0; i < t->parts; i++) {
        if (FAILED(st, part(t, i, &buffer, &bytes)))
            return st;
        if (bytes > t->bytes - at)
            return refuse("an input has more bytes than it says");
        memcpy(to + at, buffer, bytes);
        at += bytes;
    }
    return at == t->bytes ? NULL : refuse("an input has too few bytes");
}

/* From one buffer to the output in one pass; from several, together in the
 * output and there in place. */
static struct TRITONSERVER_Error *move(const struct tensor_in *x,
                                       const struct tensor_in *lens, char *to)
{
    struct bench_call call = {.op = "onnx.ReverseSequence",
                              .rank = (int)x->rank,
                              .control_count = lens->shape[0],
                              .axes = {1, 0}};
    struct TRITONSERVER_Error *st;
    const void *buffer = NULL;
    uint64_t bytes = 0;
    int64_t *lengths = malloc(lens->bytes + 1);

    if (!lengths)
        return refuse("no memory for the lengths");
    st = gather(lens, (char *)lengths);
    if (!st)
        st = x->parts == 1 ? part(x, 0, &buffer, &bytes) : gather(x, to);
    memcpy(call.dims, x->shape, x->rank * sizeof(x->shape[0]));
    call.control = lengths;
    call.from = buffer ? (void *)(uintptr_t)buffer : to;
    call.to = buffer ? to : NULL;
    if (!st && bench_operator(&call) != 0)
        st = refuse("the tensors are refused");
    free(lengths);
    return st;
}

static struct TRITONSERVER_Error *
answer(struct TRITONBACKEND_Request *request,
       struct TRITONBACKEND_Response *response)
{
    struct tensor_in x, lens;
    struct TRITONBACKEND_Output *output;
    struct TRITONSERVER_Error *st;
    int memory = TRITONSERVER_MEMORY_CPU;
    int64_t memory_id = 0;
    void *to = NULL;

    if (FAILED(st, find(request, "input", &x)) ||
        FAILED(st, find(request, "sequence_lens", &lens)))
        return st;
    if (x.rank > BENCH_MAX_RANK || lens.rank != 1)
        return refuse("the ranks are not served");
    if (FAILED(st, TRITONBACKEND_ResponseOutput(response, &output, "Y",
                                                TRITONSERVER_TYPE_FP32, x.shape,
                                                x.rank)) ||
        FAILED(st, TRITONBACKEND_OutputBuffer(output, &to, x.bytes, &memory,
                                              &memory_id)))
        return st;
    if (memory != TRITONSERVER_MEMORY_CPU)
        return refuse("the output is not in the processor's memory");
    return move(&x, &lens, to);
}

struct TRITONSERVER_Error *
TRITONBACKEND_ModelInstanceExecute(struct TRITONBACKEND_ModelInstance *instance,
                                   struct TRITONBACKEND_Request **requests,
                                   uint32_t count)
{
    (void)instance;
    for (uint32_t i = 0; i < count; i++) {
        struct TRITONBACKEND_Response *response = NULL;
        struct TRITONSERVER_Error *st =
            TRITONBACKEND_ResponseNew(&response, requests[i]);

        /* Without memory for a response the client's connection ends. */
        if (!st)
            TRITONBACKEND_ResponseSend(response,
                                       TRITONSERVER_RESPONSE_COMPLETE_FINAL,
                                       answer(requests[i], response));
        TRITONBACKEND_RequestRelease(requests[i],
                                     TRITONSERVER_REQUEST_RELEASE_ALL);
    }
    return NULL;
}
