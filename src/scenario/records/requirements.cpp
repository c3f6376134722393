// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The root's `requires` (docs/spec/scenario.md#additive-keys).
#include <charconv>

#include "base/format.hpp"
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder;
using json::Record;
using json::Value;

// "1.3"
struct ApiVersion {
  bool read(Decoder& decoder, Value value, std::array<std::uint32_t, 2>& to) const {
    if (!value.is(json::Type::String)) return decoder.wrong_type(value, "a string");
    const std::string& text = value.string();
    const char* const end = text.data() + text.size();
    const auto [dot, major_error] = std::from_chars(text.data(), end, to[0]);
    if (major_error == std::errc() && dot != end && *dot == '.') {
      const auto [rest, minor_error] = std::from_chars(dot + 1, end, to[1]);
      if (minor_error == std::errc() && rest == end) return true;
    }
    return decoder.error(value, DiagnosticKind::UnknownValue,
                         formatted("`api` takes a version such as \"1.3\", but here is `{}`", text));
  }
  void schema(json::Schema& schema) const { schema.out().raw(R"({"type": "string", "pattern": "^[0-9]+\\.[0-9]+$"})"); }
};

// {"maxComputeWorkGroupInvocations": 256}
struct Limits {
  bool read(Decoder& decoder, Value value, std::vector<RequiredLimit>& to) const {
    std::vector<NamedValue> named;
    if (!NamedValues{}.read(decoder, value, named)) return false;
    bool ok = true;
    for (const NamedValue& one : named) {
      RequiredLimit& limit = to.emplace_back(one.name, 0, one.value);
      ok &= json::Integer{}.read(decoder, one.value, limit.value);
    }
    return ok;
  }
  void schema(json::Schema& schema) const { NamedValues{R"({"type": "integer", "minimum": 0})"}.schema(schema); }
};

const Record<RequiredFormat>& required_format_record() {
  static const auto record =
      Record<RequiredFormat>("required_format", "uses of a format that the device must support", &RequiredFormat::at)
          .required("format", &RequiredFormat::format, FormatText{}, "the VkFormat")
          .optional("tiling", &RequiredFormat::tiling, words(kTiling), "OPTIMAL when absent")
          .required("usage", &RequiredFormat::usage, json::List{words(kFormatUse), 1}, "the uses");
  return record;
}

}  // namespace

const Record<Requirements>& requirements_record() {
  const auto names = json::List{json::kNotEmpty};
  static const auto record =
      Record<Requirements>("requires", "requirements for the device; without them the scenario is skipped",
                           &Requirements::at)
          .optional("api", &Requirements::api, ApiVersion{}, "the minimum version of Vulkan")
          .optional("extensions", &Requirements::extensions, names, "names of device extensions")
          .optional("features", &Requirements::features, names,
                    "names of VkBool32 members of Vulkan's feature structures")
          .optional("limits", &Requirements::limits, Limits{},
                    "limits with the minimum value that the device must have")
          .optional("formats", &Requirements::formats, json::List{json::Nested(required_format_record())},
                    "formats and their uses")
          .optional("native", &Requirements::native, json::List{words(kNativeFeature)}, "what must not be emulated")
          .optional("memory", &Requirements::memory, json::Integer{}, "device memory in bytes");
  return record;
}

}  // namespace slipway::scenario
