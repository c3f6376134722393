# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain file: as x86_64-windows.cmake, with clang as the compiler and the same headers and libraries.
include(${CMAKE_CURRENT_LIST_DIR}/x86_64-windows.cmake)
set(CMAKE_C_COMPILER clang)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_C_COMPILER_TARGET x86_64-w64-mingw32ucrt)
set(CMAKE_CXX_COMPILER_TARGET x86_64-w64-mingw32ucrt)
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT " -fuse-ld=lld")
