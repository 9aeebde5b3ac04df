#include <jansson.h>
#include <stdio.h>
#include <string.h>

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
    json_t *tensor = json_array_get(list, at);
    const char *got, *type;
    json_t *shape;

    ck_assert_uint_eq(json_array_size(list), count);
    ck_assert_int_eq(json_unpack(tensor, "{s:s, s:s, s:o !}", "name", &got,
                                 "datatype", &type, "shape", &shape),
                     0);
    ck_assert_str_eq(got, name);
    ck_assert_str_eq(type, datatype);
    ck_assert_uint_eq(json_array_size(shape), rank);
    for (size_t i = 0; i < rank; i++)
        ck_assert_int_eq(json_integer_value(json_array_get(shape, i)), -1);
}

static void check_metadata(const char *path, const struct op *op)
{
    json_t *root = read_200(ask_get(path));
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
    ck_assert_ptr_nonnull(strstr(
        json_string_value(json_object_get(properties, "datatypes")), "BF16"));
    json_decref(root);
}

/* The published names: tests/vectors compares the table with them. */
UNIT_TEST(metadata_has_the_fields_of_the_table)
{
    for (int i = 0; op_table[i]; i++) {
        char path[128];

        snprintf(path, sizeof(path), "/v2/models/%s", op_table[i]->name);
        check_metadata(path, op_table[i]);
        snprintf(path, sizeof(path), "/v2/models/%s/versions/%s",
                 op_table[i]->name, op_table[i]->version);
        check_metadata(path, op_table[i]);
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

UNIT_TEST(model_ready_names_the_model)
{
    for (int i = 0; op_table[i]; i++) {
        const struct op *op = op_table[i];
        char path[128], want[128];

        snprintf(want, sizeof(want), "{\"name\":\"%s\",\"ready\":true}",
                 op->name);
        snprintf(path, sizeof(path), "/v2/models/%s/ready", op->name);
        assert_answer_body(ask_get(path), 200, want);
        snprintf(path, sizeof(path), "/v2/models/%s/versions/%s/ready",
                 op->name, op->version);
        assert_answer_body(ask_get(path), 200, want);
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
