// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <charconv>

#include "base/format.hpp"
#include "cli/formats.hpp"
#include "cli/recording/verbs.hpp"
#include "cli/zebin/verbs.hpp"
#include "foreign/containers.hpp"
#include "zeinfo/read/parse.hpp"
#include "zeinfo/zebin/carve.hpp"
#include "zeinfo/zebin/isa.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

// An ELF file with Intel's machine or types, valid or not. Old files have other numbers; they are detected by the name
// of the section `.ze_info`.
bool is_zebin_elf(Bytes bytes) {
  if (!is_elf(bytes) || bytes.size() < 20) return false;
  const auto type = load<std::uint16_t>(&bytes[16]), machine = load<std::uint16_t>(&bytes[18]);
  return zebin::has_zebin_header(bytes) || machine == 0xcd00 || type == zebin::kOpenClWrapper ||
         text_of(bytes).contains(".ze_info");
}

bool is_zebin_file(Bytes bytes, const std::vector<std::string>& keys) {
  if (zebin::is_host_file(bytes)) return !zebin::carve_zebins(bytes).empty();
  if (zebin::is_archive(bytes)) return !foreign::is_recipe_archive(bytes) && !is_recording(bytes);
  return is_zebin_elf(bytes) || zebin::looks_like_json(keys) || zeinfo::looks_like_text(text_of(bytes));
}

}  // namespace

bool is_zebin(const Content& content) {
  if (!content.directory) return is_zebin_file(content.bytes, content.keys);
  if (file_exists(content.path / zebin::kManifestName)) return true;
  return std::ranges::any_of(files_in(content.path), [](const Path& file) {
    const Result<ContentOf> read = ContentOf::read(file.string());
    return read && is_zebin_file(read->content().bytes, read->content().keys);
  });
}

std::vector<Path> kernel_files_below(const Path& directory) {
  Diagnostics ignored;  // warnings about files of other formats
  std::vector<Path> found;
  for (FileBelow& one :
       files_of_formats(directory.string(), [](const Format& format) { return format.detect == is_zebin; }, ignored))
    found.emplace_back(std::move(one.path));
  return found;
}

void add_open_options(CommandLine& line, zebin::InputOptions& options) {
  line.add_option(
      "--member", options.member,
      "the member of an archive, such as `64.pvc` or `pvc`; of a program or library also its offset, such as "
      "`0x2040`");
  line.add_option(
      "--product", options.product,
      "the device, `dg2`, `12.55.8` or `0x030dc008`: chooses the member of an archive, and the device of a text");
}

const zeinfo::Device* check_product(const std::string& product, Diagnostics& diagnostics) {
  if (product.empty()) return nullptr;
  const Result<zeinfo::Target> target = zeinfo::Target::of_product(product);
  if (target) return target->device;
  diagnostics.error(DiagnosticKind::Usage, {}, target.error().front().message);
  return nullptr;
}

std::optional<std::array<std::uint32_t, 3>> work_group_size(const std::string& text, Diagnostics& diagnostics) {
  std::array<std::uint32_t, 3> size = {1, 1, 1};
  std::string_view rest = text;
  for (std::uint32_t& number : size) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size() || number == 0) break;
    if (word.size() == rest.size()) return size;
    rest.remove_prefix(word.size() + 1);
  }
  diagnostics.error(DiagnosticKind::Usage, {}, formatted("`{}` is not a work-group size; it is X, X,Y or X,Y,Z", text));
  return std::nullopt;
}

void read_instructions(std::vector<zebin::Input>& inputs, Diagnostics& diagnostics) {
  const std::optional<zebin::IsaLibrary> library = diagnostics.take(zebin::IsaLibrary::open());
  if (!library) return;
  for (zebin::Input& input : inputs) add_instructions(input, *library, diagnostics);
}

std::size_t dropped(const std::vector<zebin::Input>& inputs) {
  std::size_t count = 0;
  for (const zebin::Input& input : inputs) {
    if (input.container_diagnostics) count += input.container_diagnostics->dropped();
    if (input.text_diagnostics) count += input.text_diagnostics->dropped();
  }
  return count;
}

}  // namespace slipway::cli
