// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/output_proof.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "tensor/format.hpp"

namespace slipway::launch {
namespace {

constexpr std::uint64_t kPatternSeed = 0x51d3a7;

// What the plan does with the memory of an output.
struct OutputUse {
  bool defined = false;       // by initial contents, or by the caller
  bool shares_image = false;  // an image, or memory of one
  bool written = false;
  bool overwritten = false;  // written after, or while, a step reads it
  bool read = false;
  std::uint64_t smallest_store = 4;  // bytes
};

class OutputUses {
 public:
  explicit OutputUses(const Plan& plan) : plan_(plan), ranges_(memory_ranges(plan)) {
    for (std::size_t i = 0; i < plan.steps.size(); ++i) accesses_.push_back(accesses_of(plan, plan.steps[i]));
  }

  OutputUse of(ResourceIndex output) const {
    OutputUse use;
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      const bool shares = i != output && ranges_[i].domain == ranges_[output].domain;
      const auto* buffer = std::get_if<Buffer>(&plan_.resources[i].kind);
      if (shares && (!buffer || buffer->rows)) use.shares_image = true;
      if (i != output && !overlaps(ranges_[i], output)) continue;
      use.defined |= !plan_.resources[i].initial.empty() || (buffer && buffer->external);
    }
    if (use.shares_image) use.defined |= shares_defined(output);
    for (std::size_t i = 0; i < plan_.steps.size();) {
      const GraphDispatch* graph = graph_of_step(plan_, i);
      const std::size_t end = graph ? graph->first_step + graph->step_count : i + 1;
      add(output, i, end, graph != nullptr, use);
      i = end;
    }
    return use;
  }

 private:
  bool overlaps(const MemoryRange& range, ResourceIndex output) const {
    const MemoryRange& own = ranges_[output];
    return range.domain == own.domain && range.begin < own.end && own.begin < range.end;
  }

  // The layout of rows is not known here: any member counts.
  bool shares_defined(ResourceIndex output) const {
    for (ResourceIndex i = 0; i < plan_.resources.size(); ++i) {
      if (ranges_[i].domain == ranges_[output].domain && !plan_.resources[i].initial.empty()) return true;
    }
    return false;
  }

  // Steps [begin, end) are one step or a whole graph. What a graph reads of its results it has written before; a kernel
  // that writes parts of words reads them for that.
  void add(ResourceIndex output, std::size_t begin, std::size_t end, bool is_graph, OutputUse& use) const {
    bool reads = false, writes = false;
    for (std::size_t i = begin; i < end; ++i) {
      const bool written_before = writes;
      for (const Access& access : accesses_[i]) {
        const bool touches = use.shares_image ? ranges_[access.resource].domain == ranges_[output].domain
                                              : overlaps(range_of(access, ranges_), output);
        if (!touches || (access.resource == output && access.levels.first > 0)) continue;
        reads |= access.reads && !(is_graph && (written_before || access.writes));
        writes |= access.writes != 0;
        if (access.writes) use.smallest_store = std::min(use.smallest_store, smallest_store(plan_.steps[i]));
      }
    }
    use.overwritten |= writes && (reads || use.read);
    use.written |= writes;
    use.read |= reads;
  }

  // The minimum of bytes that shaders of a step store at once.
  std::uint64_t smallest_store(const Step& step) const {
    std::vector<ShaderIndex> shaders;
    if (const auto* dispatch = std::get_if<Dispatch>(&step.action)) shaders.push_back(dispatch->shader);
    if (const auto* draw = get_boxed_if<Draw>(step.action)) {
      shaders.push_back(draw->vertex_shader);
      if (draw->fragment_shader) shaders.push_back(*draw->fragment_shader);
    }
    std::uint64_t smallest = 4;
    for (const ShaderIndex shader : shaders) {
      if (!plan_.shaders[shader].reflection) continue;
      for (const std::string& capability : plan_.shaders[shader].reflection->capabilities) {
        if (capability.ends_with("16BitAccess"))
          smallest = std::min<std::uint64_t>(smallest, 2);
        else if (capability.ends_with("8BitAccess"))
          smallest = 1;
      }
    }
    return smallest;
  }

  const Plan& plan_;
  std::vector<MemoryRange> ranges_;
  std::vector<std::vector<Access>> accesses_;  // by step
};

// Bytes of an output that are always written together, and of the whole output; empty if it cannot be filled.
struct FilledSize {
  std::uint64_t element = 1, size = 0;
};
std::optional<FilledSize> filled_size(const Resource& resource, const OutputUse& use) {
  if (const auto* buffer = std::get_if<Buffer>(&resource.kind)) {
    if (buffer->rows) return std::nullopt;
    const std::uint64_t element = resource.element_size ? resource.element_size : use.smallest_store;
    return FilledSize{buffer->size % element == 0 ? element : 1, buffer->size};
  }
  const auto& image = std::get<Image>(resource.kind);
  const tensor::FormatInfo* format = tensor::find_format(tensor::created_as(image.format));
  if (!format || format->is_block() || format->depth || format->stencil || image.samples > 1) return std::nullopt;
  const Size size = tensor::level_bytes(*format, image.extent[0], image.extent[1], image.slices());
  if (!size) return std::nullopt;
  return FilledSize{format->texel_bytes, *size};
}

Diagnostic not_written(const Resource& resource, std::string message) {
  return Diagnostic{
      .kind = DiagnosticKind::OutputNotWritten, .message = std::move(message), .location = resource.origin.location()}
      .at(resource.origin.path(), resource.origin.uid());
}

}  // namespace

