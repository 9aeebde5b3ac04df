#include "server/mhd/io_adapter.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct io_adapter *own; /* borrowed */

static bool grow(struct io_adapter *adapter, size_t least)
{
    size_t size = adapter->size ? adapter->size : 64;
    struct io_stack **stacks;

    while (size < least)
        size *= 2;
    stacks = realloc(adapter->stacks, size * sizeof(stacks[0]));
    if (!stacks)
        return false;
    memset(stacks + adapter->size, 0,
           (size - adapter->size) * sizeof(stacks[0]));
    adapter->stacks = stacks;
    adapter->size = size;
    return true;
}

bool io_adapter_add(struct io_adapter *adapter, struct io_stack *stack)
{
    size_t fd = (size_t)stack->fd;

    if (fd >= adapter->size && !grow(adapter, fd + 1))
        return false;
    adapter->stacks[fd] = stack;
    return true;
}

void io_adapter_remove(struct io_adapter *adapter, const struct io_stack *stack)
{
    size_t fd = (size_t)stack->fd;

    if (fd < adapter->size && adapter->stacks[fd] == stack)
        adapter->stacks[fd] = NULL;
}

void io_adapter_attach(struct io_adapter *adapter)
{
    own = adapter;
}

static struct io_stack *find(int fd, enum io_call call)
{
    if (!own)
        return NULL;
    own->arrived |= 1u << call;
    return (size_t)fd < own->size ? own->stacks[fd] : NULL;
}

ssize_t io_adapter_recv(int fd, void *data, size_t size, int flags)
{
    struct io_stack *stack = find(fd, IO_RECV);

    if (!stack || (flags & MSG_PEEK))
        return recv(fd, data, size, flags);
    return io_stack_recv(stack, data, size);
}

ssize_t io_adapter_send(int fd, const void *data, size_t size, int flags)
{
    struct io_stack *stack = find(fd, IO_SEND);
    /* sendmsg() does not write there; its type only cannot say so. */
    struct iovec part = {.iov_base = (void *)(uintptr_t)data, .iov_len = size};

    if (!stack)
        return send(fd, data, size, flags);
    return io_stack_sendv(stack, &part, 1, flags);
}

ssize_t io_adapter_sendmsg(int fd, const struct msghdr *message, int flags)
{
    struct io_stack *stack = find(fd, IO_SENDMSG);

    if (!stack)
        return sendmsg(fd, message, flags);
    return io_stack_sendv(stack, message->msg_iov, message->msg_iovlen, flags);
}

int io_adapter_shutdown(int fd, int how)
{
    struct io_stack *stack = find(fd, IO_SHUTDOWN);

    return stack ? io_stack_shutdown(stack, how) : shutdown(fd, how);
}

void *io_adapter_malloc(size_t size)
{
    void *state;

    if (size != SLOT_MEMORY || !own || !own->adopting)
        return malloc(size);
    state = own->adopting;
    own->adopting = NULL;
    return slots_lend(own->slots, state);
}

void io_adapter_free(void *memory)
{
    if (!own || !own->slots || !slots_return(own->slots, memory))
        free(memory);
}
