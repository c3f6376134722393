// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For CPU function libraries of run recipes. C++17; needs no library to link, and no XRT.
//
//   #include <slipway/cpu_library.hpp>
//
//   static void negate(std::vector<std::any>& args) {
//     auto buffer = std::any_cast<xrt::bo>(args.at(0));
//     for (auto *p = buffer.map<float*>(), *end = p + buffer.size() / sizeof(float); p != end; ++p) *p = -*p;
//   }
//
//   extern "C" SLIPWAY_CPU_LIBRARY void library_init(xrt::cpu::library_init_args* library) {
//     library->lookup_fn = [](const std::string& name, xrt::cpu::lookup_args* function) {
//       if (name != "negate") throw std::runtime_error("there is no function '" + name + "'");
//       *function = {1, negate};
//     };
//   }
//
// Build: g++ -std=c++17 -shared -fPIC -Ipath/to/slipway/include negate.cpp -o libnegate.so
// For Windows the same with x86_64-w64-mingw32ucrt-g++, -static instead of -fPIC, and the name libnegate.dll.
//
// Define SLIPWAY_WITH_XRT before including this to get XRT's own `xrt::bo`; such a library needs an XRT device. Errors,
// threads and the search for libraries are described in docs/cpu_functions.md.
#pragma once

#if defined(SLIPWAY_WITH_XRT)
#include <xrt/xrt_bo.h>
#else
#include "slipway/bo.hpp"  // IWYU pragma: export
#endif
#include "slipway/cpu_function.hpp"  // IWYU pragma: export

// In each translation unit of a library, of which the linker takes one.
#if defined(_WIN32)
#if !defined(__GLIBCXX__)
#error "a CPU library for Windows needs the C++ library of slipway.exe, which is libstdc++: build it with mingw-w64"
#endif
#define SLIPWAY_CPU_LIBRARY __declspec(dllexport)
#define SLIPWAY_CPU_LIBRARY_ABI SLIPWAY_CPU_LIBRARY inline
#else
#define SLIPWAY_CPU_LIBRARY __attribute__((visibility("default")))
#define SLIPWAY_CPU_LIBRARY_ABI SLIPWAY_CPU_LIBRARY __attribute__((weak))
#endif

// Which `xrt::bo` this library was compiled with: 1 is that of slipway/bo.hpp, 2 is that of XRT. A library without this
// function was built for XRT.
extern "C" SLIPWAY_CPU_LIBRARY_ABI int slipway_cpu_library_abi();
extern "C" SLIPWAY_CPU_LIBRARY_ABI int slipway_cpu_library_abi() {
#if defined(SLIPWAY_WITH_XRT)
  return 2;
#else
  return 1;
#endif
}
