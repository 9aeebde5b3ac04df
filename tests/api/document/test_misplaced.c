#include "api/document/misplaced.h"
#include "tests/unit.h"

static const struct {
    const char *name, *known;
    bool near;
} rows[] = {
    {"time_axes", "time_axis", true},
    {"time_axi", "time_axis", true},
    {"ime_axis", "time_axis", true},
    {"xtime_axisx", "time_axis", true},
    {"tiem_axis", "time_axis", true},
    {"Time_Axis", "time_axis", true},
    {"time_ax", "time_axis", true},
    {"time_a", "time_axis", false},
    {"time_axis", "time_axis", false},
    {"time_axisxxx", "time_axis", false},
    {"Tine_Axis", "time_axis", false},
    {"seq_axis", "time_axis", false},
    /* Other cases and separators. */
    {"TIME_AXIS", "time_axis", true},
    {"TimeAxis", "time_axis", true},
    {"time - axis?", "time_axis", true},
    {"Mode", "mode", true},
    {"MODE", "mode", true},
    {"TIME_AXI", "time_axis", false},
    {"____", "mode", false},
    /* Four letters at least. */
    {"mods", "mode", true},
    {"mod", "mode", false},
    {"mode", "mod", false},
    {"", "mode", false},
    {"mode", "", false},
    {"modely", "mode", true},
    {"modelly", "mode", false},
};

LOOP_TEST(name_is_near_up_to_two_letters, COUNT(rows))
{
    ck_assert_int_eq(near_name(rows[_i].name, rows[_i].known), rows[_i].near);
    ck_assert_int_eq(near_name(rows[_i].known, rows[_i].name), rows[_i].near);
}

UNIT_TEST(name_that_is_long_is_near_to_none)
{
    char name[1000];

    memset(name, 'k', sizeof(name));
    for (size_t len = 60; len < 70; len++) {
        name[len] = '\0';
        ck_assert(!near_name(name, "time_axis"));
        ck_assert(!near_name("time_axis", name));
        name[len] = 'k';
    }
    name[sizeof(name) - 1] = '\0';
    ck_assert(!near_name(name, "time_axis"));
}

/* `count` times 'x' between two texts. */
static const char *pad(const char *head, int count, const char *tail)
{
    static char text[600];
    int len = sprintf(text, "%s", head);

    memset(text + len, 'x', (size_t)count);
    strcpy(text + len + count, tail);
    return text;
}

/* 256 bytes of a text are searched, in which the name must end; 64 of a key
 * that may be a container; and what of a query fits. */
UNIT_TEST(only_the_begin_of_a_text_is_searched)
{
    const struct op *op = op_table_find("onnx.ReverseSequence", 20);
    struct status st;

    ck_assert(
        !misplaced_pass_text("params", pad("", 246, " time_axis:1"), "", &st));
    ck_assert_str_eq(st.message,
                     "'time_axis' in params is not read there: it belongs in "
                     "the request's parameters");
    ck_assert(
        misplaced_pass_text("params", pad("", 247, " time_axis:1"), "", &st));
    ck_assert(!misplaced_pass_text(pad("", 58, "params"), "mode=1", "", &st));
    ck_assert(misplaced_pass_text(pad("", 59, "params"), "mode=1", "", &st));
    for (int count = 45; count < 60; count++) {
        ck_assert(!misplaced_pass_query(pad("time_axis.", count, "%41%42=1"),
                                        op, &st));
        ck_assert(strncmp(st.message, "'time_axis.xxx", 14) == 0);
    }
    ck_assert(misplaced_pass_query("time_axis%zz=1&x%z=1", op, &st));
    ck_assert(!misplaced_pass_query("x=1&mode=", op, &st));
}

/* What a key of the request's parameters should have been; NULL: it has no
 * meaning. */
static const struct {
    const char *op, *key, *advice;
} keys[] = {
    {"onnx.ReverseSequence", "seq_dim", "; it is time_axis here"},
    {"onnx.ReverseSequence", "seq_axis", "; it is time_axis here"},
    {"onnx.ReverseSequence", "batch_dim", "; it is batch_axis here"},
    {"openvino.ReverseSequence", "time_axis", "; it is seq_axis here"},
    {"openvino.Reverse", "seq_dim", ""},
    {"openvino.Reverse", "axis", "; it is an input"},
    {"onnx.ReverseSequence", "axis", NULL},
    {"onnx.ReverseSequence", "sequence-lens", "; it is an input"},
    {"onnx.ReverseSequence", "mode", ""},
    {"onnx.ReverseSequence", "params.training", ""},
    {"onnx.ReverseSequence", "user.training", NULL},
    {"onnx.ReverseSequence", "binary_data",
     "; binary_data belongs in the parameters of an output"},
    {"onnx.ReverseSequence", "sharedMemoryOffset",
     "; shared_memory_offset belongs in the parameters of a tensor"},
    {"onnx.ReverseSequence", "sequence_end", NULL},
    {"onnx.ReverseSequence", "", NULL},
};

LOOP_TEST(key_without_a_meaning_is_free, COUNT(keys))
{
    const struct op *op = op_table_find(keys[_i].op, strlen(keys[_i].op));
    char advice[100] = "x";

    ck_assert_int_eq(misplaced_is_free(keys[_i].key, op, advice, 100),
                     keys[_i].advice == NULL);
    ck_assert_str_eq(advice, keys[_i].advice ? keys[_i].advice : "");
}
