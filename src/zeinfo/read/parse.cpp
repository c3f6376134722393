// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/read/parse.hpp"

#include <algorithm>
#include <ranges>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "zeinfo/read/locate.hpp"
#include "zeinfo/read/reader.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

constexpr std::uint64_t kMaxTextSize = 0xffffffffu;

// The only mapping with this key; null without one, or with several.
const MappingInfo* owner_of(std::string_view key) {
  const MappingInfo* owner = nullptr;
  for (const MappingInfo* one : all_mappings()) {
    if (!std::ranges::contains(one->fields, key, &FieldInfo::key)) continue;
    if (owner) return nullptr;
    owner = one;
  }
  return owner;
}

// Keys unknown in every version are errors, unless the text has a newer version than this program knows.
void report_unknown(Document& document, TextDiagnostics& diagnostics) {
  const bool newer = document.version > kNewestVersion;
  const Severity severity = newer ? Severity::Warning : Severity::Error;
  for (const Deviation& one : document.deviations) {
    if (one.kind != DeviationKind::UnknownKey && one.kind != DeviationKind::UnknownValue) continue;
    if (!newer) document.has_errors = true;
    if (!diagnostics.keeps(severity)) {
      diagnostics.count(severity);
      continue;
    }
    std::string_view word = document.text.substr(one.span.begin, one.span.end - one.span.begin);
    if (word.size() >= 2 && (word.front() == '"' || word.front() == '\'')) word = word.substr(1, word.size() - 2);
    Diagnostic* told = nullptr;
    std::optional<std::string> near;
    if (one.kind == DeviationKind::UnknownKey) {
      told = diagnostics.report(severity, DiagnosticKind::UnknownKey, one.span,
                                formatted("unknown key `{}` in {}", word.substr(0, 60), one.mapping->name));
      if (const MappingInfo* owner = owner_of(word); owner && told)
        told->hint(formatted("it is a key of {}; check the indentation", owner->name));
      else
        near = closest(word, one.mapping->fields | std::views::transform(&FieldInfo::key));
    } else {
      told = diagnostics.report(severity, DiagnosticKind::UnknownValue, one.span,
                                formatted("`{}` has no value `{}`", one.field->key, word.substr(0, 60)));
      near = closest(word, one.field->values->values | std::views::transform(&ValueInfo::name));
    }
    if (told && near) told->suggest(told->location, *near);
  }
}

void report_version(const Document& document, TextDiagnostics& diagnostics, const ParseOptions& options) {
  if (document.has(RootKey::version)) {
    if (document.version > kNewestVersion) {
      diagnostics.report(Severity::Warning, DiagnosticKind::VersionNewer,
                         locate(document, static_cast<const Root&>(document), RootKey::version).value,
                         formatted("version {} is newer than {}, the newest one known here", text_of(document.version),
                                   text_of(kNewestVersion)));
    }
    return;
  }
  // A malformed version has already been reported.
  const bool tried = std::ranges::any_of(document.deviations, [](const Deviation& one) {
    return one.field == &field_of<Root>(RootKey::version) && one.kind != DeviationKind::DuplicateKey;
  });
  if (document.present == 0 || tried) return;
  const Version version = effective_version(document, options.container_version);
  if (version.is_pre()) return;
  diagnostics.report(Severity::Warning, DiagnosticKind::MissingVersion, first_key(document, document.at),
                     formatted("no `version`, which texts have since 1.0; read as {}", text_of(version)));
}

}  // namespace

Document parse(std::string_view text, TextDiagnostics& diagnostics, const ParseOptions& options) {
  Document document;
  // Values take about a third of the size of the text; short texts should not allocate a large block.
  document.arena = std::make_shared<Arena>(std::clamp<std::size_t>(text.size() / 2, 1024, std::size_t{1} << 20));
  document.text = text;
  if (text.size() > kMaxTextSize) {
    document.has_errors = true;
    diagnostics.report(Severity::Error, DiagnosticKind::OutOfRange, {0, 0}, "texts are at most 4 GiB - 1");
    return document;
  }
  Reader(text, document, &diagnostics, options.quick).read_text(document);
  report_unknown(document, diagnostics);
  report_version(document, diagnostics, options);
  return document;
}

namespace {

// The lowest level that has all keys and values in use, and whether one of them is only in texts before 1.0.
struct Use {
  int least = kPreLevel;
  bool pre_only = false;

  void add(const Lifetime& lifetime) {
    if (lifetime.runtime_only()) return;
    least = std::max(least, lifetime.since);
    pre_only |= lifetime.until == kPreLevel;
  }
  void add(Object object) {
    for (const FieldInfo& field : object.mapping().fields) {
      if (!object.has(field)) continue;
      if (field.type != Type::Version) add(field.lifetime);
      if (field.type == Type::Enum && object.enumerator(field)) add((*field.values)[object.enumerator(field)].lifetime);
      if (field.type == Type::Mapping) add(object.nested(field));
      if (field.type == Type::Sequence) {
        for (std::uint32_t i = 0; i < object.count(field); ++i) add(object.item(field, i));
      }
    }
  }
};

}  // namespace

Version effective_version(const Document& document, std::optional<Version> container_version) {
  if (document.has(RootKey::version)) return document.version;
  if (container_version) return *container_version;
  Use use;
  use.add(Object::of(static_cast<const Root&>(document)));
  return use.pre_only ? Version::pre() : Version::of_level(use.least);
}

bool looks_like_text(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (line.empty() || line.starts_with('#') || line.starts_with("---")) continue;
    std::string_view key = line.substr(0, line.find(':'));
    if (key.size() == line.size()) return false;
    while (key.ends_with(' ')) key.remove_suffix(1);
    if (key.size() >= 2 && (key.front() == '"' || key.front() == '\'')) key = key.substr(1, key.size() - 2);
    return mapping_of<Root>().find(key) != nullptr;
  }
  return false;
}

}  // namespace slipway::zeinfo
