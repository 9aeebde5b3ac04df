/* JSON objects as trees: what is read, and the byte that errors name. */
#include "api/document/tree.h"
#include "tests/api/ask.h"
#include "tests/edge.h"
#include "tests/unit.h"

#define BIG "18446744073709551615"

static bool lacks_header;

/* What was read last. */
static struct tree tree;
static char *copy;
static size_t copy_len;
static struct status st;

static void drop(void)
{
    if (copy) {
        tree_free(&tree);
        edge_free(copy, copy_len);
    }
    copy = NULL;
}

FIXTURE(NULL, drop)

/* Reads a copy behind which no byte can be read; a NUL may be inside. */
static bool read_bytes(const char *text, size_t len)
{
    struct tree_text source;

    drop();
    copy = edge_copy(text, copy_len = len);
    source = tree_infer(copy, len);
    source.lacks_header = lacks_header;
    st = (struct status){0};
    tree_init(&tree, NULL, 0);
    return tree_read(&tree, &source, &st);
}

static bool read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

/* Prints values as they are, with # before numbers that are no plain integers,
 * and data arrays between < and >. */
static void print(const struct tree_value *v, const char *text, FILE *out)
{
    const char *comma = "";

    ck_assert_uint_eq((uintptr_t)v % 8, 0);
    if (v->key)
        fprintf(out, "'%s':", v->key);
    switch (v->kind) {
    case TREE_NULL:
        fputs("null", out);
        break;
    case TREE_BOOL:
        fputs(v->flag ? "true" : "false", out);
        break;
    case TREE_INTEGER:
        fprintf(out, "%lld", (long long)v->integer);
        break;
    case TREE_NUMBER:
        fprintf(out, "#%s", v->text);
        ck_assert_uint_eq(strlen(v->text), v->len);
        break;
    case TREE_UNSIGNED:
    case TREE_REAL:
        ck_abort_msg("a number that only messages have");
        break;
    case TREE_STRING:
        fprintf(out, "'%s'", v->text);
        ck_assert_int_eq(v->text[v->len], '\0');
        break;
    case TREE_DATA:
        fprintf(out, "<%.*s>", (int)v->bytes, text + v->at);
        break;
    case TREE_ARRAY:
    case TREE_OBJECT:
        fputc(v->kind == TREE_ARRAY ? '[' : '{', out);
        for (const struct tree_value *at = v->first; at; at = at->next) {
            fputs(comma, out);
            print(at, text, out);
            comma = ",";
        }
        fputc(v->kind == TREE_ARRAY ? ']' : '}', out);
        break;
    }
}

