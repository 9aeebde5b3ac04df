/* JSON data that is moved within the request's body, with any text around it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/ask.h"
#include "tests/unit.h"

enum { BATCH = 4000, TIME = 5 };

/* Lengths repeat 1 to TIME. With `wanted` the sequences are reversed. */
static char *print_data(bool wanted)
{
    size_t len;
    char *text;
    FILE *out = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(out);
    for (int i = 0; i < BATCH * TIME; i++) {
        int time = i % TIME, length = i / TIME % TIME + 1;
        int from = time < length ? length - 1 - time : time;

        fprintf(out, "%s%d", i > 0 ? "," : "[", wanted ? i - time + from : i);
    }
    fputc(']', out);
    fclose(out);
    return text;
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

/* D stands for the data, L for the lengths. */
static char *print_document(const char *form)
{
    char *data = print_data(false), *lens = print_lens(), *text;
    size_t len;
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
