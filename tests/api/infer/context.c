#include "tests/api/infer/context.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>

#include "tests/api/documents.h"

enum { TEXT_MAX = 4096 };

struct answer ask_gradient(const char *context)
{
    char json[TEXT_MAX];

    snprintf(json, sizeof(json),
             "{'parameters':{'backward_context':'%s'},'inputs':[" INPUT(
                 "dY", "FP32", "[2,2]", "[1,2,3,4]") "]}",
             context);
    return ask_json(GRAD, json);
}

void context_of_answer(struct answer a, char *context)
{
    json_t *root = json_loadb(a.body, a.len, 0, NULL);
    const char *text;

    ck_assert_int_eq(
        json_unpack(root, "{s:{s:s}}", "parameters", "backward_context", &text),
        0);
    snprintf(context, CONTEXT_MAX, "%s", text);
    json_decref(root);
    answer_free(&a);
}

void context_of_example(char *context)
{
    context_of_answer(ask_json(GRAIPHIC, DOCUMENT("")), context);
}
