# libMLIR, statically and only what parsing TOSA needs: the packaged targets end in the shared libLLVM, which would cost 80 MB
# and the time to load it at every start. The walk stops there, and LLVM's own archives are named.
find_package(MLIR 22.1 CONFIG REQUIRED PATHS /usr/lib/llvm-22)

function(archive_closure out)
  set(todo ${ARGN})
  set(seen)
  while(todo)
    list(POP_FRONT todo target)
    if(TARGET ${target} AND NOT target IN_LIST seen AND NOT target STREQUAL "LLVM" AND NOT target STREQUAL "MLIR")
      list(APPEND seen ${target})
      get_target_property(needs ${target} INTERFACE_LINK_LIBRARIES)
      if(needs)
        string(REGEX REPLACE "\\$<LINK_ONLY:([^>]*)>" "\\1" needs "${needs}")
        list(APPEND todo ${needs})
      endif()
    endif()
  endwhile()
  set(files)
  foreach(target ${seen})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND files $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

archive_closure(mlir MLIRTosaDialect MLIRFuncDialect MLIRParser)
foreach(component Support Demangle TargetParser Core BinaryFormat Remarks BitstreamReader)
  list(APPEND mlir ${LLVM_LIBRARY_DIRS}/libLLVM${component}.a)
endforeach()
target_link_libraries(slipway_tosa PRIVATE -Wl,--start-group ${mlir} -Wl,--end-group z zstd)

# LLVM is built without exceptions; its headers are not ours to warn about.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/tosa/read/mlir/read_mlir.cpp PROPERTIES COMPILE_OPTIONS
  "-fno-exceptions;-isystem;${LLVM_INCLUDE_DIRS};-Wno-unused-parameter")
