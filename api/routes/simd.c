/* The instruction sets in use: declared in api.h. */
#include "api/lex/simd.h"
#include "api/api.h"
#include "kernels/core/isa.h"
#include "kernels/move/dispatch.h"

bool api_simd(struct api_simd *simd, struct status *st)
{
    if (!isa_check_environment(st))
        return false;
    simd->movers = dispatch_kernels()->name;
    simd->json = json_simd_active()->name;
    return true;
}
