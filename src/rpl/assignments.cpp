// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/assignments.hpp"

#include <bit>

#include "base/format.hpp"

namespace slipway::rpl {

std::string value_json(const Program& program, const Value& value) {
  switch (value.type) {
    case ValueType::Flag:
      return value.bits != 0 ? "true" : "false";
    case ValueType::Sint:
      return std::to_string(std::bit_cast<std::int32_t>(value.bits));
    case ValueType::Float:
      return json::number_text(std::bit_cast<float>(value.bits));
    case ValueType::String:
      return json::quoted(program.text(value.bits));
    case ValueType::Uint:
      return std::to_string(value.bits);
    case ValueType::None:
      break;
  }
  return "null";
}

void write_assignment(json::Writer& out, const Program& program, const Assignment& assignment) {
  out.object([&] {
    for (OptionId option = 0; option < assignment.values.size(); ++option) {
      if (!assignment.has(option)) continue;
      out.key(program.text(program.options[option].name)).raw(value_json(program, assignment.values[option]));
    }
  });
}

std::string assignment_text(const Program& program, const Assignment& assignment) {
  std::string text;
  for (OptionId option = 0; option < assignment.values.size(); ++option) {
    if (!assignment.has(option)) continue;
    text += formatted("{}{}={}", text.empty() ? "" : ", ", program.text(program.options[option].name),
                      format_value(program, assignment.values[option]));
  }
  return text;
}

void read_assignment(const Program& program, json::Value object, Assignment& assignment, Diagnostics& diagnostics) {
  if (!object.is(json::Type::Object)) {
    diagnostics.add(json::problem(object, DiagnosticKind::WrongType,
                                  formatted("expected an object of options, but here is {}", name_of(object.type()))));
    return;
  }
  for (const json::Value value : object) {
    std::string text;
    switch (value.type()) {
      case json::Type::Bool:
        text = value.boolean() ? "true" : "false";
        break;
      case json::Type::Number:
        text = value.number_text();
        break;
      case json::Type::String:
        text = value.string();
        break;
      default:
        diagnostics.add(json::problem(value, DiagnosticKind::WrongType,
                                      formatted("option `{}` takes a boolean, a number or a string, but here is {}",
                                                value.key(), name_of(value.type()))));
        continue;
    }
    set_option(program, value.key(), text, OptionFilter::Any, value.location(), assignment, diagnostics);
  }
}

std::vector<Assignment> read_assignments(const Program& program, json::Value array, const Assignment& fixed,
                                         Diagnostics& diagnostics) {
  std::vector<Assignment> all;
  if (!array.is(json::Type::Array)) {
    diagnostics.add(json::problem(array, DiagnosticKind::WrongType,
                                  formatted("expected a list of assignments, but here is {}", name_of(array.type()))));
    return all;
  }
  for (const json::Value object : array) {
    read_assignment(program, object, all.emplace_back(fixed), diagnostics);
  }
  return all;
}

}  // namespace slipway::rpl
