// A graph in a plan, computed by whatever was asked for: the device itself, kernels on it, or the interpreter on the
// host.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "base/diagnostic.hpp"
#include "lower/lower.hpp"
#include "model/native.hpp"
#include "model/packed_rows.hpp"
#include "model/plan_graph.hpp"

namespace slipway::model {

enum class Engine : std::uint8_t { Kernels, Reference };

struct GraphSettings {
  Engine engine = Engine::Kernels;
  lower::LowerSettings lower;  // of kernels
  // Runs graphs, and tensors of shaders, itself where it can; null: nothing is left to the device.
  const gpu::Snapshot* native = nullptr;
};

class PlannedGraph {
 public:
  // The graph must be verified and static, and its constants must have their data, which `owner` keeps. `words`
  // is its module, as a device would run it. Errors: unsupported (an operator that no engine has).
  static Result<PlannedGraph> make(launch::Plan& plan, std::shared_ptr<const tosa::Graph> graph,
                                   std::shared_ptr<const spirv::Words> words, const GraphSettings& settings,
                                   const std::string& name, const launch::Origin& origin, DataOwner owner);

  // Adds one dispatch, of this name. There is a full barrier behind every step. Tensors that see the texels of images
  // are copied.
  void dispatch(launch::Plan& plan, const GraphResources& resources, const std::string& name,
                const launch::Origin& origin);

  // Null where no kernels compute it.
  const lower::KernelProgram* program() const {
    const auto* kernels = std::get_if<GraphInPlan>(&engine_);
    return kernels ? &kernels->program() : nullptr;
  }

 private:
  struct Interpreted {
    std::shared_ptr<const tosa::Graph> graph;
    DataOwner owner;
  };
  struct Native {
    launch::ShaderIndex shader = 0;
    std::vector<gpu::TensorInfo> inputs, outputs;
    std::vector<tosa::Binding> input_bindings, output_bindings;
  };
  using Engines = std::variant<GraphInPlan, Interpreted, Native>;
  explicit PlannedGraph(Engines engine) : engine_(std::move(engine)) {}
  static void run_natively(launch::Plan& plan, const Native& native, const GraphResources& resources,
                           const std::string& name, const launch::Origin& origin);
  void compute(launch::Plan& plan, const GraphResources& resources, const std::string& name,
               const launch::Origin& origin) const;

  Engines engine_;
  std::string emulated_because_;
  PackedRows rows_;
};

}  // namespace slipway::model
