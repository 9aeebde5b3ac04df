/* Whether libmicrohttpd's system calls arrive at the I/O adapter. */
#pragma once

enum io_mode {
    IO_ADAPTER, /* they do: fast paths and TLS are possible */
    IO_PLAIN,   /* built with -DMHD_IO=plain: they are not meant to */
    IO_BROKEN,  /* they should, but at least one does not */
};

/* Answers two requests over a socketpair. `missing` becomes the name of a call
 * that did not arrive, with IO_BROKEN; a static text. Takes 0.2 ms. */
enum io_mode io_selftest_run(const char **missing);
