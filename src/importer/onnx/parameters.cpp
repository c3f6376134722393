// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/parameters.hpp"

#include "base/format.hpp"
#include "importer/emit/small_types.hpp"

namespace slipway::importer {

std::optional<std::vector<std::int64_t>> list_parameter(const NodeContext& node, std::string_view name, std::size_t i,
                                                        std::int64_t since) {
  if (node.version() < since) return node.list(name);
  if (!node.has(i)) return std::nullopt;
  return node.integers(i, name);
}

std::int64_t integer_operand(const NodeContext& node, std::size_t i, std::string_view name) {
  const std::vector<std::int64_t> values = node.integers(i, name);
  if (values.size() != 1) throw Refused(formatted("`{}` has {} elements; it has to have one", name, values.size()));
  return values[0];
}

FileType type_attribute(const NodeContext& node, std::string_view name, FileType otherwise) {
  if (!node.has(name)) return otherwise;
  const std::int64_t number = node.integer(name);
  const FileType type = file_type_of_onnx(number);
  if (type == FileType::Unknown) throw Refused(formatted("the element type {} is not known", number));
  if (!is_computable(type) && !is_coded(type))
    throw Refused(formatted("tensors of {} are not converted", name_of(type)));
  return type;
}

}  // namespace slipway::importer
