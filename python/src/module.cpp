// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The extension module `slipway._slipway`: the C++ interface with Python types. What makes it convenient (dictionaries of
// arrays, tables, HTML) is Python, in slipway/*.py.
//
// Functions that read files, compile, or wait for a device release the interpreter's lock.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <slipway/slipway.hpp>
#include <slipway/version.h>

#include <utility>

namespace nb = nanobind;
using namespace nb::literals;
using namespace slipway;

namespace {

using Shapes = std::map<std::string, std::vector<std::int64_t>>;
using Released = nb::call_guard<nb::gil_scoped_release>;

// An array of any library that speaks DLPack or the buffer protocol, in the memory of the host and packed.
using Array = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

ByteView view(const Array& array) { return {array.data(), array.nbytes()}; }

// The bytes of an object with the buffer protocol: bytes, bytearray, memoryview, an array, a mapped file.
class Buffer {
 public:
  explicit Buffer(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  Buffer(const Buffer&) = delete;
  ~Buffer() { PyBuffer_Release(&buffer_); }
  ByteView view() const { return {buffer_.buf, static_cast<std::size_t>(buffer_.len)}; }

 private:
  Py_buffer buffer_;
};

nb::bytes bytes_of(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// The element type of numpy: of the same name, or the bits of types that numpy does not have.
nb::dlpack::dtype dtype_of(const TensorInfo& tensor) {
  using nb::dlpack::dtype_code;
  const auto make = [&](dtype_code code) {
    return nb::dlpack::dtype{static_cast<std::uint8_t>(code), static_cast<std::uint8_t>(8 * tensor.element_size), 1};
  };
  const std::string& name = tensor.element_type;
  if (name == "bool") return make(dtype_code::Bool);
  if (name == "f16" || name == "f32" || name == "f64") return make(dtype_code::Float);
  return make(name.starts_with("i") ? dtype_code::Int : dtype_code::UInt);
}

template <class... Flags>
nb::ndarray<nb::numpy, Flags...> array_of(void* data, const TensorInfo& tensor, nb::handle owner) {
  const std::vector<std::size_t> shape(tensor.shape.begin(), tensor.shape.end());
  return nb::ndarray<nb::numpy, Flags...>(data, shape.size(), shape.data(), owner, nullptr, dtype_of(tensor));
}

// A callable of Python, or None, as the callback of a call that has released the interpreter's lock. The callable must live
// as long as the call: it is an argument of it. It stops the call by returning False, or by an exception.
ProgressCallback progress_of(nb::handle callable) {
  if (callable.is_none()) return nullptr;
  return [callable](const Progress& at) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // Ctrl-C during a stage
    const nb::object answer = callable(nb::str(at.stage.data(), at.stage.size()), at.index, at.count, at.done, at.total);
    return answer.ptr() != Py_False;
  };
}

std::size_t checked(std::size_t index, const std::vector<TensorInfo>& tensors, const char* what) {
  if (index < tensors.size()) return index;
  throw nb::index_error(("the model has " + std::to_string(tensors.size()) + " " + what + "s, which count from 0; there is no " +
                         what + " " + std::to_string(index)).c_str());
}

// `float32[2, 3]`
template <class Extent>
std::string type_text(nb::dlpack::dtype type, const Extent* shape, std::size_t rank) {
  using nb::dlpack::dtype_code;
  std::string text = "type " + std::to_string(type.code) + " of ";
  for (const auto& [code, name] : {std::pair(dtype_code::Int, "int"), {dtype_code::UInt, "uint"}, {dtype_code::Float, "float"},
                                   {dtype_code::Bfloat, "bfloat"}, {dtype_code::Complex, "complex"}, {dtype_code::Bool, "bool"}})
    if (type.code == static_cast<std::uint8_t>(code)) text = name;
  if (text != "bool") text += std::to_string(type.bits);
  for (std::size_t i = 0; i < rank; ++i) text += (i == 0 ? "[" : ", ") + std::to_string(shape[i]);
  return text + (rank == 0 ? "[]" : "]");
}

// An array for an input: its shape, and its element type or that of the same size for types that numpy does not have; or
// the bytes of the tensor.
void check_array(const TensorInfo& input, const Array& array) {
  using nb::dlpack::dtype_code;
  const nb::dlpack::dtype wanted = dtype_of(input), given = array.dtype();
  const auto is = [](nb::dlpack::dtype type, dtype_code code) { return type.code == static_cast<std::uint8_t>(code); };
  if (is(given, dtype_code::UInt) && given.bits == 8 && array.ndim() == 1 && array.size() == input.size()) return;
  // Those of bf16 and floats of 8 bits.
  const bool bits = is(wanted, dtype_code::UInt) && !is(given, dtype_code::Int) && !is(given, dtype_code::Float) &&
                    !is(given, dtype_code::Bool);
  bool same = given.bits == wanted.bits && given.lanes == 1 && (given.code == wanted.code || bits) && array.ndim() == input.shape.size();
  for (std::size_t i = 0; same && i < array.ndim(); ++i) same = array.shape(i) == static_cast<std::size_t>(input.shape[i]);
  if (same) return;
  throw nb::value_error(("input `" + input.name + "` takes " + type_text(wanted, input.shape.data(), input.shape.size()) + ", but " +
                         type_text(given, array.shape_ptr(), array.ndim()) + " is given").c_str());
}

void set_error(const Problems& problems) {
  const nb::object error = nb::module_::import_("slipway.errors").attr("error_of")(nb::cast(problems));
  PyErr_SetObject(error.type().ptr(), error.ptr());
}

// slipway.Error with all problems.
void raise(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const Error& error) {
    set_error(error.problems());
  } catch (const runner::error& error) {
    set_error(error.diagnostics());
  }
}

void add_problems(nb::module_& module) {
  nb::class_<Problem> problem(module, "Problem", "An error, a warning or a note.");
  problem.def_prop_ro("severity", [](const Problem& self) {
    return self.severity == Problem::Severity::Error ? "error"
           : self.severity == Problem::Severity::Warning ? "warning" : "note";
  }, "`error`, `warning` or `note`");
  problem.def_ro("kind", &Problem::kind, "a stable name, such as `unknown-key`")
      .def_ro("message", &Problem::message, "one line")
      .def_ro("file", &Problem::file, "empty: none")
      .def_ro("line", &Problem::line, "from 1; 0: unknown")
      .def_ro("column", &Problem::column, "from 1, in bytes; 0: unknown")
      .def_ro("path", &Problem::path, "JSON pointer")
      .def_ro("uid", &Problem::uid, "of the resource")
      .def_ro("text", &Problem::text, "the whole message, as the program prints it")
      .def("__str__", [](const Problem& self) { return self.text; })
      .def("__repr__", [](const Problem& self) { return "<Problem " + self.kind + ": " + self.message + ">"; });
  nb::register_exception_translator(raise);
}

void add_sandbox(nb::module_& module) {
  module.def("set_sandbox",
             [](std::string_view mode) {
               constexpr std::pair<std::string_view, SandboxMode> kModes[] = {{"default", SandboxMode::Default},
                                                                              {"off", SandboxMode::Off},
                                                                              {"best-effort", SandboxMode::BestEffort},
                                                                              {"required", SandboxMode::Required}};
               for (const auto& [name, value] : kModes) {
                 if (name == mode) return set_sandbox(value);
               }
               throw nb::value_error("the mode is default, off, best-effort or required");
             },
             "mode"_a,
             "How MLIR, glslang and SPIRV-Tools run, in all later calls of the process: with `required` in processes with all "
             "protections, with `best-effort` with those that can be had, with `off` in this process (for trusted files), "
             "with `default` with those that the kernel has. Without a call, SLIPWAY_SANDBOX names the mode.");
}

void add_devices(nb::module_& module) {
  nb::class_<DeviceInfo>(module, "DeviceInfo", "A Vulkan device of the machine.")
      .def_ro("index", &DeviceInfo::index, "in the list of the Vulkan loader")
      .def_ro("name", &DeviceInfo::name, "of the driver")
      .def_ro("type", &DeviceInfo::type, "DiscreteGpu, IntegratedGpu, VirtualGpu, Cpu, Other")
      .def_ro("uuid", &DeviceInfo::uuid, "hexadecimal")
      .def_ro("api_version", &DeviceInfo::api_version, "of Vulkan, such as `1.4.354`")
      .def("__repr__", [](const DeviceInfo& self) { return "<DeviceInfo " + self.name + ">"; });
  nb::class_<Device>(module, "Device",
                     "An opened device. Several threads may use it: models and scenarios on it run one after another.")
      .def_static("open", [](std::string_view selector) { return Device::open(selector).value(); }, "selector"_a = "",
                  "Opens the CPU (`cpu`, graphs only), or a device by index, UUID or a part of its name; by default that of the environment variable "
                  "SLIPWAY_DEVICE, else the first by type.", Released())
      .def_static("open", [](std::uint32_t index) { return Device::open(std::to_string(index)).value(); }, "index"_a,
                  "Opens a device by its index in the list of `devices()`.", Released())
      .def_prop_ro("info", &Device::info, "its DeviceInfo")
      .def("__repr__", [](const Device& self) { return "<Device " + self.info().name + ">"; });
  module.def("devices", [] { return list_devices().value(); }, "The Vulkan devices of the machine.", Released());
}

LoadOptions load_options(const std::filesystem::path& output, bool confine, bool strict, bool cache) {
  LoadOptions options;
  options.output = output;
  options.confine = confine;
  options.strict = strict;
  options.cache = cache;
  return options;
}

void add_scenarios(nb::module_& module) {
  nb::class_<ExpectationResult>(module, "ExpectationResult", "The outcome of one `expect` of a scenario.")
      .def_ro("uid", &ExpectationResult::uid, "of the resource")
      .def_ro("met", &ExpectationResult::met, "whether the contents are as expected")
      .def_ro("text", &ExpectationResult::text, "as the program prints it")
      .def("__repr__", [](const ExpectationResult& self) { return "<ExpectationResult " + self.text + ">"; });
  nb::class_<RunReport>(module, "RunReport", "What a run of a scenario found.")
      .def_ro("expectations", &RunReport::expectations, "a list of ExpectationResult")
      .def_prop_ro("all_met", &RunReport::all_met, "whether all expectations are met")
      .def("__repr__", [](const RunReport& self) {
        return "<RunReport " + std::to_string(self.expectations.size()) + " expectations, " +
               (self.all_met() ? "all met>" : "not all met>");
      })
      .def_prop_ro("captured", [](const RunReport& self) {
        nb::dict all;
        for (const auto& [uid, bytes] : self.captured) all[uid.c_str()] = bytes_of(bytes);
        return all;
      }, "The bytes of captured resources, by uid.")
      .def_prop_ro("arrays", [](const RunReport& self) {
        nb::dict all;
        for (const auto& [uid, bytes] : self.captured) {
          auto* copy = new std::vector<std::byte>(bytes);
          const nb::capsule owner(copy, [](void* held) noexcept { delete static_cast<std::vector<std::byte>*>(held); });
          all[uid.c_str()] = array_of<>(copy->data(), self.captured_types.at(uid), owner);
        }
        return all;
      }, "Captured resources as arrays, by uid: tensors with their type and shape, level 0 of images as [height, width, channels], "
         "buffers as uint8.");
  nb::class_<Scenario>(module, "Scenario",
                       "A scenario file with everything that it names. One thread uses it at a time.")
      .def_static("load",
                  [](const std::filesystem::path& file, const std::filesystem::path& output, bool confine, bool strict,
                     bool cache) {
                    return Scenario::load(file, load_options(output, confine, strict, cache)).value();
                  },
                  "file"_a, nb::kw_only(), "output"_a = "", "confine"_a = false, "strict"_a = false, "cache"_a = true,
                  "Reads a scenario, compiles its shaders and checks everything. `output` is the base of relative "
                  "`dst` paths. With `confine`, paths that leave the scenario's directory are errors; with `strict`, warnings "
                  "are. Without `cache`, compiled shaders are not kept.", Released())
      .def_static("parse",
                  [](std::string_view text, const std::filesystem::path& directory, const std::filesystem::path& output,
                     bool confine, bool strict, bool cache) {
                    return Scenario::parse(text, directory, load_options(output, confine, strict, cache)).value();
                  },
                  "text"_a, "directory"_a = ".", nb::kw_only(), "output"_a = "", "confine"_a = false, "strict"_a = false,
                  "cache"_a = true, "The same for a text; relative paths are resolved against `directory`.",
                  Released())
      .def_prop_ro("remarks", &Scenario::remarks, "Warnings and notes of loading.")
      .def("__repr__", [](const Scenario&) { return "<Scenario>"; })
      .def("set_contents", [](Scenario& self, std::string_view uid, const Array& array) {
        self.set_contents(uid, view(array)).value();
      }, "uid"_a, "array"_a, "Replaces the initial contents of a buffer or of level 0 of an image by the bytes of an array of any type and "
         "shape, which are copied. Their number is the size of the resource; rows of an image are packed.")
      .def("run",
           [](Scenario& self, Device& device, std::uint32_t repeat, std::optional<double> timeout,
              std::vector<std::string> capture, bool write_outputs) {
             RunOptions options;
             options.repeat = repeat;
             options.timeout = timeout;
             options.capture = std::move(capture);
             options.write_outputs = write_outputs;
             return self.run(device, options).value();
           },
           "device"_a, nb::kw_only(), "repeat"_a = 1, "timeout"_a = nb::none(),
           "capture"_a = std::vector<std::string>(), "write_outputs"_a = true,
           "Runs the scenario. An unmet expectation is not an error: see RunReport.all_met. `timeout` is in seconds; "
           "`capture` lists the resources whose final contents the report has.", Released());
}

// `image: f32[1, ?, 3]`
std::string text_of(const TensorInfo& tensor) {
  std::string text = tensor.name + ": " + tensor.element_type + "[";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i ? ", " : "") + (tensor.shape[i] < 0 ? std::string("?") : std::to_string(tensor.shape[i]));
  return text + "]";
}

