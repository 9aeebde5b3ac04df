#include <stdlib.h>

#include "server/net/acceptor.h"

bool acceptor_start_loops(struct acceptor *acceptor, int first, int count,
                          struct status *st)
{
    struct job_context *jobs = &acceptor->service->jobs;
    struct loop *loops =
        aligned_alloc(_Alignof(struct loop), (size_t)count * sizeof(*loops));

    if (!loops)
        return status_fail(st, STATUS_NO_MEMORY, "no memory to start");
    acceptor->entry.loops = loops;
    for (int i = 0; i < count; i++) {
        if (!loop_start(&loops[i], acceptor->service, &acceptor->profile,
                        first + i, st))
            return false;
        jobs->metrics[jobs->metrics_count++] = &loops[i].context.metrics;
        acceptor->entry.loop_count++;
    }
    jobs->metrics[jobs->metrics_count++] = &acceptor->metrics;
    return true;
}

void acceptor_pair(struct acceptor *acceptor, struct acceptor *other)
{
    acceptor->other = other;
    other->other = acceptor;
}

void acceptor_share_loops(struct acceptor *acceptor)
{
    struct job_context *jobs = &acceptor->service->jobs;

    acceptor->entry.loops = acceptor->other->entry.loops;
    acceptor->entry.loop_count = acceptor->other->entry.loop_count;
    acceptor->borrows_loops = true;
    jobs->metrics[jobs->metrics_count++] = &acceptor->metrics;
}

void acceptor_set_phase(struct acceptor *acceptor, enum service_phase phase)
{
    atomic_store(acceptor->profile.phase, phase);
    for (int i = 0; i < acceptor->entry.loop_count; i++)
        loop_wake(&acceptor->entry.loops[i]);
}

void acceptor_join(struct acceptor *acceptor)
{
    int count = acceptor->borrows_loops ? 0 : acceptor->entry.loop_count;

    for (int i = 0; i < count; i++)
        loop_join(&acceptor->entry.loops[i]);
    if (!acceptor->borrows_loops)
        free(acceptor->entry.loops);
    entry_abort(&acceptor->entry);
}
