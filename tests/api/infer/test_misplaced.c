/* Attributes and settings in places where nothing reads them. */
#include "tests/api/documents.h"
#include "tests/api/message.h"
#include "tests/unit.h"

/* Models, their tensors, and a parameter that they need. */
static const struct {
    const char *model, *data, *control, *output, *own;
} models[] = {
    {ONNX, "input", LENS, "Y", ""},
    {SEQUENCE, "data", INPUT("seq_lengths", "INT64", "[2]", "[2,1]"), "output",
     ""},
    {REVERSE, "data", INPUT("axis", "INT64", "[1]", "[0]"), "output",
     "'mode':'index'"},
    {GRAIPHIC, "input", LENS, "Y", ""},
    {GRAD, "dY", LENS, "dX", ""},
};

/* Where an entry stands: among the members of the document, of its data input
 * or of the output, or in the parameters of one of them. */
enum place {
    IN_DOCUMENT,
    IN_INPUT,
    IN_INPUT_PARAMETERS,
    IN_OUTPUT,
    IN_OUTPUT_PARAMETERS,
    IN_PARAMETERS,
    PLACES
};

static void write_document(enum place place, const char *entry, int m,
                           char *json, size_t size)
{
    const char *at[PLACES], *comma[PLACES];

    for (int i = 0; i < PLACES; i++) {
        at[i] = i == (int)place ? entry : "";
        comma[i] = i == (int)place ? "," : "";
    }
    snprintf(json, size,
             "{'parameters':{%s%s%s},'inputs':[{'name':'%s','datatype':'FP32',"
             "'shape':[2,2],'data':[1,2,3,4],'parameters':{%s}%s%s},%s],"
             "'outputs':[{'name':'%s','parameters':{%s}%s%s}]%s%s}",
             models[m].own, *models[m].own ? comma[IN_PARAMETERS] : "",
             at[IN_PARAMETERS], models[m].data, at[IN_INPUT_PARAMETERS],
             comma[IN_INPUT], at[IN_INPUT], models[m].control, models[m].output,
             at[IN_OUTPUT_PARAMETERS], comma[IN_OUTPUT], at[IN_OUTPUT],
             comma[IN_DOCUMENT], at[IN_DOCUMENT]);
}

/* The entry is refused as `key`, with `home` in the text; or, without a key, it
 * is taken. */
static void check(enum place place, const char *entry, int m, const char *key,
                  const char *home)
{
    char json[1000], named[100];
    struct answer a;

    write_document(place, entry, m, json, sizeof(json));
    a = ask_json(models[m].model, json);
    ck_assert_msg(a.status == (key ? 400 : 200), "%s: %d %s", json, a.status,
                  a.body);
    snprintf(named, sizeof(named), "'%s'", key ? key : "");
    ck_assert_msg(!key || (strstr(a.body, named) && strstr(a.body, home)),
                  "no %s or %s in %s", named, home, a.body);
    answer_free(&a);
}

/* Names that the request's parameters have, or should have had. */
static const struct {
    const char *key, *value, *as;
} names[] = {
    {"time_axis", "1", "parameters"},
    {"batch_axis", "0", "parameters"},
    {"seq_axis", "1", "parameters"},
    {"seq_axis", "'1'", "parameters"},
    {"mode", "'mask'", "parameters"},
    {"training", "false", "parameters"},
    {"training?", "false", "as training"},
    {"lda_coeff", "0.5", "parameters"},
    {"lda coeff", "2", "as lda_coeff"},
    {"backward_context", "'x'", "parameters"},
    {"specified_outputs_name", "['Z']", "parameters"},
    {"binary_data_output", "true", "parameters"},
    {"timeout", "1", "parameters"},
    /* TensorFlow's. */
    {"seq_dim", "1", "as seq_axis or time_axis"},
    {"batch_dim", "1", "as batch_axis"},
    /* As other languages write them, and mistyped. */
    {"timeAxis", "1", "as time_axis"},
    {"BatchAxis", "0", "as batch_axis"},
    {"SEQ_AXIS", "1", "as seq_axis"},
    {"time-axis", "1", "as time_axis"},
    {"Time Axis", "1", "as time_axis"},
    {"seqDim", "1", "as seq_axis or time_axis"},
    {"batch_axes", "1", "as batch_axis"},
    {"tiem_axis", "1", "as time_axis"},
    {"Mode", "'mask'", "as mode"},
};

