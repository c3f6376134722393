# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What building for Windows needs beside the modules (docs/install.md#windows).
target_compile_definitions(slipway_options INTERFACE _WIN32_WINNT=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN)
# What std::print needs of the C++ library.
target_link_libraries(slipway_options INTERFACE stdc++exp Threads::Threads)

# The CMake packages and the libraries of volk, GoogleTest, spng and zlib have other names on each system, or are for Linux only.
find_path(VOLK_SOURCE volk.c REQUIRED)
add_library(volk STATIC ${VOLK_SOURCE}/volk.c)
target_link_libraries(volk PUBLIC Vulkan::Headers)
add_library(volk::volk ALIAS volk)
foreach(name spng zlib)
  add_library(PkgConfig::${name} INTERFACE IMPORTED)
endforeach()
find_library(ZLIB_STATIC z REQUIRED)
find_library(SPNG_STATIC NAMES spng_static spng REQUIRED)
set_target_properties(PkgConfig::zlib PROPERTIES INTERFACE_LINK_LIBRARIES ${ZLIB_STATIC})
set_target_properties(PkgConfig::spng PROPERTIES INTERFACE_LINK_LIBRARIES "${SPNG_STATIC};${ZLIB_STATIC}"
                      INTERFACE_COMPILE_DEFINITIONS SPNG_STATIC)
if(SLIPWAY_TESTS AND EXISTS /usr/src/googletest)
  add_subdirectory(/usr/src/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
endif()
# Runs while building.
if(NOT TARGET flatbuffers::flatc)
  find_program(FLATC flatc REQUIRED)
  add_executable(flatbuffers::flatc IMPORTED)
  set_target_properties(flatbuffers::flatc PROPERTIES IMPORTED_LOCATION ${FLATC})
endif()
