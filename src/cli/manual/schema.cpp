// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway schema`: the JSON Schemas of formats, and reference pages that are generated from tables.
#include <algorithm>
#include <array>

#include "base/format.hpp"
#include "cli/lab/results/result.hpp"
#include "cli/manual/schemas.hpp"
#include "cli/program.hpp"
#include "cli/run/run_report.hpp"
#include "convert/imported_json.hpp"
#include "convert/model_json.hpp"
#include "convert/report.hpp"
#include "convert/shaders/shader_operator.hpp"
#include "executorch/describe.hpp"
#include "json/diagnostics.hpp"
#include "model/tuning/report.hpp"
#include "model/tuning/tuning_table.hpp"
#include "recipe/control_code/print.hpp"
#include "recipe/jobs/jobs.hpp"
#include "recipe/read/read.hpp"
#include "recipe/replay/replay.hpp"
#include "recipe/session.hpp"
#include "recipe/xclbin/print.hpp"
#include "rpl/metadata/metadata_json.hpp"
#include "rpl/project/project.hpp"
#include "rpl/variants/variants.hpp"
#include "rpl_c/pack_json.hpp"
#include "scenario/schema.hpp"
#include "shader/write_reflection.hpp"
#include "vgf/dump.hpp"
#include "zeinfo/schema.hpp"
#include "zeinfo/zebin/inspect/inspect.hpp"
#include "zeinfo/zebin/unpack.hpp"

