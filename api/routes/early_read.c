/* What api.h offers for a body that is still arriving. */
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "api/routes/wire_format.h"
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

uint64_t api_timeout(const struct api_request *request)
{
    return wire_format_choose(request)->timeout(request);
}

bool api_may_use_shm(const struct api_request *request)
{
    static const char key[] = "shared_memory_region";
    size_t len = wire_format_json_length(request);

    /* With a backslash the key may be written with escapes. */
    return len > 0 && (memchr(request->body, '\\', len) ||
                       memmem(request->body, len, key, sizeof(key) - 1));
}