/* A document, and the tree if it differs; ' stands for ". */
static const struct {
    const char *text, *tree;
} accepted[] = {
    {"{}", NULL},
    {" { } \n", "{}"},
    {"\xEF\xBB\xBF{}", "{}"},
    {"{'a':null,'b':true,'c':false,'':''}", NULL},
    {"{\r'a'\t:\n[ 1 , 2 ] ,'b' : { } }", "{'a':[1,2],'b':{}}"},
    {"{'a':'\\\"\\\\\\/\\b\\f\\n\\r\\t'}", "{'a':''\\/\b\f\n\r\t'}"},
    {"{'a':'\\u00e9\\ud83d\\ude00\x7F\xC3\xA9'}",
     "{'a':'\xC3\xA9\xF0\x9F\x98\x80\x7F\xC3\xA9'}"},
    {"{'\\u0061':1,'b':2}", "{'a':1,'b':2}"},
    {"{'A':1,'a':2,'aa':3}", NULL},
    /* numbers, as they were sent */
    {"{'a':9223372036854775807}", NULL},
    {"{'a':-9223372036854775808}", NULL},
    {"{'a':[0,-0,-7,123456789012345678,1234567890123456789]}",
     "{'a':[0,0,-7,123456789012345678,1234567890123456789]}"},
    {"{'a':9223372036854775808}", "{'a':#9223372036854775808}"},
    {"{'a':-9223372036854775809}", "{'a':#-9223372036854775809}"},
    {"{'a\\\"':" BIG " }", "{'a'':#" BIG "}"},
    {"{'" BIG "':'" BIG "'}", NULL},
    {"{'a':['\\\"" BIG ",'," BIG ",1]}", "{'a':[''" BIG ",',#" BIG ",1]}"},
    /* 8 bytes and a NUL; what follows in memory starts with another byte */
    {"{'a':[1.234567,2.345678,3,4]}", "{'a':[#1.234567,#2.345678,3,4]}"},
    {"{'a':1.18446744073709551615}", "{'a':#1.18446744073709551615}"},
    {"{'a':[1e-400,-0.0,1.50,-2E+0,1e400]}",
     "{'a':[#1e-400,#-0.0,#1.50,#-2E+0,#1e400]}"},
    {"{'b':1.5,'c':[],'a':{'z':1e1,'y':'1e2','x':1e3,'w':7}}",
     "{'b':#1.5,'c':[],'a':{'z':#1e1,'y':'1e2','x':#1e3,'w':7}}"},
    {"{'a':[" BIG "e1," BIG ".5," BIG "E-2,1e" BIG "]}",
     "{'a':[#" BIG "e1,#" BIG ".5,#" BIG "E-2,#1e" BIG "]}"},
    /* data arrays: those of inputs only */
    {"\xEF\xBB\xBF {'inputs':[{'data':[1,2]}]} ",
     "{'inputs':[{'data':<[1,2]>}]}"},
    {"{'inputs':[{'data': \t[1] , 'x':1}]}",
     "{'inputs':[{'data':<[1]>,'x':1}]}"},
    {"{'inputs':[{'data':[]},{'name':'a','data':[[],[[]]]}]}",
     "{'inputs':[{'data':<[]>},{'name':'a','data':<[[],[[]]]>}]}"},
    {"{'inputs':[{'data':[']','\\\"]','\\\\']}]}",
     "{'inputs':[{'data':<[']','\\']','\\\\']>}]}"},
    {"{'inputs':[{'data':[{'a':[1}]]}]}",
     "{'inputs':[{'data':<[{'a':[1}]]>}]}"},
    {"{'inputs':[{'data':null}]}", NULL},
    {"{'\\u0069nputs':[{'d\\u0061ta':[1]}]}", "{'inputs':[{'data':<[1]>}]}"},
    {"{'data':[1]}", NULL},
    {"{'outputs':[{'data':[1]}]}", NULL},
    {"{'inputs':[{'parameters':{'data':[1]}}]}", NULL},
    {"{'inputs':[{'a':[{'data':[1]}]}]}", NULL},
    {"{'inputs':[[{'data':[1]}]]}", NULL},
    {"{'inputs':[['data',[1]]]}", NULL},
    {"{'inputs':{'a':{'data':[1]}}}", NULL},
    {"{'inputs':{'data':[1]}}", NULL},
    {"{'inputs':[{'xdata':[1],'dat':[2],'data2':[3],'name':'data'}]}", NULL},
    {"{'inputs':5,'b':[{'data':[1]}]}", NULL},
    {"{'inputs':[{'data':[1]}],'outputs':[{'data':[2]}]}",
     "{'inputs':[{'data':<[1]>}],'outputs':[{'data':[2]}]}"},
    {"{'a':[{'inputs':[{'data':[1]}]}]}", NULL},
};

LOOP_TEST(document_is_read_as_it_stands, COUNT(accepted))
{
    const char *want =
        accepted[_i].tree ? accepted[_i].tree : accepted[_i].text;
    char text[200], *got;
    size_t len;
    FILE *out = open_memstream(&got, &len);

    ask_quote(strcpy(text, accepted[_i].text));
    ck_assert_msg(read_text(text), "%s: %s", text, st.message);
    print(tree.root, copy, out);
    fclose(out);
    for (char *at = got; *at; at++)
        *at = *at == '"' ? '\'' : *at;
    ck_assert_str_eq(got, want);
    free(got);
}

