// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/operators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>

namespace slipway::tosa {
namespace {

// --- the notation of the table ---

template <class F>
void for_each_part(std::string_view text, std::string_view separator, F&& use) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end) use(text.substr(0, end));
    text.remove_prefix(std::min(end + separator.size(), text.size()));
  }
}

std::uint8_t number(std::string_view text) {
  std::uint8_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

constexpr std::array<std::pair<std::string_view, OperandKind>, 11> kKinds = {{
    {"int", OperandKind::Int},
    {"flag", OperandKind::Flag},
    {"nan", OperandKind::NanMode},
    {"acc", OperandKind::AccType},
    {"resize", OperandKind::ResizeMode},
    {"rounding", OperandKind::RoundingMode},
    {"search", OperandKind::SearchPattern},
    {"block", OperandKind::BlockSize},
    {"value", OperandKind::Value},
    {"one", OperandKind::One},
    {"zero", OperandKind::ZeroPoint},
}};

OperandInfo attribute(std::string_view name, std::string_view kind) {
  OperandInfo operand{.name = name};
  operand.optional = kind.ends_with('?');
  if (operand.optional) kind.remove_suffix(1);
  if (kind.starts_with("list")) {
    operand.kind = OperandKind::List;
    operand.count = number(kind.substr(4));
    return operand;
  }
  const std::size_t colon = std::min(kind.find(':'), kind.size());
  operand.kind =
      std::ranges::find(kKinds, kind.substr(0, colon), &std::pair<std::string_view, OperandKind>::first)->second;
  if (colon < kind.size()) operand.type = kind.substr(colon + 1);
  return operand;
}

OperandInfo operand(std::string_view text) {
  if (const std::size_t equals = text.find('='); equals != text.npos)
    return attribute(text.substr(0, equals), text.substr(equals + 1));
  OperandInfo operand;
  operand.variadic = text.ends_with("...");
  if (operand.variadic) text.remove_suffix(3);
  const std::size_t colon = text.find(':'), at = text.find('@');
  operand.name = text.substr(0, colon);
  operand.constant = operand.name.ends_with('!');
  if (operand.constant) operand.name.remove_suffix(1);
  operand.type = text.substr(colon + 1, at - colon - 1);
  const std::string_view ranks = text.substr(at + 1);
  operand.min_rank = number(ranks);
  const std::size_t dash = ranks.find('-');
  operand.max_rank = dash == ranks.npos ? operand.min_rank : number(ranks.substr(dash + 1));
  return operand;
}

OperatorInfo parse(Op op, std::string_view name, InstructionSet set, std::uint32_t id, std::string_view operands,
                   std::string_view results, std::string_view variables, std::string_view types) {
  OperatorInfo info{op, name, set, id, {}, {}, {}, {}};
  for_each_part(operands, " ", [&](std::string_view text) { info.operands.push_back(operand(text)); });
  for_each_part(results, " ", [&](std::string_view text) { info.results.push_back(operand(text)); });
  for_each_part(variables, " ", [&](std::string_view text) { info.variables.push_back(text); });
  for_each_part(types, " | ", [&](std::string_view group) {
    const std::size_t colon = group.find(": ");
    for_each_part(group.substr(colon + 2), ", ", [&](std::string_view row) {
      TypeRow types_of_row{{}, group.substr(0, colon)};
      for_each_part(row, " ", [&](std::string_view type) { types_of_row.types.push_back(*data_type_from_name(type)); });
      info.rows.push_back(std::move(types_of_row));
    });
  });
  return info;
}

const std::vector<OperatorInfo>& table() {
  static const std::vector<OperatorInfo> parsed = {
#define OPERATOR(name, set, number, rule, operands, results, variables, types) \
  parse(Op::name, #name, InstructionSet::set, number, operands, results, variables, types),
#include "tosa/operators.def"
#undef OPERATOR
  };
  return parsed;
}

constexpr EnumerantName kAccTypes[] = {{"INT32", 1}, {"FP16", 2}, {"FP32", 3}, {"INT48", 4}};
constexpr EnumerantName kNanModes[] = {{"PROPAGATE", 1}, {"IGNORE", 2}};
constexpr EnumerantName kRoundingModes[] = {{"SINGLE_ROUND", 1}, {"INEXACT_ROUND", 2}, {"DOUBLE_ROUND", 3}};
constexpr EnumerantName kResizeModes[] = {{"NEAREST_NEIGHBOR", 1}, {"BILINEAR", 2}};
constexpr EnumerantName kBlockSizes[] = {{"BLOCK_SIZE_32", kBlockSize}};
constexpr EnumerantName kSearchPatterns[] = {{"RASTER", 0}, {"SPIRAL", 1}};

}  // namespace

const OperandInfo* OperatorInfo::operand(std::string_view wanted) const {
  const auto found = std::ranges::find(operands, wanted, &OperandInfo::name);
  return found == operands.end() ? nullptr : &*found;
}

std::optional<std::size_t> OperatorInfo::variable(std::string_view wanted) const {
  const auto found = std::ranges::find(variables, wanted);
  return found == variables.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - variables.begin()));
}

std::span<const OperatorInfo> operators() { return table(); }
const OperatorInfo& info_of(Op op) { return table()[static_cast<std::size_t>(op)]; }
std::string_view name_of(Op op) { return op == Op::CUSTOM ? "CUSTOM" : info_of(op).name; }

std::optional<Op> op_from_name(std::string_view name) {
  if (name == "CUSTOM") return Op::CUSTOM;
  if (name == "AVG_POOL2D_ADAPTIVE" || name == "MAX_POOL2D_ADAPTIVE") name.remove_suffix(kAdaptive.size());
  const auto found = std::ranges::find(table(), name, &OperatorInfo::name);
  return found == table().end() ? std::nullopt : std::optional(found->op);
}

const OperatorInfo* find_operator(InstructionSet set, std::uint32_t number) {
  for (const OperatorInfo& info : table()) {
    if (info.set == set && info.number == number) return &info;
  }
  return nullptr;
}

std::span<const EnumerantName> enumerants(OperandKind kind) {
  switch (kind) {
    case OperandKind::AccType:
      return kAccTypes;
    case OperandKind::NanMode:
      return kNanModes;
    case OperandKind::RoundingMode:
      return kRoundingModes;
    case OperandKind::ResizeMode:
      return kResizeModes;
    case OperandKind::SearchPattern:
      return kSearchPatterns;
    case OperandKind::BlockSize:
      return kBlockSizes;
    default:
      return {};
  }
}

DataType data_type_of(AccType type) {
  switch (type) {
    case AccType::Fp16:
      return DataType::F16;
    case AccType::Fp32:
      return DataType::F32;
    case AccType::Int48:
      return DataType::I48;
    case AccType::Int32:
      break;
  }
  return DataType::I32;
}

}  // namespace slipway::tosa
