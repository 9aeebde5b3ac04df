#include "server/mhd/io_selftest.h"

#include <microhttpd.h>
#include <unistd.h>

#include "server/mhd/io_adapter.h"

enum { TURNS = 8 }; /* calls of MHD_run(); four are needed */

/* libmicrohttpd sends a head alone with send(), a head and a body with
 * sendmsg(), and calls shutdown() after the last reply. */
static const char requests[] =
    "GET /head HTTP/1.1\r\nHost: x\r\n\r\n"
    "GET /body HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

static enum MHD_Result on_request(void *context, struct MHD_Connection *mhd,
                                  const char *url, const char *method,
                                  const char *version, const char *data,
                                  size_t *len, void **request_context)
{
    static const char body[] = "body";
    struct MHD_Response *response;
    enum MHD_Result queued;

    (void)context;
    (void)method;
    (void)version;
    (void)data;
    (void)len;
    if (!*request_context) { /* the headers; called again at the end */
        *request_context = mhd;
        return MHD_YES;
    }
    response = MHD_create_response_from_buffer_static(
        url[1] == 'b' ? sizeof(body) - 1 : 0, body);
    queued = MHD_queue_response(mhd, 200, response);
    MHD_destroy_response(response);
    return queued;
}

static void exchange(struct MHD_Daemon *mhd, const int pair[2])
{
    if (send(pair[1], requests, sizeof(requests) - 1, MSG_NOSIGNAL) < 0)
        close(pair[0]);
    else if (MHD_add_connection(mhd, pair[0], NULL, 0) == MHD_YES)
        for (int i = 0; i < TURNS; i++)
            MHD_run(mhd);
}

static const char *find_missing(unsigned arrived)
{
    static const char *const names[IO_CALLS] = {"recv", "send", "sendmsg",
                                                "shutdown", "epoll_wait"};

    for (int i = 0; i < IO_CALLS; i++)
        if (!(arrived & 1u << i))
            return names[i];
    return NULL;
}

const char *io_selftest_run(void)
{
    struct io_shared shared = {.progress = 0};
    struct io_adapter adapter = {.shared = &shared};
    const char *missing = "socketpair";
    struct MHD_Daemon *mhd;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return missing;
    mhd = MHD_start_daemon(MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL |
                               MHD_USE_NO_THREAD_SAFETY,
                           0, NULL, NULL, on_request, NULL, MHD_OPTION_END);
    if (mhd) {
        io_adapter_attach(&adapter);
        exchange(mhd, pair);
        MHD_stop_daemon(mhd);
        io_adapter_attach(NULL);
        missing = find_missing(adapter.arrived);
    } else {
        close(pair[0]);
    }
    close(pair[1]);
    return missing;
}