LOOP_TEST(name_where_it_is_not_read_is_refused, COUNT(names))
{
    char entry[100];

    snprintf(entry, sizeof(entry), "'%s':%s", names[_i].key, names[_i].value);
    for (int m = 0; m < COUNT(models); m++)
        for (int place = 0; place < IN_PARAMETERS; place++)
            check((enum place)place, entry, m, names[_i].key, names[_i].as);
}

LOOP_TEST(name_in_a_container_is_refused, COUNT(names))
{
    static const char *const containers[] = {
        "'params':{%s}",
        "'parameter':{%s}",
        "'Parameters':{%s}",
        "'PARAMETERS':{'x':1,%s}",
        "'paramters':{%s}",
        "'praameters':{%s}",
        "'param':{%s}",
        "'attributes':{%s}",
        "'attribute':[{%s}]",
        "'attrs':{%s}",
        "'config':{'op':{%s}}",
        "'options':{%s}",
        "'kwargs':{%s}",
        "'arguments':{'parameters':[1,[{%s}]]}",
        "'arguments':{%s}",
        "'kwarg':{%s}",
        "'arg':{%s}",
        "'opt':[{%s}]",
        "'parms':{%s}",
        "'properties':{%s}",
        "'Cfg':{%s}",
        "'_conf':{'x':{%s}}",
        "'request_parameters':{%s}",
        "'settings':{%s}",
    };
    char entry[100], container[200];

    snprintf(entry, sizeof(entry), "'%s':%s", names[_i].key, names[_i].value);
    for (int c = 0; c < COUNT(containers); c++) {
        const char *slot = strstr(containers[c], "%s");

        snprintf(container, sizeof(container), "%.*s%s%s",
                 (int)(slot - containers[c]), containers[c], entry, slot + 2);
        for (int i = 0; i < PLACES; i++)
            check((enum place)i, container, (c + i) % COUNT(models),
                  names[_i].key, names[_i].as);
    }
}

