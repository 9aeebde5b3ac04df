/* Values of fields, and how errors call them. */
#include <math.h>

#include "api/document/field.h"
#include "kernels/ops/op.h"
#include "tests/unit.h"

#define TEXT(kind_, text_)                                                     \
    {                                                                          \
        .kind = TREE_##kind_, .text = text_, .len = sizeof(text_) - 1          \
    }
#define OTHER(kind_)                                                           \
    {                                                                          \
        .kind = TREE_##kind_                                                   \
    }
#define REAL(real_)                                                            \
    {                                                                          \
        .kind = TREE_REAL, .real = real_                                       \
    }
#define INTEGER(kind_, integer_)                                               \
    {                                                                          \
        .kind = TREE_##kind_, .integer = integer_                              \
    }
#define TEN "7777777777"
#define FIFTY TEN TEN TEN TEN TEN

/* Values; the integer and the number that they are, NONE of both: none; what
 * errors call them. */
enum { NONE = 99 };
static const struct {
    struct tree_value value;
    int64_t integer;
    double real;
    const char *type;
} values[] = {
    {OTHER(NULL), NONE, NONE, "null"},
    {OTHER(BOOL), NONE, NONE, "a boolean"},
    {OTHER(DATA), NONE, NONE, "an array"},
    {OTHER(ARRAY), NONE, NONE, "an array"},
    {OTHER(OBJECT), NONE, NONE, "an object"},
    {TEXT(STRING, "2"), NONE, NONE, "a string"},
    {TEXT(STRING, "2\0"), NONE, NONE, "a string"},
    {INTEGER(INTEGER, -7), -7, -7, "an integer"},
    {INTEGER(UNSIGNED, -1), NONE, 0x1p64, "18446744073709551615"},
    {TEXT(NUMBER, "2.0"), 2, 2, "2.0"},
    {TEXT(NUMBER, "-20e-1"), -2, -2, "-20e-1"},
    {TEXT(NUMBER, "2.50"), NONE, 2.5, "2.50"},
    {TEXT(NUMBER, "9223372036854775808"), NONE, 0x1p63, "9223372036854775808"},
    {TEXT(NUMBER, "1e400"), NONE, HUGE_VAL, "1e400"},
    {TEXT(NUMBER, "-1e400"), NONE, -HUGE_VAL, "-1e400"},
    {TEXT(NUMBER, "0." FIFTY TEN "77"), NONE, 7.0 / 9,
     "0." FIFTY "77777777..."},
    {REAL(-2), -2, -2, "-2"},
    {REAL(-0.5), NONE, -0.5, "-0.5"},
    {REAL(0x1p62), INT64_C(1) << 62, 0x1p62, "4611686018427387904"},
    {REAL(0x1p63), NONE, 0x1p63, "9223372036854775808"},
    {REAL(-HUGE_VAL), NONE, -HUGE_VAL, "-Infinity"},
};

LOOP_TEST(value_is_an_integer_or_a_number_or_none, COUNT(values))
{
    const struct tree_value *value = &values[_i].value;
    bool is_integer = values[_i].integer != NONE;
    bool is_real = values[_i].real != NONE;
    char text[FIELD_TYPE_SIZE];
    int64_t integer = NONE;
    double real = NONE;

    ck_assert(field_integer(value, &integer) == is_integer);
    ck_assert_int_eq(integer, is_integer ? values[_i].integer : 0);
    ck_assert(field_real(value, &real) == is_real);
    ck_assert_double_eq(real, is_real ? values[_i].real : 0);
    ck_assert_str_eq(field_type(value, text), values[_i].type);
    if (is_real)
        ck_assert_str_eq(field_number(value, text),
                         value->kind == TREE_INTEGER ? "-7" : values[_i].type);
    ck_assert(field_is_string(value) == (value->kind == TREE_STRING));
    ck_assert_ptr_eq(field_plain(value),
                     field_is_string(value) && value->len == 1 ? value->text
                                                               : NULL);
}

UNIT_TEST(field_is_refused_by_its_name)
{
    const struct tree_value nul = TEXT(STRING, "a\0");
    struct status st;
    int64_t integer;
    const char *text;
    bool flag = true;

    ck_assert(!field_integer(NULL, &integer) && integer == 0);
    ck_assert(!field_bool(NULL, "x", "k", &flag, &st) && !flag);
    ck_assert_str_eq(st.message, "x.k is missing, but it must be a boolean");
    ck_assert(!field_text(&nul, "x", "k", &text, &st));
    ck_assert_str_eq(st.message, "x.k holds a NUL character");
    ck_assert(!field_text(&nul, "", "k", &text, &st));
    ck_assert_str_eq(st.message, "k holds a NUL character");
}

UNIT_TEST(text_is_a_boolean_where_one_is_wanted)
{
    static const struct {
        const char *key, *text;
        enum tree_kind kind;
        bool flag;
    } texts[] = {
        {"training", "true", TREE_BOOL, true},
        {"training", "false", TREE_BOOL, false},
        {"training", "True", TREE_STRING, 0},
        {"training", "", TREE_STRING, 0},
        {"binary_data_output", "true", TREE_BOOL, true},
        {"time_axis", "true", TREE_STRING, 0},
        {"their_own", "false", TREE_STRING, 0},
    };
    const char *name = "graiphic.ReverseSequence";
    const struct op *op = op_table_find(name, strlen(name));

    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *text = texts[i].text;
        struct tree_value value = field_of_text(op, texts[i].key, text);

        ck_assert_str_eq(value.key, texts[i].key);
        ck_assert_int_eq(value.kind, texts[i].kind);
        if (value.kind == TREE_BOOL)
            ck_assert_int_eq(value.flag, texts[i].flag);
        else
            ck_assert(value.text == text && value.len == strlen(text));
    }
}

UNIT_TEST(shape_has_up_to_32_dims)
{
    struct tree_value dims[32], list = {.kind = TREE_ARRAY, .first = dims};
    struct shape shape;
    struct status st;

    for (int i = 0; i < 32; i++)
        dims[i] = (struct tree_value){
            .kind = TREE_INTEGER, .integer = i, .next = &dims[i + 1]};
    dims[31].next = NULL;
    list.count = 32;
    ck_assert(field_shape(&list, "x", &shape, &st));
    ck_assert(shape.rank == 32 && shape.dims[0] == 0 && shape.dims[31] == 31);
    list.count = 33;
    ck_assert(!field_shape(&list, "x", &shape, &st));
    ck_assert_str_eq(st.message, "x.shape has rank 33, but the limit is 32");
}
