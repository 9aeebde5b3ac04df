/* The infer document of a JSON text: what stands in it, and what is refused. */
#include "api/document/document.h"
#include "tests/api/ask.h"
#include "tests/unit.h"

#define A "'name':'a','datatype':'FP32','shape':[2,3]"
#define INPUT(members) "{'inputs':[{" A members "}]}"
#define OUTPUT(members) "{'inputs':[],'outputs':[{'name':'Y'" members "}]}"
#define REGION(bytes)                                                          \
    "'shared_memory_region':'r','shared_memory_offset':5,"                     \
    "'shared_memory_byte_size':" bytes

#define FOUR(n) "'" n "a':1,'" n "b':1,'" n "c':1,'" n "d':1,"
#define MOST                                                                   \
    FOUR("1")                                                                  \
    FOUR("2") FOUR("3") FOUR("4") FOUR("5") FOUR("6") FOUR("7") FOUR("8")
#define KEYS(n) " " n "a " n "b " n "c " n "d"

static struct document doc; /* of the text that was read last */

/* The document is not zeroed before it is made empty. */
static bool read_text(const char *quoted, struct status *st)
{
    static char text[2000];
    struct tree_text source;

    ask_quote(strcpy(text, quoted));
    source = tree_infer(text, strlen(text));
    memset(&doc, 0xEE, sizeof(doc));
    document_init(&doc);
    return document_read(&doc, &source,
                         op_table_find("onnx.ReverseSequence", 20), st);
}

static void print_region(const struct document_region *region, FILE *out)
{
    fprintf(out, " %s %llu+%llu", region->name,
            (unsigned long long)region->offset,
            (unsigned long long)region->bytes);
}

static void print_input(const struct document_input *input, FILE *out)
{
    fprintf(out, "; %s %s %llu", input->name, dtype_info(input->dtype)->name,
            (unsigned long long)input->count);
    for (int i = 0; i < input->shape.rank; i++)
        fprintf(out, "%c%lld", i ? 'x' : '=', (long long)input->shape.dims[i]);
    if (input->form == DOCUMENT_FORM_JSON)
        fprintf(out, " %.*s", (int)input->data.len,
                doc.text + input->data.start);
    else if (input->form == DOCUMENT_FORM_REGION)
        print_region(&input->region, out);
    else
        ck_assert_int_eq(input->form, DOCUMENT_FORM_BINARY);
    if (input->form != DOCUMENT_FORM_JSON)
        fprintf(out, " %llu bytes%s", (unsigned long long)input->binary_bytes,
                input->is_derived ? ", derived" : "");
    fputs(input->is_numpy ? " np" : "", out);
    ck_assert(!input->bytes && !input->is_constant);
    ck_assert((input->form == DOCUMENT_FORM_REGION) == !!input->region.name);
}

static void print(FILE *out)
{
    fprintf(out, "%s/%zu", doc.id ? doc.id : "-", doc.id_len);
    for (int i = 0; i < doc.parameter_count; i++)
        fprintf(out, " %s", doc.parameters[i].key);
    for (int i = 0; i < doc.input_count; i++)
        print_input(&doc.inputs[i], out);
    for (int i = 0; i < doc.output_count; i++) {
        const struct document_output *output = &doc.outputs[i];

        fprintf(out, "; %s", output->name);
        if (output->has_form)
            fputs(output->binary ? " binary" : " json", out);
        if (output->region.name)
            print_region(&output->region, out);
    }
}

