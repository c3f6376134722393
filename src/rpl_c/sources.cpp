// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl_c/sources.hpp"

#include "base/format.hpp"
#include "base/system/files.hpp"

namespace slipway::rpl_c {
namespace {

// The size and the time of a file of the system; 0 if it does not exist.
std::uint64_t system_stamp(const std::string& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) return 0;
  const auto time = std::filesystem::last_write_time(file, error);
  if (error) return 0;
  const auto ticks = static_cast<std::uint64_t>(time.time_since_epoch().count());
  return (ticks * 0x9E3779B97F4A7C15u ^ size) | 1;
}

rpl_status take_text(const char* text, std::size_t size, void* to) {
  if (!text && size != 0) return RPL_WRONG_CALL;
  static_cast<std::optional<std::string>*>(to)->emplace(text ? text : "", size);
  return RPL_OK;
}

}  // namespace

std::shared_ptr<ParsedModule> parse_module(std::string name, std::string text, Diagnostics& diagnostics) {
  auto made = std::make_shared<ParsedModule>();
  made->program = rpl::parse(make_source(std::move(name), std::move(text)), made->warnings);
  for (const Diagnostic& found : made->warnings.all()) diagnostics.add(found);
  return made->program.valid ? made : nullptr;
}

std::uint64_t Sources::stamp_of(const std::string& file) const {
  if (!files_.read) return system_stamp(file);
  return files_.stamp ? files_.stamp(file.c_str(), files_.user) : 1;
}

std::optional<std::string> Sources::read(const std::string& file, Diagnostics& diagnostics) const {
  if (!files_.read) return diagnostics.take(read_text(file));
  std::optional<std::string> text;
  const rpl_status status = files_.read(file.c_str(), take_text, &text, files_.user);
  if (status == RPL_OK && text) return text;
  diagnostics.error(DiagnosticKind::FileNotFound, SourceLocation::in_file(file),
                    formatted("Could not open file {}", file));
  return std::nullopt;
}

ModulePtr Sources::load(const std::string& file, Diagnostics& diagnostics) {
  const std::uint64_t stamp = stamp_of(file);  // before it is read: a change in between is noticed
  {
    const std::scoped_lock lock(mutex_);
    const auto known = loaded_.find(file);
    if (known != loaded_.end() && known->second->stamp == stamp && stamp != 0) {
      for (const Diagnostic& found : known->second->warnings.all()) diagnostics.add(found);
      return known->second;
    }
  }
  std::optional<std::string> text = read(file, diagnostics);
  if (!text) return nullptr;
  const std::shared_ptr<ParsedModule> made = parse_module(file, std::move(*text), diagnostics);
  if (!made) return nullptr;
  made->file = file;
  made->stamp = stamp;
  const std::scoped_lock lock(mutex_);
  loaded_[file] = made;
  return made;
}

}  // namespace slipway::rpl_c
