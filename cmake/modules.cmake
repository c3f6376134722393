# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A module is one directory of src/: a static library slipway_NAME of its *.cpp files, a test program NAME_test of its *_test.cpp
# files, and a fuzzer of each of its *_fuzz.cpp files. A new file needs no line anywhere.
#
#   slipway_module(NAME USES modules... LIBRARIES targets... TEST_LIBRARIES targets...)
#
# In every build a fuzzer is also linked with a small main that replays its corpus (tests/fuzz/corpus/STEM) in CTest.
include(GoogleTest OPTIONAL)
add_custom_target(fuzzers)

function(slipway_module name)
  cmake_parse_arguments(arg "" "" "USES;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  set(directory ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cpp)
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$")

  add_library(slipway_${name} STATIC ${sources})
  list(TRANSFORM arg_USES PREPEND slipway_)
  target_link_libraries(slipway_${name} PUBLIC slipway_options ${arg_USES} PRIVATE ${arg_LIBRARIES})
  slipway_use_precompiled(slipway_${name} product)
  if(SLIPWAY_UNITY)
    set_target_properties(slipway_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${SLIPWAY_UNITY})
  endif()

  if(SLIPWAY_TESTS AND tests)
    add_executable(${name}_test ${tests})
    target_compile_options(${name}_test PRIVATE ${SLIPWAY_TEST_FLAGS})
    slipway_use_precompiled(${name}_test tests)
    target_link_libraries(${name}_test PRIVATE slipway_${name} slipway_testing ${arg_LIBRARIES} ${arg_TEST_LIBRARIES}
                          GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST
                         WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} PROPERTIES TIMEOUT 300)
  endif()

  foreach(source ${fuzzers})
    get_filename_component(stem ${source} NAME_WE)
    if(SLIPWAY_FUZZ)
      add_executable(${stem} ${source})
      target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
    elseif(SLIPWAY_TESTS)
      add_executable(${stem} ${source} ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.cpp)
    else()
      continue()
    endif()
    target_link_libraries(${stem} PRIVATE slipway_${name} slipway_testing ${arg_LIBRARIES})
    add_dependencies(fuzzers ${stem})
    set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
    if(NOT SLIPWAY_FUZZ)
      add_test(NAME fuzz.${stem} COMMAND ${stem} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${stem})
    endif()
  endforeach()
endfunction()
