#include "tests/api/infer/region_ask.h"

#include <stdio.h>
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
    char header[24];

    snprintf(header, sizeof(header), "%zu", strlen(json));
    return ask_infer(
        model, json,
        (struct ask){
            .header = header, .tail = tail, .tail_len = len, .regions = list});
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
