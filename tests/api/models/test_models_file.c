/* Models files: refusals, the slots of names across reloads, and memory. */
#include "api/models/model.h"
#include "api/server_state.h"
#include "tests/api/documents.h"
#include "tests/api/heap.h"
#include "tests/unit.h"

#define MODEL(op, fields)                                                      \
    "{'models': [{'name':'a','op':'" op "',\n" fields "}]}"
#define FLIP(fields) MODEL(REVERSE, fields)
#define DIMS_8 "-1,-1,-1,-1,-1,-1,-1,-1"
#define DIMS_32 DIMS_8 "," DIMS_8 "," DIMS_8 "," DIMS_8

/* Files, and the parts of their refusals. More are in `refusals`. */
static const char *const bad_files[][2] = {
    {"", "line 1|malformed"},
    {"{'models': [\n]\n,}", "line 3|malformed"},
    {"[]", "line 1|the file is an array"},
    {"\xEF\xBB\xBF{'models': [\n 7]}", "line 2|models[0]|object"},
    {"\xFF\xFE{'models'", "line 1|UTF-16|UTF-8"},
    {"\xEF\xBB\xBF", "line 1|the file is empty"},
    {"{'models': [\n{'name':None}]}", "line 2|None|null"},
    {"{}", "line 1|'models'"},
    {"{\n'models': 7}", "line 2|the file must be an object with an array"},
    {"{\n'models': {}}", "line 2: the file must be|an array 'models'"},
    {"{'models': [\n{'name':'a\nb'}]}", "line 2|malformed"},
    {"{'models': [\n-\n]}", "line 2: malformed|near '-'"},
    {"\n{'models': [\n 7]}", "line 3|models[0]|object"},
    {"{'models': [{\n'op':'onnx.ReverseSequence'}]}", "line 1|name is missing"},
    {"{'models': [\n{'name':'a'}]}",
     "line 2|op is missing, but it must be one of onnx.ReverseSequence, "},
    {"{'models': [{'name':'a',\n'op':7}]}", "line 2|op is an integer"},
    {"{'models': [{'name':7,\n'op':'openvino.Reverse'}]}",
     "line 1|name is an integer"},
    {"{'models': [{'name':'stats','op':'openvino.Reverse'}]}",
     "line 1|name is 'stats'"},
    {"{'models': [{'name':'openvino.Reverse',\n'op':'openvino.Reverse'}]}",
     "line 1|already"},
    {FLIP("'shape':[0.5]"),
     "line 2|models[0].shape[0]|integer below 2^63, not 0.5"},
    {FLIP("'attributes':[]"), "line 2|attributes is an array"},
    {FLIP("'outputs':7"), "line 2|outputs is an integer"},
    {FLIP("'outputs':{\n'output':7}"), "line 3|'output' must have a name"},
    {FLIP("'outputs':{\n'output':''}"), "line 3|'output' must have a name"},
    {FLIP("'version':'1234567890'"),
     "line 2|version is '1234567890'|1 to 9 digits"},
    {FLIP("'version':''"), "line 2|version is ''"},
    {FLIP("'datatype':'F32'"),
     "line 2|datatype is 'F32' (did you mean FP32?), but"},
    {FLIP("'shape':[-1,\n-2]"), "line 3|models[0].shape[1]|not -2"},
    {FLIP("'shape':[-2e0]"), "line 2|models[0].shape[0]|not -2e0"},
    {FLIP("'shape':7"), "line 2|shape"},
    {FLIP("'shape':[" DIMS_32 ",-1]"),
     "line 2|models[0]: shape must be an array of at most 32 dims"},
    {FLIP("'attributes':{\n'mode':7}"),
     "line 3|models[0].attributes|mode is 7"},
    {MODEL(ONNX, "'attributes':{'time_axis':1.50}"),
     "line 2|attributes|time_axis is 1.50, but"},
    {MODEL(ONNX, "'attributes':{'time_axis':1e400}"),
     "line 2|time_axis is 1e400, but"},
    /* Each field is right, but no request would be. */
    {MODEL(ONNX, "'attributes':{'time_axis':5}"),
     "line 2|models[0]|time_axis is 5, but it must be 0 or 1"},
    {MODEL(ONNX, "'attributes':{'batch_axis':-1}"),
     "line 2|batch_axis is -1, but it must be 0 or 1"},
    {MODEL(GRAIPHIC, "'attributes':{'time_axis':'1','batch_axis':1}"),
     "batch_axis and time_axis are both 1"},
    {MODEL(SEQUENCE, "'shape':[-1,4],'attributes':{'seq_axis':2}"),
     "seq_axis is 2|-2 to 1 for rank 2"},
    {MODEL(SEQUENCE,
           "'shape':[2,-1],'attributes':{'batch_axis':-2,'seq_axis':0}"),
     "batch_axis -2 and seq_axis 0 are both axis 0"},
    {MODEL(SEQUENCE, "'attributes':{'seq_axis':32}"),
     "seq_axis is 32|-32 to 31"},
    {MODEL(SEQUENCE, "'shape':[7]"), "data has rank 1"},
    {MODEL(ONNX, "'shape':[]"), "input has rank 0"},
    {FLIP("'attributes':{'mode':'masked'}"), "mode must be|masked"},
    {MODEL(GRAD, "'datatype':'INT8'"), "dY is INT8"},
};

