/* api_timeout(): seen without reading the request, and never where there is
 * none. */
#include "api/api.h"
#include "tests/edge.h"
#include "tests/heap_in_use.h"
#include "tests/unit.h"

enum { LONG = 40 << 10 }; /* bytes of an array: six of them are read */

/* In a document ' stands for ", and % for a long array. */
static const struct {
    const char *document;
    uint64_t timeout_us;
} rows[] = {
    {"{'parameters':{'timeout':7},'inputs':%}", 7},
    {"{'inputs':%,'parameters':{'timeout':7}}", 7},
    {"{'inputs':%,'parameters':{'timeout':7}} \n", 7},
    {"{'inputs':%,'parameters' : { 'a':'}','timeout'\t: 7 ,'b':[1]},'c':[]}",
     7},
    {"{'inputs':%,'outputs':[{'parameters':{'a':1}}],"
     "'parameters':{'timeout':'20000'}}",
     20000},
    {"{'parameters':{'timeout':'007'},'inputs':%}", 7}, /* as for the worker */
    {"{'id':'parameters','parameters':{'timeout':7},'inputs':%}", 7},
    {"{'parameters':{'timeout':7},'inputs':[{'name':'timeout'}]}", 7},
    {"{'parameters':{'timeout':999999999999999999},'inputs':%}",
     999999999999999999U},
    {"{'parameters':{'timeout':7e3},'inputs':%}", 7000},
    {"{'parameters':{'timeout':700.00e-2},'inputs':%}", 7},
    {"{'p\\u0061rameters':{'\\u0074imeout':7},'inputs':%}", 7},
    {"{'inputs':%,'parameters':{'timeout':7},'a':%}", 7},
    {"{'inputs':[{'data':%},{'data':%},%,%,%,%],'parameters':{'timeout':7}}",
     7},
    {"{'parameters':{'timeout':0},'inputs':%}", 0},
    {"{'parameters':{'timeout':1}}", 1},
    {"{'parameters':{'timeout':1.5e3},'x':[{},[],'']}", 1500},
    {"{'parameters':{'timeout':9223372036854775807}}", INT64_MAX},
    /* There is none. */
    {"{", 0},
    {"[]", 0},
    {"{'parameters':7}", 0},
    {"{'parameters':{'timeout':null}}", 0},
    {"{'inputs':%,'outputs':[]}", 0},
    {"{'inputs':%,'timeout':7}", 0},
    {"{'timeout':7,'inputs':%}", 0},
    {"{'a':{'timeout':7},'inputs':%}", 0},
    {"{'inputs':%,'a':{'timeout':7}}", 0},
    {"{'inputs':%,'a':{'parameters':{'timeout':7}}}", 0},
    {"{'a':{'parameters':{'timeout':7}},'inputs':%}", 0},
    {"{'inputs':[{'data':%,'parameters':{'timeout':7}}]}", 0},
    {"{'inputs':%,'parameters':{'a':{'timeout':7}}}", 0},
    {"{'inputs':%,'parameters':{'a':'timeout'}}", 0},
    {"{'inputs':[{'data':['parameters','timeout',%]}],'parameters':{}}", 0},
    {"{'inputs':[{'data':[%,'parameters','timeout']}]}", 0},
    {"{'inputs':%,'parameters':{'a':'\\'timeout\\':7'}}", 0},
    {"{'parameters':{},'a':{'timeout':7},'inputs':%}", 0},
    /* What the worker refuses, it shall refuse. */
    {"{'parameters':{'timeout':-7},'inputs':%}", 0},
    {"{'parameters':{'timeout':-1}}", 0},
    {"{'parameters':{'timeout':'-1'}}", 0},
    {"{'parameters':{'timeout':[7]}}", 0},
    {"{'parameters':{'timeout':9223372036854775808}}", 0},
    {"{'parameters':{'timeout':'9223372036854775808'}}", 0},
    {"{'parameters':{'timeout':7.5},'inputs':%}", 0},
    {"{'parameters':{'timeout':9999999999999999999},'inputs':%}", 0},
    {"{'parameters':{'timeout':7e300},'inputs':%}", 0},
    {"{'parameters':{'timeout':07},'inputs':%}", 0},
    {"{'parameters':{'timeout':true},'inputs':%}", 0},
    {"{'parameters':{'timeout':'7 s'},'inputs':%}", 0},
    {"{'inputs':%,'parameters':{'timeout':7}", 0},
    {"{'inputs':%,'parameters':{'timeout':7}}}", 0},
    {"{'inputs':%,'parameters':{'timeout':7}}x", 0},
    {"{'inputs':%,'parameters':{'timeout'", 0},
    {"{'inputs':%,'parameters':{'timeout':", 0},
    {"{'inputs':%,'parameters':{'timeout':'", 0},
    {"", 0},
    /* Too long. */
    {"{'parameters':{'timeout':7},'inputs':[%,%,%,%,%,%,%]}", 0},
};

