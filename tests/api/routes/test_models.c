#include <jansson.h>

#include "api/server_state.h"
#include "kernels/core/isa.h"
#include "kernels/ops/op.h"
#include "tests/api/ask.h"
#include "tests/unit.h"

static json_t *read_200(struct answer a)
{
    json_t *root = json_loadb(a.body, a.len, JSON_REJECT_DUPLICATES, NULL);

    ck_assert_msg(a.status == 200 && root, "%d %s", a.status, a.body);
    ck_assert_str_eq(a.content_type, "application/json");
    ck_assert_uint_eq(a.json_len, 0);
    answer_free(&a);
    return root;
}

UNIT_TEST(server_metadata_has_name_version_extensions_and_simd)
{
    char want[256];

    snprintf(want, sizeof(want),
             "{\"name\":\"flipd\",\"version\":\"" FLIPD_VERSION
             "\",\"extensions\":[\"binary_tensor_data\",\"logging\","
             "\"model_configuration\","
             "\"parameters\",\"statistics\"],\"simd\":\"%s\"}",
             isa_name(isa_active()));

    assert_answer_body(ask_get("/v2"), 200, want);
    assert_answer_body(ask_get("/v2/"), 200, want);
}

UNIT_TEST(health_follows_whether_the_server_is_ready)
{
    struct ask ready = {.method = "GET", .path = "/v2/health/ready"};
    struct ask live = {.method = "HEAD", .path = "/v2/health/live"};

    assert_answer_body(ask(&ready), 200, "{\"ready\":true}");
    assert_answer_body(ask(&live), 200, "{\"live\":true}");
    ready.not_ready = live.not_ready = true;
    assert_answer_body(ask(&ready), 503, "{\"ready\":false}");
    assert_answer_body(ask(&live), 200, "{\"live\":true}");
}

UNIT_TEST(models_are_listed_in_the_tables_order)
{
    char want[1024];
    int len = snprintf(want, sizeof(want), "{\"models\":[");

    for (int i = 0; op_table[i]; i++)
        len += snprintf(want + len, sizeof(want) - (size_t)len, "%s\"%s\"",
                        i ? "," : "", op_table[i]->name);
    snprintf(want + len, sizeof(want) - (size_t)len, "]}");
    assert_answer_body(ask_get("/v2/models"), 200, want);
}

UNIT_TEST(metrics_are_the_servers_to_answer)
{
    assert_answer_refused(ask_get("/metrics"), 404, "server", NULL);
}

static void check_tensor(json_t *list, size_t count, size_t at,
                         const char *name, const char *datatype, size_t rank)
{
    json_t *want = rank == 1 ? json_pack("[i]", -1) : json_pack("[ii]", -1, -1);

    want = json_pack("{s:s, s:s, s:o}", "name", name, "datatype", datatype,
                     "shape", want);
    ck_assert_uint_eq(json_array_size(list), count);
    ck_assert(json_equal(json_array_get(list, at), want));
    json_decref(want);
}

static void check_metadata(struct answer a, const struct op *op)
{
    json_t *root = read_200(a);
    json_t *versions, *inputs, *outputs, *properties, *value;
    const char *name, *platform, *key;

    ck_assert_int_eq(
        json_unpack(root, "{s:s, s:o, s:s, s:o, s:o, s:o !}", "name", &name,
                    "versions", &versions, "platform", &platform, "inputs",
                    &inputs, "outputs", &outputs, "properties", &properties),
        0);
    ck_assert_str_eq(name, op->name);
    ck_assert_uint_eq(json_array_size(versions), 1);
    ck_assert_str_eq(json_string_value(json_array_get(versions, 0)),
                     op->version);
    check_tensor(inputs, 2, 0, op->data, "FP32", 2);
    check_tensor(inputs, 2, 1, op->control, "INT64", 1);
    check_tensor(outputs, 1, 0, op->output, "FP32", 2);
    json_object_foreach(properties, key, value)
        ck_assert_msg(json_is_string(value), "%s", key);
    name = json_string_value(json_object_get(properties, "datatypes"));
    ck_assert_ptr_nonnull(strstr(name, "BF16"));
    ck_assert_int_eq(strstr(name, "BYTES") == NULL, op->scales);
    json_decref(root);
}

