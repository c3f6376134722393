# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The cases that are files, in a generated source file: tests/corpus/known_wrong and tests/corpus/conformance.
set(corpus ${CMAKE_SOURCE_DIR}/tests/corpus)
file(GLOB_RECURSE corpus_files CONFIGURE_DEPENDS RELATIVE ${corpus} ${corpus}/known_wrong/*.graph ${corpus}/known_wrong/*.json
     ${corpus}/known_wrong/*.npz ${corpus}/known_wrong/recipes/*.bin ${corpus}/known_wrong/recipes/*.comp
     ${corpus}/conformance/*.json)
list(SORT corpus_files)
set(arrays "")
set(table "")
set(number 0)
foreach(file ${corpus_files})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${corpus}/${file})
  file(READ ${corpus}/${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {${bytes}};\n")
  string(APPEND table "    {\"${file}\", kFile${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
set(source "// Made from tests/corpus at configuration time.\n#include \"conformance/corpus.hpp\"\n\nnamespace slipway::conformance {\nnamespace {\n\n${arrays}\nconstexpr CorpusFile kFiles[] = {\n${table}};\n\n}  // namespace\n\nstd::span<const CorpusFile> corpus() { return kFiles; }\n\n}  // namespace slipway::conformance\n")
file(WRITE ${CMAKE_BINARY_DIR}/generated/conformance/corpus_files.cpp.new "${source}")
file(COPY_FILE ${CMAKE_BINARY_DIR}/generated/conformance/corpus_files.cpp.new
     ${CMAKE_BINARY_DIR}/generated/conformance/corpus_files.cpp ONLY_IF_DIFFERENT)
target_sources(slipway_conformance PRIVATE ${CMAKE_BINARY_DIR}/generated/conformance/corpus_files.cpp)
set_source_files_properties(${CMAKE_BINARY_DIR}/generated/conformance/corpus_files.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
