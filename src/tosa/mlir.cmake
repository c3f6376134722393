# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libMLIR, statically and only what parsing TOSA needs: the packaged CMake targets end in the shared libLLVM, which would cost
# 80 MB and the time to load it at every start, and they refuse to be loaded without tools of another package. These are the
# archives below MLIRTosaDialect, MLIRFuncDialect and MLIRParser.
# mlir_archives.txt lists them; env/root.sh, which makes the private root, keeps these alone. A build without them reads no MLIR.
find_path(llvm lib/libMLIRTosaDialect.a PATHS /usr/lib/llvm-22 /usr/lib/llvm-23 NO_DEFAULT_PATH DOC "where LLVM and MLIR 22 or 23 are")
set(mlir_directory ${CMAKE_CURRENT_SOURCE_DIR}/tosa/read/mlir)
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/tosa/mlir_archives.txt mlir)
list(TRANSFORM mlir PREPEND ${llvm}/lib/)
set(missing)
foreach(archive ${mlir})
  if(NOT EXISTS ${archive})
    list(APPEND missing ${archive})
  endif()
endforeach()
if(missing)
  list(GET missing 0 missing)
  message(STATUS "No MLIR (${missing} is missing): this build reads no models as MLIR")
  set_source_files_properties(${mlir_directory}/parse_mlir.cpp ${mlir_directory}/read_mlir.cpp ${CMAKE_CURRENT_SOURCE_DIR}/tosa/mlir_test.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/tosa/write_mlir_test.cpp PROPERTIES HEADER_FILE_ONLY ON)
  return()
endif()
set_source_files_properties(${mlir_directory}/without_mlir.cpp PROPERTIES HEADER_FILE_ONLY ON)
target_link_libraries(slipway_tosa PRIVATE -Wl,--start-group ${mlir} -Wl,--end-group z zstd)

# LLVM is built without exceptions; its headers are system headers, to silence their warnings.
set_source_files_properties(${mlir_directory}/parse_mlir.cpp PROPERTIES COMPILE_OPTIONS
  "-fno-exceptions;-isystem;${llvm}/include;-Wno-unused-parameter;-Wno-invalid-pch")
