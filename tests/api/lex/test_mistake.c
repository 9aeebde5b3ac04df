#include "api/lex/scan.h"
#include "tests/unit.h"

/* A text, the part of it that is wrong, and a part of the hint; NULL for none.
 */
static const struct {
    const char *text, *at, *hint;
} rows[] = {
    {"{'a': 1}", "'a'", "double quotes"},
    {"[None]", "None", "null"},
    {"[True]", "True", "true"},
    {"[False]", "False", "false"},
    {"[nan]", "nan", "NaN"},
    {"[-inf]", "-inf", "Infinity"},
    {"[NaN]", "NaN", "NaN"},
    {"[undefined]", "undefined", "null"},
    {"[array([1])]", "array", "tolist()"},
    {"[tensor([1])]", "tensor", "tolist()"},
    {"[1 // x]", "//", "comments"},
    {"[1 # x]", "#", "comments"},
    {"{True: 1}", "True", "a key is a string"},
    {"{inputs  : 1}", "inputs", "a key is a string"},
    {"[1, \n]", "]", "comma"},
    {"{\"a\":1,}", "}", "comma"},
    {"[]", "]", NULL},
    {"]", "]", NULL},
    {"[Nonesuch]", "Nonesuch", NULL},
    {"[x]", "x", NULL},
    {"[-]", "-", NULL},
    {"[,]", ",", NULL},
    {"-", "-", NULL},
    {"", "", NULL},
};

LOOP_TEST(mistake_of_another_language_is_named, COUNT(rows))
{
    const char *text = rows[_i].text;
    const char *hint =
        scan_mistake(text, strstr(text, rows[_i].at), text + strlen(text));

    if (!rows[_i].hint)
        ck_assert_str_eq(hint, "");
    else
        ck_assert_msg(strncmp(hint, ": ", 2) == 0 &&
                          strstr(hint, rows[_i].hint),
                      "%s: '%s'", text, hint);
}
