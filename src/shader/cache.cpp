// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shader/cache.hpp"

#include "base/format.hpp"
#include "shader/glslang_service.hpp"
#include "shader/includes.hpp"

namespace slipway::shader {
namespace {

// Increment when the format of entries changes, or what goes to the compiler.
constexpr std::string_view kFormat = "shader 2";
constexpr std::uint32_t kWholeFile = 0xffffffff;

std::string key_of(const Source& source, Language language, const Options& options) {
  // The lengths before the contents of lists keep them distinct.
  std::string settings = formatted("{} {} {}\n{}\n{}\n", name_of(language), name_of(options.stage), options.debug_info,
                                   options.macros.size(), options.include_dirs.size());
  const auto add = [&](std::string_view text) { settings += formatted("{} {}\n", text.size(), text); };
  add(options.entry);
  add(options.directory.string());
  for (const Macro& macro : options.macros) {
    add(macro.name);
    add(macro.value ? "=" + *macro.value : "");
  }
  for (const Path& directory : options.include_dirs) add(directory.string());
  // The name is in the debug information.
  return Cache::key({kFormat, compiler_version(), settings, source.name(), source.text()});
}

// --- an entry: words; dependencies; warnings -----------------------------------------------------------------------

void write_text(ByteWriter& writer, std::string_view text) {
  writer.write(static_cast<std::uint32_t>(text.size())).append(text);
}

std::string read_text(ByteReader& reader) { return std::string(text_of(reader.take(reader.read<std::uint32_t>()))); }

// The main file is 0, then come the dependencies.
std::uint32_t file_number(const SourceLocation& location, const Source& main,
                          const std::vector<Dependency>& dependencies) {
  if (location.kind != SourceLocation::Kind::Text) return kWholeFile;
  if (location.file == main.name()) return 0;
  for (std::uint32_t i = 0; i < dependencies.size(); ++i) {
    if (location.file == dependencies[i].path) return i + 1;
  }
  return kWholeFile;
}

std::vector<std::byte> entry_of(const Compiled& compiled, const Source& main) {
  ByteWriter writer;
  writer.write(static_cast<std::uint32_t>(compiled.words.size())).append(std::as_bytes(std::span(compiled.words)));
  writer.write(static_cast<std::uint32_t>(compiled.dependencies.size()));
  for (const Dependency& dependency : compiled.dependencies) {
    write_text(writer, dependency.path.string());
    write_text(writer, dependency.hash);
  }
  writer.write(static_cast<std::uint32_t>(compiled.warnings.size()));
  for (const Diagnostic& warning : compiled.warnings) {
    write_text(writer, warning.message);
    writer.write(file_number(warning.location, main, compiled.dependencies)).write(warning.location.span);
  }
  return writer.release();
}

class EntryReader {
 public:
  EntryReader(Bytes entry, const SourcePtr& main, const Options& options)
      : reader_(entry), files_{main}, options_(options) {}

  // Empty when the entry is damaged or a dependency has changed.
  std::optional<Compiled> read() {
    const Bytes words = reader_.take(std::size_t{reader_.read<std::uint32_t>()} * 4);
    compiled_.words.resize(words.size() / 4);
    if (!words.empty()) std::memcpy(compiled_.words.data(), words.data(), words.size());
    const auto dependencies = reader_.read<std::uint32_t>();
    for (std::uint32_t i = 0; i < dependencies && !reader_.failed(); ++i) {
      if (!read_dependency()) return std::nullopt;
    }
    const auto warnings = reader_.read<std::uint32_t>();
    for (std::uint32_t i = 0; i < warnings && !reader_.failed(); ++i) read_warning();
    if (reader_.failed() || reader_.remaining() != 0 || compiled_.words.empty()) return std::nullopt;
    return std::move(compiled_);
  }

 private:
  bool read_dependency() {
    Dependency dependency{.path = read_text(reader_), .hash = read_text(reader_)};
    Result<std::string> text = options_.read_file(dependency.path);
    const bool was_there = !dependency.hash.empty();
    const bool same = text ? was_there && hash_of(*text) == dependency.hash
                           : !was_there && text.error().at(0).kind == DiagnosticKind::FileNotFound;
    if (!same) return false;
    files_.push_back(make_source(dependency.path.string(), text.value_or("")));
    compiled_.dependencies.push_back(std::move(dependency));
    return true;
  }

  void read_warning() {
    Diagnostic warning{
        .severity = Severity::Warning, .kind = DiagnosticKind::ShaderCompile, .message = read_text(reader_)};
    const auto file = reader_.read<std::uint32_t>();
    const auto span = reader_.read<Span>();
    warning.location =
        file < files_.size() ? SourceLocation::in_text(files_[file], span) : SourceLocation::in_file(files_[0]->name());
    compiled_.warnings.push_back(std::move(warning));
  }

  ByteReader reader_;
  std::vector<SourcePtr> files_;
  const Options& options_;
  Compiled compiled_;
};

}  // namespace

Result<Compiled> compile_cached(const Cache& cache, const SourcePtr& source, Language language,
                                const Options& options) {
  const bool costs = language == Language::Glsl || language == Language::Hlsl;
  if (!costs || !cache.enabled()) return compile(source, language, options);
  const std::string key = key_of(*source, language, options);
  if (const auto entry = cache.find(key)) {
    if (auto compiled = EntryReader(*entry, source, options).read()) return std::move(*compiled);
  }
  Result<Compiled> compiled = compile(source, language, options);
  if (compiled) cache.store(key, entry_of(*compiled, *source));
  return compiled;
}

}  // namespace slipway::shader