/* Names of a tensor's parameters, and other ways to say an attribute. */
static const struct {
    enum place place;
    const char *entry, *key, *home;
} others[] = {
    {IN_OUTPUT, "'binary_data':true", "binary_data", "parameters of an output"},
    {IN_DOCUMENT, "'binary_data':true", "binary_data", "of an output"},
    {IN_PARAMETERS, "'binary_data':true", "binary_data", "of an output"},
    {IN_OUTPUT, "'params':{'binary_data':true}", "binary_data", "of an output"},
    {IN_INPUT, "'binary_data_size':16", "binary_data_size", "of an input"},
    {IN_OUTPUT, "'shared_memory_region':'r'", "shared_memory_region",
     "parameters of a tensor"},
    {IN_PARAMETERS, "'shared_memory_region':'r'", "shared_memory_region",
     "parameters of a tensor"},
    {IN_DOCUMENT, "'name':'x'", "name", "the request's parameters"},
    {IN_INPUT_PARAMETERS, "'name':'x'", "name", "the request's parameters"},
    {IN_DOCUMENT, "'attributes':[{'name':'time_axis','i':1}]", "time_axis",
     "the request's parameters"},
    {IN_PARAMETERS, "'attributes':[['seq_dim',1]]", "seq_dim",
     "in parameters.attributes"},
    {IN_DOCUMENT, "'x':{'y':[{'time_axis':1}]}", "time_axis", "in x is not"},
    {IN_INPUT, "'x':{'seq_dim':1}", "seq_dim", "in inputs[0].x is not"},
    {IN_INPUT_PARAMETERS, "'x':{'seq_dim':1}", "seq_dim",
     "in inputs[0].parameters.x is not"},
    {IN_OUTPUT_PARAMETERS, "'time_axis':1", "time_axis",
     "in outputs[0].parameters is not"},
    {IN_DOCUMENT, "'time_axis':1", "time_axis", "in the request is not"},
    /* Parts of keys, as forms and flattened objects have them. */
    {IN_DOCUMENT, "'parameters.time_axis':1", "parameters.time_axis",
     "the request's parameters, as time_axis"},
    {IN_DOCUMENT, "'parameters[time_axis]':1", "parameters[time_axis]",
     "as time_axis"},
    {IN_DOCUMENT, "'onnx.ReverseSequence/seq_dim':1",
     "onnx.ReverseSequence/seq_dim", "as seq_axis or time_axis"},
    {IN_DOCUMENT, "'attributes.mode':1", "attributes.mode", "as mode"},
    {IN_DOCUMENT, "'x':{'y.batch_axis':1}", "y.batch_axis", "in x is not"},
    {IN_INPUT, "'parameters.binary_data_size':16",
     "parameters.binary_data_size", "of an input"},
    {IN_INPUT_PARAMETERS, "'attr:time_axis':1", "attr:time_axis", "request"},
    {IN_OUTPUT, "'parameters.binary_data':true", "parameters.binary_data",
     "of an output"},
    {IN_PARAMETERS, "'attributes.timeAxis':1", "attributes.timeAxis",
     "is unknown"},
    {IN_PARAMETERS, "'options[mode]':1", "options[mode]", "is unknown"},
    /* Texts, where a client has nothing else. */
    {IN_PARAMETERS, "'params':'{\\u0022time_axis\\u0022: 1}'", "time_axis",
     "in parameters.params is not"},
    {IN_PARAMETERS, "'attributes':'mode=mask, x=1'", "mode",
     "in parameters.attributes is not"},
    {IN_DOCUMENT, "'params':'x: 1\\nseq_dim: 1'", "seq_dim",
     "in params is not"},
    {IN_DOCUMENT, "'config':{'x':'y=1;batch_axis=0'}", "batch_axis",
     "in config is not"},
    {IN_INPUT_PARAMETERS, "'kwargs':'time_axis=1'", "time_axis",
     "in inputs[0].parameters.kwargs is not"},
    {IN_OUTPUT, "'options':['timeout=1']", "timeout", "in outputs[0].options"},
    /* Members in another case. */
    {IN_DOCUMENT, "'Inputs':[]", "Inputs",
     "in the request is unknown: it is inputs"},
    {IN_DOCUMENT, "'OUTPUTS':[{}]", "OUTPUTS", "it is outputs"},
    {IN_DOCUMENT, "'ID':'x'", "ID", "it is id"},
    {IN_DOCUMENT, "'Parameters':{'x':1}", "Parameters", "it is parameters"},
    {IN_INPUT, "'Data':[1,2,3,4]", "Data",
     "in inputs[0] is unknown: it is data"},
    {IN_INPUT, "'data_type':'FP32'", "data_type", "it is datatype"},
    {IN_OUTPUT, "'Parameters':{}", "Parameters", "in outputs[0] is unknown"},
};

LOOP_TEST(name_of_another_place_is_refused, COUNT(others))
{
    check(others[_i].place, others[_i].entry, 0, others[_i].key,
          others[_i].home);
}

