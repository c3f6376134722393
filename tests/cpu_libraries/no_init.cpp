// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library without `library_init`.
extern "C" __attribute__((visibility("default"))) int open_library() { return 0; }
