// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/program.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"
#include "base/text/suggest.hpp"
#include "cli/confine.hpp"
#include "cli/formats.hpp"
#include "cli/lab/options.hpp"
#include "cli/lab/run.hpp"
#include "cli/lab/worker.hpp"
#include "cli/model/verbs.hpp"
#include "cli/model/vgf_verbs.hpp"
#include "cli/recipe/verbs.hpp"
#include "cli/rpl/verbs.hpp"
#include "cli/run/interrupts.hpp"
#include "cli/run/run_report.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "cpu/target.hpp"
#include "platform/process.hpp"
#include "sandbox/sandbox.hpp"
#include "shader/glslang_service.hpp"
#include "spirv/tools.hpp"
#include "tosa/read/mlir/parse_mlir.hpp"

namespace slipway::cli {
namespace {

// The verbs for files of many formats.
template <const DispatchedVerb& verb>
int dispatched(const Arguments& arguments) {
  return dispatch(verb, arguments);
}
constexpr DispatchedVerb kRun = {"run", "Runs workloads and checks their results.", &Format::run};
constexpr DispatchedVerb kCheck = {"check", "Finds every error in files, without running them.", &Format::check};
constexpr DispatchedVerb kInspect = {"inspect", "Shows the contents of a file.", &Format::inspect};
constexpr DispatchedVerb kDiff = {"diff", "Compares the meaning of two files.", &Format::diff};
constexpr DispatchedVerb kConvert = {"convert", "Writes a file in another format or version.", &Format::convert};

// `check --print-schema NAME` is the same as `schema NAME` (docs/spec/recipe.md#decision-28).
int check_verb(const Arguments& arguments) {
  constexpr std::string_view kOption = "--print-schema";
  const std::vector<std::string>& words = arguments.words;
  if (words.empty() || !words.front().starts_with(kOption)) return dispatch(kCheck, arguments);
  std::vector<std::string> names(words.begin() + 1, words.end());
  const std::string_view first = words.front();
  if (first.starts_with("--print-schema="))
    names.emplace(names.begin(), first.substr(kOption.size() + 1));
  else if (first != kOption)
    return dispatch(kCheck, arguments);
  return schema_verb({names});
}

int inspect_verb(const Arguments& arguments) {
  return is_supported_list(arguments) ? inspect_supported(arguments) : dispatch(kInspect, arguments);
}

// Many files run in worker processes.
int run_verb(const Arguments& arguments) {
  if (std::optional<Diagnostic> misplaced = misplaced_profile(arguments.words)) {
    Diagnostics diagnostics;
    diagnostics.add(std::move(*misplaced));
    return report(diagnostics, {.json = std::ranges::contains(arguments.words, "--json")});
  }
  return is_lab(arguments) ? run_lab(arguments) : dispatch(kRun, arguments);
}

constexpr std::array kVerbs = {
    Verb{"new", "make a scenario for a shader or a model", new_verb},
    Verb{"run", "run workloads and check their results", run_verb, true, &kRun},
    Verb{"bench", "measure how long workloads take", bench_verb, true},
    Verb{"conformance", "judge what computes TOSA graphs: drivers, layers, kernels, engines", conformance_verb, true},
    Verb{"validate", "run the validation tests of an NPU and measure it", validate_verb, true},
    Verb{"check", "find every error in files, without running them", check_verb, true, &kCheck},
    Verb{"inspect", "show the contents of a file", inspect_verb, false, &kInspect},
    Verb{"diff", "compare the meaning of two files", dispatched<kDiff>, true, &kDiff},
    Verb{"convert", "write a file in another format or version", dispatched<kConvert>, true, &kConvert},
    Verb{"compile", "compile a render pipeline to SPIR-V, metadata and C++ headers", compile_verb, true},
    Verb{"format", "format the source of a render pipeline", format_verb},
    Verb{"serve", "compile render pipelines again when their files are saved", serve_verb, true},
    Verb{"lsp", "run the language server of render pipelines", lsp_verb},
    Verb{"tune", "measure which kernel parameters of a model are best on a device", tune_verb, true},
    Verb{"reduce", "find the smallest scenario, model or program that still fails", reduce_verb, true},
    Verb{"results", "merge, show and convert the results of runs", results_verb},
    Verb{"devices", "list the devices and their capabilities", devices_verb},
    Verb{"layer", "run another program with tensors and graphs of this project's Vulkan layer", layer_verb},
    Verb{"doctor", "examine what this machine offers, and what to install", doctor_verb},
    Verb{"schema", "print a JSON Schema of a format", schema_verb},
    Verb{"completion", "print the completions of a shell", completion_verb},
    Verb{"man", "print the manual page of a verb", man_verb},
};

std::string help() {
  std::string text =
      "Slipway builds and launches GPU and NPU workloads described as data.\n\nusage: slipway VERB [OPTIONS]\n\n";
  for (const Verb& verb : kVerbs) text += formatted("  {:10} {}\n", verb.name, verb.summary);
  return text +
         "\n`slipway VERB --help` explains a verb. Exit status: 0 success; 1 a check failed; 2 usage error; "
         "3 bad\ninput; 4 the device lacks something; 5 the device, a library or the file system failed.\n\n"
         "Example: slipway run examples/hello/scenario.json\n";
}

// The verb of sandbox processes, which is not listed.
constexpr std::string_view kSandboxVerb = "sandbox-process";

int sandbox_verb() {
  const sandbox::Service* const services[] = {&spirv::kValidateService,    &spirv::kAssembleService,
                                              &spirv::kDisassembleService, &spirv::kOptimizeService,
                                              &shader::kGlslangService,    &tosa::kMlirService};
  return sandbox::serve(services);
}

std::string_view base_name(std::string_view path) {
  path.remove_prefix(path.find_last_of("/\\") + 1);
  if (path.ends_with(".exe")) path.remove_suffix(4);
  return path;
}

// Whether outputs of a run are written beside its inputs.
bool may_write_beside(std::string_view program, const std::vector<std::string>& words) {
  if (base_name(program) == "scenario-runner") return true;
  if (std::ranges::contains(words, "--explain") || std::ranges::contains(words, "--dry-run")) return false;
  return words.front() == "run" || words.front() == "bench" || words.front() == "format";
}

// What follows `--` are names, which may be those of strangers: no list of files.
void keep_names(std::vector<std::string>& words) {
  for (auto word = std::ranges::find(words, "--"); word != words.end(); ++word) {
    if (word->starts_with('@')) word->insert(0, "./");
  }
}

}  // namespace

std::vector<VerbDescription> describe_verbs() {
  std::vector<VerbDescription> verbs;
  for (const Verb& verb : kVerbs) {
    VerbDescription& one = verbs.emplace_back(VerbDescription{verb.name, verb.summary, {}});
    if (verb.dispatched) {
      one.lines = describe(*verb.dispatched);
      if (verb.dispatched == &kRun) one.lines.emplace_back(describe_lab()).formats = {"many files"};
      if (verb.dispatched == &kInspect) {
        LineDescription& list = one.lines.emplace_back();
        inspect_supported({.words = {}, .description = &list});
        list.formats = {"no file"};
      }
    } else {
      verb.run({.words = {}, .description = &one.lines.emplace_back()});
    }
  }
  return verbs;
}

int run_program(std::string_view program, Arguments arguments) {
  if (arguments.words.size() == 1 && arguments.words.front() == kSandboxVerb) return sandbox_verb();
  keep_names(arguments.words);
  const std::vector<std::string>& words = arguments.words;
  if (wants_confinement(words)) {
    if (words.front() == kWorkerVerb)
      note_confined();
    else if (!confine_process({words.begin() + (base_name(program) == "slipway" ? 1 : 0), words.end()},
                              may_write_beside(program, words)))
      return static_cast<int>(ExitClass::Failed);
  }
  protect_inputs();
  if (const Result<> known = cpu::check_level_setting(); !known) {
    print_error(formatted("slipway: {}\n", known.error().front().message));
    return static_cast<int>(ExitClass::Usage);
  }
  std::vector<std::string> command = platform::own_command();
  command.emplace_back(kSandboxVerb);
  sandbox::enable(std::move(command));
  sandbox::set_warning_handler(
      [](const std::string& text) { print_error(formatted("warning: {} [device-failed]\n", text)); });
  constexpr std::string_view kInterruptible[] = {"scenario-runner", "model-converter", "model_converter", "xrt-runner",
                                                 "xrt-replay"};
  if (std::ranges::contains(kInterruptible, base_name(program))) watch_interrupts(std::string(base_name(program)));
  if (base_name(program) == "scenario-runner") return end_of_verb(scenario_runner(arguments));
  if (base_name(program) == "model-converter" || base_name(program) == "model_converter")
    return end_of_verb(model_converter(arguments));
  if (base_name(program) == "vgf_dump") return vgf_dump(arguments);
  if (base_name(program) == "vgf_updater") return vgf_updater(arguments);
  if (base_name(program) == "xrt-runner") return end_of_verb(xrt_runner(arguments));
  if (base_name(program) == "xrt-replay") return end_of_verb(xrt_replay(arguments));
  std::vector<std::string> whole = {"slipway"};
  whole.append_range(words);
  note_command(std::move(whole));
  if (words.empty()) {
    print_error(help());
    return 2;
  }
  const std::string& first = words.front();
  if (first == "-h" || first == "--help" || first == "help") {
    print(help());
    return 0;
  }
  if (first == "-v" || first == "--version" || first == "version") {
    print(version_text() + "\n");
    return 0;
  }
  if (first == kWorkerVerb) return worker_verb({{words.begin() + 1, words.end()}});
  const auto verb = std::ranges::find(kVerbs, first, &Verb::name);
  if (verb == kVerbs.end()) {
    const auto near = closest(first, kVerbs | std::views::transform(&Verb::name));
    print_error(formatted("slipway: unknown verb `{}`{}\n\n{}", first,
                          near ? formatted("; did you mean `{}`?", *near) : "", help()));
    return 2;
  }
  if (verb->takes_long) watch_interrupts(formatted("slipway {}", verb->name));
  return end_of_verb(finish_sarif(verb->run({{words.begin() + 1, words.end()}})));
}

}  // namespace slipway::cli
