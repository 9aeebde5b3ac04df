#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/net/listen.h"
#include "tests/server/descriptors.h"
#include "tests/unit.h"

enum { WITHIN_MS = 10000 };

static struct listen_address address;
static struct status st;

static const struct {
    const char *address;
    const char *text;
} spelled[] = {
    {"127.0.0.1", "127.0.0.1:81"},
    {"localhost", "127.0.0.1:81"},
    {"0.0.0.0", "0.0.0.0:81"},
    {"::", "[::]:81"},
    {"[::]", "[::]:81"},
    {"[2001:db8::7]", "[2001:db8::7]:81"},
    {"[0000:0000:0000:0000:0000:ffff:255.255.255.255]",
     "[::ffff:255.255.255.255]:81"},
    {"unix:/run/a.sock", "unix:/run/a.sock"},
};

static struct options options;

static void parse(const char *http_address, int port)
{
    options = (struct options){.http_address = http_address, .http_port = port};
    ck_assert_msg(listen_parse(&options, LISTEN_HTTP, &address, &st), "%s",
                  st.message);
}

static void has_text(const struct listen_address *of, const char *expected)
{
    char text[LISTEN_TEXT_SIZE];

    listen_text(of, text);
    ck_assert_str_eq(text, expected);
}

LOOP_TEST(listen_reads_addresses, COUNT(spelled))
{
    parse(spelled[_i].address, 81);
    has_text(&address, spelled[_i].text);
}

static const char *const refused[] = {
    "localhost.",   "LOCALHOST",
    "localhost:80", "127.1",
    "[::1",         "1.2.3.4:5",
    "unix:",        "example.org",
    "::1]",         "[]",
    "[::1]:80",     "[127.0.0.1]",
    "[[::1]]",      "[",
    "[::1%lo]",     "[0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:1]",
};

LOOP_TEST(listen_refuses_names_and_empty_paths, COUNT(refused))
{
    options.http_address = refused[_i];
    ck_assert(!listen_parse(&options, LISTEN_HTTP, &address, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "--http-address"));
}

static const struct {
    const char *address, *admin_address;
    const char *text;
} admins[] = {
    {"127.0.0.1", NULL, "127.0.0.1:82"},
    {"::", NULL, "[::]:82"},
    {"unix:/run/a.sock", NULL, "127.0.0.1:82"},
    {"unix:/run/a.sock", "::1", "[::1]:82"},
    {"0.0.0.0", "localhost", "127.0.0.1:82"},
};

LOOP_TEST(listen_has_an_address_of_its_own_for_the_admin_port, COUNT(admins))
{
    options = (struct options){.http_address = admins[_i].address,
                               .http_port = 81,
                               .admin_address = admins[_i].admin_address,
                               .admin_port = 82};
    ck_assert(listen_parse(&options, LISTEN_ADMIN, &address, &st));
    has_text(&address, admins[_i].text);
    options.admin_address = "unix:/run/b.sock";
    ck_assert(!listen_parse(&options, LISTEN_ADMIN, &address, &st));
    ck_assert_str_eq(st.message,
                     "--admin-address is \"unix:/run/b.sock\", but must be an "
                     "IPv4 or IPv6 address in numbers or localhost");
}

static const struct {
    const char *address, *grpc_address;
    const char *text;
} grpcs[] = {
    {"::1", NULL, "[::1]:83"},
    {"unix:/run/a.sock", NULL, "127.0.0.1:83"},
    {"unix:/run/a.sock", "unix:/run/b.sock", "unix:/run/b.sock"},
    {"0.0.0.0", "unix:/run/b.sock", "unix:/run/b.sock"},
    {"0.0.0.0", "localhost", "127.0.0.1:83"},
};

LOOP_TEST(listen_has_an_address_of_its_own_for_grpc, COUNT(grpcs))
{
    options = (struct options){.http_address = grpcs[_i].address,
                               .http_port = 81,
                               .admin_port = 82,
                               .grpc_address = grpcs[_i].grpc_address,
                               .grpc_port = 83};
    ck_assert(listen_parse(&options, LISTEN_GRPC, &address, &st));
    has_text(&address, grpcs[_i].text);
    ck_assert(listen_check(&options, &st));
    options.grpc_address = "unix:";
    ck_assert(!listen_check(&options, &st));
    ck_assert_str_eq(st.message, "--grpc-address: the path of a unix socket "
                                 "has 1..107 bytes, this one 0");
    options.http_address = options.grpc_address = "unix:/run/c.sock";
    ck_assert(!listen_check(&options, &st));
    ck_assert_str_eq(st.message, "--http-address and --grpc-address are both "
                                 "unix:/run/c.sock");
}

