/* The listening ports of a daemon: those of HTTP, of gRPC and of the admin.
 * Main thread only. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "server/net/acceptor.h"
#include "server/process/drain.h"
#include "server/systemd/activation.h"

struct ports {
    struct acceptor http;
    struct acceptor grpc;    /* on the loops of `http` */
    struct acceptor admin;   /* with a loop of its own */
    atomic_int admin_phase;  /* enum service_phase */
    struct activation given; /* sockets that the service manager has opened */
};

bool ports_has_grpc(const struct options *options);

/* Reads which sockets the service manager has opened: one of them is a port,
 * whatever the options say of its address. Fails with INVALID. */
bool ports_read_given(struct ports *ports, struct options *options,
                      struct status *st);

/* Listens on all ports that the service's options name; nobody is accepted yet.
 * Borrows `service`, `uv` and `drain`, which is told when a loop has ended.
 * Fails with INVALID, which names the address, and with NO_MEMORY. */
bool ports_open(struct ports *ports, struct service *service, uv_loop_t *uv,
                struct drain *drain, struct status *st);

/* Starts the loops and accepts from now on. Fails with NO_MEMORY. */
bool ports_start(struct ports *ports, const struct options *options,
                 struct status *st);

/* Waits for the end of the loops, which were told to stop, and frees them. */
void ports_join(struct ports *ports, const struct options *options);
