#include "server/mhd/io_stack.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static ssize_t socket_recv(void *self, void *data, size_t size)
{
    return recv(*(const int *)self, data, size, 0);
}

static ssize_t socket_sendv(void *self, const struct iovec *parts, size_t count,
                            int flags)
{
    /* sendmsg() does not write there; its type only cannot say so. */
    struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)parts,
                             .msg_iovlen = count};

    return sendmsg(*(const int *)self, &message, flags);
}

static bool socket_set_lowat(void *self, int bytes)
{
    return setsockopt(*(const int *)self, SOL_SOCKET, SO_RCVLOWAT, &bytes,
                      sizeof(bytes)) == 0;
}

const struct socket_io plain_socket_io = {
    .recv = socket_recv,
    .sendv = socket_sendv,
    .set_lowat = socket_set_lowat,
};

void io_stack_init(struct io_stack *stack, int fd,
                   struct socket_layer transport, struct io_shared *shared)
{
    stack->fd = fd;
    stack->transport =
        transport.io ? transport
                     : (struct socket_layer){&plain_socket_io, &stack->fd};
    stack->established = !stack->transport.io->handshake;
    stack->receive.below = stack->send.below = stack->transport;
    stack->receive.shared = stack->send.shared = shared;
}

/* As recv(); 1 when the handshake is done. */
static ssize_t shake_hands(struct io_stack *stack)
{
    const struct socket_layer *transport = &stack->transport;
    ssize_t result = transport->io->handshake(transport->self);

    if (result > 0) {
        stack->established = true;
        stack->on_established(stack->context);
    } else if (!stack->refused && transport->io->fault(transport->self)) {
        stack->refused = true;
        stack->on_refused(stack->context);
    }
    return result;
}

ssize_t io_stack_recv(struct io_stack *stack, void *data, size_t size)
{
    ssize_t result;

    if (!stack->memory) /* its first call reads to the begin (assumptions.h) */
        stack->memory = data;
    if (!stack->established) {
        result = shake_hands(stack);
        if (result <= 0)
            return result;
    }
    result = body_receive_recv(&stack->receive, data, size);
    if (result > 0)
        stack->on_received(stack->context);
    return result;
}

static bool holds_zeros(const unsigned char *memory, size_t size)
{
    return memory[0] == 0 && memcmp(memory, memory + 1, size - 1) == 0;
}

void io_stack_trim(struct io_stack *stack)
{
    void *memory = stack->memory;

    if (memory && (uintptr_t)memory % IO_STACK_PAGE == 0 &&
        sysconf(_SC_PAGESIZE) == IO_STACK_PAGE &&
        holds_zeros(memory, IO_STACK_MEMORY))
        madvise(memory, IO_STACK_MEMORY, MADV_DONTNEED);
}

int io_stack_shutdown(struct io_stack *stack, int how)
{
    if (stack->transport.io->shutdown)
        stack->transport.io->shutdown(stack->transport.self);
    return shutdown(stack->fd, how);
}