/* Nothing may be read behind it: see edge.h. */
static unsigned char *write_out(const char *text, size_t *len)
{
    unsigned char *block = malloc(strlen(text) + 7 * LONG + 1), *exact;

    ck_assert_ptr_nonnull(block);
    *len = 0;
    for (; *text; text++) {
        if (*text == '%') {
            memset(block + *len, '1', LONG);
            block[*len] = '[';
            block[*len + 1] = block[*len + LONG - 2] = '"';
            block[*len + LONG - 1] = ']';
            *len += LONG;
        } else {
            block[(*len)++] = (unsigned char)(*text == '\'' ? '"' : *text);
        }
    }
    exact = edge_new(*len);
    memcpy(exact, block, *len);
    free(block);
    return exact;
}

LOOP_TEST(timeout_is_seen_where_it_stands, COUNT(rows))
{
    struct api_request request = {.method = "POST"};
    size_t before;

    request.body = write_out(rows[_i].document, &request.body_len);
    before = heap_in_use();
    ck_assert_uint_eq(api_timeout(&request), rows[_i].timeout_us);
    ck_assert(!heap_is_exact() || heap_in_use() <= before);
    edge_free(request.body, request.body_len);
}

/* With every number of bytes up to the whole: nothing past them is read. */
UNIT_TEST(timeout_of_a_part_is_none)
{
    static const char document[] =
        "{'inputs':[{'a':'b'}],'parameters':{'timeout':'7','b':1}}";

    for (size_t len = 0; len < sizeof(document); len++) {
        struct api_request request = {.method = "POST"};
        char part[sizeof(document)];

        snprintf(part, len + 1, "%s", document);
        request.body = write_out(part, &request.body_len);
        ck_assert_uint_eq(api_timeout(&request),
                          len == sizeof(document) - 1 ? 7 : 0);
        edge_free(request.body, request.body_len);
    }
}

/* Tensors behind the document are not read. A wrong header will be refused. */
UNIT_TEST(timeout_of_a_binary_request_is_in_its_head)
{
    static const char document[] = "{'parameters':{'timeout':7},'inputs':[]}"
                                   "{'parameters':{'timeout':8},'inputs':[]}";
    static const struct {
        const char *header;
        uint64_t timeout_us;
    } heads[] = {{"40", 7}, {"0", 0}, {"10", 0}, {"x", 0}, {"99999", 0}};

    for (size_t i = 0; i < COUNT(heads); i++) {
        struct api_request request = {.method = "POST",
                                      .inference_header = heads[i].header};

        request.body = write_out(document, &request.body_len);
        ck_assert_uint_eq(api_timeout(&request), heads[i].timeout_us);
        edge_free(request.body, request.body_len);
    }
}

UNIT_TEST(timeout_of_an_array_file_is_in_the_query)
{
    static const struct {
        const char *query;
        uint64_t timeout_us;
    } queries[] = {
        {NULL, 0},         {"", 0},
        {"timeout=7", 7},  {"timeout=", 0},
        {"timeout=7x", 0}, {"a=1&timeout=7&b=2", 7},
        {"xtimeout=7", 0}, {"a=timeout", 0},
        {"timeout=-7", 0}, {"timeouts=7&timeout=9", 9},
    };
    static unsigned char body[] = "{\"parameters\":{\"timeout\":9}}";

    for (size_t i = 0; i < COUNT(queries); i++) {
        struct api_request request = {.method = "POST",
                                      .query = queries[i].query,
                                      .content_type = "application/x-npy",
                                      .body = body,
                                      .body_len = sizeof(body) - 1};

        ck_assert_uint_eq(api_timeout(&request), queries[i].timeout_us);
    }
}
