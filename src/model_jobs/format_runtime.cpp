// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/format_runtime.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/format.hpp"
#include "base/interrupt.hpp"
#include "base/system/child_process.hpp"
#include "base/system/temporary_directory.hpp"
#include "model_jobs/format_runtime_script.hpp"
#include "platform/process.hpp"
#include "tensor/files/npy.hpp"

namespace slipway::model {
namespace {

struct NamedRuntime {
  std::string_view name;  // on the command line
  FormatRuntime runtime;
};
constexpr auto kRuntimes = std::to_array<NamedRuntime>({
    {"onnxruntime", {RuntimeKind::OnnxRuntime}},
    {"tflite", {RuntimeKind::Tflite}},
    {"tflite:default", {RuntimeKind::Tflite}},
    {"tflite:reference", {RuntimeKind::Tflite, true}},
});

std::string_view title_of(RuntimeKind kind) {
  return kind == RuntimeKind::OnnxRuntime ? "ONNX Runtime" : "TensorFlow Lite";
}

Diagnostic missing(RuntimeKind kind, SourceLocation file) {
  const bool onnx = kind == RuntimeKind::OnnxRuntime;
  Diagnostic problem{.kind = DiagnosticKind::NoBackend,
                     .message = formatted("{} is not installed for the `python3` that PATH finds", title_of(kind)),
                     .location = std::move(file)};
  return std::move(problem.hint(onnx ? "`pip install onnxruntime`, or Debian's package `python3-onnxruntime`"
                                     : "`pip install ai-edge-litert`, or a shared library `libtensorflow-lite.so` and "
                                       "the Python package `numpy`"));
}

// The first line that begins with this word, without it.
std::optional<std::string> line_of(std::string_view text, std::string_view word) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line == word) return "";
    if (line.starts_with(word) && line[word.size()] == ' ') return std::string(line.substr(word.size() + 1));
  }
  return std::nullopt;
}

std::string last_line_of(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

Result<> write_inputs(const RuntimeRun& run, const Path& directory) {
  for (std::size_t i = 0; i < run.inputs.size(); ++i) {
    const RuntimeTensor& input = run.inputs[i];
    SLIPWAY_TRY(OutputFile file, OutputFile::create(directory / formatted("in{}.npy", i)));
    SLIPWAY_TRY_VOID(file.write(tensor::npy_header(tensor::info_of(input.type).descr, input.shape)));
    SLIPWAY_TRY_VOID(file.write(Bytes(input.bytes)));
    SLIPWAY_TRY_VOID(file.commit());
  }
  return {};
}

std::expected<RuntimeTensor, std::string> read_output(const Path& file) {
  Diagnostics ignored;
  const auto mapped = ignored.take(map_file(file));
  const auto view = mapped ? ignored.take(tensor::parse_npy(mapped->bytes(), file.string(), ignored)) : std::nullopt;
  if (!view) return std::unexpected("the runtime wrote no array of it");
  if (!view->type || view->structured) return std::unexpected(formatted("its elements are `{}`", view->descr));
  RuntimeTensor made{.name = {}, .type = *view->type, .shape = view->shape, .bytes = {}};
  made.bytes.resize(view->payload.size());
  tensor::copy_elements(*view, made.bytes);
  return made;
}

}  // namespace

std::optional<FormatRuntime> format_runtime_called(std::string_view name) {
  const auto found = std::ranges::find(kRuntimes, name, &NamedRuntime::name);
  return found == kRuntimes.end() ? std::nullopt : std::optional(found->runtime);
}

Result<RuntimeResults> run_in_runtime(const RuntimeRun& run) {
  SLIPWAY_TRY(const TemporaryDirectory directory, TemporaryDirectory::make("runtime"));
  SLIPWAY_TRY_VOID(write_inputs(run, directory.path()));
  std::error_code ignored;
  std::vector<std::string> command{
      "python3",
      "-c",
      std::string(kFormatRuntimeScript),
      run.runtime.kind == RuntimeKind::OnnxRuntime ? "onnxruntime" : "tflite",
      run.runtime.is_reference ? "reference"
      : run.runtime.is_plain   ? "plain"
                               : "default",
      std::filesystem::absolute(run.file, ignored).string(),
      directory.path().string(),
      run.data_directory.empty() ? "" : std::filesystem::absolute(run.data_directory, ignored).string(),
      run.signature,
      std::to_string(run.inputs.size()),
      std::to_string(run.outputs.size())};
  for (const RuntimeTensor& input : run.inputs) command.push_back(input.name);
  command.append_range(run.outputs);
  command.append_range(run.inside);
  const auto ended =
      run_child(command, run.limit ? std::chrono::duration<double>(*run.limit) : std::chrono::duration<double>::max());
  const std::string_view title = title_of(run.runtime.kind);
  const SourceLocation file = SourceLocation::in_file(run.file.string());
  // Without python3 no process is started, or it ends with this status.
  if (!ended || ended->status == 127) return fail(missing(run.runtime.kind, file));
  if (ended->interrupted || ended->timed_out) {
    Diagnostic problem =
        stopped(ended->timed_out ? StopReason::TimedOut : StopReason::Interrupted, formatted("the run of {}", title));
    problem.location = file;
    return fail(std::move(problem));
  }
  if (line_of(ended->output, "missing")) return fail(missing(run.runtime.kind, file));
  const auto failed = [&](const std::string& reason) {
    return fail(DiagnosticKind::DeviceFailed, file, formatted("{} does not run the model: {}", title, reason));
  };
  if (const auto reason = line_of(ended->output, "failed")) return failed(*reason);
  if (ended->signal) return failed(formatted("it crashed ({})", platform::signal_text(*ended->signal)));
  if (ended->status != 0) return failed(last_line_of(ended->errors));
  RuntimeResults results{.runtime = line_of(ended->output, "runtime").value_or(std::string(title)), .values = {}};
  for (std::size_t i = 0; i < run.outputs.size() + run.inside.size(); ++i) {
    if (auto reason = line_of(ended->output, formatted("left-out {}", i)))
      results.values.emplace_back(std::unexpected(*std::move(reason)));
    else
      results.values.push_back(read_output(directory.path() / formatted("out{}.npy", i)));
  }
  return results;
}

}  // namespace slipway::model