// `(a: f32[2], b: f32[2]) -> (c: f32[2])`, of a model.
template <class Tensors>
std::string signature_of(const Tensors& model) {
  const auto list = [](const std::vector<TensorInfo>& tensors) {
    std::string text;
    for (const TensorInfo& tensor : tensors) text += (text.empty() ? "" : ", ") + text_of(tensor);
    return "(" + text + ")";
  };
  return list(model.inputs()) + " -> " + list(model.outputs());
}

void add_models(nb::module_& module) {
  nb::class_<TensorInfo>(module, "TensorInfo", "An input or output of a model.")
      .def_ro("name", &TensorInfo::name, "of the file, else `input_0`, `output_0`, ...")
      .def_ro("element_type", &TensorInfo::element_type, "f32, i8, bf16, ...")
      .def_ro("element_size", &TensorInfo::element_size, "bytes")
      .def_prop_ro("shape", [](const TensorInfo& self) { return nb::tuple(nb::cast(self.shape)); },
                   "-1: an open dimension")
      .def_prop_ro("size", &TensorInfo::size, "bytes of the tensor; 0 while a dimension is open")
      .def("__repr__", [](const TensorInfo& self) { return "<TensorInfo " + text_of(self) + ">"; });
  nb::class_<StepTime>(module, "StepTime", "The time of a kernel of a model.")
      .def_ro("segment", &StepTime::segment, "of the model")
      .def_ro("name", &StepTime::name, "operators joined with `+`")
      .def_ro("milliseconds", &StepTime::milliseconds, "the median of all runs")
      .def_ro("bytes", &StepTime::bytes, "of all tensors that it accesses")
      .def_ro("operations", &StepTime::operations, "additions and multiplications")
      .def("__repr__", [](const StepTime& self) {
        return "<StepTime " + self.name + ": " + std::to_string(self.milliseconds) + " ms>";
      });
  nb::class_<OutputComparison>(module, "OutputComparison", "An output beside the reference interpreter's.")
      .def_ro("name", &OutputComparison::name, "of the output")
      .def_ro("elements", &OutputComparison::elements, "their number")
      .def_ro("wrong", &OutputComparison::wrong, "elements outside the bounds of the TOSA specification")
      .def_ro("max_difference", &OutputComparison::max_difference, "of all elements")
      .def_ro("text", &OutputComparison::text, "as the program prints it; why the output could not be compared")
      .def_ro("compared", &OutputComparison::compared, "whether it could be compared")
      .def("__repr__", [](const OutputComparison& self) { return "<OutputComparison " + self.name + ": " + self.text + ">"; });
  nb::class_<PreparedModel>(module, "PreparedModel",
                            "A model that is ready to run on a device or on the CPU. One thread uses it at a time.")
      .def("__repr__", [](const PreparedModel& self) { return "<PreparedModel " + signature_of(self) + ">"; })
      .def_prop_ro("inputs", &PreparedModel::inputs, "a list of TensorInfo, with all dimensions known")
      .def_prop_ro("outputs", &PreparedModel::outputs, "a list of TensorInfo, with all dimensions known")
      .def_prop_ro("bound_inputs", &PreparedModel::bound_inputs, "Names of inputs whose elements decided shapes.")
      .def("input", [](nb::handle_t<PreparedModel> self, std::size_t index) {
        PreparedModel& model = nb::cast<PreparedModel&>(self);
        checked(index, model.inputs(), "input");
        return array_of<>(model.input_data(index), model.inputs()[index], self);
      }, "index"_a, "The memory that the next run reads, without a copy: an array with the shape and the element type of "
         "`inputs[index]`. It keeps the model alive.")
      .def("output", [](nb::handle_t<PreparedModel> self, std::size_t index) {
        PreparedModel& model = nb::cast<PreparedModel&>(self);
        checked(index, model.outputs(), "output");
        return array_of<nb::ro>(const_cast<std::byte*>(model.output_data(index)), model.outputs()[index], self);
      }, "index"_a, "The memory that a run writes, without a copy: a read-only array with the shape and the element type of "
         "`outputs[index]`, which the next run overwrites. It keeps the model alive.")
      .def("set_input", [](PreparedModel& self, std::string_view name, const Array& array) {
        for (const TensorInfo& input : self.inputs())
          if (input.name == name) check_array(input, array);
        self.set_input(name, view(array)).value();
      }, "name"_a, "array"_a, "Copies an array with the shape and the element type of the input, or its bytes: an array of uint8 with "
         "one dimension.")
      .def("run", [](PreparedModel& self) { self.run().value(); }, "Runs the model once and waits for it.", Released())
      .def("times", &PreparedModel::times, "The times of kernels; needs `times=True`.")
      .def("compare_with_reference",
           [](const PreparedModel& self) { return self.compare_with_reference().value(); },
           "Compares the outputs of the last run with the reference interpreter; needs `compare=True`.", Released());
  const auto prepare = [](const Model& self, Device* device, std::map<std::string, std::vector<std::int64_t>> shapes,
                          bool reference, bool fuse, unsigned threads, bool times, bool compare,
                          std::optional<double> timeout, const nb::object& progress,
                          const std::map<std::string, nb::bytes>& values) {
    PrepareOptions options;
    options.shapes = std::move(shapes);
    for (const auto& [name, bytes] : values) {
      const auto* data = static_cast<const std::byte*>(bytes.data());
      options.values[name].assign(data, data + bytes.size());
    }
    options.reference = reference;
    options.fuse = fuse;
    options.threads = threads;
    options.times = times;
    options.compare = compare;
    options.timeout = timeout;
    options.progress = progress_of(progress);
    return device ? self.prepare(*device, options).value() : self.prepare(options).value();
  };
  nb::class_<TunedKernel>(module, "TunedKernel",
                          "A kernel of a model whose parameters could be chosen. Times are milliseconds of all kernels with the same sizes.")
      .def_ro("name", &TunedKernel::name, "what is computed, with its sizes")
      .def_ro("candidates", &TunedKernel::candidates, "sets of parameters that were measured")
      .def_ro("estimated_milliseconds", &TunedKernel::estimated_milliseconds, "with the parameters that are chosen without measurements")
      .def_ro("best_milliseconds", &TunedKernel::best_milliseconds, "with the best ones")
      .def_ro("better", &TunedKernel::better, "than estimated, by more than noise")
      .def("__repr__", [](const TunedKernel& self) { return "<TunedKernel " + self.name + ">"; });
  nb::class_<TuningResult>(module, "TuningResult", "What tuning a model measured. Times are milliseconds of all its kernels.")
      .def_ro("kernels", &TuningResult::kernels, "the slowest first")
      .def_ro("before_milliseconds", &TuningResult::before_milliseconds, "with the estimated parameters")
      .def_ro("after_milliseconds", &TuningResult::after_milliseconds, "with the best parameters")
      .def_ro("table", &TuningResult::table, "JSON, for a file that the environment variable SLIPWAY_TUNING names")
      .def("__repr__", [](const TuningResult& self) {
        return "<TuningResult " + std::to_string(self.before_milliseconds) + " -> " + std::to_string(self.after_milliseconds) + " ms>";
      });
  const auto load = [](const std::filesystem::path& file, std::string entry, Shapes shapes,
                       std::map<std::string, std::int64_t> dims, std::optional<std::filesystem::path> data_dir, bool cache,
                       const nb::object& progress) {
    ModelOptions options;
    options.data_directory = data_dir.value_or("");
    options.shapes = std::move(shapes);
    options.dimensions = std::move(dims);
    options.progress = progress_of(progress);
    options.entry = std::move(entry);
    options.cache = cache;
    return Model::load(file, options).value();
  };
  nb::class_<Model>(module, "Model", nb::is_weak_referenceable(), "A model: a VGF file, or an ONNX, TensorFlow Lite, TOSA or MLIR model that was converted in memory. Open "
                    "dimensions of ONNX and TensorFlow Lite models get their extents from the arrays of a run.")
      .def(nb::new_(load), "file"_a, nb::kw_only(), "entry"_a = "", "shapes"_a = Shapes(), "dims"_a = std::map<std::string, std::int64_t>(),
           "data_dir"_a = nb::none(), "cache"_a = true, "progress"_a = nb::none(), "The same as `load`.", Released())
      .def_static("load", load, "file"_a, nb::kw_only(), "entry"_a = "", "shapes"_a = Shapes(), "dims"_a = std::map<std::string, std::int64_t>(),
         "data_dir"_a = nb::none(), "cache"_a = true, "progress"_a = nb::none(),
         "Reads a model. `shapes` of inputs and `dims` are for open dimensions of ONNX and TensorFlow Lite models, `data_dir` for their weights in "
         "other files. `progress(stage, index, count, done, total)` is called at the beginning of each stage and when "
         "kernels of it are ready, in the thread of the call; returning False or an exception stops it.", Released())
      .def_static("parse", [](nb::handle bytes, std::string_view name, std::string entry, Shapes shapes,
                              std::map<std::string, std::int64_t> dims, std::optional<std::filesystem::path> data_dir, bool cache,
                              const nb::object& progress) {
        const Buffer buffer(bytes);
        ModelOptions options;
        options.data_directory = data_dir.value_or("");
        options.shapes = std::move(shapes);
        options.dimensions = std::move(dims);
        options.progress = progress_of(progress);
        options.entry = std::move(entry);
        options.cache = cache;
        const ByteView all = buffer.view();
        const nb::gil_scoped_release released;
        return Model::parse(all, name, options).value();
      }, nb::sig(R"(def parse(bytes: collections.abc.Buffer, name: str = "<bytes>", *, entry: str = "", shapes: collections.abc.Mapping[str, collections.abc.Sequence[int]] = {}, dims: collections.abc.Mapping[str, int] = {}, data_dir: str | os.PathLike | None = None, cache: bool = True, progress: object | None = None) -> Model)"),
         "bytes"_a, "name"_a = "<bytes>", nb::kw_only(), "entry"_a = "", "shapes"_a = Shapes(),
         "dims"_a = std::map<std::string, std::int64_t>(), "data_dir"_a = nb::none(), "cache"_a = true,
         "progress"_a = nb::none(), "The same for the bytes of a file.")
      .def_prop_ro("inputs", &Model::inputs, "a list of TensorInfo")
      .def_prop_ro("outputs", &Model::outputs, "a list of TensorInfo")
      .def_prop_ro("is_late", &Model::is_late, "Whether the shapes of a model are those of the arrays of a run. It is imported then.")
      .def("__repr__", [](const Model& self) { return "<Model " + signature_of(self) + ">"; })
      .def("graph_page", [](const Model& self) { return self.graph_page().value(); },
           "The diagram of the model, as a page of HTML that needs nothing else.", Released())
      .def_prop_ro("remarks", &Model::remarks, "Warnings and notes of loading.")
      .def("prepare", prepare, "device"_a = nb::none(), nb::kw_only(),
           "shapes"_a = std::map<std::string, std::vector<std::int64_t>>(), "reference"_a = false, "fuse"_a = true,
           "threads"_a = 0, "times"_a = false, "compare"_a = false, "timeout"_a = nb::none(), "progress"_a = nb::none(),
           "values"_a = std::map<std::string, nb::bytes>(), nb::keep_alive<0, 2>(),
           "Plans the model for a device, or for the CPU without one. `shapes` gives those of inputs and outputs with "
           "open dimensions; `values` has the elements of inputs, of which those are used that decide shapes; `timeout` is in seconds; `progress` is as in `load`.", Released())
      .def("tune", [](const Model& self, Device* device, std::map<std::string, std::vector<std::int64_t>> shapes, bool fuse,
                      std::optional<double> limit, const nb::object& progress) {
        TuneOptions options;
        options.shapes = std::move(shapes);
        options.fuse = fuse;
        options.limit = limit;
        options.progress = progress_of(progress);
        return device ? self.tune(*device, options).value() : self.tune(options).value();
      }, "device"_a = nb::none(), nb::kw_only(), "shapes"_a = std::map<std::string, std::vector<std::int64_t>>(),
           "fuse"_a = true, "limit"_a = nb::none(), "progress"_a = nb::none(),
           "Measures which parameters of the model's kernels are best on a device, or on the CPU without one, as `slipway tune` "
           "does; models that are prepared later use them. No round of measurements begins after `limit` seconds. `progress` "
           "is as in `load`, and counts rounds.", Released());

  nb::class_<ConvertedModel>(module, "ConvertedModel", "A VGF file in memory.")
      .def_prop_ro("file", [](const ConvertedModel& self) { return bytes_of(self.file); }, "its bytes")
      .def_ro("requirements", &ConvertedModel::requirements, "JSON: what a device needs to run it")
      .def_ro("remarks", &ConvertedModel::remarks, "warnings and notes")
      .def("__repr__", [](const ConvertedModel& self) {
        return "<ConvertedModel " + std::to_string(self.file.size()) + " bytes>";
      });
  const auto convert_options = [](std::string entry, bool require_static_shape, bool fold, bool tensor_names,
                                  std::string_view shader_check, const nb::object& progress) {
    ConvertOptions options;
    if (shader_check == "magic")
      options.shader_check = ShaderCheck::Magic;
    else if (shader_check == "off")
      options.shader_check = ShaderCheck::Off;
    else if (shader_check != "full")
      throw nb::value_error("shader_check is `full`, `magic` or `off`");
    options.progress = progress_of(progress);
    options.entry = std::move(entry);
    options.require_static_shape = require_static_shape;
    options.fold = fold;
    options.tensor_names = tensor_names;
    return options;
  };
  module.def("convert", [=](const std::filesystem::path& file, std::string entry, bool require_static_shape, bool fold,
                            bool tensor_names, std::string_view shader_check, const nb::object& progress) {
    return convert_model_file(file, convert_options(std::move(entry), require_static_shape, fold, tensor_names, shader_check,
                                                    progress))
        .value();
  }, "file"_a, nb::kw_only(), "entry"_a = "", "require_static_shape"_a = false, "fold"_a = true,
     "tensor_names"_a = false, "shader_check"_a = "full", "progress"_a = nb::none(),
     "Converts a TOSA or MLIR model to a VGF file. `progress(stage, index, count, done, total)` is called at the "
     "beginning of each stage, in the thread of the call; returning False or an exception stops it.", Released());
  module.def("convert_bytes", [=](nb::handle bytes, std::string_view name, std::string entry,
                                  bool require_static_shape, bool fold, bool tensor_names,
                                  std::string_view shader_check, const nb::object& progress) {
    const Buffer buffer(bytes);
    const ByteView all = buffer.view();
    const nb::gil_scoped_release released;
    return convert_model(all, name, convert_options(std::move(entry), require_static_shape, fold, tensor_names, shader_check,
                                                    progress))
        .value();
  }, nb::sig(R"(def convert_bytes(bytes: collections.abc.Buffer, name: str = "<bytes>", *, entry: str = "", require_static_shape: bool = False, fold: bool = True, tensor_names: bool = False, shader_check: str = "full", progress: object | None = None) -> ConvertedModel)"),
     "bytes"_a, "name"_a = "<bytes>", nb::kw_only(), "entry"_a = "", "require_static_shape"_a = false, "fold"_a = true,
     "tensor_names"_a = false, "shader_check"_a = "full", "progress"_a = nb::none(), "The same for the bytes of a file.");
}

