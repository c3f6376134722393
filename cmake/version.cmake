# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes generated/slipway/version.h, a public header, and generated/generated_version.hpp: the version, the revision of the checkout, and the versions of libraries.
# ./dev passes the revision on, because the part of the private root that builds the program has no git.
set(SLIPWAY_REVISION $ENV{SLIPWAY_REVISION})
if(NOT SLIPWAY_REVISION)
  execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE SLIPWAY_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT SLIPWAY_REVISION)
  set(SLIPWAY_REVISION unknown)
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/version.h.in ${CMAKE_BINARY_DIR}/generated/slipway/version.h @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/generated_version.hpp.in ${CMAKE_BINARY_DIR}/generated/generated_version.hpp @ONLY)
