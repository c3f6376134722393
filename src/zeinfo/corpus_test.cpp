// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cases of tests/corpus/zeinfo: a text and the diagnostics that it produces. A case begins with `=== what it
// shows`, optionally followed by `target=DEVICE` and `release=YY.WW`; `--- expected` ends the text. UPDATE_CORPUS=1
// rewrites the expectations.

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <ranges>
#include <sstream>

#include "base/format.hpp"
#include "testing/zeinfo_texts.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;

const Path kDirectory = "tests/corpus/zeinfo";

struct Case {
  std::string title;
  std::string text;
  std::string expected;
};

std::vector<Case> cases_of(const std::string& file) {
  std::vector<Case> cases;
  std::istringstream lines(read_text(slipway::testing::source_directory() / kDirectory / file).value());
  bool in_expected = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({.title = line.substr(4)});
      in_expected = false;
    } else if (line == "--- expected") {
      in_expected = true;
    } else {
      (in_expected ? cases.back().expected : cases.back().text) += line + "\n";
    }
  }
  return cases;
}

std::string option(const std::string& title, std::string_view name) {
  const std::size_t at = title.find(std::string(name) + "=");
  return at == title.npos ? std::string()
                          : title.substr(at + name.size() + 1, title.find(' ', at) - at - name.size() - 1);
}

class Corpus : public ::testing::TestWithParam<std::string> {};

TEST_P(Corpus, ReportsWhatIsExpected) {
  std::string updated;
  for (const Case& one : cases_of(GetParam())) {
    const std::string device = option(one.title, "target");
    const std::string release = option(one.title, "release");
    const Target target = device.empty() ? Target{} : Target::of_product(device).value();
    Reading reading(one.text);
    reading.check(release.empty() ? Level::Consistency : Level::Runtime, target,
                  release.empty() ? kLastRelease : parse_release(release).value());
    std::string actual;
    reading.messages();  // sorts
    for (const Diagnostic& diagnostic : reading.diagnostics.all()) {
      if (diagnostic.kind == DiagnosticKind::TargetUnknown) continue;
      constexpr std::string_view kNames[] = {"note", "warning", "error"};
      const Position at = diagnostic.location.source
                              ? diagnostic.location.source->position(diagnostic.location.span.begin)
                              : Position{};
      actual += formatted("{}:{}: {}: {} [{}]\n", at.line, at.column, kNames[static_cast<int>(diagnostic.severity)],
                          diagnostic.message, name_of(diagnostic.kind));
      for (const DiagnosticNote& note : diagnostic.notes) actual += "  " + note.message + "\n";
    }
    updated += "=== " + one.title + "\n" + one.text + "--- expected\n" + actual;
    if (!std::getenv("UPDATE_CORPUS")) {
      EXPECT_EQ(actual, one.expected) << GetParam() << ": " << one.title;
    }
    // The quick reader must not change the diagnostics.
    Reading slow(one.text, {.quick = false});
    Reading quick(one.text);
    EXPECT_EQ(slow.messages(), quick.messages()) << one.title;
    // A text without errors has a canonical form, which is its own canonical form.
    if (!quick.document.has_errors && !not_understood(quick.document)) {
      const std::string canonical = write(quick.document).value();
      Reading again(canonical);
      EXPECT_TRUE(same_values(quick.document, again.document)) << one.title;
      EXPECT_EQ(write(again.document).value(), canonical) << one.title;
    }
  }
  if (std::getenv("UPDATE_CORPUS")) {
    ASSERT_TRUE(write_file(slipway::testing::source_directory() / kDirectory / GetParam(), std::string_view(updated)));
  }
}
INSTANTIATE_TEST_SUITE_P(Files, Corpus,
                         ::testing::Values("syntax.txt", "values.txt", "spec.txt", "consistency.txt", "runtime.txt"),
                         [](const auto& file) { return file.param.substr(0, file.param.find('.')); });

// --- the tables of version 1.9 ---------------------------------------------------------------------------------------

