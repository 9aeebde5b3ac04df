/* Whether libmicrohttpd's system calls arrive at the I/O adapter. */
#pragma once

/* Answers two requests over a socketpair. NULL: they do; else the name of a
 * call that did not arrive, a static text. Takes 0.2 ms. */
const char *io_selftest_run(void);