static const struct refusal synonyms[] = {
    {ONNX, PARAMETERS("'seq_dim':1"),
     "'seq_dim' is unknown to onnx.ReverseSequence|it is time_axis here"},
    {ONNX, PARAMETERS("'batch_dim':0"), "it is batch_axis here"},
    {ONNX, PARAMETERS("'seq_axis':1"), "it is time_axis here"},
    {ONNX, PARAMETERS("'TIME_AXIS':1"), "it is time_axis here"},
    {ONNX, PARAMETERS("'seqAxis':1"), "it is time_axis here"},
    {ONNX, PARAMETERS("'training':true"), "'training' is unknown"},
    {GRAIPHIC, PARAMETERS("'seq_dim':1"), "it is time_axis here"},
    {GRAIPHIC, PARAMETERS("'LDA_COEFF':1"), "'LDA_COEFF' is unknown"},
    {GRAD, GRAD_PARAMETERS("'seq_dim':1"), "it is time_axis here"},
    {REVERSE, REVERSE_PARAMETERS("'mode':'index','seq_dim':1"),
     "'seq_dim' is unknown to openvino.Reverse"},
    {SEQUENCE, SEQUENCE_OF("'seq_dim':1", "INT64", "[2]", "[2,1]"),
     "'seq_dim' is unknown to openvino.ReverseSequence|it is seq_axis here"},
    {SEQUENCE, SEQUENCE_OF("'batch_dim':1", "INT64", "[2]", "[2,1]"),
     "it is batch_axis here"},
    {SEQUENCE, SEQUENCE_OF("'time_axis':1", "INT64", "[2]", "[2,1]"),
     "it is seq_axis here"},
};

REFUSES(name_of_another_operator_is_told_the_model_s_own, synonyms)

#define THERE "is not read there: it belongs in inputs, for it is an input"

/* The names of a model's inputs, where no tensor can be. */
static const struct refusal inputs[] = {
    {ONNX, PARAMETERS("'sequence_lens':[1,1]"),
     "'sequence_lens' is unknown to onnx.ReverseSequence|; it is an input"},
    {ONNX, PARAMETERS("'sequenceLens':'1,1'"),
     "'sequenceLens' is unknown|; it is an input"},
    {ONNX, PARAMETERS("'input':1"), "'input' is unknown|it is an input"},
    {REVERSE, REVERSE_PARAMETERS("'mode':'index','axis':[1]"),
     "'axis' is unknown to openvino.Reverse|; it is an input"},
    {ONNX, "{'sequence_lens':[1,1]," INPUTS "}",
     "'sequence_lens' in the request " THERE},
    {ONNX, "{" INPUTS ",'SequenceLens':{'data':[1]}}",
     "'SequenceLens' in the request " THERE "|as sequence_lens"},
    {ONNX, "{" INPUTS ",'input':[[1]]}", "'input' in the request " THERE},
    {REVERSE,
     "{'axis':1,'parameters':{'mode':'index'},'inputs':[" INPUT(
         "data", "INT8", "[2]", "[1,2]") "," INPUT("axis", "INT64", "[1]",
                                                   "[0]") "]}",
     "'axis' in the request " THERE},
};

REFUSES(name_of_an_input_is_refused_where_no_tensor_is, inputs)

