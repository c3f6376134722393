// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM compresses debug information of objects, and decompresses profiles, with zstd. Kernels have neither, and the
// library would be 0.8 MB of a bundle. These definitions replace it; each call fails.
#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
std::size_t ZSTD_compress2(void*, void*, std::size_t, const void*, std::size_t) { return 0; }
std::size_t ZSTD_compressBound(std::size_t size) { return size; }
void* ZSTD_createCCtx() { return nullptr; }
std::size_t ZSTD_freeCCtx(void*) { return 0; }
std::size_t ZSTD_CCtx_setParameter(void*, int, int) { return 0; }
std::size_t ZSTD_decompress(void*, std::size_t, const void*, std::size_t) { return 0; }
unsigned ZSTD_isError(std::size_t) { return 1; }
const char* ZSTD_getErrorName(std::size_t) { return "this compiler has no zstd"; }
}
// NOLINTEND(readability-identifier-naming)
