/* Where a call comes from. The unwinder of gcc allocates nothing. */
#include <dlfcn.h>
#include <unwind.h>

#include "tests/torture/control.h"

/* FNV-1a, of 64 bits at a time. */
static _Unwind_Reason_Code add(struct _Unwind_Context *frame, void *state)
{
    uint64_t *hash = state;
    uintptr_t at = _Unwind_GetIP(frame);
    struct dl_find_object object;

    if (_dl_find_object((void *)at, &object) == 0)
        at -= (uintptr_t)object.dlfo_map_start;
    *hash = (*hash ^ at) * 0x100000001b3;
    return _URC_NO_REASON;
}

uint64_t torture_stack(void)
{
    uint64_t hash = 0xcbf29ce484222325;

    _Unwind_Backtrace(add, &hash);
    return hash;
}