/* Keys of the client's own, and absent ones. */
static const struct {
    enum place place;
    const char *entry;
} ignored[] = {
    {IN_DOCUMENT, "'model_name':'m','headers':{'timeout':5,'mode':'x'}"},
    {IN_DOCUMENT, "'x':1,'model':'m','priority':3,'axes':0,'nodes':[]"},
    {IN_DOCUMENT, "'Inputs':null,'Data':1,'Shape':[],'identity':1,'uid':2"},
    {IN_INPUT, "'dat':1,'ID':2,'Inputs':[],'Shape':null"},
    {IN_DOCUMENT, "'inp':[],'Input':1,'lens':[1,1],'tensor':{'axis':[0]}"},
    {IN_DOCUMENT, "'sequence_lens':null,'axis':null,'Y':1,'sequence_len':1"},
    {IN_PARAMETERS, "'sequence_end':1,'Axis':0,'lens':[1],'seq_lengths':null"},
    {IN_DOCUMENT, "'time_axis':null,'params':null,'attributes':{}"},
    {IN_DOCUMENT,
     "'params':{'x':1,'nested':{'model':'time'}},'note':'time_axis'"},
    {IN_DOCUMENT, "'meta':{'name':'x','training':true,'mode':1,'timeout':2}"},
    {IN_DOCUMENT, "'meta':{'tags':['time_axis','seq_dim']}"},
    {IN_DOCUMENT, "'config':{'name':'time'},'attributes':['x',1,null,1.5]"},
    {IN_DOCUMENT, "'trace':{'shared_memory_region':1,'binary_data_size':2}"},
    {IN_INPUT, "'content_type':'np','x':{'y':1},'time_axis':null"},
    {IN_INPUT_PARAMETERS, "'content_type':'np','headers':{},'tags':['mode']"},
    {IN_INPUT_PARAMETERS, "'binary_data':true,'params':{'a':null}"},
    {IN_OUTPUT, "'datatype':'FP32','shape':[2,2],'data':[1,2]"},
    {IN_OUTPUT_PARAMETERS, "'content_type':'np','binary_data_size':16"},
    {IN_PARAMETERS, "'content_type':'np','headers':{'x':1},'puid':'1'"},
    {IN_PARAMETERS, "'attributes':{'x':{'mode':null}},'time_axis':null"},
    {IN_DOCUMENT, "'':1,'-':2,'----':{'':{}},'...':'','params':'='"},
    {IN_DOCUMENT,
     "'target':{'mode':1},'optimum':{'timeout':2},'large':{'name':1}"},
    {IN_DOCUMENT,
     "'user.name':1,'client.timeout':2,'x.mode':3,'a.b':{'c.d':1}"},
    {IN_DOCUMENT, "'trace.binary_data':1,'params.name':'x','[]':1"},
    {IN_DOCUMENT, "'note':'time_axis=1','params':'time_axis','args':'a time'"},
    {IN_PARAMETERS, "'content.type':'np','config':'name=x','tags':'mode=1'"},
    {IN_INPUT_PARAMETERS, "'options':'x=time_axis','text':'seq_dim: 1'"},
};

LOOP_TEST(key_that_means_nothing_is_ignored, COUNT(ignored))
{
    for (int m = 0; m < COUNT(models); m++)
        check(ignored[_i].place, ignored[_i].entry, m, NULL, NULL);
}

UNIT_TEST(names_of_the_model_are_read_from_its_parameters)
{
    check(IN_PARAMETERS, "'time_axis':0,'batch_axis':1", 0, NULL, NULL);
    check(IN_PARAMETERS, "'specified_outputs_name':['Y']", 3, NULL, NULL);
    check(IN_PARAMETERS, "'name':'time_axis'", 3, NULL, NULL);
}

#define MESSAGE(model, member, parameters, output)                             \
    "{'model_name': '" model "', 'inputs': [{'name': 'input', 'datatype': "    \
    "'INT8', 'shape': [2, 2]" parameters                                       \
    "}, {'name': 'sequence_lens', 'datatype': 'INT64', 'shape': [2], "         \
    "'contents': {'int64_contents': [2, 1]}}], 'outputs': [{'name': "          \
    "'Y'" output "}], 'raw_input_contents': ['01020304']" member "}"
#define HERE(list) ", 'parameters': {" list "}"