nb::object value_of(std::optional<double> number, const std::string& text) {
  if (number) return nb::cast(*number);
  return text.empty() ? nb::none() : nb::object(nb::cast(text));
}

void add_kernels(nb::module_& module) {
  nb::class_<KernelFigures>(module, "KernelFigures", "The metrics of a kernel. Spills and private memory are bytes of a hardware thread.")
      .def_ro("name", &KernelFigures::name, "of the kernel")
      .def_ro("simd", &KernelFigures::simd, "lanes of a hardware thread")
      .def_ro("registers", &KernelFigures::registers, "of a hardware thread")
      .def_ro("threads_per_eu", &KernelFigures::threads_per_eu, "None: unknown")
      .def_ro("code_bytes", &KernelFigures::code_bytes, "None for a text")
      .def_ro("spill_bytes", &KernelFigures::spill_bytes, "of a hardware thread")
      .def_ro("private_bytes", &KernelFigures::private_bytes, "of a hardware thread")
      .def_ro("scratch_bytes", &KernelFigures::scratch_bytes, "of a hardware thread")
      .def_ro("local_memory_bytes", &KernelFigures::local_memory_bytes, "of a work group")
      .def_ro("barriers", &KernelFigures::barriers, "their number")
      .def_ro("argument_bytes", &KernelFigures::argument_bytes, "of the cross-thread data")
      .def_ro("instructions", &KernelFigures::instructions, "their number; None if they were not counted")
      .def_ro("sends", &KernelFigures::sends, "messages among the instructions")
      .def("__repr__", [](const KernelFigures& self) {
        return "<KernelFigures " + self.name + ": SIMD " + std::to_string(self.simd) + ", " +
               std::to_string(self.spill_bytes) + " bytes of spills>";
      });
  nb::class_<KernelChange>(module, "KernelChange", "A field that differs between two binaries.")
      .def_ro("kernel", &KernelChange::kernel, "empty: the field is one of the whole binary")
      .def_ro("field", &KernelChange::field, "simd, grf, spill, added, removed, ...")
      .def_prop_ro("before", [](const KernelChange& self) { return value_of(self.before, self.from); },
                   "a number or a text; None if it is missing")
      .def_prop_ro("after", [](const KernelChange& self) { return value_of(self.after, self.to); },
                   "a number or a text; None if it is missing")
      .def("__repr__", [](const KernelChange& self) {
        return "<KernelChange " + self.kernel + " " + self.field + ": " + self.from + " -> " + self.to + ">";
      });
  nb::class_<PayloadPart>(module, "PayloadPart", "A range of the argument data of a kernel.")
      .def_ro("offset", &PayloadPart::offset, "bytes")
      .def_ro("size", &PayloadPart::size, "bytes")
      .def_ro("argument", &PayloadPart::argument, "the index of the kernel's argument; -1: none")
      .def_ro("what", &PayloadPart::what, "such as `stateless address`, `local_size` or `(hole)`")
      .def("__repr__", [](const PayloadPart& self) {
        return "<PayloadPart " + std::to_string(self.offset) + "+" + std::to_string(self.size) + ": " + self.what + ">";
      });
  nb::class_<KernelBinary>(module, "KernelBinary", "Kernels of an Intel GPU: a zebin, a member of an archive, or ZE Info text.")
      .def_static("load", [](const std::filesystem::path& file, std::string member, std::string product, bool instructions) {
        return KernelBinary::load(file, {std::move(member), std::move(product), instructions}).value();
      }, "file"_a, nb::kw_only(), "member"_a = "", "product"_a = "", "instructions"_a = false,
         "Reads a file. `member` selects a member of an archive; `product` is the device, which selects one, too, and is the target "
         "of a text. `instructions` counts the instructions of kernels, with Intel's library libiga64.", Released())
      .def_static("parse", [](nb::handle bytes, std::string name, std::string member, std::string product, bool instructions) {
        const Buffer buffer(bytes);
        return KernelBinary::parse(buffer.view(), std::move(name), {std::move(member), std::move(product), instructions}).value();
      }, nb::sig(R"(def parse(bytes: collections.abc.Buffer, name: str = "<bytes>", *, member: str = "", product: str = "", instructions: bool = False) -> KernelBinary)"),
         "bytes"_a, "name"_a = "<bytes>", nb::kw_only(), "member"_a = "", "product"_a = "", "instructions"_a = false,
         "The same for the bytes of a file.")
      .def_prop_ro("version", &KernelBinary::version, "of ZE Info, such as `1.49`; empty for a text without one")
      .def_prop_ro("kernels", &KernelBinary::kernels, "a list of KernelFigures, in the order of the file")
      .def("check", [](const KernelBinary& self, std::string_view level) { return self.check(level).value(); },
           "level"_a = "consistency", "Problems of a level: spec, consistency, runtime, runtime=YY.WW, runtime=all.")
      .def("diff", &KernelBinary::diff, "other"_a,
           "What `other` has instead, as a list of KernelChange; empty: they are equal.")
      .def("layout", [](const KernelBinary& self, std::string_view kernel) { return self.layout(kernel).value(); },
           "kernel"_a, "The argument data of a kernel in address order, including holes, as a list of PayloadPart.")
      .def("layout_svg", [](const KernelBinary& self, std::string_view kernel) { return self.layout_svg(kernel).value(); },
           "kernel"_a, "The same as a diagram in SVG.")
      .def("occupancy", [](const KernelBinary& self, std::string_view kernel, std::array<std::uint32_t, 3> local_size, int eus,
                           std::uint64_t local_memory) {
        return self.occupancy(kernel, {local_size, eus, local_memory}).value();
      }, "kernel"_a, "local_size"_a = std::array<std::uint32_t, 3>{1, 1, 1}, nb::kw_only(), "eus"_a = 0, "local_memory"_a = 0,
           "How many work groups run at the same time on a subslice of `eus` EUs (0: that of the device). `local_size` counts for "
           "kernels that require none; `local_memory`: bytes of local arguments.")
      .def("_pack", [](const KernelBinary& self, std::string_view kernel, const KernelLaunch& launch) {
        return self.pack(kernel, launch).value();
      }, "kernel"_a, "launch"_a, "Of `pack`.")
      .def("pack_local_ids", [](const KernelBinary& self, std::string_view kernel, std::array<std::uint32_t, 3> local_size) {
        return bytes_of(self.pack_local_ids(kernel, local_size).value());
      }, "kernel"_a, "local_size"_a, "The local ids of each hardware thread of a work group, in thread order; empty if the kernel "
                                     "takes none.")
      .def("__repr__", [](const KernelBinary& self) {
        return "<KernelBinary of " + std::to_string(self.kernels().size()) + " kernels, ZE Info " + self.version() + ">";
      });
}