/* A document, and a part of its refusal. */
static const struct {
    const char *text, *message;
} refused[] = {
    {"", "malformed JSON at byte 0: the body is empty"},
    {" ", "malformed JSON at byte 1: the body is empty"},
    {"}", "malformed JSON at byte 0"},
    {"[]", "the body is an array, but it must be an object"},
    {"\xEF\xBB\xBF{]", "malformed JSON at byte 4: ']' closes an object"},
    {"\xEF\xBB\xBF\xEF\xBB\xBF{}", "malformed JSON at byte 3: the body"},
    {"\xEF\xBB{}", "malformed JSON at byte 0: the body"},
    /* the end */
    {"{", "malformed JSON at byte 1: the document ends too early"},
    {"{ ", "malformed JSON at byte 2: the document ends too early"},
    {"{'a'", "malformed JSON at byte 4: the document ends too early"},
    {"{'a':", "malformed JSON at byte 5: the document ends too early"},
    {"{'a':1", "malformed JSON at byte 6: the document ends too early"},
    {"{'a':1,", "malformed JSON at byte 7: the document ends too early"},
    {"{'a':tru", "malformed JSON at byte 8: the document ends too early"},
    {"{'a':[", "malformed JSON at byte 6: the document ends too early"},
    {"{'a':[1,2", "malformed JSON at byte 9: the document ends too early"},
    {"{'a", "malformed JSON at byte 1: a string is not closed"},
    {"{'a\\", "malformed JSON at byte 1: a string is not closed"},
    {"{'a\\'", "malformed JSON at byte 1: a string is not closed"},
    {"{'a':'\xC3", "malformed JSON at byte 5: a string is not closed"},
    /* brackets */
    {"{]", "malformed JSON at byte 1: ']' closes an object"},
    {"{'a':]", "malformed JSON at byte 5: ']' closes an object"},
    {"{'a':1]", "malformed JSON at byte 6: ']' closes an object"},
    {"{'a':[}", "malformed JSON at byte 6: '}' closes an array"},
    {"{'a':[1,}", "malformed JSON at byte 8: '}' closes an array"},
    /* what is expected */
    {"{,}", "at byte 1: a key or '}' is expected near ','"},
    {"{1:2}", "at byte 1: a key or '}' is expected near '1': a key is a "
              "string in double quotes"},
    {"{a:1}",
     "at byte 1: a key or '}' is expected near 'a': a key is a string"},
    {"\xEF\xBB\xBF{!a}", "at byte 4: a key or '}' is expected near '!a'"},
    {"{'a':1,}", "at byte 7: a key is expected near '}': no comma stands "
                 "before a closing bracket"},
    {"{'a' 1}", "at byte 5: ':' is expected near '1'"},
    {"{'a' 'b'}", "at byte 5: ':' is expected near '\"b\"'"},
    {"{'a':}", "at byte 5: a value is expected near '}'"},
    {"{'a'::}", "at byte 5: a value is expected near ':'"},
    {"{'a':1 'b':2}", "at byte 7: ',' or '}' is expected near '\"b\"'"},
    {"{'a':1 // b\n}", "at byte 7: ',' or '}' is expected near '//': JSON has "
                       "no comments"},
    {"{'a':[1 2]}", "at byte 8: ',' or ']' is expected near '2'"},
    {"{'a':[1,]}", "at byte 8: a value is expected near ']': no comma stands"},
    {"{'a':[,1]}", "at byte 6: a value is expected near ','"},
    {"{'a':None}", "at byte 5: a value is expected near 'None': it is null in"},
    {"{'a':[1, True]}", "near 'True': it is true in JSON"},
    {"{'a':inf}", "near 'inf': it is spelled Infinity"},
    {"{'a':NaN}", "near 'NaN': only data of floats may have NaN"},
    {"{'a':undefined}", "near 'undefined': JSON has no undefined"},
    {"{'a':trueish}", "at byte 5: a value is expected near 'trueish'"},
    {"{'a':truethetruthandnothingbut}",
     "at byte 5: a value is expected near 'truethetruthandnothi'"},
    {"{'a':nul}", "at byte 5: a value is expected near 'nul'"},
    {"{'a':nall}", "at byte 5: a value is expected near 'nall'"},
    {"{'a':fals0}", "at byte 5: a value is expected near 'fals0'"},
    {"{'inputs':[{'data':nul}]}", "at byte 19: a value is expected near 'nul'"},
    {"{'inputs':[{'data':}]}", "at byte 19: a value is expected near '}'"},
    {"{'inputs':[{'data':[1]5}]}",
     "at byte 22: ',' or '}' is expected near '5'"},
    {"{'inputs' [{'data' [1]}]}", "at byte 10: ':' is expected near '['"},
    {"{'a':\xE2\x80\x9C}", "a value is expected near '\xE2\x80\x9C'"},
    {"{'a':\xFF}", "at byte 5: a value is expected"},
    {"{'a':tru\xFF}", "at byte 5: a value is expected near 'tru'"},
    {"{'a':'b'c}", "at byte 8: ',' or '}' is expected near 'c'"},
    /* numbers */
    {"{'a':01}", "at byte 5: a number has a leading zero near '01'"},
    {"{'a':-01}", "at byte 6: a number has a leading zero near '-01'"},
    {"{'a':1e}", "at byte 7: a digit is expected near '1e'"},
    {"{'a':1.}", "at byte 7: a digit is expected near '1.'"},
    {"{'a':1.e1}", "at byte 7: a digit is expected near '1.e1'"},
    {"{'a':1e+}", "at byte 8: a digit is expected near '1e+'"},
    {"{'a':-}", "at byte 6: a digit is expected near '-'"},
    {"{'a':-inf}", "at byte 6: a digit is expected near '-inf': it is spelled"},
    {"{'a':--1}", "at byte 6: a digit is expected near '--1'"},
    {"{'a':+1}", "at byte 5: a value is expected near '+1'"},
    {"{'a':.5}", "at byte 5: a value is expected near '.5'"},
    {"{'a':1e400.}", "at byte 10: ',' or '}' is expected near '.'"},
    {"{'a':0x10}", "at byte 6: ',' or '}' is expected near 'x10'"},
    {"{'a':1_0}", "at byte 6: ',' or '}' is expected near '_0'"},
    {"{'a':" BIG "x}", "at byte 25: ',' or '}' is expected near 'x'"},
    {"{'a':-12.5e0999,}", "at byte 16: a key is expected near '}'"},
    {"{'a':Infinity}", "malformed JSON at byte 5"},
    {"{'a':-1e400,}", "malformed JSON at byte 12"},
    {"{'a':--99999999999999999999}", "malformed JSON at byte 6"},
    {"{'a':099999999999999999999}", "malformed JSON at byte 5"},
    {"{'a':9223372036854775808,}", "malformed JSON at byte 25"},
    /* strings */
    {"{'a':'\\x'}", "malformed JSON at byte 6"},
    {"{'a':'\n'}", "malformed JSON at byte 6"},
    {"{'a':'b\\x'}", "at byte 7: an escape is not valid"},
    {"{'a':'\\u12g4'}", "at byte 6: an escape is not valid"},
    {"{'a':'\\ud800'}", "at byte 6: a surrogate has no partner"},
    {"{'a':'\\udc00\\ud800'}", "at byte 6: a surrogate has no partner"},
    {"{'a':'b\n'}", "at byte 7: a control character in a string"},
    {"{'a':'12345678\x1F'}", "at byte 14: a control character in a string"},
    {"{'a':'\xFF'}", "at byte 6: a string is not UTF-8"},
    {"{'a':'\xC0\x80'}", "at byte 6: a string is not UTF-8"},
    {"{'a':'\xED\xA0\x80'}", "at byte 6: a string is not UTF-8"},
    {"{'\xFF':1}", "at byte 2: a string is not UTF-8"},
    {"{'a\\u0000':1}", "at byte 1: a key holds a NUL character"},
    /* keys */
    {"{'id':1,'b':2,'id':3}", "at byte 14: duplicate key 'id'"},
    {"{'id':1,'\\u0069d':3}", "at byte 8: duplicate key 'id'"},
    {"{'x':{'y':[{'a':1,'a':1}]}}", "at byte 18: duplicate key 'a'"},
    {"{'':1,'':2}", "at byte 6: duplicate key ''"},
    {"{'inputs':[{'data':[1],'data':[2]}]}", "duplicate key 'data'"},
    {"{'1':0,'2':0,'3':0,'4':0,'5':0,'6':0,'7':0,'8':0,'9':0,'a':0,'b':0,"
     "'c':0,'d':0,'e':0,'3':0,'f':0,'3':0,'g':0}",
     "at byte 85: duplicate key '3'"},
    {"{'1':0,'zz':0,'3':0,'4':0,'5':0,'6':0,'7':0,'8':0,'9':0,'a':0,'b':0,"
     "'c':0,'d':0,'e':0,'f':0,'g':0,'zz':0}",
     "at byte 98: duplicate key 'zz'"},
    /* data arrays */
    {"{'inputs':[{'data':[1,[2]", "at byte 19: the array is not closed"},
    {"{'inputs':[{'data':[']}", "at byte 19: the array is not closed"},
    {"{'inputs':[{'data':", "byte 19: the document ends too early"},
    {"{'inputs':[{'data':'x'}]}",
     "inputs[0].data at byte 19 is a string, but it must be an array"},
    {"{'inputs':[{'name':'a,b'},{'data':7}]}",
     "inputs[1].data at byte 34 is a number, but it must be an array"},
    /* The offset is the document's, also after a data array. */
    {"{'inputs':[{'data':[1,2,3,4,5,6,7,8,9],!}]}",
     "malformed JSON at byte 39"},
    {"{'inputs':[{'data':-7}]}", "is a number, but it must be an array"},
    {"{'inputs':[{'data':{}}]}", "is an object, but it must be an array"},
    {"{'inputs':[{},{},{'data':true}]}",
     "inputs[2].data at byte 25 is a boolean, but it must be an array"},
    {"{'inputs':[{'data':false}]}", "is a boolean, but it must be an array"},
};

