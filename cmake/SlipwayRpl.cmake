# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles programs of the Render Pipeline Language as part of a build.
#
#   slipway_compile_rpl(TARGET NAME name SOURCES file... ENTRIES stage=function...
#                       [OPTIONS name=value...] [PIPELINE graphics|compute] [VULKAN vulkan1.1|vulkan1.2|vulkan1.3|vulkan1.4] [EMBED])
#
# Makes name.spv and name.json (the metadata) in the binary directory, again whenever a source changes, and before TARGET is
# built. The property SLIPWAY_RPL_FILES of TARGET lists them. With EMBED, `#include "name.rpl.h"` declares in C and C++
#
#   static const uint32_t name_spirv[];      // with name_spirv_words elements
#   static const unsigned char name_metadata[];  // JSON, ended by a zero
function(slipway_compile_rpl target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "EMBED" "NAME;PIPELINE;VULKAN" "SOURCES;ENTRIES;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "slipway_compile_rpl: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  foreach(needed NAME SOURCES ENTRIES)
    if(NOT arg_${needed})
      message(FATAL_ERROR "slipway_compile_rpl: ${needed} is missing")
    endif()
  endforeach()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "slipway_compile_rpl: `${arg_NAME}` is not an identifier")
  endif()
  # The program of this installation, or another one of the same version on the PATH.
  find_program(SLIPWAY_PROGRAM slipway HINTS "${SLIPWAY_PROGRAM_DIRECTORY}")
  if(NOT SLIPWAY_PROGRAM)
    message(FATAL_ERROR "slipway_compile_rpl: the program `slipway` is not installed; SLIPWAY_PROGRAM names it")
  endif()

  set(sources)
  foreach(source ${arg_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND sources "${source}")
  endforeach()
  set(command "${SLIPWAY_PROGRAM}" compile ${sources})
  foreach(entry ${arg_ENTRIES})
    list(APPEND command --entry "${entry}")
  endforeach()
  foreach(option ${arg_OPTIONS})
    list(APPEND command --set "${option}")
  endforeach()
  if(arg_PIPELINE)
    list(APPEND command --pipeline "${arg_PIPELINE}")
  endif()
  if(arg_VULKAN)
    list(APPEND command --target "${arg_VULKAN}")
  endif()

  set(directory "${CMAKE_CURRENT_BINARY_DIR}/rpl/${target}")
  file(MAKE_DIRECTORY "${directory}")
  set(files "${directory}/${arg_NAME}.spv" "${directory}/${arg_NAME}.json")
  add_custom_command(OUTPUT ${files} COMMAND ${command} -o "${directory}/${arg_NAME}" DEPENDS ${sources} "${SLIPWAY_PROGRAM}"
                     COMMENT "Compiling pipeline ${arg_NAME}" VERBATIM)
  set(generated ${files})
  if(arg_EMBED)
    set(header "${directory}/${arg_NAME}.rpl.h")
    add_custom_command(OUTPUT "${header}"
      COMMAND "${CMAKE_COMMAND}" "-DNAME=${arg_NAME}" "-DDIRECTORY=${directory}" -P "${SLIPWAY_RPL_EMBED}"
      DEPENDS ${files} "${SLIPWAY_RPL_EMBED}" VERBATIM)
    list(APPEND generated "${header}")
    target_include_directories(${target} PRIVATE "${directory}")
  endif()
  target_sources(${target} PRIVATE ${generated})
  set_property(TARGET ${target} APPEND PROPERTY SLIPWAY_RPL_FILES ${files})
endfunction()
set(SLIPWAY_RPL_EMBED "${CMAKE_CURRENT_LIST_DIR}/SlipwayRplEmbed.cmake" CACHE INTERNAL "")
