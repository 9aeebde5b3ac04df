#include "server/net/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "kernels/core/status.h"

enum {
    BACKLOG = 4096, /* the kernel uses the lesser of this and somaxconn */
    /* After so long without an acknowledgement or space for more data the
     * kernel gives a peer up. */
    USER_TIMEOUT_MS = 30000,
};

static bool parse_unix(const char *option, const char *path,
                       struct listen_address *address, struct status *st)
{
    struct sockaddr_un *un = (struct sockaddr_un *)&address->storage;

    if (!*path || strlen(path) >= sizeof(un->sun_path))
        return status_fail(
            st, STATUS_INVALID,
            "%s: the path of a unix socket has 1..%d bytes, this one %zu",
            option, (int)sizeof(un->sun_path) - 1, strlen(path));
    un->sun_family = AF_UNIX;
    strcpy(un->sun_path, path);
    address->len = sizeof(*un);
    address->port = -1;
    return true;
}

/* The port of an IP address, in the order of bytes of the network. */
static in_port_t *port_of(struct listen_address *address)
{
    return address->storage.ss_family == AF_INET
               ? &((struct sockaddr_in *)&address->storage)->sin_port
               : &((struct sockaddr_in6 *)&address->storage)->sin6_port;
}

/* Also in brackets, as in a URL and in the log. */
static bool parse_ipv6(const char *text, struct in6_addr *address)
{
    size_t len = strlen(text);
    char inner[INET6_ADDRSTRLEN];

    if (*text != '[')
        return inet_pton(AF_INET6, text, address) == 1;
    if (len < 2 || len - 2 >= sizeof(inner) || text[len - 1] != ']')
        return false;
    memcpy(inner, text + 1, len - 2);
    inner[len - 2] = '\0';
    return inet_pton(AF_INET6, inner, address) == 1;
}

static bool parse_ip(const char *option, const char *text,
                     struct listen_address *address, struct status *st)
{
    struct sockaddr_in *in = (struct sockaddr_in *)&address->storage;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&address->storage;
    char shown[104];

    if (strcmp(text, "localhost") == 0)
        text = "127.0.0.1";
    if (inet_pton(AF_INET, text, &in->sin_addr) == 1) {
        in->sin_family = AF_INET;
        address->len = sizeof(*in);
    } else if (parse_ipv6(text, &in6->sin6_addr)) {
        in6->sin6_family = AF_INET6;
        address->len = sizeof(*in6);
    } else {
        return status_fail(
            st, STATUS_INVALID,
            "%s is \"%s\", but must be an IPv4 or IPv6 address in numbers%s",
            option, shorten(text, strlen(text), shown, sizeof(shown)),
            strcmp(option, "--admin-address") == 0
                ? " or localhost"
                : ", localhost, or unix:PATH");
    }
    *port_of(address) = htons((in_port_t)address->port);
    return true;
}

static const char *const address_options[] = {
    [LISTEN_HTTP] = "--http-address",
    [LISTEN_ADMIN] = "--admin-address",
    [LISTEN_GRPC] = "--grpc-address",
};

bool listen_parse(const struct options *options, enum listen_port port,
                  struct listen_address *address, struct status *st)
{
    const int64_t numbers[LISTEN_PORTS] = {
        [LISTEN_HTTP] = options->http_port,
        [LISTEN_ADMIN] = options->admin_port,
        [LISTEN_GRPC] = options->grpc_port,
    };
    const char *const own[LISTEN_PORTS] = {
        [LISTEN_HTTP] = options->http_address,
        [LISTEN_ADMIN] = options->admin_address,
        [LISTEN_GRPC] = options->grpc_address,
    };
    const char *option = own[port] ? address_options[port] : "--http-address";
    const char *text = own[port] ? own[port] : options->http_address;
    bool is_unix = strncmp(text, "unix:", 5) == 0;