/* With the right parameters, of some rank. */
static const char *const useful[] = {
    MODEL(ONNX, "'attributes':{'time_axis':1}"),
    MODEL(ONNX, "'attributes':{'batch_axis':0}"),
    MODEL(ONNX, "'shape':[-1.0,2e0,30e-1],'attributes':{"
                "'time_axis':1.0,'batch_axis':0.0}"),
    /* The other axis is for the request to set. */
    MODEL(ONNX, "'shape':[-1,2],'attributes':{'time_axis':1}"),
    MODEL(GRAD, "'datatype':'BF16','shape':[0,0]"),
    MODEL(SEQUENCE, "'shape':[1,-1,3],'attributes':{"
                    "'seq_axis':2,'batch_axis':'-3'}"),
    /* The same axis in rank 32 only. */
    MODEL(SEQUENCE, "'attributes':{'seq_axis':-31,'batch_axis':1}"),
    MODEL(SEQUENCE, "'attributes':{'batch_axis':1}"),
    FLIP("'attributes':{'mode':'mask'},'shape':[]"),
    FLIP("'attributes':{'mode':'index'},'shape':[3,3]"),
    FLIP("'attributes':{'mode':'index'},'shape':[" DIMS_32 "]"),
    FLIP("'datatype':'NF4'"),
    FLIP("'version':'123456789'"),
};

/* Slots that are left for the models of files. */
static int free_slots(void)
{
    return API_MODEL_SLOTS - (int)api_models_count(api_models_builtin());
}

static bool is_read(const char *text, struct status *st)
{
    struct model_set *set = ask_models(text, NULL, st);

    api_models_unref(set);
    return set != NULL;
}

LOOP_TEST(models_that_some_request_fits_are_accepted, COUNT(useful))
{
    struct status st = {.message = ""};

    ck_assert_msg(is_read(useful[_i], &st), "%s", st.message);
}

LOOP_TEST(bad_files_are_refused_by_line_and_field, COUNT(bad_files))
{
    struct status st;

    ck_assert(!is_read(bad_files[_i][0], &st));
    assert_parts(st.message, bad_files[_i][1]);
}

/* The whole text of a refusal. */
static const char *const refusals[][2] = {
    {"{'models': [{'name':'a b','op':'openvino.Reverse'}]}",
     "line 1: models[0]: name is 'a b', but it must be 1 to 128 of A-Z, a-z, "
     "0-9, '_', '.', '-', and not 'stats'"},
    {"{'models': [{'op':'openvino.Reverse'}]}",
     "line 1: models[0]: name is missing, but it must be 1 to 128 of A-Z, a-z, "
     "0-9, '_', '.', '-', and not 'stats'"},
    {"{'models': [{'name':'a','op':'openvino.Reverse'},\n"
     "{'op':'openvino.Reverse','name':'a'}]}",
     "line 2: models[1]: there is a model 'a' already"},
    {FLIP("'version':'v1'"),
     "line 2: models[0]: version is 'v1', but it must be 1 to 9 digits"},
    {FLIP("'shape':[0,-2]"),
     "line 2: models[0].shape[1]: a dim must be 0 or more, or -1 for any, not "
     "-2"},
    {FLIP("'shape':[0,'1']"),
     "line 2: models[0].shape[1]: a dim must be an integer below 2^63, not a "
     "string"},
    {FLIP("'attributes':{'axes':7}"),
     "line 2: models[0].attributes: axes is no attribute of openvino.Reverse"},
    {FLIP("'outputs':{'Y':'y'}"),
     "line 2: models[0].outputs: 'Y' is no output of openvino.Reverse: "
     "'output'"},
    {FLIP("'outputs':{'output':'a b'}"),
     "line 2: models[0].outputs: 'output' must have a name of A-Z, a-z, 0-9, "
     "'_', '.', '-'"},
    {FLIP("'inputs':{}"),
     "line 2: models[0]: 'inputs' is unknown; known are name, op, version, "
     "datatype, shape, attributes, outputs"},
    {"{'models': [\n7]}", "line 2: models[0]: must be an object"},
    {"{'models':\n7}",
     "line 1: the file must be an object with an array 'models'"},
};

