# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Libraries for engines, whose interfaces are C: `rpl_runtime`, which reads packs and metadata (slipway/rpl_pack.h, rpl_json.h, rpl_watch.h), and `rpl`, the compiler alone
# (slipway/rpl.h), each static and shared.
include(GNUInstallDirs)

# Without the C++ library.
add_library(rpl_runtime SHARED rpl_runtime/json.cpp rpl_runtime/pack.cpp rpl_runtime/watch.cpp)
add_library(rpl_runtime_static STATIC rpl_runtime/json.cpp rpl_runtime/pack.cpp rpl_runtime/watch.cpp)
foreach(target rpl_runtime rpl_runtime_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME rpl_runtime LINKER_LANGUAGE C CXX_VISIBILITY_PRESET hidden)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include INTERFACE $<INSTALL_INTERFACE:include>)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables)
endforeach()
set_target_properties(rpl_runtime PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
install(TARGETS rpl_runtime rpl_runtime_static EXPORT slipway COMPONENT library)

# `rpl` contains the C++ library, so that it needs that of C only, and its memory comes from the application (standalone.cpp). All
# parts are linked into one object, in which only the interface is visible; what is not called is left out, function by function.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a OUTPUT_VARIABLE static_cxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT CMAKE_BUILD_TYPE STREQUAL Release OR SLIPWAY_SANITIZE OR SLIPWAY_FUZZ OR NOT IS_ABSOLUTE "${static_cxx}")
  return()
endif()
add_library(rpl_standalone OBJECT rpl_standalone/standalone.cpp)
target_link_libraries(rpl_standalone PRIVATE slipway_rpl_c)
set(parts)
foreach(module rpl_c rpl json spirv base platform)
  list(APPEND parts $<TARGET_FILE:slipway_${module}>)
endforeach()
set(librpl_object ${CMAKE_CURRENT_BINARY_DIR}/librpl.o)
# The functions whose files have all others.
set(roots)
foreach(function rpl_set_allocator rpl_compiler_create rpl_program_variants rpl_problems_free)
  list(APPEND roots -Wl,-u,${function})
endforeach()
add_custom_command(OUTPUT ${librpl_object}
  COMMAND ${CMAKE_CXX_COMPILER} -r -nostdlib -fuse-ld=bfd -Wl,--force-group-allocation -Wl,--gc-sections ${roots}
          $<TARGET_OBJECTS:rpl_standalone> -Wl,--start-group ${parts} ${static_cxx} -Wl,--end-group -o ${librpl_object}
  # What only the code that was left out needs is not needed. Symbols that are unique in a process are made local, too: for that they
  # must be weak first.
  COMMAND ${CMAKE_OBJCOPY} --strip-unneeded ${librpl_object}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --weaken-symbol=_Z* ${librpl_object}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=rpl_* ${librpl_object}
  DEPENDS rpl_standalone $<TARGET_OBJECTS:rpl_standalone> ${parts} COMMAND_EXPAND_LISTS VERBATIM)
set_source_files_properties(${librpl_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
add_library(librpl SHARED ${librpl_object})
add_library(librpl_static STATIC ${librpl_object})
foreach(target librpl librpl_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME rpl LINKER_LANGUAGE C)
  target_include_directories(${target} INTERFACE $<INSTALL_INTERFACE:include>)
endforeach()
set_target_properties(librpl PROPERTIES EXPORT_NAME rpl VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
set_target_properties(librpl_static PROPERTIES EXPORT_NAME rpl_static)
target_link_libraries(librpl PRIVATE m)
target_link_libraries(librpl_static INTERFACE m)
target_link_options(librpl PRIVATE -static-libgcc -Wl,--gc-sections ${SLIPWAY_FOLD} -Wl,-z,pack-relative-relocs -Wl,--exclude-libs,ALL)
if(MOLD)
  target_link_options(librpl PRIVATE -fuse-ld=mold)
endif()
install(TARGETS librpl librpl_static EXPORT slipway COMPONENT library)
