// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The drop-in names `vgf_dump` and `vgf_updater` (docs/spec/vgf.md#vgf_dump,
// docs/spec/vgf.md#updating-files).

#include "base/format.hpp"
#include "base/print_diagnostic.hpp"
#include "base/system/files.hpp"
#include "base/system/protected_inputs.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/version.hpp"
#include "vgf/dump.hpp"
#include "vgf/read.hpp"
#include "vgf/write.hpp"

namespace slipway::cli {
namespace {

// Prints the message of the original tool, then a line with the location.
int failed(const std::vector<Diagnostic>& problems) {
  for (const Diagnostic& problem : problems) {
    if (problem.severity != Severity::Error) continue;
    print_error(problem.message + "\n");
    if (const std::string location = format_location(problem.location); !location.empty())
      print_error(formatted("  at {} [{}]\n", location, name_of(problem.kind)));
    break;
  }
  return 1;
}

int failed(std::string_view message) {
  print_error(std::string(message) + "\n");
  return 1;
}

struct MappedVgf {
  MappedFile mapped;
  vgf::File file;
};

std::optional<MappedVgf> map_vgf(const std::string& path, Diagnostics& problems) {
  protect_input(path);
  std::optional<MappedFile> mapped = problems.take(map_file(path));
  if (!mapped) return std::nullopt;
  std::optional<vgf::File> file = vgf::read_vgf(mapped->bytes(), path, problems);
  if (!file) return std::nullopt;
  return MappedVgf{std::move(*mapped), std::move(*file)};
}

int written(const Result<>& result) { return result ? 0 : failed(result.error()); }

}  // namespace

int vgf_dump(const Arguments& arguments) {
  std::string input, output = "-", spirv, glsl, hlsl, constant;
  bool scenario = false, boundaries = false;
  CommandLine line("vgf_dump", "Shows what is in a VGF file.", "vgf_dump -i model.vgf -o model.json");
  line.set_version(version_json());
  line.add_option("-i,--input", input, "the VGF file").required();
  line.add_option("-o,--output", output, "the file to write; `-`: standard output");
  struct Choice {
    std::string name;
    std::string* value;
  };
  const Choice choices[] = {
      {"--dump-spirv", &spirv}, {"--dump-glsl", &glsl}, {"--dump-hlsl", &hlsl}, {"--dump-constant", &constant}};
  for (const Choice& choice : choices) line.add_option(choice.name, *choice.value, "the part with this index");
  line.add_flag("--scenario-template", scenario, "a scenario that runs the model");
  line.add_flag("--scenario-template-add-boundaries", boundaries, "with marks around the frame");
  if (const std::optional<int> status = line.parse(arguments)) return *status == 0 ? 0 : 1;

  std::vector<const Choice*> given;
  for (const Choice& choice : choices) {
    if (!choice.value->empty()) given.push_back(&choice);
  }
  if (given.size() > 1)
    return failed(formatted("Argument '{} VAR' not allowed with '{} VAR'", given[1]->name, given[0]->name));
  if (!given.empty() && scenario)
    return failed(formatted("Argument '--scenario-template' not allowed with '{} VAR'", given[0]->name));
  std::uint64_t number = 0;
  if (!given.empty()) {
    try {
      std::size_t used = 0;
      number = std::stoull(*given[0]->value, &used, 0);
      if (used != given[0]->value->size()) throw std::invalid_argument("rest");
    } catch (const std::exception&) {
      return failed(formatted("{}: `{}` is not a number", given[0]->name, *given[0]->value));
    }
  }

  Diagnostics problems;
  const std::optional<MappedVgf> loaded = map_vgf(input, problems);
  if (!loaded) return failed(problems.all());
  const vgf::File& file = loaded->file;
  const auto put = [&](const auto& part) { return part ? written(write_file(output, *part)) : failed(part.error()); };
  if (!spirv.empty()) return put(vgf::module_words(file, number));
  if (!glsl.empty()) return put(vgf::module_text(file, number, vgf::CodeKind::Glsl));
  if (!hlsl.empty()) return put(vgf::module_text(file, number, vgf::CodeKind::Hlsl));
  if (!constant.empty()) {
    if (!output.ends_with(".npy")) return put(vgf::constant_bytes(file, number));
    const auto npy = vgf::constant_npy(file, number);
    return npy ? written(write_file(output, Bytes(*npy))) : failed(npy.error());
  }
  if (scenario) return put(vgf::scenario_template(file, Path(input).filename().string(), boundaries));
  return written(write_file(output, vgf::dump_json(file)));
}

int vgf_updater(const Arguments& arguments) {
  std::string input, output;
  CommandLine line("vgf_updater", "Writes a VGF file as the latest version.", "vgf_updater -i old.vgf -o new.vgf");
  line.set_version(version_json());
  line.add_option("-i,--input", input, "the VGF file").required();
  line.add_option("-o,--output", output, "the file to write").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status == 0 ? 0 : 1;
  if (input == output) return failed("input and output are the same file");
  Diagnostics problems;
  const std::optional<MappedVgf> loaded = map_vgf(input, problems);
  if (!loaded) return failed(problems.all());
  if (loaded->file.version == vgf::kCurrentVersion) {
    print("VGF file is already at the latest version: 0.4.3\n");
    return 0;
  }
  const auto bytes = vgf::reencode(loaded->file, loaded->mapped.bytes(), problems);
  return bytes ? written(write_file(output, Bytes(*bytes))) : failed(bytes.error());
}

}  // namespace slipway::cli
