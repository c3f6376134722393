// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling with the program's cache: a GLSL or HLSL text that was compiled before costs a file read, and glslang is
// not started.
//
// The key of an entry is everything that determines the result: compiler version, language, options, source name and
// text. An entry stores the words, the warnings, and the files that were included or searched for, which must be
// unchanged.
#pragma once

#include "base/system/cache.hpp"
#include "shader/compile.hpp"

namespace slipway::shader {

// `compile`, through the cache for GLSL and HLSL. Only successes are stored.
Result<Compiled> compile_cached(const Cache& cache, const SourcePtr& source, Language language,
                                const Options& options = {});

}  // namespace slipway::shader
