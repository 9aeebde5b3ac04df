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

/* Header values; %zu is the document's length. */
static const struct {
    const char *header;
    const char *parts[2];
} headers[] = {
    {"",
     {"Inference-Header-Content-Length is ''",
      "a number of bytes; the JSON document has"}},
    {" ",
     {"Inference-Header-Content-Length is ' '",
      "a number of bytes; the JSON document has"}},
    {"-1", {"'-1'", "a number of bytes; the JSON document has"}},
    {"+5", {"'+5'", "a number of bytes; the JSON document has"}},
    {"5 ", {"'5 '", "a number of bytes; the JSON document has"}},
    {" 5", {"' 5'", "a number of bytes; the JSON document has"}},
    {"0x5", {"'0x5'", "a number of bytes; the JSON document has"}},
    {"5,5", {"'5,5'", "a number of bytes; the JSON document has"}},
    {"5, 5", {"'5, 5'", "a number of bytes; the JSON document has"}},
    {"5.0", {"'5.0'", "a number of bytes; the JSON document has"}},
    {"1e2", {"'1e2'", "a number of bytes; the JSON document has"}},
    {"abc", {"'abc'", "a number of bytes; the JSON document has"}},
    {"\xFF",
     {"Inference-Header-Content-Length",
      "a number of bytes; the JSON document has"}},
    {"0", {"Inference-Header-Content-Length is 0", "raw"}},
    {"000", {"Inference-Header-Content-Length is 0", "raw"}},
    {"99999", {"99999", "; the JSON document has"}},
    {"2147483648", {"2147483648", "the body has"}},
    {"4294967296", {"4294967296", "the body has"}},
    {"99999999999", {"99999999999", "the body has"}},
    {"9223372036854775808", {"9223372036854775808", "the body has"}},
    {"18446744073709551615", {"18446744073709551615", "the body has"}},
    {"18446744073709551616", {"18446744073709551616", "the body has"}},
    {"18446744073709551621", {"18446744073709551621", "the body has"}},
    {"1000000000000000000000000000000", {"1000000000", "the body has"}},
    {"1", {"Inference-Header-Content-Length is 1,", "the JSON document has"}},
    {"070", {"Inference-Header-Content-Length is 070", "document has"}},
};

LOOP_TEST(header_that_is_no_length_of_the_document_is_refused, COUNT(headers))
{
    struct answer a = ask_header(ONNX, headers[_i].header, DOCUMENT(""), "", 0);

    assert_answer_refused(a, 400, headers[_i].parts[0], headers[_i].parts[1],
                          NULL);
}

UNIT_TEST(header_past_the_body_gives_both_numbers)
{
    const char *json = DOCUMENT("");
    char header[32], body[32];

    snprintf(header, sizeof(header), "%zu", strlen(json) + 1);
    snprintf(body, sizeof(body), "%zu bytes", strlen(json));
    assert_answer_refused(ask_header(ONNX, header, json, NULL, 0), 400, header,
                          body, NULL);
    assert_answer_refused(ask_header(ONNX, "7", "", NULL, 0), 400, "is 7",
                          "0 bytes", NULL);
    assert_answer_refused(ask_header(ONNX, "0", "", NULL, 0), 400, "is 0",
                          NULL);
}

/* How a refusal of a wrong length ends. */
static const char *right_length(const char *json)
{
    static char text[64];

    snprintf(text, sizeof(text), "but the JSON document has %zu bytes",
             strlen(json));
    return text;
}

UNIT_TEST(header_that_ends_inside_the_document_is_refused)
{
    const char *json = "{'id':'\xE2\x82\xAC'," INPUTS "}";
    char header[32];

    for (size_t len = 1; len < strlen(json); len++) {
        snprintf(header, sizeof(header), "%zu", len);
        assert_answer_refused(ask_header(ONNX, header, json, NULL, 0), 400,
                              "Inference-Header-Content-Length is", header,
                              right_length(json), NULL);
    }
}

UNIT_TEST(header_behind_the_document_is_refused)
{
    const char *json = DOCUMENT("");
    char header[32];

    for (size_t more = 1; more <= 3; more++) {
        snprintf(header, sizeof(header), "%zu", strlen(json) + more);
        assert_answer_refused(ask_header(ONNX, header, json, "\0 {", 3), 400,
                              "Inference-Header-Content-Length is", header,
                              right_length(json), NULL);
    }
}

/* White space in front of the document, up to the first byte of a page. */
UNIT_TEST(header_that_ends_before_the_document_is_refused)
{
    char json[4096 + 1];

    snprintf(json, sizeof(json), "%4096s", DOCUMENT(""));
    assert_answer_refused(ask_header(ONNX, "1", json, NULL, 0), 400,
                          "Inference-Header-Content-Length is 1,",
                          right_length(json), NULL);
}

/* Its values take more memory than the documents of most clients. */
UNIT_TEST(header_of_a_document_with_many_values_is_refused)
{
    char json[4096] = "{'own':[0", header[32];
    size_t len = strlen(json);

    for (int i = 0; i < 1800; i++, len += 2)
        memcpy(json + len, ",0", 3);
    strcpy(json + len, "]," INPUTS "}");
    snprintf(header, sizeof(header), "%zu", strlen(json) - 1);
    assert_answer_refused(ask_header(ONNX, header, json, "x", 1), 400,
                          "Inference-Header-Content-Length is", header,
                          right_length(json), NULL);
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
