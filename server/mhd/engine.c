#include "server/mhd/engine.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "server/http/connection.h"
#include "server/http/loop.h"

enum {
    /* Bytes a connection for its request line, headers and what is read of the
     * body at a time. It is cleared for each request, so larger is slower:
     * 4 KiB POSTs ran at 171 k/s with 32 KiB and 62 k/s with 256 KiB. */
    CONNECTION_MEMORY = 32 << 10,
    /* Refuse what RFC 9112 wants refused, be lenient in nothing that changes
     * where a request ends. 2 and 3 refuse what honest clients send. */
    DISCIPLINE = 1,
};

__attribute__((format(printf, 2, 0))) static void
on_log(void *context, const char *format, va_list args)
{
    struct log *log = context;
    char text[512];

    if (!log_wants(log, LOG_DEBUG))
        return;
    vsnprintf(text, sizeof(text), format, args);
    text[strcspn(text, "\n")] = '\0';
    log_message(log, LOG_DEBUG, text);
}

/* The path stays as it was sent: api/ decodes what it must. */
static size_t keep_escapes(void *context, struct MHD_Connection *mhd,
                           char *text)
{
    (void)context;
    (void)mhd;
    return strlen(text);
}

static struct connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info->socket_context;
}

static void on_connection(void *context, struct MHD_Connection *mhd,
                          void **socket_context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct loop *loop = context;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        loop->adding->mhd = mhd;
        *socket_context = loop->adding;
        loop->adding = NULL;
    } else {
        connection_free(*socket_context);
    }
}

static void *on_request_line(void *context, const char *uri,
                             struct MHD_Connection *mhd)
{
    struct connection *connection = connection_of(mhd);

    (void)context;
    exchange_open(connection, uri);
    return connection;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *mhd,
                                  const char *url, const char *method,
                                  const char *version, const char *data,
                                  size_t *len, void **request_context)
{
    struct loop *loop = context;

    (void)mhd;
    (void)version;
    loop->calls++;
    return exchange_call(*request_context, url, method, data, len);
}

static void on_completed(void *context, struct MHD_Connection *mhd,
                         void **request_context,
                         enum MHD_RequestTerminationCode how)
{
    (void)context;
    (void)mhd;
    exchange_close(*request_context, how);
}

struct MHD_Daemon *engine_start(struct loop *loop)
{
    const struct service *service = loop->service;

    return MHD_start_daemon(
        MHD_USE_NO_LISTEN_SOCKET | MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME |
            MHD_USE_NO_THREAD_SAFETY | MHD_USE_ERROR_LOG,
        0, NULL, NULL, on_request, loop, /* the logger must come first */
        MHD_OPTION_EXTERNAL_LOGGER, on_log, service->jobs.log,
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, DISCIPLINE,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned int)loop->profile->limit,
        MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_UNESCAPE_CALLBACK,
        keep_escapes, NULL, MHD_OPTION_URI_LOG_CALLBACK, on_request_line, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, loop,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL, MHD_OPTION_END);
}

int engine_fd(struct MHD_Daemon *engine)
{
    return MHD_get_daemon_info(engine, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

bool engine_is_ours(void)
{
    Dl_info engine, own;

    return dladdr((void *)(uintptr_t)MHD_run, &engine) &&
           dladdr((void *)(uintptr_t)engine_is_ours, &own) &&
           engine.dli_fbase == own.dli_fbase;
}

void engine_stop(struct MHD_Daemon *engine)
{
    MHD_stop_daemon(engine);
}
