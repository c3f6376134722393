# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tables of devices that the program contains, as text in a generated header.
file(GLOB tuning_tables CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/model/tuning/tables/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${tuning_tables})
set(header [[
// Made from model/tuning/tables at configuration time.
#pragma once
#include <string_view>

namespace slipway::model {

struct ShippedTable {
  std::string_view device, text;
};

inline constexpr ShippedTable kShippedTables[] = {
]])
foreach(table ${tuning_tables})
  file(READ ${table} text)
  string(JSON device GET "${text}" device)
  string(APPEND header "    {\"${device}\", R\"json(${text})json\"},\n")
endforeach()
string(APPEND header "};\n\n}  // namespace slipway::model\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/model/shipped_tables.hpp CONTENT "${header}" @ONLY)
