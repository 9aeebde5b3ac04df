/* Parameters of a type that they may not have. */
#include "tests/api/documents.h"
#include "tests/unit.h"

static const struct {
    const char *model, *list, *parts;
} ill_typed[] = {
    /* numbers are quoted as they were sent */
    {ONNX, "'time_axis':1.50", "time_axis is 1.50, but it must be an integer"},
    {ONNX, "'time_axis':1e-400", "time_axis is 1e-400, but"},
    {ONNX, "'timeout':18446744073709551615",
     "timeout is 18446744073709551615, but it must be an integer|"
     "to 9223372036854775807"},
    {ONNX, "'timeout':'18446744073709551615'",
     "timeout is '18446744073709551615', but it must be an integer from "
     "-9223372036854775808"},
    {ONNX, "'time_axis':'-9223372036854775809'",
     "time_axis is '-9223372036854775809', but it must be an integer from "},
    {ONNX, "'timeout':-18446744073709551615",
     "timeout is -18446744073709551615, but|from -9223372036854775808"},
    {ONNX, "'timeout':9223372036854775808",
     "timeout is 9223372036854775808, but it must be an integer from "},
    {ONNX, "'timeout':1e400", "timeout is 1e400, but|to 9223372036854775807"},
    {ONNX, "'timeout':9007199254740993.5",
     "timeout is 9007199254740993.5, but it must be an integer"},
    {ONNX, "'timeout':-1.0", "timeout is -1.0|0 or more microseconds"},
    {ONNX, "'time_axis':7e0", "time_axis is 7e0, but it must be 0 or 1"},
    {ONNX, "'batch_axis':-1.0", "batch_axis is -1.0, but it must be 0 or 1"},
    {ONNX, "'time_axis':2", "time_axis is 2, but"},
    {ONNX,
     "'time_axis':2.0000000000000000000000000000000000000000000000"
     "000000000000000000000000000000000000000000000",
     "time_axis is 2.000000000000|..., but it must be 0 or 1"},
    {ONNX, "'batch_axis':1.0,'time_axis':1",
     "batch_axis 1.0 and time_axis 1 are both axis 1"},
    {ONNX, "'batch_axis':1.0,'time_axis':1.0",
     "batch_axis and time_axis are both 1.0"},
    {ONNX, "'binary_data_output':1.0", "binary_data_output is 1.0|a boolean"},
    {ONNX,
     "'timeout':0.0000000000000000000000000000000000000000000000000"
     "000000000000000000000000000000000000000000001",
     "timeout is 0.000000000000|..., but it must be an integer"},
    {ONNX, "'time_axis':0.5", "time_axis is 0.5|an integer"},
    {ONNX, "'time_axis':true", "time_axis is true|an integer"},
    {ONNX, "'time_axis':false", "time_axis is false|an integer"},
    {ONNX, "'time_axis':[0]", "time_axis|an integer"},
    {ONNX, "'time_axis':['0']", "time_axis is ['0']|an integer"},
    {ONNX, "'time_axis':{}", "time_axis|an integer"},
    {ONNX, "'time_axis':''", "time_axis is ''|an integer"},
    {ONNX, "'time_axis':'0x0'", "'0x0'|an integer"},
    {ONNX, "'time_axis':' 0'", "' 0'|an integer"},
    {ONNX, "'time_axis':'0 '", "'0 '|an integer"},
    {ONNX, "'time_axis':'+0'", "'+0'|an integer"},
    {ONNX, "'time_axis':'-'", "'-'|an integer"},
    {ONNX, "'time_axis':'0-'", "'0-'|an integer"},
    {ONNX, "'time_axis':'--1'", "'--1'|an integer"},
    {ONNX, "'time_axis':'0.0'", "'0.0'|an integer"},
    {ONNX, "'time_axis':'1e0'", "'1e0'|an integer"},
    {ONNX, "'time_axis':'0\\u0000'", "time_axis|an integer"},
    {ONNX, "'time_axis':'9223372036854775808'",
     "'9223372036854775808'|an integer"},
    {ONNX, "'time_axis':'18446744073709551616'",
     "'18446744073709551616'|an integer"},
    {ONNX, "'timeout':-1", "timeout is -1|0 or more microseconds"},
    {ONNX, "'timeout':'-1'", "timeout is '-1'|0 or more microseconds"},
    {ONNX, "'binary_data_output':1", "binary_data_output is 1|a boolean"},
    {ONNX, "'binary_data_output':'true'",
     "binary_data_output is 'true'|a boolean"},
    {GRAIPHIC, "'training':1", "training is 1|a boolean"},
    {GRAIPHIC, "'training':'true'", "training is 'true'|a boolean"},
    {GRAIPHIC, "'training?':0", "training? is 0|a boolean"},
    {GRAIPHIC, "'name':7", "name is 7|a string"},
    {GRAIPHIC, "'name':['n']", "name is ['n']|a string"},
    {GRAIPHIC, "'name':'a\\u0000'",
     "name is a string with a NUL, but it must be a string"},
    {GRAIPHIC, "'specified_outputs_name':{'a':'b'}",
     "specified_outputs_name is an object, but it must be a string or an array "
     "of one string"},
    {GRAIPHIC, "'specified_outputs_name':['a','b']",
     "specified_outputs_name is an array of 2, but it must be a string or an "
     "array of one string"},
    {GRAIPHIC, "'specified_outputs_name':''",
     "specified_outputs_name is empty"},
    {GRAIPHIC, "'specified_outputs_name':['']",
     "specified_outputs_name is empty"},
    {GRAIPHIC, "'lda_coeff':'1.5x'", "lda_coeff is '1.5x'|range of FP32"},
    {GRAIPHIC, "'lda_coeff':'1.5.5'", "'1.5.5'|range of FP32"},
    {GRAIPHIC, "'lda_coeff':'nan'", "'nan'|range of FP32"},
    {GRAIPHIC, "'lda_coeff':'Infinity'", "'Infinity'|range of FP32"},
    /* the doubles next to the largest FP32 */
    {GRAIPHIC, "'lda_coeff':3.4028234663852890e38",
     "lda_coeff is 3.4028234663852890e38|range of FP32"},
    {GRAIPHIC, "'lda_coeff':-3.4028234663852890e38",
     "lda_coeff is -3.4028234663852890e38|range of FP32"},
    {GRAIPHIC, "'lda_coeff':1e300", "lda_coeff is 1e300|range of FP32"},
    {GRAIPHIC, "'lda_coeff':-1e999", "lda_coeff is -1e999|range of FP32"},
    {GRAIPHIC, "'lda_coeff':-1e99", "lda_coeff is -1e99|range of FP32"},
    {GRAIPHIC, "'lda_coeff':'1e999'", "'1e999'|range of FP32"},
    {GRAIPHIC, "'lda_coeff':'0x1p3'", "'0x1p3'|range of FP32"},
    {GRAIPHIC, "'lda_coeff':''", "lda_coeff is ''|range of FP32"},
    {GRAIPHIC, "'lda_coeff':'.'", "'.'|range of FP32"},
    {GRAIPHIC, "'lda_coeff':true", "lda_coeff is true|range of FP32"},
    {GRAIPHIC, "'lda coeff':[1]", "lda coeff is an array of 1|range of FP32"},
};

