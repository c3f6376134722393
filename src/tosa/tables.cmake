# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The accessors of the FlatBuffers tables, generated at build time because they demand the very version of the library;
# with the names of the fields, from which attributes are read and written.
set(generated ${CMAKE_BINARY_DIR}/generated/tosa_generated.h)
add_custom_command(OUTPUT ${generated}
  COMMAND flatbuffers::flatc --cpp --scoped-enums --reflect-names --gen-object-api -o ${CMAKE_BINARY_DIR}/generated
          ${CMAKE_CURRENT_SOURCE_DIR}/tosa/tosa.fbs
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tosa/tosa.fbs VERBATIM)
target_sources(slipway_tosa PRIVATE ${generated})

# The schema itself, for writing models as JSON.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tosa/tosa.fbs)
file(READ ${CMAKE_CURRENT_SOURCE_DIR}/tosa/tosa.fbs TOSA_SCHEMA)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/tosa/tosa_schema.hpp.in ${CMAKE_BINARY_DIR}/generated/tosa_schema.hpp @ONLY)
