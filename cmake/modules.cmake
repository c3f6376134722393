# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A module is one directory of src/: a static library slipway_NAME of its *.cpp files, a test program NAME_test of its *_test.cpp
# files, and a fuzzer of each of its *_fuzz.cpp files. A new file needs no entry.
#
#   slipway_module(NAME [DIRECTORIES_APART] USES modules... LIBRARIES targets... TEST_LIBRARIES targets...)
#
# With DIRECTORIES_APART only files of one directory are compiled together, because some program links a part of the directories.
# In every build a fuzzer is also linked with a small main that replays its corpus (tests/fuzz/corpus/STEM) in CTest.
include(GoogleTest OPTIONAL)
add_custom_target(fuzzers)

# Compiles files together, at most SLIPWAY_UNITY at a time: headers and templates take most of the time of compiling a small
# file. A directory with more files is divided evenly; small directories that follow each other share a group, unless they are
# to be `apart`.
function(slipway_unity target apart)
  if(NOT SLIPWAY_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(directory ${source} DIRECTORY)
    list(APPEND directories ${directory})
    string(MAKE_C_IDENTIFIER ${directory} identifier)
    list(APPEND files_${identifier} ${source})
  endforeach()
  list(REMOVE_DUPLICATES directories)
  set(group 0)
  set(size 0)
  foreach(directory ${directories})
    string(MAKE_C_IDENTIFIER ${directory} identifier)
    list(LENGTH files_${identifier} count)
    math(EXPR parts "(${count} + ${SLIPWAY_UNITY} - 1) / ${SLIPWAY_UNITY}")
    foreach(part RANGE 1 ${parts})
      math(EXPR begin "(${part} - 1) * ${count} / ${parts}")
      math(EXPR length "${part} * ${count} / ${parts} - ${begin}")
      math(EXPR size "${size} + ${length}")
      if(apart OR size GREATER SLIPWAY_UNITY)
        math(EXPR group "${group} + 1")
        set(size ${length})
      endif()
      list(SUBLIST files_${identifier} ${begin} ${length} files)
      set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP UNITY_BUILD_RELOCATABLE ON)
  # GCC treats the sources that such a file includes as headers, and would warn about uses of their local types.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# The directories of src/platform for other systems.
if(WIN32)
  set(other_systems "/src/platform/(posix|linux)/")
else()
  set(other_systems "/src/platform/windows/")
endif()

function(slipway_module name)
  cmake_parse_arguments(arg "DIRECTORIES_APART" "" "USES;LIBRARIES;TEST_LIBRARIES" ${ARGN})
  set(directory ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "${other_systems}")
  set(tests ${sources})
  set(fuzzers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|_fuzz|/main)\\.cpp$")

  add_library(slipway_${name} STATIC ${sources})
  list(TRANSFORM arg_USES PREPEND slipway_)
  target_link_libraries(slipway_${name} PUBLIC slipway_options ${arg_USES} PRIVATE ${arg_LIBRARIES})
  slipway_use_precompiled(slipway_${name} product)
  slipway_unity(slipway_${name} ${arg_DIRECTORIES_APART})

  if(SLIPWAY_TESTS AND tests)
    add_executable(${name}_test ${tests})
    slipway_unity(${name}_test OFF)
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
      target_compile_options(${stem} PRIVATE ${SLIPWAY_TEST_FLAGS})
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
