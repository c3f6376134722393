// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway inspect` and `slipway check` on packs of render pipelines.
#include <set>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/rpl/verbs.hpp"
#include "rpl_c/metadata_of.hpp"
#include "rpl_c/pack_json.hpp"
#include "rpl_runtime/pack_format.hpp"
#include "slipway/rpl_pack.h"
#include "spirv/tools.hpp"

namespace slipway::cli {
namespace {

struct PackedPipeline {
  std::string reason;
  std::vector<std::byte> memory;
  const rpl_pipeline* pipeline = nullptr;
};
struct PackedProgram {
  std::string name;
  std::vector<std::byte> memory;
  rpl_options options{};
  std::vector<PackedPipeline> variants;
};

Diagnostic damaged(const std::string& file, std::string message) {
  return {.kind = DiagnosticKind::FileFormat, .message = std::move(message), .location = SourceLocation::in_file(file)};
}

// All programs with the structures of all variants. The file stays mapped.
std::vector<PackedProgram> read_pack(const MappedFile& mapped, const std::string& file, Diagnostics& diagnostics) {
  rpl_pack pack;
  if (rpl_pack_open(mapped.bytes().data(), mapped.bytes().size(), &pack) != RPL_OK) {
    diagnostics.add(damaged(file, "this pack is truncated, or of another version of the program"))
        .hint("`slipway compile --pack` writes it anew");
    return {};
  }
  std::vector<PackedProgram> programs(rpl_pack_program_count(&pack));
  for (std::uint32_t i = 0; i < programs.size(); ++i) {
    PackedProgram& program = programs[i];
    program.name = std::string_view(rpl_pack_program_name(&pack, i));
    program.memory.resize(rpl_pack_options_size(&pack, i));
    bool whole = rpl_pack_options(&pack, i, program.memory.data(), program.memory.size(), &program.options) == RPL_OK;
    program.variants.resize(whole ? rpl_pack_variant_count(&pack, i) : 0);
    for (std::uint32_t k = 0; k < program.variants.size(); ++k) {
      PackedPipeline& variant = program.variants[k];
      variant.reason = std::string_view(rpl_pack_variant_reason(&pack, i, k));
      variant.memory.resize(rpl_pack_pipeline_size(&pack, i, k));
      whole = whole && !variant.memory.empty() &&
              rpl_pack_pipeline(&pack, i, k, variant.memory.data(), variant.memory.size(), &variant.pipeline) == RPL_OK;
    }
    if (whole) continue;
    diagnostics.add(damaged(file, formatted("the program `{}` of this pack is damaged", program.name)));
    return {};
  }
  return programs;
}

std::string joined(const auto& texts) {
  std::string all;
  for (const std::string_view text : texts) all += formatted("{}{}", all.empty() ? "" : ", ", text);
  return all;
}

std::uint64_t code_bytes(const rpl_pipeline& pipeline) {
  std::uint64_t bytes = 0;
  for (const rpl_module& module : pipeline.modules) bytes += std::uint64_t{module.words.count} * 4;
  return bytes;
}

std::string print_pack(const std::vector<PackedProgram>& programs) {
  std::string out;
  for (const PackedProgram& program : programs) {
    out += formatted("{}\n", program.name);
    for (const rpl_option& option : program.options) {
      const std::string values = joined(option.values);
      out += formatted("  option {} = {}{} ({})\n", std::string_view(option.name),
                       std::string_view(option.default_value), values.empty() ? "" : formatted(" of {}", values),
                       option.option_class == RPL_OPTION_CLASS_INSTANCE ? "instance" : "global");
    }
    for (const PackedPipeline& variant : program.variants) {
      const rpl_pipeline& pipeline = *variant.pipeline;
      std::vector<std::string_view> functions;
      for (const rpl_module& module : pipeline.modules) {
        for (const rpl_entry_point& entry : module.entry_points) functions.emplace_back(entry.function);
      }
      const std::string_view hash = pipeline.metadata.hashes.pipeline;
      out += formatted("  variant {}: {}, {} bytes of SPIR-V, pipeline {}\n", variant.reason, joined(functions),
                       code_bytes(pipeline), hash.substr(0, 16));
    }
  }
  return out;
}

std::string pack_json(const std::vector<PackedProgram>& programs) {
  rpl_c::ListedPack pack;
  for (const PackedProgram& program : programs) {
    rpl_c::ListedProgram& listed = pack.programs.emplace_back();
    listed.name = program.name;
    for (const rpl_option& option : program.options) listed.options.push_back(rpl_c::metadata_of(option));
    for (const PackedPipeline& variant : program.variants)
      listed.variants.push_back({variant.reason, rpl_c::metadata_of(variant.pipeline->metadata)});
  }
  return json::object_text(rpl_c::pack_record(), pack);
}

// Each module once.
void check_modules(const std::vector<PackedProgram>& programs, const std::string& file, Diagnostics& diagnostics) {
  std::set<const std::uint32_t*> checked;
  for (const PackedProgram& program : programs) {
    for (const PackedPipeline& variant : program.variants) {
      for (const rpl_module& module : variant.pipeline->modules) {
        if (!checked.insert(module.words.items).second) continue;
        const std::string name = formatted("{}: {}, {}", file, program.name, variant.reason);
        spirv::check_module({module.words.items, module.words.count}, name, diagnostics);
      }
    }
  }
}

}  // namespace

bool is_rpl_pack(const Content& content) {
  return content.bytes.size() >= sizeof rpl_runtime::kPackMagic &&
         std::memcmp(content.bytes.data(), rpl_runtime::kPackMagic, sizeof rpl_runtime::kPackMagic) == 0;
}

int inspect_rpl_pack(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway inspect rpl-pack",
                   "Shows the programs of a pack of render pipelines, with their options and variants.",
                   "slipway inspect game.rplpack");
  line.add_report_options(style);
  line.add_option("files", files, "packs, as `slipway compile --pack` writes them").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  std::string text;
  for (const std::string& file : files) {
    const auto mapped = diagnostics.take(map_file(file));
    const std::size_t before = diagnostics.errors();
    const std::vector<PackedProgram> programs =
        mapped ? read_pack(*mapped, file, diagnostics) : std::vector<PackedProgram>();
    if (!mapped || diagnostics.errors() != before) continue;
    if (files.size() > 1 && !style.json) text += formatted("{}:\n", file);
    text += style.json ? pack_json(programs) : print_pack(programs);
  }
  const int status = report(diagnostics, style);
  print(text);
  return status;
}

int check_rpl_pack(const Arguments& arguments) {
  ReportStyle style;
  std::vector<std::string> files;
  CommandLine line("slipway check rpl-pack",
                   "Reads all variants of a pack of render pipelines and validates their SPIR-V.",
                   "slipway check game.rplpack");
  line.add_report_options(style);
  line.add_option("files", files, "packs, as `slipway compile --pack` writes them").required();
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  for (const std::string& file : files) {
    if (const auto mapped = diagnostics.take(map_file(file)))
      check_modules(read_pack(*mapped, file, diagnostics), file, diagnostics);
  }
  return report_check(diagnostics, style, files);
}

}  // namespace slipway::cli