static const struct {
    const char *text, *content;
} read[] = {
    {"{'inputs':[]}", "-/0"},
    {"{'inputs':[],'id':null,'parameters':null,'outputs':null}", "-/0"},
    {"{'id':'','inputs':[],'parameters':{},'outputs':[]}", "-/0"},
    {"{'id':'a','parameters':{'x':1,'n':null,'y':'z'},'inputs':[]}", "a/1 x y"},
    {"{'parameters':{" MOST "'x':null},'inputs':[]}",
     "-/0" KEYS("1") KEYS("2") KEYS("3") KEYS("4") KEYS("5") KEYS("6") KEYS("7")
         KEYS("8")},
    {INPUT(",'data':[1, 2]"), "-/0; a FP32 6=2x3 [1, 2]"},
    {INPUT(",'data':[],'parameters':{'content_type':'np','classification':1}"),
     "-/0; a FP32 6=2x3 [] np"},
    {INPUT(",'data':[],'parameters':{'content_type':'pd'}"),
     "-/0; a FP32 6=2x3 []"},
    {INPUT(",'data':null"), "-/0; a FP32 6=2x3 24 bytes, derived"},
    {INPUT(",'parameters':{'content_type':'np'}"),
     "-/0; a FP32 6=2x3 24 bytes, derived np"},
    {"{'inputs':[{'name':'s','datatype':'BYTES','shape':[]}]}",
     "-/0; s BYTES 1 0 bytes, derived"},
    {INPUT(",'parameters':{'binary_data_size':7.0}"),
     "-/0; a FP32 6=2x3 7 bytes"},
    {INPUT(",'parameters':{'binary_data_size':null}"),
     "-/0; a FP32 6=2x3 24 bytes, derived"},
    {INPUT(",'parameters':{'content_type':7," REGION("9") "}"),
     "-/0; a FP32 6=2x3 r 5+9 9 bytes"},
    {INPUT("},{'name':'b','datatype':'INT8','shape':[0],'data':[]"),
     "-/0; a FP32 6=2x3 24 bytes, derived; b INT8 0=0 []"},
    {OUTPUT(",'parameters':{'binary_data_size':1}},{'name':'A'},{'name':'B'},{"
            "'name':'C'"),
     "-/0; Y; A; B; C"},
    {OUTPUT("},{'name':'Z','parameters':{'binary_data':true}},{'name':'X',"
            "'parameters':{'binary_data':false," REGION("3") "}"),
     "-/0; Y; Z binary; X json r 5+3"},
};

LOOP_TEST(a_document_has_what_its_text_has, COUNT(read))
{
    struct status st;
    char *got;
    size_t len;
    FILE *out = open_memstream(&got, &len);

    ck_assert_msg(read_text(read[_i].text, &st), "%s", st.message);
    print(out);
    fclose(out);
    ck_assert_str_eq(got, read[_i].content);
    /* A small one fits its room. */
    ck_assert(doc.tree.bytes == 0 || doc.parameter_count > 2);
    ck_assert(!doc.has_query);
    tree_free(&doc.tree);
    free(got);
}

#define WITH(list) INPUT(",'data':[],'parameters':{" list "}")
#define ASKED(list) OUTPUT(",'parameters':{" list "}")
#define IN "inputs[0].parameters"
#define OUT "outputs[0].parameters"
#define UNKNOWN(known)                                                         \
    " is unknown; known are " known ", shared_memory_region, "                 \
    "shared_memory_offset, shared_memory_byte_size"
#define LACKS(has, lacks)                                                      \
    " has shared_memory_" has " without shared_memory_" lacks
#define ELSEWHERE " is not read there: it belongs in "

