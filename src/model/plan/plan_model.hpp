// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model (a VGF file) as steps of a plan (docs/spec/scenario.md#model-dispatch, docs/spec/vgf.md).
//
//   const auto file = open_model(path, "blur.vgf", diagnostics);
//   const auto shaders = compile_modules(*file, cache, diagnostics);
//   auto model = ModelPlan::make(file, "blur", {.shaders = *shaders}, diagnostics);
//   const auto shapes = model->resolve_shapes({{0, {1, 64, 64, 3}}}, diagnostics);  // of all resources of the model
//   ... put a resource into the plan for each of file->vgf.inputs and file->vgf.outputs ...
//   const auto ran = model->dispatch(plan, {.bindings = {{.binding = 0, .resource = x}, ...}}, diagnostics);
//
// Segments run in the order of the file. A graph segment becomes the kernels that its graph is lowered to (or a step of
// the interpreter), a compute segment a dispatch of its shader, with tensors rewritten to buffers. The first dispatch
// adds the parts that all dispatches share: constants, kernels, and the intermediates, whose alias groups share memory.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/system/cache.hpp"
#include "base/system/files.hpp"
#include "launch/plan/plan.hpp"
#include "model/plan/graph_options.hpp"
#include "tosa/data_type.hpp"
#include "vgf/vgf.hpp"

namespace slipway::lower {
struct KernelProgram;
}
namespace slipway::tosa {
struct Graph;
}

namespace slipway::model {

// What users of a model see where it differs from its tensors: one for each input and output, or empty.
struct DeclaredInterface {
  std::vector<tosa::DeclaredTensor> inputs, outputs;
};

// A VGF file that was read and checked, with the bytes that it is a view of.
struct ModelFile {
  MappedFile bytes;
  vgf::File vgf;
  std::vector<std::byte> made;  // instead of `bytes`, for a file that was made in memory
  DeclaredInterface declared;
};

// Errors: those of reading and checking, located at bytes of the file. Messages call the file `name`. `is_converted`:
// see vgf::File.
std::shared_ptr<const ModelFile> open_model(const Path& path, const std::string& name, Diagnostics& diagnostics);
std::shared_ptr<const ModelFile> open_model(MappedFile bytes, const std::string& name, Diagnostics& diagnostics);
std::shared_ptr<const ModelFile> open_model(std::vector<std::byte> bytes, const std::string& name,
                                            Diagnostics& diagnostics, bool is_converted = false,
                                            DeclaredInterface declared = {});

// --- code ------------------------------------------------------------------------------------------------------------

// The SPIR-V of a module: its own, or compiled from its GLSL or HLSL. Errors: unsupported for a placeholder ("No shader
// module present and no shader substituion defined.", spelled as the specification has it), and those of compiling.
std::optional<spirv::Words> module_words(const ModelFile& file, std::uint32_t module, const Cache& cache,
                                         Diagnostics& diagnostics);

// A compute module as a shader of a plan, validated and reflected. `push_constant_size` 0: the size that it declares.
std::optional<launch::Shader> module_shader(const ModelFile& file, std::uint32_t module, spirv::Words words,
                                            std::vector<launch::Specialization> specializations,
                                            std::uint32_t push_constant_size, Diagnostics& diagnostics);

// A shader with other specialization constants and another size of push constants, reflected again.
std::optional<launch::Shader> respecialize(launch::Shader shader, std::vector<launch::Specialization> specializations,
                                           std::uint32_t push_constant_size, Diagnostics& diagnostics);

// Shaders by module index.
using ModuleShaders = std::map<std::uint32_t, launch::Shader>;

// All compute modules that segments use, as they are in the file. Empty after an error.
std::optional<ModuleShaders> compile_modules(const ModelFile& file, const Cache& cache, Diagnostics& diagnostics);

// --- planning --------------------------------------------------------------------------------------------------------

struct ModelOptions {
  GraphOptions graphs;    // what computes graph segments
  ModuleShaders shaders;  // of the compute modules, substituted or the file's own
  // Values for specialization constants of graph modules, by module index.
  std::map<std::uint32_t, std::vector<launch::Specialization>> graph_specializations;
  // Code that replaces that of graph modules, by module index.
  std::map<std::uint32_t, std::shared_ptr<const spirv::Words>> graph_words;
};

// The shape of one input or output of the model.
struct KnownShape {
  std::uint32_t binding = 0;  // the logical binding number
  tensor::Shape shape;
};

// A resource of the plan that is bound to an input or output. Tensors and buffers are packed buffers.
struct ModelBinding {
  std::uint32_t binding = 0;  // the logical binding number
  launch::ResourceIndex resource = 0;
  tensor::Shape shape = {};            // of a tensor: its shape, where the model leaves it open
  std::optional<std::uint32_t> level;  // of an image
  launch::Origin origin = {};
};

struct ModelDispatch {
  std::vector<ModelBinding> bindings;                                   // one for each input and output
  std::map<std::uint32_t, std::vector<std::byte>> push_constants = {};  // by module; absent: zeros
  bool barrier_after = true;                                            // a full barrier after every segment
  launch::Origin origin = {};
};

// Steps [first_step, first_step + step_count) of the plan are a segment.
struct SegmentSteps {
  std::size_t segment = 0;
  std::string name;  // of the segment, or `segment_<i>`
  std::size_t first_step = 0, step_count = 0;
  std::shared_ptr<const tosa::Graph> graph = nullptr;  // of a graph segment, with all shapes known
  // The program with one dispatch for each step; null for shaders and the interpreter. Lives as long as the ModelPlan.
  const lower::KernelProgram* program = nullptr;
};

// The name of a segment for people.
std::string segment_name(const vgf::File& file, std::size_t segment);

// One model in one plan.
class ModelPlan {
 public:
  // Reads and verifies the graphs. Profiles and resources of the plan are prefixed with `name`. Empty after an error.
  static std::optional<ModelPlan> make(std::shared_ptr<const ModelFile> file, std::string name, ModelOptions options,
                                       Diagnostics& diagnostics);
  ModelPlan(ModelPlan&&) noexcept;
  ModelPlan& operator=(ModelPlan&&) noexcept;
  ~ModelPlan();
  struct State;

  // The shapes of all resources of the file, given those of some inputs and outputs. Errors: shape-mismatch (between
  // known shapes, or with an operator), unsupported (a dimension that remains unknown).
  std::optional<std::vector<tensor::Shape>> resolve_shapes(std::span<const KnownShape> known,
                                                           Diagnostics& diagnostics) const;

  // Adds the steps of all segments and their resources. All calls must pass the same plan. Every input and output must
  // be bound.
  std::optional<std::vector<SegmentSteps>> dispatch(launch::Plan& plan, const ModelDispatch& dispatch,
                                                    Diagnostics& diagnostics);

  // The resource of the plan for a resource of the file in the last dispatch; empty if no segment uses it.
  std::optional<launch::ResourceIndex> resource(std::uint32_t of_file) const;

 private:
  explicit ModelPlan(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace slipway::model