void add_launches(nb::module_& module) {
  nb::class_<KernelOccupancy>(module, "KernelOccupancy", "The work groups of a kernel that run at the same time on a subslice.")
      .def_ro("local_size", &KernelOccupancy::local_size, "the required one, else the given one")
      .def_ro("eus", &KernelOccupancy::eus, "of the subslice")
      .def_ro("threads_per_eu", &KernelOccupancy::threads_per_eu, "hardware threads")
      .def_ro("threads_per_group", &KernelOccupancy::threads_per_group, "hardware threads")
      .def_ro("local_memory_bytes", &KernelOccupancy::local_memory_bytes, "of a work group, as the hardware allocates it")
      .def_ro("groups", &KernelOccupancy::groups, "their number")
      .def_ro("limited_by", &KernelOccupancy::limited_by, "threads, barriers or slm")
      .def("__repr__", [](const KernelOccupancy& self) {
        return "<KernelOccupancy " + std::to_string(self.groups) + " groups of " + std::to_string(self.threads_per_group) +
               " threads, limited by " + self.limited_by + ">";
      });
  using Number = std::optional<std::uint64_t>;
  nb::class_<PointerArgument>(module, "PointerArgument", "A buffer, as an argument of `KernelBinary.pack`.")
      .def("__init__", [](PointerArgument* self, std::uint64_t address, Number size, Number heap_offset) {
        new (self) PointerArgument{address, size, heap_offset};
      }, "address"_a, "size"_a = nb::none(), "heap_offset"_a = nb::none(),
         "`size`: bytes of the buffer, for kernels that take it; `heap_offset`: of the surface state, for bindless access.");
  nb::class_<LocalArgument>(module, "LocalArgument", "Local memory, as an argument of `KernelBinary.pack`.")
      .def("__init__", [](LocalArgument* self, std::uint64_t size) { new (self) LocalArgument{size}; }, "size"_a, "`size`: bytes.");
  nb::class_<ImageArgument> image(module, "ImageArgument", "An image, as an argument of `KernelBinary.pack`: set its attributes.");
  image.def(nb::init<>())
      .def_rw("heap_offset", &ImageArgument::heap_offset, "of the image").def_rw("width", &ImageArgument::width, "of the image")
      .def_rw("height", &ImageArgument::height, "of the image").def_rw("depth", &ImageArgument::depth, "of the image")
      .def_rw("array_size", &ImageArgument::array_size, "of the image").def_rw("mip_levels", &ImageArgument::mip_levels, "of the image")
      .def_rw("samples", &ImageArgument::samples, "of the image").def_rw("channel_type", &ImageArgument::channel_type, "of the image")
      .def_rw("channel_order", &ImageArgument::channel_order, "of the image").def_rw("flat_base", &ImageArgument::flat_base, "of the image")
      .def_rw("flat_width", &ImageArgument::flat_width, "of the image").def_rw("flat_height", &ImageArgument::flat_height, "of the image")
      .def_rw("flat_pitch", &ImageArgument::flat_pitch, "of the image");
  nb::class_<SamplerArgument> sampler(module, "SamplerArgument", "A sampler, as an argument of `KernelBinary.pack`: set its attributes.");
  sampler.def(nb::init<>())
      .def_rw("heap_offset", &SamplerArgument::heap_offset, "of the sampler").def_rw("linear", &SamplerArgument::linear, "of the sampler")
      .def_rw("normalized", &SamplerArgument::normalized, "of the sampler")
      .def_prop_rw("addressing", [](const SamplerArgument& self) { return static_cast<int>(self.addressing); },
                   [](SamplerArgument& self, std::uint8_t code) {
                     if (code > 4) throw nb::value_error("addressing is 0 (none), 1 (border), 2 (edge), 3 (repeat) or 4 (mirrored)");
                     self.addressing = static_cast<SamplerAddressing>(code);
                   }, "0: none, 1: clamp to border, 2: clamp to edge, 3: repeat, 4: mirrored repeat");
  nb::class_<ImplicitArguments> implicit(module, "_ImplicitArguments", "The keyword arguments of `pack`.");
  implicit.def(nb::init<>());
#define SLIPWAY_IMPLICIT(name) .def_rw(#name, &ImplicitArguments::name, "of the launch")
  implicit SLIPWAY_IMPLICIT(private_memory) SLIPWAY_IMPLICIT(printf_buffer) SLIPWAY_IMPLICIT(implicit_buffer)
      SLIPWAY_IMPLICIT(sync_buffer) SLIPWAY_IMPLICIT(ray_tracing_globals) SLIPWAY_IMPLICIT(assert_buffer)
      SLIPWAY_IMPLICIT(indirect_data) SLIPWAY_IMPLICIT(scratch) SLIPWAY_IMPLICIT(constants) SLIPWAY_IMPLICIT(globals)
      SLIPWAY_IMPLICIT(region_barriers) SLIPWAY_IMPLICIT(inline_samplers) SLIPWAY_IMPLICIT(region_size)
      SLIPWAY_IMPLICIT(region_dimension) SLIPWAY_IMPLICIT(region_groups);
#undef SLIPWAY_IMPLICIT
  using Size3 = std::array<std::uint32_t, 3>;
  nb::class_<KernelLaunch>(module, "_KernelLaunch", "Of `pack`.")
      .def("__init__", [](KernelLaunch* self, const nb::list& arguments, Size3 groups, Size3 local_size, Size3 global_offset,
                          std::optional<Size3> global_size, const ImplicitArguments& of_runtime) {
        new (self) KernelLaunch{groups, local_size, global_offset, {}, global_size, of_runtime};
        for (const nb::handle one : arguments) {
          KernelArgument& to = self->arguments.emplace_back();
          if (one.is_none()) continue;
          if (nb::isinstance<PointerArgument>(one)) to = nb::cast<PointerArgument>(one);
          else if (nb::isinstance<LocalArgument>(one)) to = nb::cast<LocalArgument>(one);
          else if (nb::isinstance<ImageArgument>(one)) to = nb::cast<ImageArgument>(one);
          else if (nb::isinstance<SamplerArgument>(one)) to = nb::cast<SamplerArgument>(one);
          else {
            const Buffer value(one);
            const auto* bytes = static_cast<const std::byte*>(value.view().data());
            to = ValueArgument{{bytes, bytes + value.view().size()}};
          }
        }
      });
  nb::class_<PackedArguments>(module, "PackedArguments", "The argument data of a kernel for one launch.")
      .def_prop_ro("bytes", [](const PackedArguments& self) { return bytes_of(self.bytes); }, "the cross-thread data")
      .def_ro("inline_bytes", &PackedArguments::inline_bytes, "of these, passed in the command")
      .def_ro("local_memory", &PackedArguments::local_memory, "bytes that the launch needs")
      .def_ro("open", &PackedArguments::open, "ranges that are zero, and that the loader fills: a list of PayloadPart")
      .def("__repr__", [](const PackedArguments& self) {
        return "<PackedArguments " + std::to_string(self.bytes.size()) + " bytes, " + std::to_string(self.open.size()) + " open ranges>";
      });
}