namespace slipway::cli {
namespace {

std::string_view name_of(ExitClass exit_class) {
  switch (exit_class) {
    case ExitClass::CheckFailed:
      return "a check failed";
    case ExitClass::Usage:
      return "usage error";
    case ExitClass::BadInput:
      return "bad input";
    case ExitClass::DeviceLacks:
      return "the device lacks something";
    case ExitClass::Failed:
      return "the device, a library or the file system failed";
  }
  return "";
}

std::string_view name_of(Acceptance acceptance) {
  switch (acceptance) {
    case Acceptance::Refused:
      return "refused";
    case Acceptance::Checked:
      return "warning";
    case Acceptance::Mixed:
      return "refused or warning";
    case Acceptance::Advice:
      return "advice";
    case Acceptance::CheckOnly:
      return "-";
  }
  return "";
}

// The page docs/diagnostics.md.
std::string diagnostic_kinds_page() {
  std::string page =
      "# Diagnostics\n\n"
      "Every message ends with its kind in brackets. Kinds never change, so scripts can match on them. In JSON "
      "(`--json`, shape:\n"
      "`schema/diagnostics.schema.json`) the kind is the value of `kind`. The errors decide the exit status.\n\n"
      "The third column says what `run` does: `refused` is an error in every verb; `warning` is a warning in `run` and "
      "an "
      "error in\n`check` and under `--strict`; `refused or warning` depends on the case; `advice` is a warning or a "
      "note "
      "in every verb, and\nan error under `--strict` only; `-` is of a format that is never run. "
      "[acceptance.md](acceptance.md) explains the rule.\n\n"
      "| kind | exit status | in `run` | meaning |\n|---|---|---|---|\n";
  for (const DiagnosticKindInfo& info : diagnostic_kinds()) {
    page += formatted("| `{}` | {}: {} | {} | {} |\n", info.name, static_cast<int>(info.exit_class),
                      name_of(info.exit_class), name_of(info.acceptance), info.meaning);
  }
  return page;
}

// The page docs/zeinfo-keys.md.
std::string zeinfo_keys_page() {
  return "# The keys and values of ZE Info\n\n"
         "The keys and values of each mapping of the text, in the order in which they are written, with the versions "
         "that have "
         "them\n(`slipway schema zeinfo-keys` prints this page). How to read, check and change such texts: "
         "[zeinfo](zeinfo.md).\n\n" +
         zeinfo::schema_markdown();
}

std::string diff_schema() {
  return json::schema_text("diff", "what `slipway diff --json` prints",
                           {&model_diff_table(), &metadata_diff_table(), &kernel_diff_table()});
}

// Some verbs add members to the diagnostics.
std::string diagnostics_schema() {
  return json::schema_text("Diagnostics of Slipway", "what verbs print with --json",
                           {&json::diagnostics_record().table(), &runtime_check_table(), &timed_compile_table()});
}

struct Page {
  std::string_view name;
  std::string_view what;
  std::string (*text)();
};

// Everything that the verb prints. A new format adds a line.
constexpr std::array kPages = {
    Page{"scenario", "JSON Schema of scenarios", scenario::schema_text},
    Page{"zeinfo", "JSON Schema of ZE Info as JSON", zeinfo::json_schema},
    Page{"zeinfo-keys", "the keys and values of ZE Info, with the versions that have them (Markdown)",
         zeinfo_keys_page},
    Page{"zebin", "JSON Schema of zebin.json, a zebin taken apart", zebin::manifest_schema},
    Page{"zebin-inspect", "JSON Schema of `slipway inspect --json` of Intel GPU kernels", zebin::inspect_schema},
    Page{"xclbin", "JSON Schema of `slipway inspect --json` of xclbin files", recipe::xclbin::xclbin_schema},
    Page{"control-code", "JSON Schema of `slipway inspect --json` of control-code ELF files",
         recipe::control_code::control_code_schema},
    Page{"vgf-inspect", "JSON Schema of `slipway inspect --json` of VGF files", vgf::dump_schema},
    Page{"model-inspect", "JSON Schema of `slipway inspect --json` of TOSA models", convert::model_schema},
    Page{"imported-inspect", "JSON Schema of `slipway inspect --json` of ONNX and TensorFlow Lite models",
         convert::imported_schema},
    Page{"executorch-inspect", "JSON Schema of `slipway inspect --json` of ExecuTorch programs",
         executorch::program_schema},
    Page{"supported-operators", "JSON Schema of what `slipway inspect --supported --json` prints",
         convert::supported_schema},
    Page{"conversion_report", "JSON Schema of what `slipway convert --report` writes", convert::requirements_schema},
    Page{"vulkan_custom_shader", "JSON Schema of the attributes of shader operators", convert::shader_operator_schema},
    Page{"rpl-metadata", "JSON Schema of the metadata of a pipeline", rpl::metadata_schema_text},
    Page{"rpl-variants", "JSON Schema of variants.json, the variants of a program", rpl::variants_schema_text},
    Page{"rpl-pack", "JSON Schema of `slipway inspect --json` of packs of render pipelines", rpl_c::pack_schema_text},
    Page{"rpl-project", "JSON Schema of project files of render pipelines", rpl::project_schema_text},
    Page{"recipe", "JSON Schema of run recipes", recipe::recipe_schema},
    Page{"profile", "JSON Schema of profiles of run recipes", recipe::profile_schema},
    Page{"jobs", "JSON Schema of job scripts", recipe::jobs_schema},
    Page{"replay", "JSON Schema of captures of NPU applications", recipe::replay_schema},
    Page{"report", "JSON Schema of what `slipway run --report` writes", run_report_schema},
    Page{"results", "JSON Schema of the lines of `slipway run --results`", results_schema},
    Page{"recipe-report", "JSON Schema of the reports of the library and of xrt-runner", recipe::report_schema},
    Page{"diagnostics", "JSON Schema of diagnostics, as --json prints them", diagnostics_schema},
    Page{"tuning", "JSON Schema of what `slipway tune --output` writes", model::tuning_schema},
    Page{"tuning-report", "JSON Schema of what `slipway tune --json` prints", model::tuning_report_schema},
    Page{"shader-inspect", "JSON Schema of `slipway inspect --json` of shaders", shader::reflections_schema},
    Page{"diff", "JSON Schema of what `slipway diff --json` prints", diff_schema},
    Page{"devices", "JSON Schema of what `slipway devices --json` prints", devices_schema},
    Page{"doctor", "JSON Schema of what `slipway doctor --json` prints", doctor_schema},
    Page{"diagnostic-kinds", "all kinds of diagnostics (Markdown)", diagnostic_kinds_page},
};

// A schema with its `$id`, by which editors and other schemas name it.
std::string with_id(std::string_view name, std::string text) {
  const std::size_t first = text.find("\"$schema\"");
  if (first == text.npos) return text;  // Markdown
  return text.insert(text.find('\n', first) + 1, formatted("  \"$id\": \"urn:slipway:schema:{}\",\n", name));
}

}  // namespace

int schema_verb(const Arguments& arguments) {
  std::string name;
  std::vector<std::string> names;
  for (const Page& page : kPages) names.emplace_back(page.name);
  CommandLine line("slipway schema",
                   "Prints the JSON Schema of a format, or a reference page (Markdown). Without a format, lists all.",
                   "slipway schema scenario > scenario.schema.json");
  line.add_option("format", name, "the format").choices(names);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  if (name.empty()) {
    for (const Page& page : kPages) print(formatted("{:20}  {}\n", page.name, page.what));
    return 0;
  }
  print(with_id(name, std::ranges::find(kPages, name, &Page::name)->text()));
  return 0;
}

}  // namespace slipway::cli
