/* Cables between network namespaces, with delay and loss: what the queueing
 * discipline netem does, for kernels that do not have it.
 *
 * Usage: cable NAME:PID:PID...
 *   NAME  of a cable and of its interface at the second end, at most 15 bytes
 *   PID   a process in the namespace of the first end, whose interface is eth0,
 * and one in that of the second Each end is a TAP device that speaks GSO, so a
 * frame is up to 64 KiB of a TCP stream, as netem sees them on a veth. It
 * prints "ready" when the interfaces are there, and reads commands from
 * standard input, each answered with "ok": NAME DELAY JITTER LOSS  microseconds
 * each way, at most so many more, and lost frames in a million. Frames are
 * never put out of order NAME up|forth|back|cut  which way it carries: both,
 * from the first end only, from the second end only, none It ends with its
 * input. */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* FRAME: the header of virtio, Ethernet's, and the largest IP packet. QUEUE:
 * frames on their way in one direction; more are lost. */
enum { CABLES = 8, FRAME = 65536 + 64, QUEUE = 8192, BURST = 64 };

struct frame {
    uint64_t due_ns;
    size_t size;
    char *bytes; /* owned */
};

struct way { /* one direction of a cable */
    int from, to;
    bool carries;
    uint64_t latest_ns; /* when the newest frame is due */
    struct frame frames[QUEUE];
    unsigned head, count; /* the oldest one, and how many */
};

struct cable {
    const char *name;
    uint64_t delay_ns, jitter_ns;
    unsigned loss; /* of a million frames */
    struct way ways[2];
};

static struct cable cables[CABLES];
static int cable_count;
static uint64_t seed = 88172645463325252;

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* xorshift64: the same losses in every run, as far as the frames are the same.
 */
static uint64_t chance(uint64_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return below ? seed % below : 0;
}

static void enter_namespace(const char *pid)
{
    char path[64];
    int fd;

    snprintf(path, sizeof(path), "/proc/%s/ns/net", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0)
        die(path);
    close(fd);
}

/* The interface appears in the namespace in which the device is opened. */
static int open_tap(const char *pid, const char *name)
{
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR};
    int fd;

    enter_namespace(pid);
    fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        die("/dev/net/tun");
    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (ioctl(fd, TUNSETIFF, &request) != 0 ||
        ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4) != 0)
        die(name);
    return fd;
}

static void open_cable(char *text)
{
    struct cable *cable = &cables[cable_count++];
    char *first = strchr(text, ':'), *second = strrchr(text, ':');
    int ends[2];

    if (!first || first == second) {
        fprintf(stderr, "%s is not NAME:PID:PID\n", text);
        exit(2);
    }
    *first = *second = 0;
    cable->name = text;
    ends[0] = open_tap(first + 1, "eth0");
    ends[1] = open_tap(second + 1, text);
    for (int i = 0; i < 2; i++) {
        cable->ways[i].from = ends[i];
        cable->ways[i].to = ends[1 - i];
        cable->ways[i].carries = true;
    }
}

/* A frame that the interface does not take, as one that is down, is lost. */
static void deliver(struct way *way, const char *bytes, size_t size)
{
    ssize_t written = write(way->to, bytes, size);

    (void)written;
}

static void deliver_due(struct way *way, uint64_t now)
{
    while (way->count > 0 && way->frames[way->head].due_ns <= now) {
        struct frame *frame = &way->frames[way->head];

        if (way->carries)
            deliver(way, frame->bytes, frame->size);
        free(frame->bytes);
        way->head = (way->head + 1) % QUEUE;
        way->count--;
    }
}

static void send_later(struct way *way, const char *bytes, size_t size,
                       uint64_t due_ns)
{
    struct frame *frame = &way->frames[(way->head + way->count) % QUEUE];

    if (way->count == QUEUE)
        return;
    frame->bytes = malloc(size);
    if (!frame->bytes)
        die("malloc");
    memcpy(frame->bytes, bytes, size);
    frame->size = size;
    frame->due_ns = due_ns > way->latest_ns ? due_ns : way->latest_ns;
    way->latest_ns = frame->due_ns;
    way->count++;
}

