# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# libMLIR, statically and only what parsing TOSA needs: the packaged CMake targets end in the shared libLLVM, which would cost
# 80 MB and the time to load it at every start, and they refuse to be loaded without tools of another package. These are the
# archives below MLIRTosaDialect, MLIRFuncDialect and MLIRParser.
# mlir_archives.txt lists them; env/root.sh, which makes the private root, keeps these alone.
set(llvm /usr/lib/llvm-22 CACHE PATH "where LLVM and MLIR 22 are")
file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/tosa/mlir_archives.txt mlir)
list(TRANSFORM mlir PREPEND ${llvm}/lib/)
foreach(archive ${mlir})
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "${archive} is missing: libmlir-22-dev and llvm-22-dev have to be installed")
  endif()
endforeach()
target_link_libraries(slipway_tosa PRIVATE -Wl,--start-group ${mlir} -Wl,--end-group z zstd)

# LLVM is built without exceptions; its headers are not ours to warn about.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/tosa/read/mlir/read_mlir.cpp PROPERTIES COMPILE_OPTIONS
  "-fno-exceptions;-isystem;${llvm}/include;-Wno-unused-parameter")
