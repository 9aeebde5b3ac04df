#include "kernels/core/cancel.h"

_Thread_local void (*cancel_pause)(void);

bool cancel_requested(const atomic_bool *flag)
{
    if (cancel_pause)
        cancel_pause();
    return flag && atomic_load_explicit(flag, memory_order_relaxed);
}
