// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models: load a VGF file, or an ONNX, TensorFlow Lite, TOSA or MLIR model, and run it on a Vulkan device or on the
// CPU.
//
//   auto model = slipway::Model::load("net.vgf");
//   auto device = slipway::Device::open();
//   auto prepared = model->prepare(*device);  // or model->prepare(): on the CPU
//   prepared->set_input("image", pixels);
//   prepared->run();
//   use(prepared->output("scores"));
//
// Tensors are packed, in row-major order, in the byte order of the machine. Elements narrower than a byte take a byte
// each. C++17. Parsers of MLIR and SPIR-V run in processes of their own where the program `slipway` is installed with
// the library, otherwise in this process (scenario.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/bytes.hpp"
#include "slipway/device.hpp"
#include "slipway/problem.hpp"
#include "slipway/progress.hpp"
#include "slipway/tensor_info.hpp"

namespace slipway {

// An input or output of a model.
struct ModelOptions {
  std::string entry;  // the function of an MLIR module; empty: all
  // Of ONNX and TensorFlow Lite models: shapes of inputs with open dimensions by name, and open dimensions by theirs.
  std::map<std::string, std::vector<std::int64_t>> shapes;
  std::map<std::string, std::int64_t> dimensions;
  // Of weights in other files. Empty: the directory of the file; bytes have none.
  std::filesystem::path data_directory;
  bool cache = true;  // keep compiled shaders and kernels in the user's cache directory
  // Of `load` and `parse`: `read`, for other models than VGF files `narrow`, `simplify`, `encode`, then `shaders`.
  ProgressCallback progress;
};

struct PrepareOptions {
  std::map<std::string, std::vector<std::int64_t>> shapes;  // of inputs and outputs with open dimensions, by name
  // Of ONNX and TensorFlow Lite models: the elements of inputs, by name, of which those that decide shapes are used.
  std::map<std::string, std::vector<std::byte>> values;
  bool reference = false;  // graphs are computed by the reference interpreter: slow, and exact
  bool fuse = true;        // operators of a graph share kernels
  unsigned threads = 0;    // of the CPU engine; 0: one for each CPU
  bool times = false;      // measure kernels: PreparedModel::times
  bool compare = false;    // keep what PreparedModel::compare_with_reference needs
  // Seconds of one run, more than 0; after it the device is lost, as with RunOptions::timeout.
  std::optional<double> timeout;
  // `plan` (kernels are chosen; the CPU engine compiles its own here, which are counted), `check`, then `device` (the
  // driver compiles kernels, which are counted) or `memory`.
  ProgressCallback progress;
};

// The time of a kernel, a shader, or a graph that the interpreter computed.
struct StepTime {
  std::string segment;           // of the model
  std::string name;              // operators joined with `+`, or the name of the segment
  double milliseconds = 0;       // the median of all runs
  std::uint64_t bytes = 0;       // of all tensors that it accesses, each counted once
  std::uint64_t operations = 0;  // additions and multiplications
};

// An output of a graph beside the result of the reference interpreter for the same inputs. Integers must be equal,
// floats within the bounds of the TOSA specification.
struct OutputComparison {
  std::string name;  // of the output, or `resource 5` for a value between segments
  std::uint64_t elements = 0;
  std::uint64_t wrong = 0;    // elements outside the bounds
  double max_difference = 0;  // of all elements
  std::string text;           // as the program prints it; why the output could not be compared
  bool compared = true;       // false: it could not be compared, and the counts are 0
};

struct TuneOptions {
  std::map<std::string, std::vector<std::int64_t>> shapes;  // as PrepareOptions::shapes
  bool fuse = true;                                         // as PrepareOptions::fuse: fused kernels are others
  // Seconds after which no further round of measurements begins; one round always runs.
  std::optional<double> limit;
  ProgressCallback progress;  // `plan`, then `tune`, whose rounds are counted
};

// A kernel of a model whose parameters could be chosen. Times are those of all kernels with the same sizes, in
// milliseconds.
struct TunedKernel {
  std::string name;              // what is computed, with its sizes
  std::uint64_t candidates = 0;  // sets of parameters that were measured
  double estimated_milliseconds = 0;
  double best_milliseconds = 0;
  bool better = false;  // than estimated, by more than noise
};

struct TuningResult {
  std::vector<TunedKernel> kernels;  // the slowest first
  // Of all kernels of the model, with the estimated and with the best parameters.
  double before_milliseconds = 0;
  double after_milliseconds = 0;
  std::string table;  // JSON of schema/tuning.schema.json, for the environment variable SLIPWAY_TUNING
};

// A model that is ready to run on one device. It is used by one thread at a time; different ones may be used at once,
// also of the same model and with the same device, on which they take turns. An object that was moved from may only be
// assigned or destroyed; other calls throw std::logic_error.
class SLIPWAY_API PreparedModel {
 public:
  PreparedModel(PreparedModel&&) noexcept;
  PreparedModel& operator=(PreparedModel&&) noexcept;
  ~PreparedModel();

