/* Texts that are made from the table of options, so that none says something
 * else than the daemon does. The program flipd_manual writes them when the
 * project is built (target `manual`); the daemon does not contain them. */
#pragma once

#include <stdio.h>

/* The tables of docs/configuration.md: a heading and a table for each group. */
void manual_markdown(FILE *out);

/* flipd(8), in the macros of man(7). */
void manual_page(FILE *out);

/* The completion of bash, and that of zsh. */
void manual_bash(FILE *out);
void manual_zsh(FILE *out);