LOOP_TEST(parameter_that_is_ill_typed_is_refused_with_its_value,
          COUNT(ill_typed))
{
    assert_answer_refused(
        ask_jsonf(ill_typed[_i].model, PARAMETERS("%s"), ill_typed[_i].list),
        400, ill_typed[_i].parts, NULL);
}

/* Of models with other inputs. */
static const struct refusal others[] = {
    {SEQUENCE, SEQUENCE_OF("'seq_axis':2.00", "INT64", "[2]", "[2,1]"),
     "seq_axis is 2.00, but it must be from -2 to 1 for rank 2"},
    {SEQUENCE,
     SEQUENCE_OF("'batch_axis':1.0,'seq_axis':-1", "INT64", "[2]", "[2,1]"),
     "batch_axis 1.0 and seq_axis -1 are both axis 1"},
    {GRAD, GRAD_PARAMETERS("'backward_context':7"),
     "backward_context is 7|a string"},
    {GRAD, GRAD_PARAMETERS("'backward_context':['x']"),
     "backward_context is ['x']|a string"},
    {REVERSE, REVERSE_PARAMETERS("'mode':1"), "mode is 1|a string"},
    {REVERSE, REVERSE_PARAMETERS("'mode':true"), "mode is true|a string"},
};

REFUSES(parameter_of_another_model_is_refused_with_its_value, others)

static const char *const no_names[] = {"7", "[]", "['a','b']", "[['a']]",
                                       "['a\\u0000']"};

LOOP_TEST(names_of_outputs_are_a_text_or_an_array_of_one, COUNT(no_names))
{
    assert_answer_refused(
        ask_jsonf(GRAIPHIC, PARAMETERS("'specified_outputs_name':%s"),
                  no_names[_i]),
        400, "specified_outputs_name", "a string or an array of one", NULL);
}

/* Only what would be an integer past 64 bits is told its range. */
static const char *const no_integers[][2] = {
    {"1.5", "1.5"},
    {"9223372036854774784.5", "9223372036854774784.5"},
    {"'9x'", "'9x'"},
    {"'9223372036854775808x'", "'9223372036854775808x'"},
    {"true", "true"},
    {"false", "false"},
    {"['0']", "['0']"},
    {"[0]", "an array of 1"},
    {"[]", "an array of 0"},
    {"[0,{}]", "an array of 2"},
    {"{}", "an object"},
    {"'0\\u0000'", "a string with a NUL"},
};

LOOP_TEST(parameter_that_is_no_integer_is_refused_without_a_range,
          COUNT(no_integers))
{
    char error[200];

    snprintf(error, sizeof(error),
             "{\"error\":\"timeout is %s, but it must be an integer\"}",
             no_integers[_i][1]);
    assert_answer_body(
        ask_jsonf(ONNX, PARAMETERS("'timeout':%s"), no_integers[_i][0]), 400,
        error);
}

static const char *const integers[] = {
    "'time_axis':0.0",
    "'time_axis':-0.0",
    "'time_axis':0e7",
    "'batch_axis':1.0",
    "'batch_axis':1e0",
    "'batch_axis':10e-1",
    "'batch_axis':0.1E+1",
    "'timeout':1.5e18",
    "'timeout':9223372036854775807.0",
};

/* As in JSON Schema. */
LOOP_TEST(parameter_without_a_fraction_is_an_integer, COUNT(integers))
{
    assert_answer_data(ask_jsonf(ONNX, PARAMETERS("%s"), integers[_i]), RESULT);
}

static const char *const accepted[] = {
    "'lda_coeff':3.4028234663852886e38",
    "'lda_coeff':'-3.4028234663852886e38'",
    "'lda_coeff':'.5E+1'",
    "'name':''",
};

LOOP_TEST(parameter_at_its_limit_is_accepted, COUNT(accepted))
{
    assert_answer_data(ask_jsonf(GRAIPHIC, PARAMETERS("%s"), accepted[_i]),
                       RESULT);
}