/* Both ports are 81. */
static const struct {
    const char *address, *admin_address;
    bool fit;
} pairs[] = {
    {"127.0.0.1", NULL, false},       {"localhost", "127.0.0.1", false},
    {"127.0.0.1", "127.0.0.2", true}, {"0.0.0.0", "127.0.0.1", false},
    {"127.0.0.1", "0.0.0.0", false},  {"::", "127.0.0.1", false},
    {"127.0.0.1", "::", false},       {"::1", "::", false},
    {"::1", "0.0.0.0", true},         {"::1", "::1", false},
    {"unix:/run/a.sock", NULL, true},
};

LOOP_TEST(listen_refuses_one_port_for_both, COUNT(pairs))
{
    options = (struct options){.http_address = pairs[_i].address,
                               .http_port = 81,
                               .admin_address = pairs[_i].admin_address,
                               .admin_port = 81};
    ck_assert_int_eq(listen_check(&options, &st), pairs[_i].fit);
    if (!pairs[_i].fit)
        ck_assert_ptr_nonnull(
            strstr(st.message, "--http-port and --admin-port are both 81: "));
    options.admin_port = 82;
    ck_assert(listen_check(&options, &st));
    options.admin_port = options.http_port = 0;
    ck_assert(listen_check(&options, &st));
}

/* Without a gRPC port, -1, there is nothing to compare. */
UNIT_TEST(listen_check_knows_the_port_of_grpc)
{
    options = (struct options){.http_address = "0.0.0.0",
                               .http_port = 81,
                               .admin_address = "127.0.0.1",
                               .admin_port = 82,
                               .grpc_port = 81};
    ck_assert(!listen_check(&options, &st));
    ck_assert_str_eq(st.message, "--http-port and --grpc-port are both 81: "
                                 "0.0.0.0:81 leaves no 0.0.0.0:81");
    options.grpc_port = 82;
    ck_assert(!listen_check(&options, &st));
    ck_assert_str_eq(st.message, "--admin-port and --grpc-port are both 82: "
                                 "127.0.0.1:82 leaves no 0.0.0.0:82");
    options.grpc_port = 83;
    ck_assert(listen_check(&options, &st));
    options.grpc_port = -1;
    ck_assert(listen_check(&options, &st));
}

UNIT_TEST(listen_refuses_a_path_that_no_socket_can_have)
{
    char text[200] = "unix:";

    memset(text + 5, 'a', 107);
    parse(text, 0);
    memset(text + 5, 'a', 108);
    ck_assert(!listen_parse(&options, LISTEN_HTTP, &address, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "1..107 bytes, this one 108"));
}

/* A socket that is bound to `text`, with any port, and listens. */
static int open_at(const char *text, struct listen_address *opened)
{
    int fd;

    parse(text, 0);
    *opened = address;
    fd = listen_open(opened, &st);
    ck_assert_msg(fd >= 0, "%s", st.message);
    return fd;
}

UNIT_TEST(listen_picks_a_free_port_and_refuses_one_in_use)
{
    char text[100];
    int fd = open_at("127.0.0.1", &address), next;

    ck_assert_int_gt(address.port, 0);
    next = next_descriptor();
    ck_assert_int_eq(listen_open(&address, &st), -1);
    snprintf(text, sizeof(text),
             "cannot listen on 127.0.0.1:%d: Address already in use",
             address.port);
    ck_assert_str_eq(st.message, text);
    ck_assert_int_eq(next_descriptor(), next);
    listen_close(&address, fd);
}

static int option_of(int fd, int level, int name)
{
    int value = -1;
    socklen_t len = sizeof(value);

    ck_assert_int_eq(getsockopt(fd, level, name, &value, &len), 0);
    return value;
}

/* Accepted sockets inherit them. */
LOOP_TEST(listen_sets_options_that_connections_have, 2)
{
    int fd;

    parse(_i ? "::" : "127.0.0.1", 0);
    fd = listen_open(&address, &st);
    if (_i && fd < 0)
        return; /* this machine has no IPv6 */
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(option_of(fd, SOL_SOCKET, SO_REUSEADDR), 1);
    ck_assert_int_eq(option_of(fd, SOL_SOCKET, SO_KEEPALIVE), 1);
    ck_assert_int_eq(option_of(fd, IPPROTO_TCP, TCP_NODELAY), 1);
    ck_assert_int_eq(option_of(fd, IPPROTO_TCP, TCP_USER_TIMEOUT), 30000);
    if (_i)
        ck_assert_int_eq(option_of(fd, IPPROTO_IPV6, IPV6_V6ONLY), 0);
    listen_close(&address, fd);
}

