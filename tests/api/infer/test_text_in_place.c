/* JSON data that is moved within the request's body, with any text around it.
 */
#include "tests/api/ask.h"
#include "tests/unit.h"

enum { BATCH = 4000, TIME = 5 };

/* Element i; with `wanted` the sequences are reversed. Lengths repeat 1 to
 * TIME.
 */
static int element(int i, bool wanted)
{
    int time = i % TIME, length = i / TIME % TIME + 1;

    return wanted && time < length ? i - 2 * time + length - 1 : i;
}

/* In the form of JSON, or of words in bytes. */
enum form { NUMBERS, WORDS, BYTES };

static char *print_form(enum form form, bool wanted, size_t *len)
{
    char *text, word[16];
    FILE *out = open_memstream(&text, len);

    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < BATCH * TIME; i++) {
        uint32_t size = (uint32_t)sprintf(word, form == WORDS ? "\"%d\"" : "%d",
                                          element(i, wanted));

        if (form == BYTES)
            fwrite(&size, sizeof(size), 1, out);
        else
            fputc(i > 0 ? ',' : '[', out);
        fputs(word, out);
    }
    if (form != BYTES)
        fputc(']', out);
    fclose(out);
    return text;
}

static char *print_data(bool wanted)
{
    size_t len;

    return print_form(NUMBERS, wanted, &len);
}

static char *print_lens(void)
{
    char *text = malloc(2 * BATCH);

    ck_assert_ptr_nonnull(text);
    for (int i = 0; i < BATCH; i++) {
        text[2 * i] = (char)('1' + i % TIME);
        text[2 * i + 1] = ',';
    }
    text[2 * BATCH - 1] = '\0';
    return text;
}

#define SHAPE "'name':'input','datatype':'FP32','shape':[4000,5]"
#define LENS                                                                   \
    "{'name':'sequence_lens','datatype':'INT64','shape':[4000],'data':[L]}"
#define AXES "'parameters':{'batch_axis':0,'time_axis':1}"
#define LONG_ID "'id':'the head with it is longer than what is in front'"

static const char *const documents[] = {
    "{'inputs':[{" SHAPE ",'data':D}," LENS "]," AXES "}",
    /* The head does not fit in front of the data. */
    "{'inputs':[{'data':D," SHAPE "}," LENS "]," AXES "," LONG_ID "}",
    /* It fits, and only the brackets follow the data. */
    "{" AXES ",'inputs':[" LENS ",{" SHAPE ",'data':D}]}",
    "{" AXES ",'inputs':[" LENS ",{" SHAPE ",'data':\nD } ] } ",
};

/* D stands for the data, in words if it is BYTES, L for the lengths. */
static char *print_document(const char *form)
{
    size_t len;
    bool words = strstr(form, "BYTES") != NULL;
    char *data = print_form(words ? WORDS : NUMBERS, false, &len);
    char *lens = print_lens(), *text;
    FILE *out = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(out);
    for (; *form; form++) {
        if (*form == 'D')
            fputs(data, out);
        else if (*form == 'L')
            fputs(lens, out);
        else
            fputc(*form, out);
    }
    fclose(out);
    free(data);
    free(lens);
    return text;
}

LOOP_TEST(text_is_answered_in_place, COUNT(documents))
{
    char *document = print_document(documents[_i]);
    char *wanted = print_data(true);

    assert_answer_data(ask_json("onnx.ReverseSequence", document), wanted);
    free(wanted);
    free(document);
}

/* Lengths in binary, behind the document. */
UNIT_TEST(text_before_binary_lengths_is_answered_in_place)
{
    char *document = print_document(
        "{'inputs':[{'name':'sequence_lens','datatype':'INT64','shape':[4000],"
        "'parameters':{'binary_data_size':32000}},{" SHAPE ",'data':D}]," AXES
        "}");
    char *wanted = print_data(true);
    static int64_t lens[BATCH];

    for (int i = 0; i < BATCH; i++)
        lens[i] = i % TIME + 1;
    assert_answer_data(
        ask_binary("onnx.ReverseSequence", document, lens, sizeof(lens)),
        wanted);
    free(wanted);
    free(document);
}

#define WORDS_AT "'name':'input','datatype':'BYTES','shape':[4000,5],"

/* Between text and bytes nothing is in place: all words are found first. */
UNIT_TEST(text_of_words_becomes_bytes_and_back)
{
    char form[300], *wanted, *bytes, *document;
    size_t len, bytes_len;

    document = print_document("{'inputs':[{" WORDS_AT "'data':D}," LENS
                              "],'parameters':{'batch_axis':0,'time_axis':1,"
                              "'binary_data_output':true}}");
    wanted = print_form(BYTES, true, &len);
    assert_answer_bytes(ask_json("onnx.ReverseSequence", document), wanted,
                        len);
    free(wanted);
    free(document);
    bytes = print_form(BYTES, false, &bytes_len);
    snprintf(form, sizeof(form),
             "{'inputs':[{" WORDS_AT
             "'parameters':{'binary_data_size':%zu}}," LENS "]," AXES "}",
             bytes_len);
    document = print_document(form);
    wanted = print_form(WORDS, true, &len);
    assert_answer_data(
        ask_binary("onnx.ReverseSequence", document, bytes, bytes_len), wanted);
    free(wanted);
    free(bytes);
    free(document);
}

/* The result lies where the text was, which has an index of a part at a time.
 */
UNIT_TEST(text_in_place_takes_less_memory_than_an_index_of_it)
{
    char *document = print_document(documents[0]);
    const struct api_request request =
        ask_post("/v2/models/onnx.ReverseSequence/infer", document);
    struct api_reply reply;
    struct api_plan plan;
    const char *data;
    void *buffer;

    ck_assert(api_prepare(&request, &plan, &reply));
    ck_assert_uint_lt(plan.memory, request.body_len + BATCH * TIME * 4);
    buffer = malloc(plan.memory);
    api_execute(&plan, buffer, NULL, &reply);
    data = reply.pieces[reply.piece_count - 1].data;
    ck_assert(data >= document && data < document + request.body_len);
    api_reply_free(&reply);
    api_plan_free(&plan);
    free(buffer);
    free(document);
}