// The names of our enums and types in the document of version 1.9.
std::string published_name(const FieldInfo& field) {
  static const std::map<std::string_view, std::string> kEnums = {
      {"ArgType", "<argument_type>"},  {"AddrMode", "<memory_addressing_mode>"}, {"AddrSpace", "<address_space>"},
      {"AccessType", "<access_type>"}, {"MemBufferType", "<allocation_type>"},   {"MemBufferUsage", "<memory_usage>"}};
  static const std::map<std::string_view, std::string> kLists = {{"BindingTableIndex", "BindingTableIndicesTy"}};
  switch (field.type) {
    case Type::Int32:
      return "int32";
    case Type::Bool:
      return "bool";
    case Type::Int3:
      return "int32x3";
    case Type::String:
    case Type::Version:
      return "str";
    case Type::Enum:
      return kEnums.at(field.values->name);
    case Type::Mapping:
      return std::string(field.mapping->name);
    case Type::Sequence: {
      const auto found = kLists.find(field.mapping->name);
      return found == kLists.end() ? std::string(field.mapping->name) + "sTy" : found->second;
    }
    case Type::Float:
      return "float";
  }
  return "";
}

std::string published_default(const FieldInfo& field) {
  if (field.required || field.type == Type::Version) return "required";
  if (field.type == Type::Int32) return std::to_string(field.default_value);
  if (field.type == Type::Bool) return field.default_value ? "true" : "false";
  return "optional";
}

TEST(PublishedTables, AreTheTableFilteredTo1_9) {
  std::map<std::string, std::vector<std::string>> published;
  std::istringstream lines(read_text(slipway::testing::source_directory() / kDirectory / "keys-1.9.txt").value());
  std::vector<std::string>* section = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#')) continue;
    const bool of_enum = line.starts_with('<');
    const bool of_mapping = !line.contains(' ') && line[0] >= 'A' && line[0] <= 'Z';
    if (of_enum || of_mapping) {
      section = &published[line];
    } else {
      section->push_back(line);
    }
  }
  ASSERT_GE(published.size(), 15u);
  for (const MappingInfo* mapping : all_mappings()) {
    std::vector<std::string> ours;
    for (const FieldInfo& field : mapping->fields) {
      if (!field.lifetime.has(9)) continue;
      ours.push_back(formatted("{} {} {}", field.key, published_name(field), published_default(field)));
    }
    const auto found = published.find(std::string(mapping->name));
    // A later mapping has no section; all fields of version 1.9 of a mapping are in its section.
    if (found == published.end()) {
      EXPECT_TRUE(ours.empty()) << mapping->name;
      continue;
    }
    EXPECT_EQ(ours, found->second) << mapping->name;
    published.erase(found);
  }
  const std::pair<const EnumInfo*, std::string> enums[] = {
      {&enum_of<ArgType>(), "<argument_type>"},         {&enum_of<AddrMode>(), "<memory_addressing_mode>"},
      {&enum_of<AddrSpace>(), "<address_space>"},       {&enum_of<AccessType>(), "<access_type>"},
      {&enum_of<MemBufferType>(), "<allocation_type>"}, {&enum_of<MemBufferUsage>(), "<memory_usage>"}};
  for (const auto& [values, name] : enums) {
    std::vector<std::string> ours;
    for (const ValueInfo& value : values->values) {
      if (value.lifetime.has(9)) ours.emplace_back(value.name);
    }
    EXPECT_EQ(ours, published.at(name)) << name;
    published.erase(name);
  }
  EXPECT_TRUE(published.empty()) << published.begin()->first;
}