LOOP_TEST(refusals_say_line_place_and_reason, COUNT(refusals))
{
    struct status st;

    ck_assert(!is_read(refusals[_i][0], &st));
    ck_assert_str_eq(st.message, refusals[_i][1]);
}

UNIT_TEST(an_unknown_operator_is_refused_with_the_names_of_all)
{
    char expected[STATUS_MESSAGE_SIZE];
    int len = sprintf(expected,
                      "line 2: models[0]: op is onnx.Reverse, but it "
                      "must be one of %s",
                      op_table[0]->name);
    struct status st;

    for (int i = 1; op_table[i]; i++)
        len += sprintf(expected + len, ", %s", op_table[i]->name);
    ck_assert(
        !is_read("{'models': [{'name':'a',\n'op':'onnx.Reverse'}]}", &st));
    ck_assert_str_eq(st.message, expected);
}

/* Names of one character, as they may stand in a URL. */
UNIT_TEST(names_have_letters_digits_and_three_other_characters)
{
    char letter[8], text[200];
    struct status st;

    for (int c = 0; c < 256; c++)
        for (int i = 0; i < 2; i++) {
            bool is_allowed =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';

            snprintf(letter, sizeof(letter), "\\u%04x", c);
            snprintf(text, sizeof(text),
                     "{'models': [{'name':'%s','op':'openvino.Reverse',"
                     "'outputs':{'output':'%s'}}]}",
                     i ? "a" : letter, i ? letter : "a");
            if (is_read(text, &st) != is_allowed)
                ck_abort_msg("%d: %s", c, is_allowed ? st.message : "a name");
        }
}

UNIT_TEST(names_have_1_to_128_characters)
{
    char text[300];
    struct status st;

    for (int len = 0; len <= API_MODEL_NAME_MAX + 1; len++) {
        snprintf(text, sizeof(text),
                 "{'models': [{'name':'%0*d','op':'openvino.Reverse'}]}", len,
                 0);
        if (len == 0)
            snprintf(text, sizeof(text),
                     "{'models': [{'name':'','op':'openvino.Reverse'}]}");
        ck_assert_int_eq(is_read(text, &st),
                         len > 0 && len <= API_MODEL_NAME_MAX);
    }
    ck_assert_ptr_nonnull(strstr(st.message, "1 to 128 of"));
}

UNIT_TEST(a_file_has_room_for_as_many_models_as_there_are_slots)
{
    static char text[API_MODEL_SLOTS * 60 + 60];
    struct status st;

    for (int longer = 0; longer < 2; longer++) {
        int count = free_slots() + longer;
        size_t len = (size_t)snprintf(text, sizeof(text), "{'models': [");

        for (int i = 0; i < count; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len,
                                    "%s{'name':'m%d','op':'openvino.Reverse'}",
                                    i ? "," : "", i);
        snprintf(text + len, sizeof(text) - len, "]}");
        ck_assert_int_eq(is_read(text, &st), !longer);
    }
    ck_assert_int_eq(st.code, STATUS_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(st.message, "more than 256 models"));
}