/* Texts, and the whole of their errors. */
static const struct {
    const char *text, *message;
} refused[] = {
    {"{'id':7,'inputs':{}}", "id is an integer, but it must be a string"},
    {"{'parameters':{" MOST "'x':null,'y':1},'inputs':[]}",
     "parameters has more than 32 entries"},
    {"{'id':'a\\u0000'}", "inputs is missing: the request has no tensors"},
    {"{'instances':[1]}", "inputs is missing: " TREE_INSTANCES},
    {"{'inputs':[{}]}", "inputs[0].name is missing, but it must be a string"},
    {"{'inputs':[{'name':'a'}]}",
     "inputs[0].datatype is missing, but it must be a string"},
    {"{'inputs':[{'name':'a','datatype':'INT8'}]}",
     "inputs[0].shape is missing, but it must be an array of integers"},
    {INPUT(",'parameters':7"), IN " is an integer, but it must be an object"},
    {"{'inputs':[],'outputs':[{}]}",
     "outputs[0].name is missing, but it must be a string"},
    {"{'inputs':[],'outputs':[{},{},{},{},{}]}",
     "outputs has 5 entries, but no model takes more than 4"},
    {"{'inputs':[],'input':1}", "'input' in the request" ELSEWHERE
                                "inputs, for it is an input of the model"},
    /* forms */
    {WITH("'binary_data_size':1"),
     "inputs[0] ('a') has both data and parameters.binary_data_size"},
    {WITH(REGION("1")),
     "inputs[0] ('a') has both data and parameters.shared_memory_region"},
    {INPUT("},{" A ",'parameters':{'binary_data_size':1," REGION("1") "}"),
     "inputs[1] ('a') has both parameters.binary_data_size and "
     "parameters.shared_memory_region"},
    {INPUT(",'parameters':{'binary_data_size':'1'}"),
     IN ".binary_data_size is a string, but it must be an integer from 0 to "
        "2^63 - 1"},
    {INPUT(",'parameters':{'binary_data_size':-1}"),
     IN ".binary_data_size is -1, but it must be 0 or more"},
    /* shared memory */
    {WITH("'shared_memory_region':''"),
     IN ".shared_memory_region must be a region's name"},
    {WITH("'shared_memory_region':'r\\u0000'"),
     IN ".shared_memory_region must be a region's name"},
    {WITH("'shared_memory_region':'r','shared_memory_offset':1"),
     IN LACKS("region", "byte_size")},
    {WITH("'shared_memory_offset':1,'shared_memory_byte_size':0"),
     IN LACKS("byte_size", "region")},
    {WITH("'shared_memory_byte_size':0"), IN LACKS("byte_size", "region")},
    {ASKED("'shared_memory_offset':0"), OUT LACKS("offset", "region")},
    {WITH("'shared_memory_offset':-2.0"),
     IN ".shared_memory_offset is -2.0, but it must be 0 or more"},
    {WITH("'shared_memory_byte_size':-3"),
     IN ".shared_memory_byte_size is -3, but it must be 0 or more"},
    /* names */
    {WITH("'triton_x':0"), IN ".triton_x" UNKNOWN("binary_data_size")},
    {ASKED("'triton_x':0"), OUT ".triton_x" UNKNOWN("binary_data")},
    {WITH("'binary_size':0,'binary_datasize':0"),
     IN ".binary_datasize" UNKNOWN("binary_data_size")},
    {WITH("'shared_memory_regio':0"),
     IN ".shared_memory_regio" UNKNOWN("binary_data_size")},
    {WITH("'shared_memory_offse':0"),
     IN ".shared_memory_offse" UNKNOWN("binary_data_size")},
    {WITH("'shared_memory_bytesize':0"),
     IN ".shared_memory_bytesize" UNKNOWN("binary_data_size")},
    {ASKED("'classification':3"), OUT ".classification" UNKNOWN("binary_data")},
    {ASKED("'clasification':0"), OUT ".clasification" UNKNOWN("binary_data")},
    {OUTPUT("},{'name':'Z','parameters':{'binary-data':0}"),
     "outputs[1].parameters.binary-data" UNKNOWN("binary_data")},
    {ASKED("'binary_data':0"),
     OUT ".binary_data is an integer, but it must be a boolean"},
    {OUTPUT(",'Parameters':{}"),
     "'Parameters' in outputs[0] is unknown: it is parameters"},
    {WITH("'x':{'time_axis':1}"),
     "'time_axis' in " IN ".x" ELSEWHERE "the request's parameters"},
    {INPUT(",'data':[],'time_axis':1"),
     "'time_axis' in inputs[0]" ELSEWHERE "the request's parameters"},
};

LOOP_TEST(a_document_is_refused_by_its_field, COUNT(refused))
{
    struct status st;

    ck_assert(!read_text(refused[_i].text, &st));
    ck_assert_str_eq(st.message, refused[_i].message);
    ck_assert_int_eq(st.code, STATUS_INVALID);
    tree_free(&doc.tree);
}
