#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/net/listen.h"
#include "tests/count.h"
#include "tests/suite.h"

static const struct {
    const char *address;
    const char *text;
} spelled[] = {
    {"127.0.0.1", "127.0.0.1:81"},
    {"localhost", "127.0.0.1:81"},
    {"0.0.0.0", "0.0.0.0:81"},
    {"::", "[::]:81"},
    {"unix:/run/a.sock", "unix:/run/a.sock"},
};

START_TEST(listen_reads_addresses)
{
    struct options options = {.http_address = spelled[_i].address,
                              .http_port = 81};
    struct listen_address address;
    struct status st;
    char text[LISTEN_TEXT_SIZE];

    ck_assert(listen_parse(&options, false, &address, &st));
    listen_text(&address, text);
    ck_assert_str_eq(text, spelled[_i].text);
}
END_TEST

static const char *const refused[] = {
    "localhost.", "LOCALHOST", "localhost:80", "127.1",
    "[::1]",      "1.2.3.4:5", "unix:",        "example.org",
};

START_TEST(listen_refuses_names_and_empty_paths)
{
    struct options options = {.http_address = refused[_i]};
    struct listen_address address;
    struct status st;

    ck_assert(!listen_parse(&options, false, &address, &st));
    ck_assert_int_eq(st.code, STATUS_INVALID);
    ck_assert_ptr_nonnull(strstr(st.message, "--http-address"));
}
END_TEST

START_TEST(listen_refuses_a_path_that_no_socket_can_have)
{
    char text[200] = "unix:";
    struct options options = {.http_address = text};
    struct listen_address address;
    struct status st;

    memset(text + 5, 'a', 107);
    ck_assert(listen_parse(&options, false, &address, &st));
    memset(text + 5, 'a', 108);
    ck_assert(!listen_parse(&options, false, &address, &st));
    ck_assert_ptr_nonnull(strstr(st.message, "1..107 bytes, this one 108"));
}
END_TEST

START_TEST(listen_picks_a_free_port_and_refuses_one_in_use)
{
    struct options options = {.http_address = "127.0.0.1"};
    struct listen_address address;
    struct status st;
    int fd;

    ck_assert(listen_parse(&options, false, &address, &st));
    fd = listen_open(&address, &st);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_gt(address.port, 0);
    ck_assert_int_lt(listen_open(&address, &st), 0);
    ck_assert_ptr_nonnull(strstr(st.message, "Address already in use"));
    listen_close(&address, fd);
}
END_TEST

START_TEST(listen_replaces_a_unix_socket_without_a_server)
{
    char text[] = "unix:/tmp/flipd-listen-XXXXXX/s";
    char *path = text + 5;
    struct options options = {.http_address = text};
    struct listen_address address;
    struct status st;
    struct stat info;
    int fd;

    path[strlen(path) - 2] = '\0';
    ck_assert_ptr_nonnull(mkdtemp(path));
    path[strlen(path)] = '/';
    ck_assert(listen_parse(&options, false, &address, &st));
    fd = listen_open(&address, &st);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_lt(listen_open(&address, &st), 0);
    close(fd); /* its server is gone, its file is not */
    fd = listen_open(&address, &st);
    ck_assert_int_ge(fd, 0);
    listen_close(&address, fd);
    ck_assert_int_ne(stat(path, &info), 0);
    path[strlen(path) - 2] = '\0';
    rmdir(path);
}
END_TEST

SUITE("listen", LOOP(listen_reads_addresses, COUNT(spelled)),
      LOOP(listen_refuses_names_and_empty_paths, COUNT(refused)),
      TEST(listen_refuses_a_path_that_no_socket_can_have),
      TEST(listen_picks_a_free_port_and_refuses_one_in_use),
      TEST(listen_replaces_a_unix_socket_without_a_server))
