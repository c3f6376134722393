// Puts a program together: buffers, kernels that are made once, dispatches, places in the arena.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "lower/group_key.hpp"
#include "lower/kernel_maker.hpp"
#include "lower/lower.hpp"

namespace slipway::lower {

class ProgramBuilder {
 public:
  ProgramBuilder(const tosa::Graph& graph, const LowerSettings& settings, std::vector<bool> stored);

  const tosa::Graph& graph() const { return graph_; }
  const DeviceFacts& device() const { return settings_.device; }
  const std::vector<bool>& stored() const { return stored_; }
  // The zero point that an 8-bit value which is stored as floats lacks.
  std::optional<std::int64_t> widened(tosa::ValueId value) const { return widened_[index(value)]; }
  KernelMaker kernel(Grid grid) const { return KernelMaker(graph_, stored_, widened_, settings_.device.floats, grid); }

  // Which of `count` candidates was measured to be best for `what`, else the first one, which is what an estimate says.
  // `node`: whose kernels have these parameters.
  std::size_t choose(const std::string& what, const tosa::Node& node, std::size_t count,
                     const std::function<Parameters(std::size_t)>& candidate);

  // The storage of a value, made when first asked for.
  std::uint32_t buffer(tosa::ValueId value);
  // A constant in another order.
  std::uint32_t packed_constant(tosa::ValueId value, const Packing& packing);
  // An intermediate besides those of values, for elements of `value`. One that was made for the same purpose, which
  // `purpose` tells together with the value, is used again; the flag says whether it is new.
  std::pair<std::uint32_t, bool> packed(tosa::ValueId value, std::uint64_t size, const std::string& purpose);

  // Adds a dispatch of the kernel that was made for an equal key before, if there is one. `packed`: the buffers besides
  // those of values.
  bool repeat(const GroupKey& key, std::span<const std::uint32_t> packed = {});
  // Adds a dispatch of `groups` workgroups, to be repeated for equal keys. `note` stands in front of the kernel's name.
  void dispatch(KernelMaker& maker, std::uint64_t groups, const GroupKey& key,
                std::span<const std::uint32_t> packed = {}, const std::string& note = {});
  // Outputs that no kernel has stored under their own name: inputs, constants, and values that are two outputs.
  void copy_outputs();

  KernelProgram finish();

 private:
  std::uint32_t add_buffer(tosa::ValueId value, BufferKind kind, std::uint32_t number, std::uint64_t size);
  std::uint64_t size_of(tosa::ValueId value) const;
  void copy(tosa::ValueId value, std::uint32_t output);
  void add_dispatch(KernelMaker& maker, std::uint64_t groups, std::string name, std::vector<std::uint32_t> buffers,
                    std::vector<std::uint32_t> nodes);
  void place_intermediates();

  // A dispatch in terms of what its key met.
  struct Made {
    std::uint32_t kernel = 0;
    std::array<std::uint32_t, 3> groups{1, 1, 1};
    struct Source {
      bool is_packed = false;
      std::size_t number = 0;  // of the packed buffer or the value
    };
    std::vector<Source> buffers;
    std::vector<std::size_t> nodes;  // by a value that they give
  };
  std::string text_of(const GroupKey& key) const;
  void remember(const GroupKey& key, std::span<const std::uint32_t> packed, const KernelMaker& maker);

  const tosa::Graph& graph_;
  const LowerSettings& settings_;
  std::vector<bool> stored_;
  Widening widened_;
  std::vector<std::uint32_t> buffer_of_;  // by value
  std::map<std::pair<tosa::ValueId, std::string>, std::uint32_t> packed_;
  std::map<spirv::Words, std::uint32_t> kernels_;
  std::map<std::string, Made> made_;  // by key
  KernelProgram program_;
};

}  // namespace slipway::lower