/* The published names: tests/vectors compares the table with them. */
UNIT_TEST(metadata_has_the_fields_of_the_table)
{
    for (int i = 0; op_table[i]; i++) {
        const struct op *op = op_table[i];

        check_metadata(ask_getf("/v2/models/%s", op->name), op);
        check_metadata(
            ask_getf("/v2/models/%s/versions/%s", op->name, op->version), op);
    }
}

UNIT_TEST(metadata_lists_attributes_with_their_defaults)
{
    json_t *root = read_200(ask_get("/v2/models/graiphic.ReverseSequence"));
    json_t *p = json_object_get(root, "properties");
    static const char *const want[][2] = {
        {"attribute batch_axis", "integer, default 1"},
        {"attribute time_axis", "integer, default 0"},
        {"attribute training", "boolean, default true"},
        {"attribute lda_coeff", "number, default 1"},
        {"attribute name", "string"},
        {"attribute specified_outputs_name", "string"},
    };

    for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
        ck_assert_str_eq(json_string_value(json_object_get(p, want[i][0])),
                         want[i][1]);
    json_decref(root);
}

#define CONFIG(name, data)                                                     \
    "{\"name\":\"" name "\",\"platform\":\"flipd\",\"backend\":\"flipd\","     \
    "\"max_batch_size\":0,\"input\":[{\"name\":\"data\"," data                 \
    "},{\"name\":\"axis\",\"data_type\":\"TYPE_INT64\",\"dims\":[-1]}],"       \
    "\"output\":[{\"name\":\"output\"," data "}]}"

static struct answer get_of(const struct model_set *set, const char *path)
{
    return ask(&(struct ask){.method = "GET", .path = path, .models = set});
}

UNIT_TEST(config_has_triton_s_names_of_types)
{
    char text[] = "{'models':[{'name':'m','op':'openvino.Reverse',"
                  "'datatype':'BYTES','shape':[2,-1]},"
                  "{'name':'n','op':'openvino.Reverse','datatype':'INT8'}]}";
    struct status st;
    struct model_set *set;

    set = ask_models(text, NULL, &st);
    ck_assert_ptr_nonnull(set);
    assert_answer_body(ask_get("/v2/models/openvino.Reverse/config"), 200,
                       CONFIG("openvino.Reverse",
                              "\"data_type\":\"TYPE_FP32\",\"dims\":[-1,-1]"));
    assert_answer_body(
        get_of(set, "/v2/models/m/config"), 200,
        CONFIG("m", "\"data_type\":\"TYPE_STRING\",\"dims\":[2,-1]"));
    assert_answer_body(
        get_of(set, "/v2/models/n/config"), 200,
        CONFIG("n", "\"data_type\":\"TYPE_INT8\",\"dims\":[-1,-1]"));
    assert_answer_has(get_of(set, "/v2/models/m"), 200,
                      "\"inputs\":[{\"name\":\"data\",\"datatype\":\"BYTES\","
                      "\"shape\":[2,-1]},");
    api_models_unref(set);
}

static const struct {
    const char *body;
    const char *fault; /* NULL: none */
} filters[] = {
    {NULL, NULL},
    {"{}", NULL},
    {"{\"ready\":true}", NULL},
    {"{\"ready\":false}", NULL},
    {"{\"ready\":null}", NULL},
    {"{\"other\":1}", NULL},
    {"{\"ready\":1}", "ready is an integer, but it must be a boolean"},
    {"{\"ready\":", "malformed JSON"},
    {"[]", "the body is an array"},
};

