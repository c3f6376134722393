// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options of a program, values assigned to them, and the record of which were read.
//
//   Assignment assignment;
//   set_option(program, "wireframe=on", OptionFilter::Any, location, assignment, diagnostics);
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "rpl/names.hpp"

namespace slipway::rpl {

struct Program;

using OptionId = std::uint32_t;  // the index in Program::options

enum class OptionClass : std::uint8_t { Global, Instance };
enum class OptionType : std::uint8_t { Flag, Uint, Sint, Float, Enum };
std::string_view name_of(OptionClass value);
std::string_view name_of(OptionType value);

// A compile-time value. Flags are 0 or 1, floats their bits, strings the NameId of their text.
enum class ValueType : std::uint32_t { None, Flag, Uint, Sint, Float, String };
std::string_view name_of(ValueType type);
struct Value {
  ValueType type = ValueType::None;
  std::uint32_t bits = 0;
  bool operator==(const Value&) const = default;
};

// Values by OptionId. An option without a value (or beyond the end) has its default.
struct Assignment {
  std::vector<Value> values;

  bool has(OptionId option) const { return option < values.size() && values[option].type != ValueType::None; }
  void set(OptionId option, Value value);
  bool operator==(const Assignment&) const = default;
};

// What --set, --set-global and --set-instance accept.
enum class OptionFilter : std::uint8_t { Any, Global, Instance };

// `name=value`, as on the command line (docs/spec/rpl.md#setting-options). `location` is the origin of the text,
// `nowhere` for a command line. Errors: usage (no `=`), rpl-option-unknown, rpl-option-type, rpl-option-class,
// rpl-option-value, rpl-option-twice.
void set_option(const Program& program, std::string_view text, OptionFilter filter, const SourceLocation& location,
                Assignment& assignment, Diagnostics& diagnostics);
void set_option(const Program& program, std::string_view name, std::string_view value, OptionFilter filter,
                const SourceLocation& location, Assignment& assignment, Diagnostics& diagnostics);

// The value as the command line accepts it and diagnostics show it: `true`, `12u`, `-3`, `0.5`, the raw string.
std::string format_value(const Program& program, Value value);

// A set of options; iterates in declaration order.
class OptionSet {
 public:
  void add(OptionId option) {
    if (option < 64) {
      low_ |= std::uint64_t{1} << option;
      return;
    }
    if (option / 64 > high_.size()) high_.resize(option / 64);
    high_[option / 64 - 1] |= std::uint64_t{1} << option % 64;
  }
  bool contains(OptionId option) const {
    if (option < 64) return (low_ >> option & 1) != 0;
    return option / 64 <= high_.size() && (high_[option / 64 - 1] >> option % 64 & 1) != 0;
  }
  void merge(const OptionSet& other) {
    low_ |= other.low_;
    if (other.high_.empty()) return;
    if (high_.size() < other.high_.size()) high_.resize(other.high_.size());
    for (std::size_t i = 0; i < other.high_.size(); ++i) high_[i] |= other.high_[i];
  }
  std::size_t count() const {
    auto count = static_cast<std::size_t>(std::popcount(low_));
    for (const std::uint64_t word : high_) count += static_cast<std::size_t>(std::popcount(word));
    return count;
  }
  void clear() { low_ = 0, high_.clear(); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint64_t left = low_; left != 0; left &= left - 1) visit(static_cast<OptionId>(std::countr_zero(left)));
    for (std::size_t i = 0; i < high_.size(); ++i) {
      for (std::uint64_t left = high_[i]; left != 0; left &= left - 1) {
        visit(static_cast<OptionId>(64 * (i + 1) + static_cast<std::size_t>(std::countr_zero(left))));
      }
    }
  }
  std::vector<OptionId> list() const;

 private:
  std::uint64_t low_ = 0;            // the first 64, which few programs exceed
  std::vector<std::uint64_t> high_;  // the others, 64 to a word
};

// What an output (the interface, the settings, a stage) read: the options, and a hash of the sequence of values that
// its compile-time expressions had. Two assignments with equal hashes have the same output.
struct Consulted {
  OptionSet options;
  std::uint64_t hash = 0;

  void clear() { options.clear(), hash = 0; }
  void mix(std::uint64_t value) { hash = (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29); }
  void merge(const Consulted& other) { options.merge(other.options), mix(other.hash); }
};

}  // namespace slipway::rpl