LOOP_TEST(refusal_names_the_byte, COUNT(refused))
{
    char text[200];

    ask_quote(strcpy(text, refused[_i].text));
    ck_assert(!read_text(text));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_msg(strstr(st.message, refused[_i].message) != NULL, "%s",
                  st.message);
    assert_answer_refused(
        ask(&(struct ask){.path = "/v2/models/onnx.ReverseSequence/infer",
                          .json = text}),
        400, refused[_i].message, NULL);
}

UNIT_TEST(single_quotes_get_a_hint)
{
    static const char text[] = "\xEF\xBB\xBF{'a':1}";

    ck_assert(!read_bytes(text, sizeof(text) - 1));
    ck_assert_str_eq(st.message,
                     "malformed JSON at byte 4: a key or '}' is expected near "
                     "''a'': strings have double quotes in JSON, as "
                     "json.dumps() writes them");
}

UNIT_TEST(bytes_behind_the_document_are_reported)
{
    static const struct {
        const char *text;
        size_t len, end, at;
    } cases[] = {
        {"{\"a\":1} x", 9, 7, 8},
        {"{}\0", 3, 2, 2},
        {" {}{}", 5, 3, 3},
        {"{\"inputs\":[{\"data\":[1]}]}\1\2", 27, 25, 25},
    };
    char expected[100];

    for (size_t i = 0; i < COUNT(cases); i++)
        for (int lacks = 0; lacks < 2; lacks++) {
            lacks_header = lacks > 0;
            ck_assert(!read_bytes(cases[i].text, cases[i].len));
            lacks_header = false;
            ck_assert_uint_eq(tree.end, cases[i].end);
            if (lacks)
                sprintf(expected,
                        "%zu bytes follow the JSON document, which ends at "
                        "byte %zu: ",
                        cases[i].len - cases[i].end, cases[i].end);
            else
                sprintf(expected,
                        "malformed JSON at byte %zu: bytes follow the document",
                        cases[i].at);
            ck_assert_msg(strstr(st.message, expected), "%s", st.message);
        }
}

