// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/metadata/diff.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "json/document.hpp"
#include "json/writer.hpp"
#include "rpl/metadata/metadata_json.hpp"

namespace slipway::rpl {
namespace {

std::string text_of(json::Value value) { return value ? std::string(value.text()) : "nothing"; }

// Elements of arrays are named when they have a name: `buffers[view]`.
std::string element_name(json::Value element, std::size_t index) {
  const json::Value name = element && element.is(json::Type::Object) ? element["name"] : json::Value();
  return name && name.is(json::Type::String) ? name.string() : std::to_string(index);
}

class Differ {
 public:
  explicit Differ(std::vector<Difference>& found) : found_(found) {}

  // Recurses into objects and arrays; the depth is that of the metadata, which is fixed.
  void compare(const std::string& path, json::Value left, json::Value right) {
    if (!left || !right || left.type() != right.type()) return report(path, left, right);
    if (left.is(json::Type::Object)) return objects(path, left, right);
    if (left.is(json::Type::Array)) return arrays(path, left, right);
    if (left.text() != right.text()) report(path, left, right);
  }

 private:
  void report(const std::string& path, json::Value left, json::Value right) {
    if (!left && !right) return;
    const auto shown = [](json::Value value) {
      if (!value || (!value.is(json::Type::Object) && !value.is(json::Type::Array))) return text_of(value);
      const json::Value name = value.is(json::Type::Object) ? value["name"] : json::Value();
      return name && name.is(json::Type::String) ? json::quoted(name.string()) : std::string(name_of(value.type()));
    };
    found_.push_back({path, shown(left), shown(right)});
  }

  void objects(const std::string& path, json::Value left, json::Value right) {
    for (const json::Value member : left) {
      compare(path.empty() ? member.key() : path + "." + member.key(), member, right[member.key()]);
    }
    for (const json::Value member : right) {
      if (!left[member.key()]) report(path.empty() ? member.key() : path + "." + member.key(), json::Value(), member);
    }
  }

  void arrays(const std::string& path, json::Value left, json::Value right) {
    for (std::size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
      const json::Value a = i < left.size() ? left[i] : json::Value(), b = i < right.size() ? right[i] : json::Value();
      const std::string name = element_name(a, i);
      // A different element: its contents need no comparison.
      if (a && b && name != element_name(b, i)) {
        report(formatted("{}[{}]", path, i), a, b);
      } else {
        compare(formatted("{}[{}]", path, a ? name : element_name(b, i)), a, b);
      }
    }
  }

  std::vector<Difference>& found_;
};

// The compared part as JSON. It comes from a value, so it parses.
std::shared_ptr<const json::Document> document_of(std::string text) {
  return *json::parse(make_source("metadata", std::move(text)));
}

}  // namespace

std::vector<Difference> diff_metadata(const Metadata& left, const Metadata& right, DiffScope scope) {
  const auto left_text = document_of(metadata_text(left)), right_text = document_of(metadata_text(right));
  const json::Value a = left_text->root(), b = right_text->root();
  std::vector<Difference> found;
  Differ differ(found);
  if (scope == DiffScope::Family) {
    for (const std::string_view key : {"attribute_sources", "set_material", "set_object", "set_shared"}) {
      differ.compare(std::string(key), a["interface"][key], b["interface"][key]);
    }
    return found;
  }
  differ.compare("", a["interface"], b["interface"]);
  if (scope == DiffScope::Interface) return found;
  for (const std::string_view key :
       {"pipeline_type", "entry_points", "settings", "color_outputs", "color_blend_constants"}) {
    differ.compare(std::string(key), a[key], b[key]);
  }
  // File names may differ; the hash covers the contents.
  for (std::size_t i = 0; i < std::max(a["code"].size(), b["code"].size()); ++i) {
    differ.compare(formatted("code[{}].sha256", i), i < a["code"].size() ? a["code"][i]["sha256"] : json::Value(),
                   i < b["code"].size() ? b["code"][i]["sha256"] : json::Value());
  }
  return found;
}

}  // namespace slipway::rpl
