/* What cmake/embed.cmake writes: the files that the daemon carries. */
#pragma once

#include <stddef.h>

extern const unsigned char page_html[];
extern const size_t page_html_len;
extern const char page_policy[]; /* its Content-Security-Policy */

extern const unsigned char page_contract_yaml[];
extern const size_t page_contract_yaml_len;
