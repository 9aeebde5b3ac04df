/* Places in shared memory that do not work. */
#include <string.h>

#include "tests/api/documents.h"
#include "tests/api/infer/region_ask.h"
#include "tests/unit.h"

static const struct refusal refusals[] = {
    /* unknown, lost, off the end */
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("x", "0", "16")), LENS), 404,
     "'input'|'x'|not registered"},
    {ONNX, ASK_OUT(DATA, LENS, OUT(PLACE("x", "0", "16"))), 404,
     "'Y'|'x'|not registered"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("lost", "0", "16")), LENS),
     400, "'input'|'lost'|cut short|again"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "49", "16")), LENS), 400,
     "'input'|bytes 49 to 65|which has 64"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "65", "16")), LENS), 400,
     "bytes 65 to 81|which has 64"},
    {ONNX, ASK_OUT(DATA, LENS, OUT(PLACE("r", "60", "16"))), 400,
     "'Y'|bytes 60 to 76|which has 64"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]", PLACE("r", "9223372036854775807", "16")),
         LENS),
     400, "9223372036854775807|which has 64"},
    {ONNX,
     ASK_OUT(DATA, LENS,
             OUT(PLACE("r", "9223372036854775807", "9223372036854775807"))),
     400, "18446744073709551614|which has 64"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]",
            PLACE("r", "18446744073709547520", "8192")),
         LENS),
     400, "shared_memory_offset is 18446744073709547520|2^63 - 1"},
    {ONNX,
     ASK(DATA, AT("sequence_lens", "INT64", "[2]", PLACE("r", "56", "16"))),
     400, "'sequence_lens'|bytes 56 to 72"},
    /* sizes that do not fit the tensor */
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "0")), LENS), 400,
     "declares 0 bytes|[2, 2]|takes 16"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "17")), LENS), 400,
     "declares 17 bytes|takes 16"},
    {ONNX, ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "15"))), 400,
     "'Y' takes 16 bytes|shared_memory_byte_size is 15"},
    {ONNX, ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "0"))), 400,
     "'Y' takes 16 bytes|is 0"},
    {ONNX,
     ASK_OUT(INPUT("input", "BYTES", "[2,1]", "['ab','c']"),
             INPUT("sequence_lens", "INT64", "[1]", "[2]"),
             OUT(PLACE("r", "0", "10"))),
     400, "'Y' takes 11 bytes|is 10"},
    /* the document */
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "-1", "16")), LENS), 400,
     "inputs[0].parameters.shared_memory_offset is -1|0 or more"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "-16")), LENS), 400,
     "inputs[0].parameters.shared_memory_byte_size is -16"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "1.5", "16")), LENS),
     400, "shared_memory_offset is 1.5|integer"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "'16'")), LENS),
     400, "shared_memory_byte_size is a string|integer"},
    {ONNX, ASK(AT("input", "FP32", "[2,2]", PLACE("", "0", "16")), LENS), 400,
     "shared_memory_region must be a region's name"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]", PLACE("r\\u0000s", "0", "16")), LENS),
     400, "shared_memory_region must be a region's name"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]",
            "'parameters':{'shared_memory_region':7,"
            "'shared_memory_byte_size':16}"),
         LENS),
     400, "shared_memory_region must be a region's name"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]",
            "'parameters':{'shared_memory_region':'r'}"),
         LENS),
     400, "inputs[0]|without|shared_memory_byte_size"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]",
            "'data':[1,2,3,4],'parameters':{'shared_memory_offset':0}"),
         LENS),
     400, "shared_memory_offset without shared_memory_region"},
    {ONNX,
     ASK_OUT(DATA, LENS, OUT("'parameters':{'shared_memory_byte_size':16}")),
     400, "outputs[0]|shared_memory_byte_size without shared_memory_region"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]",
            "'data':[1,2,3,4]," PLACE("r", "0", "16")),
         LENS),
     400, "inputs[0]|both data and|shared_memory_region"},
    {ONNX,
     ASK(AT("input", "FP32", "[2,2]",
            "'parameters':{'shared_memory_region':'r','binary_data_size':16,"
            "'shared_memory_byte_size':16}"),
         LENS),
     400, "binary_data_size|shared_memory_region"},
    /* its bytes are checked as those of any other tensor */
    {ONNX,
     ASK(DATA, AT("sequence_lens", "INT64", "[2]", PLACE("r", "0", "16"))), 400,
     "sequence_lens[0] is 72340172838076673"},
    {ONNX,
     ASK(AT("input", "BYTES", "[1,1]", PLACE("r", "0", "64")),
         INPUT("sequence_lens", "INT64", "[1]", "[1]")),
     400, "'input'|16843009"},
};

LOOP_TEST(region_refusals_name_tensor_region_and_sizes, COUNT(refusals))
{
    const struct refusal *r = &refusals[_i];

    memset(region_memory, 1, sizeof(region_memory));
    assert_answer_refused(region_ask_json(r->model, r->json), r->status,
                          r->parts, NULL);
    for (size_t i = 0; i < sizeof(region_memory); i++)
        ck_assert_uint_eq(region_memory[i], 1);
}

LOOP_TEST(region_is_not_there_when_shared_memory_is_off, 3)
{
    static const char *const documents[] = {
        ASK(AT("input", "FP32", "[2,2]", PLACE("r", "0", "16")), LENS),
        ASK(DATA, AT("sequence_lens", "INT64", "[2]", PLACE("r", "0", "16"))),
        ASK_OUT(DATA, LENS, OUT(PLACE("r", "0", "16"))),
    };

    assert_answer_refused(region_ask_off(ONNX, documents[_i]), 501,
                          "shared memory", "--allow-client-shm", NULL);
}

UNIT_TEST(server_lists_the_extension_when_it_is_on)
{
    struct answer a = ask_get("/v2");

    ck_assert_ptr_null(strstr(a.body, "shared_memory"));
    answer_free(&a);
    a = region_get("/v2");
    ck_assert_ptr_nonnull(strstr(a.body, "\"system_shared_memory\"]"));
    answer_free(&a);
}