    *address = (struct listen_address){.port = (int)numbers[port]};
    if (is_unix && own[port] && port != LISTEN_ADMIN)
        return parse_unix(option, text + 5, address, st);
    return parse_ip(option, is_unix && !own[port] ? "127.0.0.1" : text, address,
                    st);
}

/* Sets the options that accepted sockets inherit. The server works without any
 * of them, so failures are ignored. */
static void set_options(const struct listen_address *address, int fd)
{
    int on = 1, off = 0, timeout = USER_TIMEOUT_MS;

    if (address->port < 0)
        return;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &timeout, sizeof(timeout));
    if (address->storage.ss_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
}

static const char *path_of(const struct listen_address *address)
{
    return ((const struct sockaddr_un *)&address->storage)->sun_path;
}

/* True if the address is a unix socket that no server listens on. */
static bool is_stale(const struct listen_address *address)
{
    struct stat info;
    bool stale;
    int fd;

    if (lstat(path_of(address), &info) != 0 || !S_ISSOCK(info.st_mode))
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    stale = connect(fd, (const struct sockaddr *)&address->storage,
                    address->len) != 0 &&
            errno == ECONNREFUSED;
    close(fd);
    return stale;
}

static bool bind_to(const struct listen_address *address, int fd)
{
    const struct sockaddr *name = (const struct sockaddr *)&address->storage;

    if (bind(fd, name, address->len) == 0)
        return true;
    if (errno != EADDRINUSE || address->port >= 0)
        return false;
    if (!is_stale(address)) {
        errno = EADDRINUSE;
        return false;
    }
    unlink(path_of(address));
    return bind(fd, name, address->len) == 0;
}

/* The address that the kernel has given the socket. */
static bool read_address(struct listen_address *address, int fd)
{
    address->len = sizeof(address->storage);
    if (getsockname(fd, (struct sockaddr *)&address->storage, &address->len) !=
        0)
        return false;
    address->port =
        address->storage.ss_family == AF_UNIX ? -1 : ntohs(*port_of(address));
    return true;
}

int listen_open(struct listen_address *address, struct status *st)
{
    int fd = socket(address->storage.ss_family,
                    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    char text[LISTEN_TEXT_SIZE];
    int reason;

    if (fd >= 0) {
        set_options(address, fd);
        if (bind_to(address, fd) && listen(fd, BACKLOG) == 0 &&
            read_address(address, fd))
            return fd;
    }
    reason = errno;
    if (fd >= 0)
        close(fd);
    listen_text(address, text);
    status_fail(st, STATUS_INVALID, "cannot listen on %s: %s", text,
                strerror(reason));
    return -1;
}

/* The filter sees packets from their TCP header on: it drops those that ask for
 * a connection (SYN without ACK). The client asks again after a second, when
 * the socket is closed, and is refused then. */
void listen_refuse(const struct listen_address *address, int fd)
{
    enum { FLAGS_AT = 13, SYN = 0x02, ACK = 0x10 };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, FLAGS_AT),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SYN | ACK),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    };
    const struct sock_fprog filter = {sizeof(code) / sizeof(code[0]), code};

    if (address->port < 0)
        shutdown(fd, SHUT_RD);
    else
        setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter));
}

void listen_close(const struct listen_address *address, int fd)
{
    if (address->port < 0 && !address->is_borrowed)
        unlink(path_of(address));
    close(fd);
}

void listen_text(const struct listen_address *address,
                 char text[LISTEN_TEXT_SIZE])
{
    const socklen_t head = offsetof(struct sockaddr_un, sun_path);
    char ip[INET6_ADDRSTRLEN] = "";
    bool is_v4 = address->storage.ss_family == AF_INET;

    /* An abstract name begins with a NUL and ends with the address. */
    if (address->port < 0 && (*path_of(address) || address->len <= head)) {
        snprintf(text, LISTEN_TEXT_SIZE, "unix:%s", path_of(address));
        return;
    }
    if (address->port < 0) {
        snprintf(text, LISTEN_TEXT_SIZE, "unix:@%.*s",
                 (int)(address->len - head - 1), path_of(address) + 1);
        return;
    }
    getnameinfo((const struct sockaddr *)&address->storage, address->len, ip,
                sizeof(ip), NULL, 0, NI_NUMERICHOST);
    snprintf(text, LISTEN_TEXT_SIZE, is_v4 ? "%s:%d" : "[%s]:%d", ip,
             address->port);
}

