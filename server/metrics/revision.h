/* The commit that the program was built from: 40 hex digits, with "-dirty" if
 * tracked files differed from it; "unknown" outside of a git repository. Made
 * by cmake/revision.cmake. */
#pragma once

extern const char revision_text[];
