# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The accessors of the tables of TensorFlow Lite files, generated at build time because they demand the very version of the library,
# and the schema itself, from which options of operators are read by their names.
set(generated ${CMAKE_BINARY_DIR}/generated/tflite_generated.h ${CMAKE_BINARY_DIR}/generated/tflite_bfbs_generated.h)
add_custom_command(OUTPUT ${generated}
  COMMAND flatbuffers::flatc --cpp --scoped-enums --gen-object-api --bfbs-gen-embed -o ${CMAKE_BINARY_DIR}/generated
          ${CMAKE_CURRENT_SOURCE_DIR}/importer/tflite/tflite.fbs
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/importer/tflite/tflite.fbs VERBATIM)
set(generated_metadata ${CMAKE_BINARY_DIR}/generated/tflite_metadata_generated.h)
add_custom_command(OUTPUT ${generated_metadata}
  COMMAND flatbuffers::flatc --cpp --scoped-enums --gen-object-api -o ${CMAKE_BINARY_DIR}/generated
          ${CMAKE_CURRENT_SOURCE_DIR}/importer/tflite/tflite_metadata.fbs
  DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/importer/tflite/tflite_metadata.fbs VERBATIM)
target_sources(slipway_importer PRIVATE ${generated} ${generated_metadata})
