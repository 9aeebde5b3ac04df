/* How nghttp2 is set up: callbacks, limits, settings, windows. */
#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#include "server/grpc/session.h"

enum {
    /* SETTINGS and PING that are not acknowledged yet; entries of a SETTINGS
     * frame; CONTINUATION frames of one header block. */
    MOST_ACKS = 100,
    MOST_SETTINGS = 16,
    MOST_CONTINUATIONS = 8,
};

bool session_setup_init(struct port *port)
{
    if (nghttp2_session_callbacks_new(&port->callbacks) != 0 ||
        nghttp2_option_new(&port->option) != 0)
        return false;
    session_frames_set(port->callbacks);
    nghttp2_option_set_no_auto_window_update(port->option, 1);
    nghttp2_option_set_max_outbound_ack(port->option, MOST_ACKS);
    nghttp2_option_set_max_settings(port->option, MOST_SETTINGS);
    nghttp2_option_set_max_continuations(port->option, MOST_CONTINUATIONS);
    /* metadata_add() strips what this lets through. */
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation(
        port->option, 1);
    return true;
}

static bool submit_settings(struct session *session)
{
    const struct options *options = loop_context_options(session->port->loop);
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
         (uint32_t)options->grpc_max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, SESSION_WINDOW},
        {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, SESSION_FRAME},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, METADATA_MAX},
    };

    return nghttp2_submit_settings(session->h2, NGHTTP2_FLAG_NONE, settings,
                                   sizeof(settings) / sizeof(settings[0])) ==
               0 &&
           nghttp2_session_set_local_window_size(session->h2, NGHTTP2_FLAG_NONE,
                                                 0, SESSION_WINDOW_ALL) == 0;
}

/* nghttp2 cannot go on without memory: what it was asked to send would never
 * be sent, and whoever waits for it would wait for ever. So its session is over
 * wherever it lacks some. */
static void *note(void *memory, struct session *session)
{
    session->failed |= memory == NULL;
    return memory;
}

static void *allocate(size_t size, void *session)
{
    return note(malloc(size ? size : 1), session);
}

static void *allocate_zeroed(size_t count, size_t size, void *session)
{
    return note(calloc(count ? count : 1, size ? size : 1), session);
}

static void *grow(void *memory, size_t size, void *session)
{
    return note(realloc(memory, size ? size : 1), session);
}

static void give(void *memory, void *session)
{
    (void)session;
    free(memory);
}

bool session_open_h2(struct session *session)
{
    nghttp2_mem memory = {session, allocate, give, allocate_zeroed, grow};
    const struct options *options = loop_context_options(session->port->loop);
    uint64_t resets = (uint64_t)options->grpc_max_resets;

    flood_init(&session->flood, resets, session_now_ms(session));
    return nghttp2_session_server_new3(&session->h2, session->port->callbacks,
                                       session, session->port->option,
                                       &memory) == 0 &&
           submit_settings(session);
}
