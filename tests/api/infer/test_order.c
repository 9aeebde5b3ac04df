/* A request with several faults: a tensor's is reported before an operator's.
 */
#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/unit.h"

#define AXIS_7(data)                                                           \
    "{'parameters':{'time_axis':7},'inputs':[" INPUT("input", "INT8", "[2,2]", \
                                                     data) "," LENS "]}"

static const struct refusal faults[] = {
    {ONNX, DATA_OF("FP32", "[2,3]", "[1,2,3,4]"), 400,
     "data of 'input' has 4 elements|[2, 3] has 6"},
    {ONNX, AXIS_7("[1,2,300,4]"), 400, "data[2] of 'input' is 300"},
    /* The operator is heard when the data is right. */
    {ONNX, AXIS_7("[1,2,3,4]"), 400, "time_axis is 7"},
};

REFUSES(data_is_judged_before_the_operator, faults)
