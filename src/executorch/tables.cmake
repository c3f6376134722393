# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The accessors of the tables of ExecuTorch programs, generated at build time because they demand the very version of the library.
set(generated ${CMAKE_BINARY_DIR}/generated/program_generated.h)
add_custom_command(OUTPUT ${generated}
  COMMAND flatbuffers::flatc --cpp --scoped-enums --gen-object-api -o ${CMAKE_BINARY_DIR}/generated
          ${CMAKE_CURRENT_SOURCE_DIR}/executorch/program.fbs
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/executorch/program.fbs VERBATIM)
target_sources(slipway_executorch PRIVATE ${generated})