static const struct {
    const char *json;
    const char *parts; /* NULL: it is taken */
} messages[] = {
    {MESSAGE(ONNX, "", HERE("'time_axis': 1"), ""),
     "'time_axis' in inputs[0].parameters|the request's parameters"},
    {MESSAGE(ONNX, "", HERE("'seq_dim': 1"), ""), "as seq_axis or time_axis"},
    {MESSAGE(ONNX, "", HERE("'timeout': 1"), ""), "'timeout' in inputs[0]"},
    {MESSAGE(ONNX, "", HERE("'binary_data_output': true"), ""),
     "'binary_data_output' in inputs[0].parameters"},
    {MESSAGE(ONNX, "", "", HERE("'batch_axis': 0")),
     "'batch_axis' in outputs[0].parameters|the request's parameters"},
    {MESSAGE(ONNX, "", "", HERE("'mode': 'mask'")),
     "'mode' in outputs[0].parameters"},
    {MESSAGE(GRAIPHIC, "", HERE("'training': false"), ""),
     "'training' in inputs[0].parameters"},
    {MESSAGE(ONNX, HERE("'seq_dim': 1"), "", ""), "it is time_axis here"},
    {MESSAGE(ONNX, HERE("'batch_dim': 1"), "", ""), "it is batch_axis here"},
    {MESSAGE(ONNX, "", HERE("'params': 'time_axis: 1'"), ""),
     "'time_axis' in inputs[0].parameters.params is not read there"},
    {MESSAGE(ONNX, HERE("'attributes': 'time_axis=1'"), "", ""),
     "'time_axis' in parameters.attributes is not read there"},
    {MESSAGE(ONNX, "", "", HERE("'options.time_axis': 1")),
     "'options.time_axis' in outputs[0].parameters|as time_axis"},
    {MESSAGE(ONNX, HERE("'binary_data': true"), "", ""),
     "'binary_data' is unknown|the parameters of an output"},
    {MESSAGE(ONNX, HERE("'mine': 1, 'time_axis': 0"),
             HERE("'content_type': 'np', 'x': 1"), HERE("'y': true")),
     NULL},
};

/* It is refused with these parts, or taken where there are none. */
static void judge(struct answer a, const char *parts)
{
    assert_answer_has(a, parts ? 400 : 200, parts ? parts : "");
}

LOOP_TEST(name_in_a_message_is_refused_where_it_is_not_read, COUNT(messages))
{
    judge(ask_message(messages[_i].json, (struct ask){0}), messages[_i].parts);
}

#define TEN(text) text text text text text text text text text text

/* The query means something with a .npy file only. */
static const struct {
    const char *query;
    const char *part; /* of the error; NULL: the query is ignored */
} queries[] = {
    {"time_axis=1", "'time_axis' in the query"},
    {"x=1&time_axis=1&batch_axis=0", "'time_axis' in the query"},
    {"a&seq%5Fdim=1", "'seq_dim' in the query"},
    {"mode=index", "'mode' in the query"},
    {"training=false", "'training' in the query"},
    {"binary_data_output=true", "'binary_data_output' in the query"},
    {"timeout=5", "'timeout' in the query"},
    {"sequence_lens=1,1", "'sequence_lens' in the query " THERE},
    {"a=1&sequence%5Flens=", "'sequence_lens' in the query " THERE},
    {"input", "'input' in the query " THERE},
    {"batch_dim", "as batch_axis"},
    {"parameters%5Btime_axis%5D=1", "as time_axis"},
    {"parameters.time_axis=1", "as time_axis"},
    {"parameters=%7B%22time_axis%22:1%7D", "'time_axis' in the query.param"},
    {"params=time_axis:1" TEN(TEN("%20")), "'time_axis' in the query.params"},
    {"params=" TEN(TEN("%20")) "time_axis:1", NULL},
    {"%E2" TEN(TEN("%E2")) "=" TEN(TEN("%E2")), NULL},
    {"", NULL},
    {"axis=1&seq_lengths=1&Input=1&inputs=1&x=sequence_lens", NULL},
    {"a=1&a=2&%C3%BC=%26%3D&b=time_axis", NULL},
    {"name=x&id=7&model=m&=&&", NULL},
    {"%zz=1&%=1&"
     "time_axis_and_a_long_tail_of_letters_that_goes_on_and_on_and_on=1",
     NULL},
};

LOOP_TEST(name_in_the_query_of_a_document_is_refused, COUNT(queries))
{
    judge(
        ask_infer(ONNX, DOCUMENT(""), (struct ask){.query = queries[_i].query}),
        queries[_i].part);
}
