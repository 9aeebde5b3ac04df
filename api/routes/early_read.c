/* What api.h offers for a body that is still arriving. */
#include <stdlib.h>

#include "api/api.h"
#include "api/wire/early_read.h"

struct early_read *api_early_new(void)
{
    return calloc(1, sizeof(struct early_read));
}

void api_early_free(struct early_read *early)
{
    free(early);
}

size_t api_early_capacity(const struct early_read *early, size_t len)
{
    return early_read_wants_memory(early) ? early_read_capacity(len) : 0;
}

void api_early_lend(struct early_read *early, void *memory, size_t capacity)
{
    early_read_lend(early, memory, capacity);
}

void api_early_read(struct early_read *early, const unsigned char *body,
                    size_t len)
{
    early_read_continue(early, body, len);
}
