#include "tests/api/models/model_case.h"

#include <stdlib.h>
#include <string.h>

#include "tests/api/ask.h"

struct model_set *model_case_read(const char *text,
                                  const struct model_set *previous,
                                  struct status *st)
{
    char *json = strdup(text);
    struct model_set *read;

    ask_quote(json);
    read = api_models_read(json, strlen(json), previous, st);
    free(json);
    return read;
}
