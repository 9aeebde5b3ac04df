/* The scorer of docs/examples/triton as a backend of Triton Inference Server in
 * C, as decoders are served by backends in C++. Its inputs are right, for they
 * are those of a measurement. */
#include "deploy/triton/interface.h"

#include <stdlib.h>
#include <string.h>

enum { TABLE = 64, FP32 = 11 };

struct tensor {
    int64_t *values; /* owned */
    const int64_t *dims;
};

/* Copies an input, whatever its parts; {NULL} where there is none. */
static struct tensor read_input(triton_request request, const char *wanted)
{
    struct tensor tensor = {NULL, NULL};
    triton_input input = NULL;
    const char *name = NULL;
    uint64_t bytes = 0, at = 0;
    uint32_t parts = 0;

    for (uint32_t i = 0; !TRITONBACKEND_RequestInputByIndex(request, i, &input);
         i++) {
        TRITONBACKEND_InputProperties(input, &name, NULL, &tensor.dims, NULL,
                                      &bytes, &parts);
        if (strcmp(name, wanted) == 0)
            break;
    }
    tensor.values = malloc(bytes + 1);
    for (uint32_t i = 0; tensor.values && i < parts; i++, at += bytes) {
        int memory = TRITON_CPU;
        int64_t memory_id = 0;
        const void *part = NULL;

        TRITONBACKEND_InputBuffer(input, i, &part, &bytes, &memory, &memory_id);
        memcpy((char *)tensor.values + at, part, bytes);
    }
    return tensor;
}

/* The weights of the pairs of neighbours in `size` tokens. */
static float score(const int64_t *tokens, int64_t size, int64_t step)
{
    float sum = 0;

    for (int64_t i = 1; i < size; i++) {
        int64_t pair = tokens[i - 1] % TABLE * TABLE + tokens[i] % TABLE;

        sum -= (float)(pair * step % 8191) / 8192;
    }
    return sum;
}

static void answer(triton_request request, triton_response response)
{
    struct tensor hyps = read_input(request, "hyps");
    struct tensor r_hyps = read_input(request, "r_hyps");
    struct tensor lens = read_input(request, "hyps_lens");
    int64_t rows = hyps.dims[0], width = hyps.dims[1], memory_id = 0;
    triton_output output = NULL;
    int memory = TRITON_CPU;
    void *scores = NULL;

    TRITONBACKEND_ResponseOutput(response, &output, "scores", FP32, &rows, 1);
    TRITONBACKEND_OutputBuffer(output, &scores, (uint64_t)rows * sizeof(float),
                               &memory, &memory_id);
    for (int64_t row = 0; row < rows; row++)
        ((float *)scores)[row] =
            score(hyps.values + row * width, lens.values[row], 71) +
            score(r_hyps.values + row * width, lens.values[row], 89);
    free(hyps.values);
    free(r_hyps.values);
    free(lens.values);
}

TRITON(ModelInstanceExecute, triton_instance instance, triton_request *requests,
       uint32_t count)
{
    (void)instance;
    for (uint32_t i = 0; i < count; i++) {
        triton_response response = NULL;

        TRITONBACKEND_ResponseNew(&response, requests[i]);
        answer(requests[i], response);
        TRITONBACKEND_ResponseSend(response, TRITON_FINAL, NULL);
        TRITONBACKEND_RequestRelease(requests[i], TRITON_RELEASE_ALL);
    }
    return NULL;
}
