// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assignments as text and JSON, and reading them from JSON (docs/spec/rpl.md#variants, docs/spec/rpl.md#command-line).
#pragma once

#include <string>
#include <vector>

#include "json/document.hpp"
#include "json/writer.hpp"
#include "rpl/program.hpp"

namespace slipway::rpl {

// The value of an option as JSON: `true`, `12`, `-0.5`, `"instance"`.
std::string value_json(const Program& program, const Value& value);
// {"tint_mode": "instance", "wireframe": false}: the options that have a value, in declaration order.
void write_assignment(json::Writer& out, const Program& program, const Assignment& assignment);
// `tint_mode=instance, wireframe=false`
std::string assignment_text(const Program& program, const Assignment& assignment);

// {"name": value, ...} on top of `assignment`. Problems are those of `set_option`, at the value in the file, and
// wrong-type.
void read_assignment(const Program& program, json::Value object, Assignment& assignment, Diagnostics& diagnostics);
// [{...}, {...}], each on top of `fixed`.
std::vector<Assignment> read_assignments(const Program& program, json::Value array, const Assignment& fixed,
                                         Diagnostics& diagnostics);

}  // namespace slipway::rpl