  // With all dimensions known.
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;

  // Inputs whose elements decided shapes (PrepareOptions::values): other elements need another prepared model.
  const std::vector<std::string>& bound_inputs() const;

  // The memory that the next run reads, of TensorInfo::size() bytes; zeros before it is written. It stays where it is.
  // An index that does not exist is null.
  std::byte* input_data(std::size_t index);
  // The memory that a run writes; valid until the next run.
  const std::byte* output_data(std::size_t index) const;

  // The same by name, with the size checked. Errors: unknown-reference, file-mismatch.
  Outcome<bool> set_input(std::string_view name, ByteView bytes);
  Outcome<ByteView> output(std::string_view name) const;

  // Runs the model once and waits for it. Elements of 64 bits are computed in 32: integers that do not fit are errors
  // (out-of-range). The first run also finds outputs that the model does not write, for which it
  // may run a second time. Errors: timed-out, device-failed; output-not-written from every run of such a model.
  Outcome<bool> run();

  // Of all runs, in the order in which the steps run. Empty without PrepareOptions::times.
  std::vector<StepTime> times() const;

  // Compares the outputs of the last run. Each output of the model is in the list, also one that cannot be compared:
  // the image of a shader, or what depends on a shader. Errors: usage without PrepareOptions::compare; those of the
  // interpreter.
  Outcome<std::vector<OutputComparison>> compare_with_reference() const;

  struct State;

 private:
  friend class Model;
  explicit PreparedModel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What the file of a model contains. It is used by one thread at a time; different ones may be used at once. An object
// that was moved from may only be assigned or destroyed; other calls throw std::logic_error.
class SLIPWAY_API Model {
 public:
  // Reads a model of any form that `slipway run` takes, converts it in memory if it is not a VGF file, and compiles its
  // shaders. The error has all problems, warnings included.
  static Outcome<Model> load(const std::filesystem::path& file, const ModelOptions& options = {});
  // The same for the bytes of a file, which are copied. Messages call it `name`.
  static Outcome<Model> parse(ByteView bytes, std::string_view name, const ModelOptions& options = {});

  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  // Extents that are not known are -1. If ONNX and TensorFlow Lite models have such inputs, which `ModelOptions` do not
  // decide, or inputs whose elements decide shapes, they are imported when they are prepared (is_late).
  const std::vector<TensorInfo>& inputs() const;
  const std::vector<TensorInfo>& outputs() const;
  // Whether operators that are not supported, and contradictions of shapes, are errors of `prepare`.
  bool is_late() const;
  // Warnings and notes of loading.
  const std::vector<Problem>& remarks() const;

  // The diagram of the model: a page of HTML that needs nothing else, with the operators, the kernels that they become
  // on a device without special features, and shapes. Takes milliseconds to seconds. Errors: unsupported for a model
  // that is too large to be drawn.
  Outcome<std::string> graph_page() const;

  // Plans the model for the device and makes it ready to run. The device must live longer than the prepared model,
  // which need not have the model. Errors: those of importing, usage (the timeout), unknown-reference (of names),
  // shape-mismatch, unsupported (an open dimension; an image as input or output), device-lacks, device-failed.
  Outcome<PreparedModel> prepare(Device& device, const PrepareOptions& options = {}) const;
  // The same on the CPU, without Vulkan. Errors also: device-lacks for a model with shaders.
  Outcome<PreparedModel> prepare(const PrepareOptions& options = {}) const;

  // Measures which parameters of the model's kernels are best on the device, as `slipway tune` does. Unless
  // ModelOptions::cache is false, the result is kept in the user's cache directory, and models that are prepared later
  // use it. Takes seconds to minutes. Errors: those of `prepare`; unsupported if no kernel has anything to choose.
  Outcome<TuningResult> tune(Device& device, const TuneOptions& options = {}) const;
  // The same for the CPU.
  Outcome<TuningResult> tune(const TuneOptions& options = {}) const;

  struct State;

 private:
  explicit Model(std::unique_ptr<State> state);
  static Outcome<TuningResult> tune(const State& model, Device* device, const TuneOptions& options);
  static Outcome<PreparedModel> prepare(const State& model, Device* device, const PrepareOptions& options);
  std::unique_ptr<State> state_;
};

}  // namespace slipway
