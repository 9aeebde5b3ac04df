/* What this room assumes of libmicrohttpd beyond its manual, for a daemon with
 * MHD_USE_EPOLL and no thread of its own. A turn is a call of MHD_run().
 *
 * Each row names the test of tests/server/mhd/test_assumptions.c that checks it
 * against the library alone: a version that breaks one fails by its name. */
#pragma once

/* clang-format off */
#define MHD_ASSUMPTIONS(X)                                                     \
    /* body_receive and sliced_send return EINTR to be called again at once:   \
     * the connection stays ready, and the next turn makes the same call. */   \
    X(recv_after_eintr_is_called_in_the_next_turn)                             \
    X(send_after_eintr_is_called_with_the_same_bytes)                          \
    /* EAGAIN, or a count below the one that was asked for, means that the     \
     * socket is empty or full: no call before epoll reports the socket. */    \
    X(recv_after_eagain_waits_for_the_socket)                                  \
    X(recv_after_a_short_count_waits_for_the_socket)                           \
    X(send_after_eagain_waits_for_the_socket)                                  \
    X(send_after_a_short_count_goes_on_when_the_socket_has_room)               \
    /* body_receive reports bytes that it holds in full counts: the connection \
     * stays ready, though the socket is empty. */                             \
    X(recv_after_a_full_count_is_called_in_the_next_turn)                      \
    /* An epoll_wait() that reports nothing keeps no ready connection waiting. */\
    X(ready_connections_are_served_when_epoll_reports_nothing)                 \
    /* Each ready connection has one call of recv() in a turn, so others are   \
     * served between the calls of one. */                                     \
    X(ready_connections_take_turns)                                            \
    /* As many bytes of a body are handed on as recv() counted, whatever they  \
     * are, and bytes after its end are the next request's. */                 \
    X(a_body_is_handed_on_as_counted)                                          \
    /* The loop sleeps only when MHD_get_timeout64() is not 0. */              \
    X(the_timeout_is_0_while_a_connection_is_ready)                            \
    /* A resumed connection has its access handler called again, and counts as \
     * ready: recv() is called for bytes that the transport read ahead. */     \
    X(a_resumed_connection_is_called_and_ready)                                \
    /* The self-test sees send() and sendmsg() by these. */                    \
    X(a_head_alone_is_sent_by_send)                                            \
    X(a_head_and_a_body_are_sent_by_one_sendmsg)                               \
    /* io_stack replaces an error of libmicrohttpd's own by ours: it comes whole\
     * in one call, its page in the second part. */                            \
    X(an_own_error_is_sent_by_one_sendmsg)                                     \
    /* A list of pieces is sent by sendmsg() with at most one part more. */    \
    X(a_list_is_sent_by_sendmsg)                                               \
    /* MHD_add_connection() allocates a connection's memory by one malloc() of   \
     * MHD_OPTION_CONNECTION_MEMORY_LIMIT bytes, and gives it back by free(). */ \
    X(the_memory_is_allocated_when_a_connection_is_added)                       \
    /* Between two requests the memory holds zeros. */                          \
    X(the_memory_holds_zeros_between_requests)                                  \
    /* TLS sends close_notify there. */                                        \
    X(shutdown_is_called_after_the_last_reply)                                \
    /* A reply after which the connection is closed has "Connection: close" next \
     * to its date: io_stack looks there only. */                              \
    X(the_last_reply_says_so_in_its_third_line)                                \
    /* MHD_add_connection() reports the connection before it returns. */       \
    X(an_added_connection_is_reported_at_once)
/* clang-format on */