UNIT_TEST(nul_bytes_are_refused)
{
    static const struct {
        const char *text;
        size_t len;
        const char *message;
    } cases[] = {
        {"{\"a\":[1\0]}", 9, "malformed JSON at byte 7: a NUL byte"},
        {"{ \0}", 4, "malformed JSON at byte 2: a NUL byte"},
        {"{\"a\":\0}", 7, "malformed JSON at byte 5: a NUL byte"},
        {"{\"a\"\0:1}", 8, "malformed JSON at byte 4: a NUL byte"},
        {"{\"a\":\"\0\"}", 9,
         "malformed JSON at byte 6: a control character in a string"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        ck_assert(!read_bytes(cases[i].text, cases[i].len));
        ck_assert_str_eq(st.message, cases[i].message);
    }
}

/* Strings of every length, at every offset from a block's edge, with each kind
 * of byte at their end. */
UNIT_TEST(string_is_read_at_every_alignment)
{
    static const char *const ends[][2] = {
        {"", ""}, {"\\n", "\n"}, {"\xC3\xA9", "\xC3\xA9"}, {"\\u0041", "A"}};

    for (int pad = 0; pad < 8; pad++)
        for (int len = 0; len < 40; len++)
            for (size_t i = 0; i < COUNT(ends); i++) {
                const struct tree_value *v;
                char text[200], want[100];

                sprintf(text, "{%*s\"k%.*s%s\":\"%.*s%s\"}", pad, "", len,
                        "1234567890123456789012345678901234567890", ends[i][0],
                        len, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop",
                        ends[i][0]);
                ck_assert_msg(read_text(text), "%s: %s", text, st.message);
                v = tree.root->first;
                sprintf(want, "k%.*s%s", len,
                        "1234567890123456789012345678901234567890", ends[i][1]);
                ck_assert_str_eq(v->key, want);
                ck_assert_uint_eq(v->key_len, strlen(want));
                sprintf(want, "%.*s%s", len,
                        "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop",
                        ends[i][1]);
                ck_assert_str_eq(v->text, want);
                ck_assert_uint_eq(v->len, strlen(want));
            }
}

/* Brackets and quotes of data at every offset from a block's edge. */
UNIT_TEST(end_of_data_is_found_at_every_alignment)
{
    for (int pad = 0; pad < 40; pad++) {
        char head[100], text[200];
        const struct tree_value *data;

        sprintf(head, "{\"inputs\":[{\"data\":[%.*s", pad,
                "1111111111111111111111111111111111111111");
        sprintf(text, "%s[\"%s\\\"]\", 1234567]]}]}", head, head + 12 + 8);
        ck_assert_msg(read_text(text), "%s: %s", text, st.message);
        data = tree_get(tree_get(tree.root, "inputs")->first, "data");
        ck_assert_int_eq(data->kind, TREE_DATA);
        ck_assert_uint_eq(data->at, 19);
        ck_assert_str_eq(text + 19 + data->bytes, "}]}");
    }
}

/* Every prefix and every changed byte, without reading past the text. */
UNIT_TEST(prefixes_and_flipped_bytes_are_survived)
{
    const char *good =
        "{\"id\":\"\\u00e9\",\"inputs\":[{\"name\":\"a\",\"d\\u0061"
        "ta\":[[1,\"]\\\"\"]]},{\"data\":null}],\"x\":{\"y\":-1.5e3}}";
    size_t len = strlen(good);

    for (size_t i = 0; i < len; i++) {
        ck_assert(!read_bytes(good, i));
        for (int byte = 0; byte < 256; byte++) {
            char text[200];

            memcpy(text, good, len);
            text[i] = (char)byte;
            if (!read_bytes(text, len))
                ck_assert_int_eq(st.code, STATUS_INVALID);
        }
    }
}

UNIT_TEST(array_that_is_open_is_found_with_its_input)
{
    static const char text[] = "{\"inputs\":[{\"data\":[1]},{\"name\":\"a\","
                               "\"datatype\":\"FP32\",\"data\":[1,2";
    const struct tree_value *datatype;

    ck_assert(!read_bytes(text, sizeof(text) - 1));
    ck_assert_uint_eq(tree.open, (size_t)(strstr(text, "[1,2") - text));
    datatype = tree_get(tree.open_input, "datatype");
    ck_assert_str_eq(datatype->text, "FP32");
    ck_assert_ptr_null(tree_get(tree.open_input, "data"));
}

UNIT_TEST(body_of_a_route_has_at_most_64_kib)
{
    static unsigned char body[(64 << 10) + 1];
    struct api_request request = {.body = body, .body_len = sizeof(body) - 1};

    memset(body, ' ', sizeof(body));
    memcpy(body, "{}", 2);
    ck_assert_msg(tree_read_body(&tree, &request, &st), "%s", st.message);
    tree_free(&tree);
    request.body_len++;
    ck_assert(!tree_read_body(&tree, &request, &st));
    tree_free(&tree);
    ck_assert_int_eq(st.code, STATUS_TOO_LARGE);
    ck_assert_str_eq(st.message, "the body has 65537 bytes, but this route "
                                 "takes 65536 at most");
}

/* What flipd has written may be an array, and have any number of values. */
UNIT_TEST(own_text_may_be_an_array)
{
    char text[2 * TREE_MAX_VALUES + 6] = "[";

    for (int i = 0; i <= TREE_MAX_VALUES; i++)
        strcat(text, i ? ",1" : "1");
    strcat(text, "]");
    memset(&tree, 0xEE, sizeof(tree));
    ck_assert(tree_read_own(&tree, text, strlen(text), &st));
    ck_assert_int_eq(tree.root->kind, TREE_ARRAY);
    ck_assert_uint_eq(tree.root->count, TREE_MAX_VALUES + 1);
    tree_free(&tree);
}

UNIT_TEST(body_of_a_route_has_no_data)
{
    char text[] = "{\"inputs\":[{\"data\":[1,[2]]}]}";
    const struct api_request empty = {.body = NULL};
    const struct api_request request = {.body = (unsigned char *)text,
                                        .body_len = sizeof(text) - 1};
    const struct tree_value *data;

    ck_assert(!tree_read_body(&tree, &empty, &st));
    tree_free(&tree);
    ck_assert(tree_read_body(&tree, &request, &st));
    data = tree_get(tree_get(tree.root, "inputs")->first, "data");
    ck_assert_int_eq(data->kind, TREE_ARRAY);
    ck_assert_int_eq(data->first->next->kind, TREE_ARRAY);
    tree_free(&tree);
}