UNIT_TEST(operators_have_the_first_slots)
{
    struct status st;
    struct model_set *set = ask_models(useful[0], NULL, &st);

    size_t operators = api_models_count(api_models_builtin());

    ck_assert_uint_eq(api_models_count(set), operators + 1);
    for (size_t i = 0; i <= operators; i++)
        ck_assert_uint_eq(api_model_slot(api_models_at(set, i)), i);
    for (size_t i = 0; i < operators; i++)
        ck_assert_uint_eq(
            api_model_slot(api_models_at(api_models_builtin(), i)), i);
    api_models_unref(set);
}

UNIT_TEST(names_keep_their_slots_when_files_change)
{
    struct model_set *first, *second;
    struct status st;
    unsigned slot;

    first = ask_models("{'models': [{'name':'a','op':'openvino.Reverse'},"
                       "{'name':'b','op':'openvino.Reverse'}]}",
                       NULL, &st);
    slot = model_set_find(first, "b", 1)->slot;
    second = ask_models("{'models': [{'name':'c','op':'openvino.Reverse'},"
                        "{'name':'b','op':'openvino.Reverse'}]}",
                        first, &st);
    ck_assert_uint_eq(model_set_find(second, "b", 1)->slot, slot);
    ck_assert_uint_eq(model_set_find(second, "c", 1)->slot, slot + 1);
    ck_assert_ptr_null(model_set_find(second, "a", 1));
    api_models_unref(api_models_ref(first));
    api_models_unref(first);
    api_models_unref(second);
}

UNIT_TEST(names_run_out_of_slots_by_name)
{
    struct model_set *set = NULL, *next;
    struct status st;
    char text[100];
    int i = 0;

    do {
        snprintf(text, sizeof(text),
                 "{'models': [{'name':'m%d','op':'openvino.Reverse'}]}", i++);
        next = ask_models(text, set, &st);
        if (next)
            api_models_unref(set);
        set = next ? next : set;
    } while (next);
    ck_assert_int_eq(i, free_slots() + 1);
    ck_assert_int_eq(st.code, STATUS_TOO_LARGE);
    ck_assert_ptr_nonnull(strstr(st.message, "limit"));
    api_models_unref(set);
}

/* Reads a file with allocation `fail_at` failing, and with the slots of another
 * file; returns whether it was read. All memory is given back. */
static bool reads_with_failure(const char *text, long fail_at)
{
    static char previous[] =
        "{\"models\": [{\"name\":\"b\",\"op\":\"openvino.Reverse\"}]}";
    struct status st;
    struct model_set *before =
        api_models_read(previous, strlen(previous), NULL, &st);
    struct model_set *set;

    ck_assert_ptr_nonnull(before);
    st.code = STATUS_OK;
    heap_on(fail_at);
    set = api_models_read(text, strlen(text), before, &st);
    heap_off();
    if (set) {
        ck_assert_ptr_eq(api_models_ref(set), set);
        heap.on = true;
        api_models_unref(set);
        heap_off();
        ck_assert_uint_gt(heap.live, 0); /* one reference is left */
        heap.on = true;
        api_models_unref(set);
        heap_off();
    } else if (fail_at >= 0) {
        ck_assert_int_eq(st.code, STATUS_NO_MEMORY);
        ck_assert_str_eq(st.message, "out of memory");
    }
    ck_assert_uint_eq(heap.live, 0);
    api_models_unref(before);
    return set != NULL;
}

UNIT_TEST(operators_are_there_without_a_reference)
{
    struct model_set *builtin = api_models_builtin();

    api_models_unref(NULL);
    for (int i = 0; i < 2; i++)
        api_models_unref(builtin);
    ck_assert_ptr_eq(api_models_ref(builtin), builtin);
    ck_assert_ptr_nonnull(model_set_find(builtin, "openvino.Reverse", 16));
    ck_assert_ptr_null(model_set_find(builtin, "openvino.Reverse", 15));
    ck_assert_ptr_null(model_set_find(builtin, "openvino.ReverseX", 17));
}

UNIT_TEST(files_leave_no_memory_behind)
{
    static char good[] = FLIP("'version':'2'"), bad[] = FLIP("'version':'two'");
    long calls;

    ask_quote(good);
    ask_quote(bad);
    ck_assert(!reads_with_failure(bad, -1));
    ck_assert(reads_with_failure(good, -1));
    calls = heap.calls;
    ck_assert_int_ge(calls, 4); /* set, tree and two names */
    for (long n = 0; n < calls; n++)
        ck_assert(!reads_with_failure(good, n));
}
