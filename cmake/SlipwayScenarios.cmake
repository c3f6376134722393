# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs of scenarios, models and recipes as tests of CTest.
#
#   include(SlipwayScenarios)  # find_package(slipway) includes it
#   slipway_add_scenarios(cases NAME nightly SHARDS 4 OPTIONS --timeout 60 --expect ${CMAKE_CURRENT_SOURCE_DIR}/known.txt)
#
# Adds the tests nightly.1 to nightly.4, each of which runs one shard of the files in the directory. Each writes
# NAME.SHARD.jsonl and NAME.SHARD.xml (JUnit) in the current binary directory. Without NAME the tests have the name of the
# directory, without SHARDS there is one. SLIPWAY_EXECUTABLE is the program.
include_guard()

function(slipway_add_scenarios directory)
  cmake_parse_arguments(PARSE_ARGV 1 argument "" "NAME;SHARDS" "OPTIONS")
  if(argument_UNPARSED_ARGUMENTS OR argument_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "slipway_add_scenarios: unknown or incomplete: ${argument_UNPARSED_ARGUMENTS} ${argument_KEYWORDS_MISSING_VALUES}")
  endif()
  get_filename_component(path "${directory}" ABSOLUTE)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "slipway_add_scenarios: `${path}` does not exist")
  endif()
  find_program(SLIPWAY_EXECUTABLE slipway HINTS "${SLIPWAY_PROGRAM_DIRECTORY}" REQUIRED DOC "the program slipway")
  if(NOT argument_NAME)
    get_filename_component(argument_NAME "${path}" NAME)
  endif()
  if(NOT argument_SHARDS)
    set(argument_SHARDS 1)
  endif()
  foreach(shard RANGE 1 ${argument_SHARDS})
    set(results "${CMAKE_CURRENT_BINARY_DIR}/${argument_NAME}.${shard}")
    add_test(NAME ${argument_NAME}.${shard}
             COMMAND ${SLIPWAY_EXECUTABLE} run ${path} --shard ${shard}/${argument_SHARDS} --results ${results}.jsonl
                     --junit ${results}.xml ${argument_OPTIONS})
    # The exit status if the device lacks something, and nothing worse happened.
    set_tests_properties(${argument_NAME}.${shard} PROPERTIES SKIP_RETURN_CODE 4)
  endforeach()
endfunction()