// A runner with what it needs to make buffers.
struct RecipeRunner {
  device on;
  runner made;
};

void add_recipes(nb::module_& module) {
  nb::class_<RecipeRunner>(module, "Recipe", "A run recipe that is ready to run. One thread uses it at a time.")
      .def_static("load", [](const std::string& recipe, const std::string& profile, const std::filesystem::path& directory,
                             const std::string& device_name, std::string backend, const std::filesystem::path& kernels,
                             const std::filesystem::path& library_root, std::uint64_t seed, bool strict, bool allow_outside,
                             bool timings) {
        run_options options;
        options.profile = profile;
        if (!directory.empty()) options.files.emplace(directory);
        options.backend = std::move(backend);
        options.kernels = kernels;
        options.library_root = library_root;
        options.seed = seed;
        options.strict = strict;
        options.allow_outside = allow_outside;
        options.timings = timings;
        device on(device_name);
        runner made(on, recipe, options);
        return RecipeRunner{on, std::move(made)};
      }, nb::sig(R"(def load(recipe: str, profile: str = "", *, directory: str | os.PathLike = "", device: str = "", backend: str = "", kernels: str | os.PathLike = "", library_root: str | os.PathLike = "", seed: int = 0, strict: bool = False, allow_outside: bool = False, timings: bool = False) -> Recipe)"),
         "recipe"_a, "profile"_a = "", nb::kw_only(), "directory"_a = "", "device"_a = "", "backend"_a = "", "kernels"_a = "",
         "library_root"_a = "", "seed"_a = 0, "strict"_a = false, "allow_outside"_a = false, "timings"_a = false,
         "Reads a recipe and a profile: JSON texts if they begin with `{`, else paths. `directory` has the files of the recipe; "
         "`backend` is vulkan, opencl or xrt; `timings` measures each run for the report.", Released())
      .def("bind", [](RecipeRunner& self, const std::string& name, const Array& array) {
        bo buffer(self.on, array.nbytes());
        buffer.write(array.data());
        buffer.sync(xrt::slipway_v1::XCL_BO_SYNC_BO_TO_DEVICE);
        self.made.bind(name, buffer);
      }, "name"_a, "array"_a, "Binds a buffer of the recipe to a copy of an array of any type, whose bytes are those of the buffer. An "
                              "output takes one too, of zeros.")
      .def("run", [](RecipeRunner& self) {
        self.made.execute();
        self.made.wait();
      }, "Executes the recipe once, or all executions of the profile, and waits.", Released())
      .def("buffer", [](const RecipeRunner& self, const std::string& name) {
        const ByteView bytes = self.made.map_buffer(name);
        return nb::bytes(bytes.data(), bytes.size());
      }, "name"_a, "A copy of the bytes of a buffer; empty for an unknown name or if nothing is bound.")
      .def_prop_ro("report_json", [](const RecipeRunner& self) { return self.made.report(); }, "runs and times")
      .def_prop_ro("remarks", [](const RecipeRunner& self) { return self.made.remarks(); }, "Warnings of loading.")
      .def("__repr__", [](const RecipeRunner&) { return "<Recipe>"; });
}

