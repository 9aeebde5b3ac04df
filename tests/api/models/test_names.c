/* What a path may call a model and its version. */
#include "tests/api/ask.h"
#include "tests/unit.h"

UNIT_TEST(model_names_are_matched_after_percent_decoding)
{
    static const char *const paths[] = {"%6Fnnx.ReverseSequence",
                                        "%6fnnx%2eReverseSequenc%65",
                                        "onnx.ReverseSequence/versions/%31%30"};

    for (int i = 0; i < COUNT(paths); i++)
        assert_answer_body(
            ask_getf("/v2/models/%s/ready", paths[i]), 200,
            "{\"name\":\"onnx.ReverseSequence\",\"ready\":true}");
}

/* As they stand in a path, and in the error. */
static const char *const strangers[][2] = {
    {"onnx", "onnx"},
    {"onnx.ReverseSequence2", "onnx.ReverseSequence2"},
    {"onnx.reversesequence", "onnx.reversesequence"},
    {"%", "%"},
    {"onnx.ReverseSequence%0", "onnx.ReverseSequence%0"},
    {"onnx.ReverseSequence%00", "onnx.ReverseSequence%00"},
    {"%6Gnnx.ReverseSequence", "%6Gnnx.ReverseSequence"},
    {"%256Fnnx", "%6Fnnx"},
    {"..", ".."},
    {"..%2f..%2fetc%2fpasswd", "../../etc/passwd"},
    {"a;id", "a;id"},
    {"onnx.ReverseSequence%20", "onnx.ReverseSequence "},
    {"%E2%82%AC", "\xE2\x82\xAC"},
    {"%FF", "\xEF\xBF\xBD"},
    {"onnx.ReverseSequence ", "onnx.ReverseSequence "},
    {"+onnx.ReverseSequence", "+onnx.ReverseSequence"},
    {"{m}", "{m}"},
    {"no%20such", "no such"},
    {"a%22b", "a\"b"},
};

LOOP_TEST(model_that_is_unknown_is_404_and_named, COUNT(strangers))
{
    char text[256];

    snprintf(text, sizeof(text), "Request for unknown model: '%s' ",
             strangers[_i][1]);
    assert_answer_refused(ask_getf("/v2/models/%s", strangers[_i][0]), 404,
                          text, "/v2/models", NULL);
    assert_answer_refused(ask_json(strangers[_i][0], "{}"), 404, text, NULL);
}

/* Names as they stand in a path, and the model that is meant. */
static const char *const near[][2] = {
    {"onnx.reversesequence", "onnx.ReverseSequence"},
    {"ONNX.ReverseSequence", "onnx.ReverseSequence"},
    {"onnx-ReverseSequence", "onnx.ReverseSequence"},
    {"onnx%2FReverseSequence", "onnx.ReverseSequence"},
    {"onnx.reverse_sequence", "onnx.ReverseSequence"},
    {"onnx.ReverseSequnce", "onnx.ReverseSequence"},
    {"openvino_reverse_sequence", "openvino.ReverseSequence"},
    {"openvino.reverse", "openvino.Reverse"},
    {"graiphic.ReverseSequence-Grad", "graiphic.ReverseSequenceGrad"},
    {"ReverseSequence", "onnx.ReverseSequence"},
    {"reverse-sequence", "onnx.ReverseSequence"},
    {"Reverse", "openvino.Reverse"},
    {"reverse_sequence_grad", "graiphic.ReverseSequenceGrad"},
};

LOOP_TEST(model_that_was_likely_meant_is_named, COUNT(near))
{
    char text[128];

    snprintf(text, sizeof(text), "' is not found; did you mean %s? GET",
             near[_i][1]);
    assert_answer_refused(ask_getf("/v2/models/%s/ready", near[_i][0]), 404,
                          text, NULL);
    assert_answer_refused(ask_json(near[_i][0], "{}"), 404, text, NULL);
}

/* Too short, too far or too long: none is named. */
static const char *const far[] = {
    "onnx",
    "onnx.Reverse",
    "onnx.RNN",
    "resnet50",
    ("ReverseSequence ReverseSequence ReverseSequence ReverseSequence "
     "ReverseSequence ReverseSequence ReverseSequence ReverseSequence"),
};

LOOP_TEST(model_that_was_unlikely_meant_is_not_named, COUNT(far))
{
    assert_answer_refused(ask_getf("/v2/models/%s", far[_i]), 404,
                          "' is not found; GET", NULL);
}

UNIT_TEST(model_names_of_any_length_are_404)
{
    char name[1000];

    memset(name, 'x', sizeof(name));
    for (int len = 100; len < 1000; len += 7)
        assert_answer_refused(ask_getf("/v2/models/%.*s", len, name), 404,
                              "Request for unknown model: 'xxxx", NULL);
}

static const char *const versions[] = {"1",
                                       "010",
                                       "10.0",
                                       "+10",
                                       "10%20",
                                       "%3",
                                       "%00",
                                       "latest",
                                       "-1",
                                       "1 0",
                                       "18446744073709551626",
                                       "100",
                                       "0",
                                       "%2B10"};

LOOP_TEST(version_that_is_unknown_is_404_and_named, COUNT(versions))
{
    assert_answer_refused(
        ask_getf("/v2/models/onnx.ReverseSequence/versions/%s", versions[_i]),
        404, "Request for unknown model: 'onnx.ReverseSequence' version '",
        versions[_i], "' is not found", "only 10", NULL);
}

UNIT_TEST(version_of_any_length_is_404)
{
    assert_answer_refused(
        ask_getf("/v2/models/onnx.ReverseSequence/versions/%0600d", 1), 404,
        "version '000", NULL);
}