static int option_of(int fd, int option)
{
    int value = -1;
    socklen_t len = sizeof(value);

    return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 ? value : -1;
}

/* The reason why the descriptor is no port; NULL: it is one. */
static const char *misfit_of(int fd)
{
    int domain = option_of(fd, SO_DOMAIN);

    if (domain < 0)
        return errno == EBADF ? "is not open" : "is no socket";
    if (domain != AF_INET && domain != AF_INET6 && domain != AF_UNIX)
        return "is neither a TCP nor a unix socket";
    if (option_of(fd, SO_TYPE) != SOCK_STREAM)
        return "is no stream socket (ListenStream=)";
    return option_of(fd, SO_ACCEPTCONN) == 1
               ? NULL
               : "does not listen (Accept=no is needed)";
}

bool listen_adopt(struct listen_address *address, int fd, struct status *st)
{
    const char *misfit = misfit_of(fd);

    *address = (struct listen_address){.is_borrowed = true};
    if (misfit)
        return status_fail(st, STATUS_INVALID, "LISTEN_FDS: descriptor %d %s",
                           fd, misfit);
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 ||
        fcntl(fd, F_SETFL, O_NONBLOCK) != 0 || !read_address(address, fd))
        return status_fail(st, STATUS_INVALID, "LISTEN_FDS: descriptor %d: %s",
                           fd, strerror(errno));
    set_options(address, fd);
    return true;
}

/* True if a socket that listens on `all` covers `one`. Sockets of IPv6 take
 * connections of IPv4 too. */
static bool covers(const struct listen_address *all,
                   const struct listen_address *one)
{
    const struct sockaddr_in *in = (const struct sockaddr_in *)&all->storage;
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&all->storage;

    if (all->storage.ss_family == AF_INET6 &&
        IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr))
        return true;
    if (all->storage.ss_family != one->storage.ss_family)
        return false;
    return memcmp(&all->storage, &one->storage, all->len) == 0 ||
           (all->storage.ss_family == AF_INET &&
            in->sin_addr.s_addr == htonl(INADDR_ANY));
}

static const char *const names[] = {
    [LISTEN_HTTP] = "--http-port",
    [LISTEN_ADMIN] = "--admin-port",
    [LISTEN_GRPC] = "--grpc-port",
};

static bool check_pair(const struct listen_address *addresses,
                       enum listen_port one, enum listen_port other,
                       struct status *st)
{
    const struct listen_address *a = &addresses[one], *b = &addresses[other];
    char text[LISTEN_TEXT_SIZE], other_text[LISTEN_TEXT_SIZE];

    if (b->port == 0 || b->port != a->port || !(covers(a, b) || covers(b, a)))
        return true;
    listen_text(a, text);
    listen_text(b, other_text);
    if (a->port < 0)
        return status_fail(st, STATUS_INVALID, "%s and %s are both %s",
                           address_options[one], address_options[other], text);
    return status_fail(st, STATUS_INVALID,
                       "%s and %s are both %d: %s leaves no %s", names[one],
                       names[other], a->port, text, other_text);
}

bool listen_check(const struct options *options, struct status *st)
{
    struct listen_address all[LISTEN_PORTS];

    for (int i = 0; i < LISTEN_PORTS; i++) {
        if (!listen_parse(options, (enum listen_port)i, &all[i], st))
            return false;
        for (int j = 0; j < i; j++)
            if (!check_pair(all, (enum listen_port)j, (enum listen_port)i, st))
                return false;
    }
    return true;
}