// Every key of every mapping and every value of every enum can be read and is written again.
TEST(PublishedTables, EveryKeyAndValueIsReadAndWritten) {
  const auto value_of = [](const FieldInfo& field) -> std::string {
    switch (field.type) {
      case Type::Int32:
        return std::to_string(field.default_value + 1);
      case Type::Bool:
        return field.default_value ? "false" : "true";
      case Type::Float:
        return "1.5";
      case Type::String:
        return "text";
      case Type::Int3:
        return "[ 1, 0, 0 ]";
      case Type::Enum:
        return std::string(field.values->values.back().name);
      default:
        return "";
    }
  };
  const std::function<std::string(const MappingInfo&, const FieldInfo*, std::string)> flow =
      [&](const MappingInfo& mapping, const FieldInfo* extra, std::string of_extra) {
        std::string out = "{ ";
        for (const FieldInfo& field : mapping.fields) {
          std::string text;
          if (&field == extra) {
            text = of_extra;
          } else if (!field.required) {
            continue;
          } else if (field.type == Type::Mapping) {
            text = flow(*field.mapping, nullptr, "");
          } else if (field.type == Type::Sequence) {
            text = "[ " + flow(*field.mapping, nullptr, "") + " ]";
          } else {
            text = value_of(field);
          }
          out += formatted("{}: {}, ", field.key, text);
        }
        return out + "}";
      };
  // The path from the root to each mapping.
  const std::map<std::string_view, std::string> kAbove = {
      {"UserAttributes", "kernels/user_attributes"},
      {"ExecutionEnv", "kernels/execution_env"},
      {"PayloadArgument", "kernels/payload_arguments"},
      {"PerThreadPayloadArgument", "kernels/per_thread_payload_arguments"},
      {"BindingTableIndex", "kernels/binding_table_indices"},
      {"PerThreadMemoryBuffer", "kernels/per_thread_memory_buffers"},
      {"InlineSampler", "kernels/inline_samplers"},
      {"ExperimentalProperties", "kernels/experimental_properties"},
      {"DebugEnv", "kernels/debug_env"},
      {"ArgInfo", "kernels_misc_info/args_info"},
      {"CostArgument", "kernels_cost_info/kcm_args_sym"},
      {"LoopCount", "kernels_cost_info/kcm_loop_count_exps"},
      {"LoopCost", "kernels_cost_info/Kcm_loop_costs"},
      {"Kernel", "kernels"},
      {"Function", "functions"},
      {"HostAccess", "global_host_access_table"},
      {"KernelMiscInfo", "kernels_misc_info"},
      {"KernelCostInfo", "kernels_cost_info"}};
  const MappingInfo& root = mapping_of<Root>();
  int tried = 0;
  const auto try_one = [&](const MappingInfo& mapping, const FieldInfo& field, const std::string& value) {
    std::string text = flow(mapping, &field, value);
    const auto above = kAbove.find(mapping.name);
    if (above != kAbove.end()) {
      const std::size_t slash = above->second.find('/');
      const FieldInfo& outer = *root.find(above->second.substr(0, slash));
      if (slash != std::string::npos) {
        const FieldInfo& inner = *outer.mapping->find(above->second.substr(slash + 1));
        text = flow(*outer.mapping, &inner, inner.type == Type::Sequence ? "[ " + text + " ]" : text);
      }
      text = flow(root, &outer, "[ " + text + " ]");
    }
    Reading reading(text);
    EXPECT_FALSE(reading.document.has_errors) << text << "\n" << reading.messages();
    const std::string canonical = write(reading.document).value();
    const bool one_line = field.type != Type::Mapping && field.type != Type::Sequence && field.type != Type::Version;
    if (one_line) {
      const std::string expected =
          formatted("{}:{}{}\n", field.key, std::string(field.key.size() < 16 ? 16 - field.key.size() : 1, ' '), value);
      EXPECT_TRUE(canonical.contains(expected)) << canonical << "lacks " << expected;
    }
    Reading again(canonical);
    EXPECT_TRUE(same_values(reading.document, again.document)) << canonical;
    EXPECT_EQ(write(again.document).value(), canonical);
    ++tried;
  };
  for (const MappingInfo* mapping : all_mappings()) {
    for (const FieldInfo& field : mapping->fields) {
      if (field.type == Type::Mapping || field.type == Type::Sequence || field.type == Type::Version) continue;
      if (field.type != Type::Enum) {
        try_one(*mapping, field, value_of(field));
        continue;
      }
      for (const ValueInfo& value : field.values->values) try_one(*mapping, field, std::string(value.name));
    }
  }
  EXPECT_GT(tried, 200);
}

}  // namespace
}  // namespace slipway::zeinfo
