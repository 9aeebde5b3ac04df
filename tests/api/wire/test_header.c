/* Inference-Header-Content-Length: its values, and requests that need it. */
#include "tests/api/documents.h"
#include "tests/unit.h"

UNIT_TEST(header_may_stand_where_no_bytes_follow)
{
    assert_answer_data(ask_binary(ONNX, DOCUMENT(""), NULL, 0), RESULT);
    assert_answer_data(ask_binary(ONNX, DOCUMENT("") "  ", NULL, 0), RESULT);
    assert_answer_data(ask_binary(ONNX, "\xEF\xBB\xBF" DOCUMENT(""), NULL, 0),
                       RESULT);
    assert_answer_data(
        ask_binary(ONNX,
                   "\xEF\xBB\xBF{'inputs':[" DATA
                   "," BYTES_INPUT("sequence_lens", "INT64", "[2]", "16") "]}",
                   "\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 16),
        RESULT);
}

static const char *const no_numbers[] = {
    "", " ", "-1", "+5", "5 ", " 5", "0x5", "5,5", "5, 5", "5.0", "1e2", "abc",
};

LOOP_TEST(header_that_is_no_number_is_refused, COUNT(no_numbers))
{
    char error[80];

    snprintf(error, sizeof(error), "Inference-Header-Content-Length is '%s'",
             no_numbers[_i]);
    assert_answer_refused(ask_header(ONNX, no_numbers[_i], DOCUMENT(""), "", 0),
                          400, error,
                          "a number of bytes; the JSON document has", NULL);
}

/* Header values, and parts of the errors. */
static const char *const headers[][2] = {
    {"\xFF", "Inference-Header-Content-Length|"
             "a number of bytes; the JSON document has"},
    {"0", "Inference-Header-Content-Length is 0|raw"},
    {"000", "Inference-Header-Content-Length is 0|raw"},
    {"99999", "99999|; the JSON document has"},
    {"2147483648", "2147483648|the body has"},
    {"4294967296", "4294967296|the body has"},
    {"99999999999", "99999999999|the body has"},
    {"9223372036854775808", "9223372036854775808|the body has"},
    {"18446744073709551615", "18446744073709551615|the body has"},
    {"18446744073709551616", "18446744073709551616|the body has"},
    {"18446744073709551621", "18446744073709551621|the body has"},
    {"1000000000000000000000000000000", "1000000000|the body has"},
    {"1", "Inference-Header-Content-Length is 1,|the JSON document has"},
    {"070", "Inference-Header-Content-Length is 070|document has"},
};

LOOP_TEST(header_that_is_no_length_of_the_document_is_refused, COUNT(headers))
{
    assert_answer_refused(ask_header(ONNX, headers[_i][0], DOCUMENT(""), "", 0),
                          400, headers[_i][1], NULL);
}

UNIT_TEST(header_past_the_body_gives_both_numbers)
{
    const char *json = DOCUMENT("");
    char header[32], body[32];

    snprintf(header, sizeof(header), "%zu", strlen(json) + 1);
    snprintf(body, sizeof(body), "%zu bytes", strlen(json));
    assert_answer_refused(ask_header(ONNX, header, json, NULL, 0), 400, header,
                          body, NULL);
    assert_answer_refused(ask_header(ONNX, "7", "", NULL, 0), 400,
                          "is 7|0 bytes", NULL);
    assert_answer_refused(ask_header(ONNX, "0", "", NULL, 0), 400, "is 0",
                          NULL);
}

/* A wrong length is refused with the right one. */
static void refuse_length(size_t len, const char *json, const char *tail,
                          size_t tail_len)
{
    char header[32], is[64], has[64];

    snprintf(header, sizeof(header), "%zu", len);
    snprintf(is, sizeof(is), "Inference-Header-Content-Length is %zu,", len);
    snprintf(has, sizeof(has), "but the JSON document has %zu bytes",
             strlen(json));
    assert_answer_refused(ask_header(ONNX, header, json, tail, tail_len), 400,
                          is, has, NULL);
}

UNIT_TEST(header_that_ends_inside_the_document_is_refused)
{
    const char *json = "{'id':'\xE2\x82\xAC'," INPUTS "}";

    for (size_t len = 1; len < strlen(json); len++)
        refuse_length(len, json, NULL, 0);
}

UNIT_TEST(header_behind_the_document_is_refused)
{
    for (size_t more = 1; more <= 3; more++)
        refuse_length(strlen(DOCUMENT("")) + more, DOCUMENT(""), "\0 {", 3);
}

/* White space in front of the document, up to the first byte of a page. */
UNIT_TEST(header_that_ends_before_the_document_is_refused)
{
    char json[4096 + 1];

    snprintf(json, sizeof(json), "%4096s", DOCUMENT(""));
    refuse_length(1, json, NULL, 0);
}

/* Its values take more memory than the documents of most clients. */
UNIT_TEST(header_of_a_document_with_many_values_is_refused)
{
    char json[4096] = "{'own':[0";
    size_t len = strlen(json);

    for (int i = 0; i < 1800; i++, len += 2)
        memcpy(json + len, ",0", 3);
    strcpy(json + len, "]," INPUTS "}");
    refuse_length(strlen(json) - 1, json, "x", 1);
}

/* The length is right, or no length is: the document is what is wrong. */
UNIT_TEST(header_is_not_blamed_for_the_document)
{
    const char *json = "{'inputs':[" DATA "," LENS "],}";
    char header[32];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    assert_answer_refused(ask_header(ONNX, header, json, "\0", 1), 400,
                          "malformed JSON at byte", NULL);
    snprintf(header, sizeof(header), "%zu", strlen(json) + 2);
    assert_answer_refused(ask_header(ONNX, header, json, "  \0", 3), 400,
                          "malformed JSON at byte", NULL);
    assert_answer_refused(ask_header(ONNX, "4", "{}  ", "\0", 1), 400,
                          "inputs is missing", NULL);
    assert_answer_refused(ask_header(ONNX, "4", "{'inputs':[", "\0", 1), 400,
                          "malformed JSON at byte", NULL);
    assert_answer_refused(ask_header(ONNX, "8", "\x93NUMPY12", "\0", 1), 400,
                          "an .npy file", NULL);
}

UNIT_TEST(bytes_without_the_header_name_the_header)
{
    assert_answer_refused(
        ask_header(ONNX, NULL,
                   ASK(BYTES_INPUT("input", "FP32", "[2,2]", "16"), LENS),
                   "0123456789abcdef", 16),
        400, "16 bytes follow", "ends at byte 167",
        "Inference-Header-Content-Length: 167", NULL);
    assert_answer_refused(ask_header(ONNX, NULL, DOCUMENT("") "\n", "x", 1),
                          400, "Inference-Header-Content-Length", NULL);
}
