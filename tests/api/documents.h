/* Pieces of infer documents for tests; ' stands for " (ask.h).
 *
 * The running example: two columns of two entries, time-major, of which the
 * first is reversed: [1,2,3,4] becomes [3,2,1,4]. */
#pragma once

#include "tests/api/ask.h"

#define ONNX "onnx.ReverseSequence"
#define SEQUENCE "openvino.ReverseSequence"
#define REVERSE "openvino.Reverse"
#define GRAIPHIC "graiphic.ReverseSequence"
#define GRAD "graiphic.ReverseSequenceGrad"

/* One input with JSON data, or with so many bytes. */
#define INPUT(name, datatype, shape, data)                                     \
    "{'name':'" name "','datatype':'" datatype "','shape':" shape              \
    ",'data':" data "}"
#define BYTES_INPUT(name, datatype, shape, size)                               \
    "{'name':'" name "','datatype':'" datatype "','shape':" shape              \
    ",'parameters':{'binary_data_size':" size "}}"

#define DATA INPUT("input", "FP32", "[2,2]", "[1,2,3,4]")
#define LENS INPUT("sequence_lens", "INT64", "[2]", "[2,1]")
#define INPUTS "'inputs':[" DATA "," LENS "]"
#define RESULT "[3,2,1,4]"

/* A whole document with other members in front. */
#define DOCUMENT(members) "{" members INPUTS "}"

/* [[1,2,3],[4,5,6]] with attributes and lengths of any kind. */
#define SEQUENCE_OF(parameters, datatype, shape, lens)                         \
    "{'parameters':{" parameters                                               \
    "},'inputs':[" INPUT("data", "INT16", "[2,3]", "[1,2,3,4,5,6]") "," INPUT( \
        "seq_lengths", datatype, shape, lens) "]}"
#define ONNX_OF(parameters, datatype, shape, lens)                             \
    "{'parameters':{" parameters                                               \
    "},'inputs':[" INPUT("input", "INT16", "[2,3]",                            \
                         "[1,2,3,4,5,6]") "," INPUT("sequence_lens", datatype, \
                                                    shape, lens) "]}"
#define REVERSE_OF(mode, datatype, shape, axis)                                \
    "{'parameters':{'mode':'" mode "'},'inputs':[" INPUT(                      \
        "data", "INT16", "[2,3]", "[1,2,3,4,5,6]") "," INPUT("axis", datatype, \
                                                             shape, axis) "]}"
/* The example with another input for its data. */
#define WITH(input) "{'inputs':[" input "," LENS "]}"
/* Data of any shape, with lengths that would fit rank 2. */
#define DATA_OF(datatype, shape, data)                                         \
    WITH(INPUT("input", datatype, shape, data))

/* The example with parameters, for each family. */
#define PARAMETERS(list) DOCUMENT("'parameters':{" list "},")
#define GRAD_PARAMETERS(list)                                                  \
    "{'parameters':{" list                                                     \
    "},'inputs':[" INPUT("dY", "FP32", "[2,2]", "[1,2,3,4]") "," LENS "]}"
#define REVERSE_PARAMETERS(list)                                               \
    "{'parameters':{" list                                                     \
    "},'inputs':[" INPUT("data", "FP32", "[2,2]", "[1,2,3,4]") "," INPUT(      \
        "axis", "INT64", "[1]", "[0]") "]}"

/* Tensors in shared memory. */
#define PLACE(name, offset, size)                                              \
    "'parameters':{'shared_memory_region':'" name                              \
    "','shared_memory_offset':" offset ",'shared_memory_byte_size':" size "}"
#define AT(name, datatype, shape, place)                                       \
    "{'name':'" name "','datatype':'" datatype "','shape':" shape "," place "}"
#define OUT(place) "'outputs':[{'name':'Y'," place "}]"
#define ASK(data, lens) "{'inputs':[" data "," lens "]}"
#define ASK_OUT(data, lens, out) "{'inputs':[" data "," lens "]," out "}"
