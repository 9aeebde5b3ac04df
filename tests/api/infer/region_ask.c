#include "tests/api/infer/region_ask.h"

#include "tests/api/ask_region.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned char region_memory[REGION_SIZE];

static struct ask_region regions[] = {
    {.name = "r", .data = region_memory, .size = REGION_SIZE},
    {.name = "lost", .size = REGION_SIZE},
    {.name = NULL}};

static struct answer ask_with(const char *model, const char *json,
                              const void *tail, size_t len,
                              struct ask_region *list)
{
    char path[64], header[24];
    char *text = strdup(json);
    struct answer a;

    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    snprintf(path, sizeof(path), "/v2/models/%s/infer", model);
    snprintf(header, sizeof(header), "%zu", strlen(json));
    a = ask(&(struct ask){.path = path,
                          .header = header,
                          .json = text,
                          .tail = tail,
                          .tail_len = len,
                          .regions = list});
    free(text);
    return a;
}

struct answer region_ask(const char *model, const char *json, const void *tail,
                         size_t len)
{
    return ask_with(model, json, tail, len, regions);
}

struct answer region_ask_json(const char *model, const char *json)
{
    return ask_with(model, json, NULL, 0, regions);
}

struct answer region_ask_off(const char *model, const char *json)
{
    return ask_with(model, json, NULL, 0, NULL);
}

struct answer region_get(const char *path)
{
    return ask(
        &(struct ask){.method = "GET", .path = path, .regions = regions});
}
