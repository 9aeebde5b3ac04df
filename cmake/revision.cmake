# Writes the C file OUT with the revision of the tree SOURCE: a build step, for a
# commit does not configure again. REVISION, if set, is taken as it is: for a build
# whose tree comes without its repository. The same tree gives the same text.
cmake_minimum_required(VERSION 3.25)

function(git)
    execute_process(COMMAND git -C "${SOURCE}" ${ARGN}
        RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_QUIET
        OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(code "${code}" PARENT_SCOPE)
    set(text "${text}" PARENT_SCOPE)
endfunction()

if(NOT REVISION)
    set(REVISION unknown)
    # The tree may lie within another repository.
    git(rev-parse --show-prefix HEAD)
    if(code STREQUAL 0 AND text MATCHES "^\n?[0-9a-f]+$")
        string(STRIP "${text}" REVISION)
        git(diff --quiet HEAD)
        if(NOT code STREQUAL 0)
            string(APPEND REVISION "-dirty")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT "${OUT}" CONTENT
"#include \"server/routes/metrics_route.h\"

const char revision_text[] = \"@REVISION@\";
" @ONLY)
