/* A request with several faults: a tensor's is reported before an operator's.
 */
#include <check.h>

#include "tests/api/ask.h"
#include "tests/api/documents.h"
#include "tests/suite.h"

START_TEST(data_count_is_named_before_the_lengths)
{
    assert_answer_refused(
        ask_json(ONNX, "{'inputs':[" INPUT("input", "FP32", "[2,3]",
                                           "[1,2,3,4]") "," LENS "]}"),
        400, "data of 'input' has 4 elements", "[2, 3] has 6", NULL);
}
END_TEST

START_TEST(data_value_is_named_before_the_axes)
{
    assert_answer_refused(
        ask_json(ONNX,
                 "{'parameters':{'time_axis':7},'inputs':[" INPUT(
                     "input", "INT8", "[2,2]", "[1,2,300,4]") "," LENS "]}"),
        400, "data[2] of 'input' is 300", NULL);
}
END_TEST

START_TEST(operator_is_heard_when_the_data_is_right)
{
    assert_answer_refused(
        ask_json(ONNX,
                 "{'parameters':{'time_axis':7},'inputs':[" INPUT(
                     "input", "INT8", "[2,2]", "[1,2,3,4]") "," LENS "]}"),
        400, "time_axis is 7", NULL);
}
END_TEST

SUITE("infer order", TEST(data_count_is_named_before_the_lengths),
      TEST(data_value_is_named_before_the_axes),
      TEST(operator_is_heard_when_the_data_is_right))