static void take(struct cable *cable, struct way *way, const char *bytes,
                 size_t size)
{
    uint64_t wait_ns = cable->delay_ns + chance(cable->jitter_ns);

    if (!way->carries || chance(1000000) < cable->loss)
        return;
    if (wait_ns == 0 && way->count == 0)
        deliver(way, bytes, size);
    else
        send_later(way, bytes, size, now_ns() + wait_ns);
}

static void receive(struct cable *cable, struct way *way)
{
    static char bytes[FRAME];
    ssize_t size;

    for (int i = 0; i < BURST; i++) {
        size = read(way->from, bytes, sizeof(bytes));
        if (size <= 0)
            return;
        take(cable, way, bytes, (size_t)size);
    }
}

static struct cable *find_cable(const char *name)
{
    for (int i = 0; i < cable_count; i++)
        if (strcmp(cables[i].name, name) == 0)
            return &cables[i];
    return NULL;
}

static bool set_state(struct cable *cable, const char *state)
{
    bool up = strcmp(state, "up") == 0;

    if (!up && strcmp(state, "forth") != 0 && strcmp(state, "back") != 0 &&
        strcmp(state, "cut") != 0)
        return false;
    cable->ways[0].carries = up || strcmp(state, "forth") == 0;
    cable->ways[1].carries = up || strcmp(state, "back") == 0;
    return true;
}

static bool obey(const char *line)
{
    char name[16], state[16];
    unsigned delay_us, jitter_us, loss;
    struct cable *cable;

    if (sscanf(line, "%15s %15s", name, state) != 2 ||
        !(cable = find_cable(name)))
        return false;
    if (sscanf(line, "%*s %u %u %u", &delay_us, &jitter_us, &loss) != 3)
        return set_state(cable, state);
    cable->delay_ns = delay_us * 1000ull;
    cable->jitter_ns = jitter_us * 1000ull;
    cable->loss = loss;
    return true;
}

/* False at the end of the input. Commands come one at a time, each after the
 * answer to the one before it. */
static bool read_command(void)
{
    char line[128];
    ssize_t size = read(STDIN_FILENO, line, sizeof(line) - 1);

    if (size <= 0)
        return false;
    line[size] = 0;
    puts(obey(line) ? "ok" : "not a command");
    fflush(stdout);
    return true;
}

/* When the next frame is due; a second from now where there is none. */
static struct timespec next_due(void)
{
    uint64_t now = now_ns(), next = now + 1000000000, wait;

    for (int i = 0; i < 2 * cable_count; i++) {
        const struct way *way = &cables[i / 2].ways[i % 2];

        if (way->count > 0 && way->frames[way->head].due_ns < next)
            next = way->frames[way->head].due_ns;
    }
    wait = next > now ? next - now : 0;
    return (struct timespec){.tv_sec = (time_t)(wait / 1000000000),
                             .tv_nsec = (long)(wait % 1000000000)};
}

static void carry(void)
{
    struct pollfd polled[1 + 2 * CABLES] = {
        {.fd = STDIN_FILENO, .events = POLLIN}};
    int count = 1 + 2 * cable_count;

    for (int i = 1; i < count; i++)
        polled[i] = (struct pollfd){
            .fd = cables[(i - 1) / 2].ways[(i - 1) % 2].from, .events = POLLIN};
    for (;;) {
        struct timespec wait = next_due();

        if (ppoll(polled, (nfds_t)count, &wait, NULL) < 0 && errno != EINTR)
            die("ppoll");
        if (polled[0].revents && !read_command())
            return;
        for (int i = 1; i < count; i++) {
            struct cable *cable = &cables[(i - 1) / 2];
            struct way *way = &cable->ways[(i - 1) % 2];

            if (polled[i].revents & POLLIN)
                receive(cable, way);
            deliver_due(way, now_ns());
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 1 + CABLES) {
        fputs("usage: cable NAME:PID:PID...\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++)
        open_cable(argv[i]);
    puts("ready");
    fflush(stdout);
    carry();
    return 0;
}
