// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway layer`: the environment of the Vulkan layer, for other programs (docs/layer.md).
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/paths/trusted_file.hpp"
#include "cli/devices/layer.hpp"
#include "cli/program.hpp"
#include "platform/process.hpp"
#include "platform/text.hpp"
#include "recipe/cpu/paths.hpp"

namespace slipway::cli {
namespace {

constexpr std::string_view kLayer = "VK_LAYER_SLIPWAY_machine_learning";
constexpr std::string_view kManifest = "VkLayer_slipway_ml.json";

// A directory beside the manifest, in which the layer has the names of the emulation layers.
constexpr std::string_view kOtherNames = "emulation_names";

// The directory of the manifest: that of an installation, of a bundle or of a build.
Result<Path> layer_directory() {
  const Path prefix = recipe::cpu::install_prefix();
  for (const char* directory :
       {"share/vulkan/explicit_layer.d", "lib/slipway", "../../share/vulkan/explicit_layer.d"}) {
    Path found = (prefix / directory).lexically_normal();
    if (!file_exists(found / kManifest)) continue;
    if (const std::string reason = distrust(found / kManifest); !reason.empty())
      return fail(DiagnosticKind::FileUnreadable, SourceLocation::in_file((found / kManifest).string()),
                  formatted("the layer is not loaded: {}", reason));
    return found;
  }
  return fail(
      DiagnosticKind::FileNotFound, SourceLocation::nowhere(),
      formatted("`{}` is not in {}/share/vulkan/explicit_layer.d; install the layer", kManifest, prefix.string()));
}

// The value of a variable that is a list, with an entry in front.
std::string prepended(const char* variable, const std::string& entry) {
  const char* before = std::getenv(variable);
  return before == nullptr || *before == 0 ? entry : formatted("{}{}{}", entry, platform::list_separator(), before);
}

void set_environment(const std::string& path) {
  platform::set_environment("VK_ADD_LAYER_PATH", prepended("VK_ADD_LAYER_PATH", path));
  platform::set_environment("VK_INSTANCE_LAYERS", prepended("VK_INSTANCE_LAYERS", std::string(kLayer)));
}

int run_with_layer(const std::string& path, const std::vector<std::string>& command) {
  set_environment(path);
  const int error = platform::become(command);
  Diagnostics diagnostics;
  diagnostics.error(error == ENOENT ? DiagnosticKind::FileNotFound : DiagnosticKind::FileUnreadable, {},
                    formatted("cannot start `{}`: {}", command[0], std::strerror(error)));
  return report(diagnostics, {});
}

}  // namespace

Result<> set_layer_environment() {
  SLIPWAY_TRY(const Path directory, layer_directory());
  set_environment(directory.string());
  return {};
}

int layer_verb(const Arguments& arguments) {
  if (!arguments.words.empty() && arguments.words.front() == "certify") {
    Arguments rest = arguments;
    rest.words.erase(rest.words.begin());
    return certify_verb(rest);
  }
  ReportStyle style;
  std::vector<std::string> words;
  bool other_names = false;
  CommandLine line(
      "slipway layer",
      "Prints the environment that gives other programs the extensions VK_ARM_tensors and VK_ARM_data_graph; "
      "`slipway layer run -- PROGRAM ARGUMENTS` starts a program with it, `slipway layer certify` tries a layer.",
      "slipway layer run -- vulkaninfo");
  line.add_option("command", words, "`run`, then a program with its arguments after `--`");
  line.add_flag("--emulation-names", other_names,
                "also for programs that ask for VK_LAYER_ML_Graph_Emulation or VK_LAYER_ML_Tensor_Emulation by name");
  line.add_report_options(style);
  if (const std::optional<int> status = line.parse(arguments)) return *status;
  Diagnostics diagnostics;
  const bool runs = !words.empty() && words.front() == "run";
  if (runs) words.erase(words.begin());
  if (runs == words.empty()) {
    diagnostics.error(
        DiagnosticKind::Usage, {},
        runs ? "`slipway layer run` needs a program: `slipway layer run -- PROGRAM ARGUMENTS`"
             : formatted("unknown command `{}` of `slipway layer`; accepted are `run`, `certify`", words.front()));
    return report(diagnostics, style);
  }
  const std::optional<Path> directory = diagnostics.take(layer_directory());
  if (!directory) return report(diagnostics, style);
  const std::string path =
      other_names ? formatted("{0}{1}{0}/{2}", directory->string(), platform::list_separator(), kOtherNames)
                  : directory->string();
  if (runs) return run_with_layer(path, words);
  print(formatted("{}\n", platform::shell_assignment("VK_ADD_LAYER_PATH", path)));
  print(formatted("{}\n", platform::shell_assignment("VK_INSTANCE_LAYERS", kLayer)));
  print(
      formatted("# Vulkan loaders without VK_ADD_LAYER_PATH: {}\n", platform::shell_assignment("VK_LAYER_PATH", path)));
  return 0;
}

}  // namespace slipway::cli