std::set<ResourceIndex> wanted_results(const Plan& plan) {
  std::set<ResourceIndex> wanted;
  for (ResourceIndex i = 0; i < plan.resources.size(); ++i) {
    if (!plan.resources[i].outputs.empty() || plan.resources[i].is_result) wanted.insert(i);
  }
  for (const Expectation& expectation : plan.expectations) {
    wanted.insert(expectation.resource);
    if (const auto* other = std::get_if<ResourceIndex>(&expectation.expected)) wanted.insert(*other);
  }
  for (const Capture& capture : plan.captures) wanted.insert(capture.resource);
  return wanted;
}

PlanProof::PlanProof(const Plan& plan, std::uint32_t iterations) : plan_(&plan) {
  std::set<ResourceIndex> outputs;
  for (ResourceIndex i = 0; i < plan.resources.size(); ++i) {
    if (!plan.resources[i].outputs.empty() || plan.resources[i].is_result) outputs.insert(i);
  }
  for (const Expectation& expectation : plan.expectations) outputs.insert(expectation.resource);
  for (const Capture& capture : plan.captures) {
    if (capture.is_output) outputs.insert(capture.resource);
  }
  if (outputs.empty()) return;
  const OutputUses uses(plan);
  for (const ResourceIndex output : outputs) {
    const OutputUse use = uses.of(output);
    if (use.defined) continue;
    const Resource& resource = plan.resources[output];
    const auto size = filled_size(resource, use);
    if (size && size->size == 0) continue;
    if (!use.written) {
      never_written_.insert(output);
      continue;
    }
    // Between iterations only what each of them writes is as if it were read after its last write.
    const bool read_again = use.read && iterations > 1 && !resource.is_result;
    if (!size || use.shares_image || use.overwritten || read_again) continue;
    patterns_.emplace(output, tensor::UnwrittenElements(size->size, size->element, kPatternSeed + output));
  }
}

std::set<ResourceIndex> PlanProof::open() const {
  std::set<ResourceIndex> outputs;
  for (const auto& [output, pattern] : patterns_) {
    if (!pattern.is_decided()) outputs.insert(output);
  }
  return outputs;
}

// `before`: the bytes around what is filled; empty if all is.
Result<> PlanProof::fill(ResourceIndex output, PreparedPlan& prepared, Bytes before) const {
  const tensor::UnwrittenElements& pattern = patterns_.at(output);
  std::vector<std::byte> bytes(before.begin(), before.end());
  bytes.resize(pattern.size());
  pattern.fill(bytes);
  return prepared.write(output, bytes);
}

Result<> PlanProof::fill(PreparedPlan& prepared) {
  for (const auto& [output, pattern] : patterns_) SLIPWAY_TRY_VOID(fill(output, prepared, {}));
  return {};
}

Result<> PlanProof::fill_again(PreparedPlan& prepared) {
  std::set<ResourceIndex> results;
  for (const auto& [output, pattern] : patterns_) {
    if (plan_->resources[output].is_result) results.insert(output);
  }
  if (results.empty()) return {};
  SLIPWAY_TRY(const Readback read, prepared.read_back(results));
  for (const ResourceIndex output : results) {
    tensor::UnwrittenElements& pattern = patterns_.at(output);
    check_pattern(output, read.bytes(output));
    if (pattern.ranges().empty())
      pattern = tensor::UnwrittenElements(pattern.size(), pattern.element(), ~(kPatternSeed + output));
    SLIPWAY_TRY_VOID(fill(output, prepared, read.bytes(output)));
  }
  return {};
}

void PlanProof::check_pattern(ResourceIndex output, Bytes bytes) {
  tensor::UnwrittenElements& pattern = patterns_.at(output);
  pattern.check(bytes.first(pattern.size()));
}

Result<> PlanProof::check(Readback& results, PreparedPlan& prepared) {
  for (const auto& [output, pattern] : patterns_) check_pattern(output, results.bytes(output));
  if (!open().empty()) results.detach();
  for (std::set<ResourceIndex> outputs = open(); !outputs.empty(); outputs = open()) {
    for (const ResourceIndex output : outputs) SLIPWAY_TRY_VOID(fill(output, prepared, results.bytes(output)));
    SLIPWAY_TRY_VOID(prepared.run_once());
    SLIPWAY_TRY(const Readback again, prepared.read_back(outputs));
    for (const ResourceIndex output : outputs) check_pattern(output, again.bytes(output));
  }
  return {};
}

std::vector<Diagnostic> PlanProof::unwritten() const {
  std::map<ResourceIndex, Diagnostic> found;
  for (const ResourceIndex output : never_written_) {
    const Resource& resource = plan_->resources[output];
    found.emplace(output, not_written(resource, formatted("output `{}` was not written: no command writes to it",
                                                          resource.name)));
  }
  for (const auto& [output, pattern] : patterns_) {
    const Resource& resource = plan_->resources[output];
    if (!pattern.ranges().empty())
      found.emplace(output, not_written(resource, tensor::unwritten_text(resource.name, pattern)));
  }
  std::vector<Diagnostic> all;
  for (auto& [output, diagnostic] : found) all.push_back(std::move(diagnostic));
  return all;
}

void PlanProof::zero(ResourceIndex output, MutableBytes bytes) const {
  const auto pattern = patterns_.find(output);
  if (pattern == patterns_.end()) return;
  for (const tensor::ByteRange range : pattern->second.ranges())
    std::ranges::fill(bytes.subspan(range.begin, range.size()), std::byte{});
}

}  // namespace slipway::launch