UNIT_TEST(listen_replaces_a_unix_socket_without_a_server)
{
    char text[] = "unix:/tmp/flipd-listen-XXXXXX/s";
    char *path = text + 5;
    struct stat info;
    int fd, next;

    path[strlen(path) - 2] = '\0';
    ck_assert_ptr_nonnull(mkdtemp(path));
    path[strlen(path)] = '/';
    fd = open_at(text, &address);
    next = next_descriptor();
    ck_assert_int_lt(listen_open(&address, &st), 0);
    ck_assert_int_eq(next_descriptor(), next);
    close(fd); /* its server is gone, its file is not */
    ck_assert_int_eq(listen_open(&address, &st), fd);
    ck_assert_int_eq(next_descriptor(), next);
    listen_close(&address, fd);
    ck_assert_int_ne(stat(path, &info), 0);
    path[strlen(path) - 2] = '\0';
    rmdir(path);
}

static const char *const given[] = {"127.0.0.1", "::1",
                                    "unix:/tmp/flipd-given-socket"};

LOOP_TEST(listen_adopts_a_socket_and_leaves_it_open, COUNT(given))
{
    struct listen_address opened, adopted;
    char opened_text[LISTEN_TEXT_SIZE];
    int manager = open_at(given[_i], &opened), fd = dup(manager), client;
    const int off = 0;

    fcntl(fd, F_SETFL, 0);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off));
    ck_assert(listen_adopt(&adopted, fd, &st));
    if (opened.port >= 0)
        ck_assert_int_eq(option_of(fd, IPPROTO_TCP, TCP_NODELAY), 1);
    ck_assert(fcntl(fd, F_GETFL) & O_NONBLOCK);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    listen_text(&opened, opened_text);
    has_text(&adopted, opened_text);
    ck_assert_int_eq(adopted.port, opened.port);
    listen_close(&adopted, fd);
    client = socket(opened.storage.ss_family, SOCK_STREAM, 0);
    ck_assert_int_eq(
        connect(client, (struct sockaddr *)&opened.storage, opened.len), 0);
    listen_close(&opened, manager);
}

/* A client that does not wait for its connection. */
static int begin(const struct listen_address *to)
{
    int fd = socket(to->storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK, 0);

    if (connect(fd, (const struct sockaddr *)&to->storage, to->len) != 0)
        ck_assert(errno == EINPROGRESS || errno == ECONNREFUSED);
    return fd;
}

/* Those that began before are still taken. */
LOOP_TEST(listen_refuses_clients_from_now_on, COUNT(given))
{
    struct listen_address opened;
    int fd = open_at(given[_i], &opened);
    struct pollfd first = {.fd = begin(&opened), .events = POLLOUT}, late;

    ck_assert_int_eq(poll(&first, 1, WITHIN_MS), 1);
    listen_refuse(&opened, fd);
    late = (struct pollfd){.fd = begin(&opened), .events = POLLOUT};
    if (poll(&late, 1, 0) == 1)
        ck_assert(late.revents & POLLHUP);
    ck_assert_int_ge(accept(fd, NULL, NULL), 0);
    ck_assert_int_lt(accept(fd, NULL, NULL), 0);
    listen_close(&opened, fd);
}

UNIT_TEST(listen_tells_an_abstract_name)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    memcpy(un.sun_path + 1, "flipd-given", 11);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&un,
                          offsetof(struct sockaddr_un, sun_path) + 12),
                     0);
    ck_assert_int_eq(listen(fd, 1), 0);
    ck_assert(listen_adopt(&address, fd, &st));
    has_text(&address, "unix:@flipd-given");
    listen_close(&address, fd);
}

static int file(void)
{
    return open("/", O_RDONLY);
}

static int datagrams(void)
{
    return socket(AF_INET, SOCK_DGRAM, 0);
}

static int connection(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int netlink(void)
{
    return socket(AF_NETLINK, SOCK_RAW, 0);
}

static const struct {
    int (*open)(void);
    const char *text;
} misfits[] = {
    {next_descriptor, "is not open"},
    {file, "is no socket"},
    {datagrams, "is no stream socket (ListenStream=)"},
    {connection, "does not listen (Accept=no is needed)"},
    {netlink, "is neither a TCP nor a unix socket"},
};

LOOP_TEST(listen_refuses_to_adopt_what_is_no_port, COUNT(misfits))
{
    int fd = misfits[_i].open();

    ck_assert(!listen_adopt(&address, fd, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, misfits[_i].text));
}
