/* Values that have only a binary form, or only a JSON form. */
#include "tests/api/documents.h"
#include "tests/unit.h"

/* A tensor of bytes of which an axis is reversed. */
#define FLIP_AXES(datatype, shape, size, axes, members)                        \
    "{'parameters':{'mode':'index'" members "},'inputs':[" axes                \
    "," BYTES_INPUT("data", datatype, shape, size) "]}"
#define FLIP(datatype, shape, size, members)                                   \
    FLIP_AXES(datatype, shape, size, INPUT("axis", "INT8", "[1]", "[0]"),      \
              members)
#define BINARY ",'binary_data_output':true"

/* A tensor of bytes, the whole of which is reversed, to be answered in JSON. */
static struct answer ask_reversed(const char *datatype, int count,
                                  const void *bytes, size_t len)
{
    char json[512];

    snprintf(json, sizeof(json), FLIP("%s", "[%d]", "%zu", ""), datatype, count,
             len);
    return ask_binary(REVERSE, json, bytes, len);
}

UNIT_TEST(bool_byte_past_one_is_refused_with_its_index)
{
    unsigned char bytes[100] = {0};

    for (int at = 0; at < 100; at += 9) {
        char place[64];

        bytes[at] = (unsigned char)(at % 2 ? 2 : 255);
        snprintf(place, sizeof(place), "data[%d] of 'data' is %d", at,
                 bytes[at]);
        assert_answer_refused(ask_reversed("BOOL", 100, bytes, 100), 400, place,
                              "0 or 1", NULL);
        bytes[at] = 1;
    }
    assert_answer_data(ask_reversed("BOOL", 3, "\1\0\0", 3),
                       "[false,false,true]");
}

UNIT_TEST(bool_byte_past_one_stays_as_it_is_in_bytes)
{
    const char *json = FLIP("BOOL", "[3]", "3", BINARY);

    assert_answer_bytes(ask_binary(REVERSE, json, "\1\2\xFF", 3), "\xFF\2\1",
                        3);
}

UNIT_TEST(bool_byte_past_one_in_a_mask_is_refused)
{
    const char *json = "{'parameters':{'mode':'mask'},'inputs':[" BYTES_INPUT(
        "axis", "BOOL", "[2]", "2") "," INPUT("data", "INT8", "[1,2]",
                                              "[1,2]") "]}";

    assert_answer_refused(ask_binary(REVERSE, json, "\1\2", 2), 400,
                          "axis[1] is 2", "0 or 1", NULL);
}

UNIT_TEST(bytes_that_are_no_text_are_refused_by_element)
{
    static const char tail[] = "\1\0\0\0x\3\0\0\0\xED\xA0\x80\0\0\0";

    assert_answer_refused(ask_reversed("BYTES", 3, tail, sizeof(tail)), 400,
                          "data[1] of 'data'", "UTF-8", "binary", NULL);
}

UNIT_TEST(bytes_that_json_must_escape_are_escaped)
{
    static const char tail[] = "\6\0\0\0\0\"\\\n\x1F\x7F\2\0\0\0\xC3\xA9";

    assert_answer_data(ask_reversed("BYTES", 2, tail, sizeof(tail) - 1),
                       "[\"\xC3\xA9\",\"\\u0000\\\"\\\\\\n\\u001f\x7F\"]");
}

UNIT_TEST(opaque_datatype_in_json_is_refused_with_the_binary_form)
{
    static const char *const datatypes[] = {"FP8_E4M3", "FP8_E5M2", "FP8_E8M0",
                                            "FP4_E2M1", "NF4"};

    for (int i = 0; i < COUNT(datatypes); i++)
        assert_answer_refused(
            ask_jsonf(ONNX, DATA_OF("%s", "[2,2]", "[1,2,3,4]"), datatypes[i]),
            400, "'input'", datatypes[i], "binary", NULL);
}

UNIT_TEST(padding_bits_that_came_are_answered_as_zero)
{
    const char *json = FLIP("INT4", "[3]", "2", BINARY);
    const char *high = FLIP_AXES("UINT1", "[11]", "2",
                                 INPUT("axis", "INT8", "[0]", "[]"), BINARY);

    assert_answer_bytes(ask_binary(REVERSE, json, "\x21\xF3", 2), "\x23\x01",
                        2);
    assert_answer_bytes(ask_binary(REVERSE, high, "\xFF\xFF", 2), "\xFF\xE0",
                        2);
}

UNIT_TEST(bytes_past_the_address_space_are_refused)
{
    assert_answer_refused(
        ask_json(ONNX, ASK(BYTES_INPUT("input", "INT64",
                                       "[4611686018427387904,1]", "0"),
                           INPUT("sequence_lens", "INT64", "[1]", "[1]"))),
        400, "input has 4611686018427387904 elements of INT64|2^63 bytes",
        NULL);
}