struct CompiledPipeline {
  RplPipelinePtr pipeline;
  Problems remarks;
};

void add_pipelines(nb::module_& module) {
  nb::module_ rpl = module.def_submodule("rpl", "The compiler of the Render Pipeline Language.");
  nb::class_<CompiledPipeline>(rpl, "Pipeline", "A compiled pipeline.")
      .def_prop_ro("modules", [](const CompiledPipeline& self) {
        nb::list all;
        for (const rpl_module& each : self.pipeline->modules) all.append(nb::bytes(each.words.data(), 4 * each.words.size()));
        return all;
      }, "SPIR-V, as bytes")
      .def_prop_ro("metadata_json", [](const CompiledPipeline& self) { return rpl_metadata_json(*self.pipeline); },
                   "what is needed to create the Vulkan objects")
      .def_prop_ro("pipeline_hash", [](const CompiledPipeline& self) { return self.pipeline->metadata.hashes.pipeline.data; },
                   "equal: the same pipeline, the SPIR-V included")
      .def_prop_ro("interface_hash", [](const CompiledPipeline& self) { return self.pipeline->metadata.hashes.interface_hash.data; },
                   "equal: the same descriptor sets, vertex buffers and push constants")
      .def_ro("remarks", &CompiledPipeline::remarks, "warnings")
      .def("__repr__", [](const CompiledPipeline& self) {
        return "<Pipeline " + std::string(self.pipeline->metadata.hashes.pipeline) + ">";
      });
  nb::class_<RplProgram>(rpl, "Program", "Parsed sources. May be used from several threads.")
      .def_static("load", [](const std::vector<std::filesystem::path>& files) { return RplProgram::load(files).value(); },
                  "files"_a, "Reads files, each of which is a module of its own.", Released())
      .def_static("parse", [](const std::map<std::string, std::string>& sources) {
        std::vector<RplSource> all;
        for (const auto& [name, text] : sources) all.push_back({name, text});
        return RplProgram::parse(all).value();
      }, "sources"_a, "From texts by their names.", Released())
      .def_prop_ro("options", [](const RplProgram& self) {
        nb::dict all;
        for (const rpl_option& option : self.options()) all[option.name.data] = option.default_value.data;
        return all;
      }, "The options of the program with their default values.")
      .def_prop_ro("files", &RplProgram::files, "The files that `load` read; empty after `parse`.")
      .def_prop_ro("changed", &RplProgram::changed, "Whether a file was changed since it was read.")
      .def("__repr__", [](const RplProgram& self) {
        return "<Program of " + std::to_string(self.files().size()) + " files, " + std::to_string(self.options().size()) + " options>";
      })
      .def("compile", [](const RplProgram& self, const std::map<std::string, std::string>& entry_points,
                         const std::map<std::string, std::string>& options, bool compute, std::string target,
                         bool split_stages, bool strict, bool optimize, bool strip, bool debug_lines) {
        RplVariant variant;
        variant.options.insert(options.begin(), options.end());
        for (const auto& [stage, function] : entry_points) variant.entry_points.push_back({stage, function});
        variant.kind = compute ? RPL_PIPELINE_KIND_COMPUTE : RPL_PIPELINE_KIND_GRAPHICS;
        variant.target = std::move(target);
        variant.split_stages = split_stages;
        variant.strict = strict;
        variant.optimize = optimize;
        variant.strip = strip;
        variant.debug_lines = debug_lines;
        CompiledPipeline made;
        made.pipeline = self.compile(variant, &made.remarks).value();
        return made;
      }, "entry_points"_a, "options"_a = std::map<std::string, std::string>(), nb::kw_only(), "compute"_a = false,
         "target"_a = "vulkan1.3", "split_stages"_a = false, "strict"_a = false, "optimize"_a = false, "strip"_a = false,
         "debug_lines"_a = false,
         "Compiles a pipeline. `entry_points` are functions by their stage: {'vertex': 'main_vertex'}. `options` are texts as on the "
         "command line: {'skinned': 'true'}. `split_stages`: a module for each stage; `strict`: warnings are errors; `optimize`: by "
         "SPIRV-Tools; `strip`: no names; `debug_lines`: source lines in the SPIR-V.", Released());
}

}  // namespace

NB_MODULE(_slipway, module) {
  module.attr("__version__") = SLIPWAY_VERSION_TEXT;
  add_problems(module);
  add_sandbox(module);
  add_devices(module);
  add_scenarios(module);
  add_models(module);
  add_launches(module);
  add_kernels(module);
  add_recipes(module);
  add_pipelines(module);
}