LOOP_TEST(repository_lists_each_model_once, COUNT(filters))
{
    struct answer a = ask(&(struct ask){.path = "/v2/repository/index",
                                        .json = filters[_i].body});
    char want[2048];
    int len = 0;

    if (filters[_i].fault) {
        assert_answer_refused(a, 400, filters[_i].fault, NULL);
        return;
    }
    for (int i = 0; op_table[i]; i++)
        len += snprintf(want + len, sizeof(want) - (size_t)len,
                        "%s{\"name\":\"%s\",\"version\":\"%s\",\"state\":"
                        "\"READY\",\"reason\":\"\"}",
                        i ? "," : "[", op_table[i]->name, op_table[i]->version);
    strcpy(want + len, "]");
    assert_answer_body(a, 200, want);
}

UNIT_TEST(models_are_not_loaded_over_the_wire)
{
    static const char *const verbs[] = {"load", "unload"};

    for (size_t i = 0; i < COUNT(verbs); i++) {
        char path[64];

        snprintf(path, sizeof(path), "/v2/repository/models/m/%s", verbs[i]);
        assert_answer_refused(ask(&(struct ask){.path = path}), 501,
                              "models are loaded and unloaded by editing the "
                              "models file (--models FILE) and sending SIGHUP, "
                              "not over the wire",
                              NULL);
    }
}

static const char *const unknown[][2] = {
    {"nothing", "unknown model: 'nothing' is not found; GET /v2/models lists"},
    {"reverse_sequence", "did you mean onnx.ReverseSequence? GET /v2/models"},
    {"openvino.Reverse/versions/2",
     "unknown model: 'openvino.Reverse' version '2' is not found; it has only "
     "1"},
    {"openvino.Reverse/versions/11", "version '11' is not found"},
    {"onnx.ReverseSequence/versions/1", "not found; it has only 10"},
    {"openvino.Reverse/versions/%32", "version '%32' is not found"},
};

LOOP_TEST(model_that_is_unknown_is_404, COUNT(unknown))
{
    assert_answer_refused(ask_getf("/v2/models/%s", unknown[_i][0]), 404,
                          unknown[_i][1], NULL);
    assert_answer_refused(ask_getf("/v2/models/%s/ready", unknown[_i][0]), 404,
                          unknown[_i][1], NULL);
}

/* cat_1 is only near, cat_2 is the same but for a sign between words. */
UNIT_TEST(model_that_is_most_alike_is_meant)
{
    char text[] = "{'models':[{'name':'cat_1','op':'openvino.Reverse'},"
                  "{'name':'cat_2','op':'openvino.Reverse'}]}";
    struct status st;
    struct model_set *set;

    set = ask_models(text, NULL, &st);
    ck_assert_ptr_nonnull(set);
    assert_answer_refused(get_of(set, "/v2/models/cat-2"), 404,
                          "did you mean cat_2?", NULL);
    api_models_unref(set);
}

UNIT_TEST(model_ready_names_the_model)
{
    for (int i = 0; op_table[i]; i++) {
        const struct op *op = op_table[i];
        char want[128];

        snprintf(want, sizeof(want), "{\"name\":\"%s\",\"ready\":true}",
                 op->name);
        assert_answer_body(ask_getf("/v2/models/%s/ready", op->name), 200,
                           want);
        assert_answer_body(
            ask_getf("/v2/models/%s/versions/%s/ready", op->name, op->version),
            200, want);
    }
}

UNIT_TEST(model_is_not_ready_while_the_server_is_not)
{
    static const char *const paths[] = {
        "/v2/models/openvino.Reverse/ready",
        "/v2/models/openvino.Reverse/versions/1/ready"};
    struct ask model = {.method = "GET", .not_ready = true};

    for (int i = 0; i < 2; i++) {
        model.path = paths[i];
        assert_answer_body(ask(&model), 503,
                           "{\"name\":\"openvino.Reverse\",\"ready\":false}");
    }
}
