# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What is built for Windows (docs/install.md#windows): the modules whose dependencies the root of env/windows.sh has, and their tests
# except those that need another system (tests/system_use_allowed.txt).
set(SLIPWAY_SOURCES /usr/src CACHE PATH "where the sources of libraries are")
target_compile_definitions(slipway_options INTERFACE _WIN32_WINNT=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN)
# What std::print needs of the C++ library.
target_link_libraries(slipway_options INTERFACE stdc++exp)

# Built from its sources: its package has libraries for Linux only.
if(SLIPWAY_TESTS)
  enable_testing()
  add_subdirectory(${SLIPWAY_SOURCES}/googletest ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  add_library(slipway_testing INTERFACE)
endif()
slipway_module(platform)
slipway_module(base USES platform)
set_source_files_properties(src/base/system/paths/trusted_file.cpp PROPERTIES COMPILE_DEFINITIONS SLIPWAY_LIBRARY_DIRECTORY="lib")
slipway_module(foreign USES base)
slipway_module(sandbox USES base)
target_compile_definitions(slipway_sandbox PRIVATE SLIPWAY_VERSION="${PROJECT_VERSION}" SLIPWAY_PROGRAM_FROM_LIBRARY="../bin")
slipway_module(rpl_runtime)
