/* Infer requests by their model, on ask(). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/api/ask.h"

struct answer ask_get(const char *path)
{
    return ask(&(struct ask){.method = "GET", .path = path});
}

void ask_quote(char *text)
{
    for (; *text; text++)
        *text = *text == '\'' ? '"' : *text;
}

struct answer ask_infer(const char *model, const char *json,
                        struct ask question)
{
    char path[256];
    char *text = strdup(json);
    struct answer a;

    ask_quote(text);
    snprintf(path, sizeof(path), "/v2/models/%s/infer", model);
    question.path = path;
    question.json = text;
    a = ask(&question);
    free(text);
    return a;
}

struct answer ask_header(const char *model, const char *header,
                         const char *json, const void *tail, size_t len)
{
    return ask_infer(
        model, json,
        (struct ask){.header = header, .tail = tail, .tail_len = len});
}

struct answer ask_json(const char *model, const char *json)
{
    return ask_header(model, NULL, json, NULL, 0);
}

struct answer ask_binary(const char *model, const char *json, const void *tail,
                         size_t len)
{
    char header[32];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    return ask_header(model, header, json, tail, len);
}
