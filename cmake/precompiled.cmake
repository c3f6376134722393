# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One precompiled header for the files of all modules and one for all test files, because standard headers take most of the
# time of compiling a small file. With SLIPWAY_PRECOMPILED=OFF they do not exist, so a file that does not include what it uses fails
# to compile; one of the long checks (env/ci.sh) builds this way.
#
#   slipway_use_precompiled(TARGET product|tests)
#
# The headers are made here and not by target_precompile_headers, which makes one for each target. ccache
# identifies each by the checksum file beside it (CCACHE_PCH_EXTSUM), because the output of the compiler differs each time.
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
separate_arguments(precompiled_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}} -std=c++23")
set(precompiled_directory ${CMAKE_BINARY_DIR}/precompiled)
execute_process(COMMAND ${CMAKE_CXX_COMPILER} --version OUTPUT_VARIABLE precompiled_compiler)

function(slipway_precompile kind)  # KIND FLAGS...
  set(header ${precompiled_directory}/${kind}.hpp)
  foreach(name product tests)
    configure_file(${CMAKE_SOURCE_DIR}/cmake/precompiled/${name}.hpp ${precompiled_directory}/${name}.hpp COPYONLY)
  endforeach()
  file(READ ${CMAKE_SOURCE_DIR}/cmake/precompiled/product.hpp product)
  file(READ ${CMAKE_SOURCE_DIR}/cmake/precompiled/tests.hpp tests)
  string(SHA256 sum "${product}${tests}${precompiled_compiler}${precompiled_flags}${ARGN}")
  file(WRITE ${header}.gch.sum ${sum})
  add_custom_command(OUTPUT ${header}.gch
    COMMAND ${CMAKE_CXX_COMPILER} ${precompiled_flags} ${ARGN} -x c++-header ${header} -o ${header}.gch
    DEPENDS ${precompiled_directory}/product.hpp ${precompiled_directory}/tests.hpp VERBATIM)
  add_custom_target(precompiled_${kind} DEPENDS ${header}.gch)
endfunction()

function(slipway_use_precompiled target kind)
  if(NOT SLIPWAY_PRECOMPILED)
    return()
  endif()
  add_dependencies(${target} precompiled_${kind})
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:-Winvalid-pch;-include;${precompiled_directory}/${kind}.hpp>")
endfunction()

if(SLIPWAY_PRECOMPILED)
  get_target_property(common slipway_options INTERFACE_COMPILE_OPTIONS)
  slipway_precompile(product ${common} -fPIC)
  if(SLIPWAY_TESTS)
    # Compilers reject a precompiled header that was made with other definitions.
    get_target_property(gtest_options GTest::gtest INTERFACE_COMPILE_OPTIONS)
    if(NOT gtest_options)
      set(gtest_options)
    endif()
    slipway_precompile(tests ${common} ${gtest_options} -fPIE ${SLIPWAY_TEST_FLAGS})
  endif()
endif()
