# Writes the C source that holds the page and the contract as the daemon sends
# them (api/routes/page_text.h). Style and script are put into the page, so it is one
# file, and its policy allows these two by their digests and nothing else.
#
# Usage: cmake -DFROM=api/routes -DTO=page_text.c -P cmake/embed.cmake

function(to_base64 hex out)
    set(digits
        ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
    set(text "")
    # A SHA-256 has 64 hex digits: 21 times 3, which are 12 bits, and one more.
    string(APPEND hex 00)
    foreach(at RANGE 0 63 3)
        string(SUBSTRING ${hex} ${at} 3 part)
        math(EXPR high "0x${part} >> 6")
        math(EXPR low "0x${part} & 63")
        string(SUBSTRING ${digits} ${high} 1 first)
        string(SUBSTRING ${digits} ${low} 1 second)
        string(APPEND text ${first}${second})
    endforeach()
    string(SUBSTRING ${text} 0 43 text)
    set(${out} "${text}=" PARENT_SCOPE)
endfunction()

# What stands in the files, one after the other.
function(read_all out)
    set(text "\n")
    foreach(name ${ARGN})
        file(READ ${FROM}/page/${name} part)
        string(APPEND text "${part}")
    endforeach()
    set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Puts `text` into the page in the place of `mark`.
function(insert mark text digest)
    # No string in them spans lines.
    string(REGEX REPLACE "\n */\\*([^*]|\\*[^/])*\\*/" "" text "${text}")
    string(REGEX REPLACE "\n[ \n]+" "\n" text "${text}")
    string(REPLACE "${mark}" "${text}" page "${page}")
    string(SHA256 hash "${text}")
    to_base64(${hash} base64)
    set(${digest} ${base64} PARENT_SCOPE)
    set(page "${page}" PARENT_SCOPE)
endfunction()

function(append_bytes name hex)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
        bytes "${bytes}")
    file(APPEND ${TO} "const unsigned char ${name}[] = {\n${bytes}\n};\n"
        "const size_t ${name}_len = sizeof(${name});\n")
endfunction()

file(READ ${FROM}/page/page.html page)
read_all(text page.css)
insert("/* page.css */" "${text}" style)
read_all(text base.js examples.js grids.js request.js models.js)
insert("/* page.js */" "\n\"use strict\";\n(() => {${text}})();\n" script)
string(HEX "${page}" page)
file(READ ${FROM}/openapi.yaml contract HEX)

file(WRITE ${TO} "#include \"api/routes/page_text.h\"\n\n")
append_bytes(page_html ${page})
append_bytes(page_contract_yaml ${contract})
file(APPEND ${TO} "const char page_policy[] =
    \"default-src 'none'; connect-src 'self'; img-src data:; \"
    \"style-src 'sha256-${style}'; \"
    \"script-src 'sha256-${script}'; \"
    \"require-trusted-types-for 'script'; trusted-types 'none'; \"
    \"base-uri 'none'; form-action 'none'; frame-ancestors 'none'\";\n")
