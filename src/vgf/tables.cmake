# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The accessors of the FlatBuffers tables, generated at build time because they demand the very version of the library.
set(generated ${CMAKE_BINARY_DIR}/generated/vgf_generated.h)
add_custom_command(OUTPUT ${generated}
  COMMAND flatbuffers::flatc --cpp --scoped-enums -o ${CMAKE_BINARY_DIR}/generated ${CMAKE_CURRENT_SOURCE_DIR}/vgf/vgf.fbs
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/vgf/vgf.fbs VERBATIM)
target_sources(slipway_vgf PRIVATE ${generated})
