// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The binary interface between CPU function libraries and the program that loads them. C++17.
//
// A library includes slipway/cpu_library.hpp, which has this and the buffer type. The structures have the members and
// so the layout of those of AMD's run recipes (the document "Run recipe for XRT", CPU library requirements), so
// that libraries built against either header load in both programs.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace xrt_core::cpu {

// A function of a library. `num_args` is the size of the vector that is passed to `callable`; the vector holds
// `xrt::bo` for a buffer, the type of the constant for a constant (`int`, `std::string` and so on), and an empty
// std::any for an argument that a run does not set.
struct lookup_args {
  std::uint32_t num_args = 0;
  std::function<void(std::vector<std::any>&)> callable;
};

// Filled in by the library when it is loaded. `lookup_fn` fills in a `lookup_args` for a name, or throws.
struct library_init_args {
  std::function<void(const std::string&, lookup_args*)> lookup_fn;
};

// The type of the one function that a library must export, under the C name `library_init`.
using library_init_fn = void (*)(library_init_args*);

#if defined(__GLIBCXX__) && defined(__LP64__)
static_assert(sizeof(lookup_args) == 40 && sizeof(library_init_args) == 32, "binary interface of CPU libraries");
#endif

}  // namespace xrt_core::cpu

namespace xrt::cpu {
using xrt_core::cpu::library_init_args;
using xrt_core::cpu::library_init_fn;
using xrt_core::cpu::lookup_args;
}  // namespace xrt::cpu
