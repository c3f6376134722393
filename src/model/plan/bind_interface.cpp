// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan/bind_interface.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/format.hpp"
#include "launch/plan/accesses.hpp"
#include "model/plan/model_storage.hpp"

namespace slipway::model {
namespace {

class InterfaceBinder {
 public:
  InterfaceBinder(launch::Plan& plan, const vgf::File& file, std::span<const std::uint32_t> storage,
                  const ModelDispatch& dispatch, const std::string& name)
      : plan_(plan), file_(file), storage_(storage), dispatch_(dispatch), name_(name) {}

  BoundInterface run() {
    add_ports(file_.inputs, false);
    add_ports(file_.outputs, true);
    if (ports_.empty()) return {};
    ranges_ = launch::memory_ranges(plan_);
    for (const Port& port : ports_) by_domain_[domain_of(port.binding->resource)].push_back(&port);
    std::map<std::uint32_t, std::vector<const Port*>> groups;
    for (const Port& port : ports_) groups[storage_[port.slot->resource]].push_back(&port);
    for (const auto& [storage, ports] : groups) {
      const bool buffers =
          std::ranges::all_of(ports, [&](const Port* port) { return is_packed_buffer(port->binding->resource); });
      buffers ? bind_buffers(ports) : bind_images(ports);
    }
    return std::move(bound_);
  }

 private:
  struct Port {
    const vgf::Slot* slot = nullptr;
    bool output = false;
    const ModelBinding* binding = nullptr;
    bool own = true;  // otherwise the binding is that of another one with the same number
  };

  void add_ports(std::span<const vgf::Slot> slots, bool output) {
    std::map<std::uint32_t, std::vector<const ModelBinding*>> by_number;
    for (const ModelBinding& one : dispatch_.bindings) by_number[one.binding].push_back(&one);
    for (const vgf::Slot& slot : slots) {
      const std::vector<const ModelBinding*>& bindings = by_number[slot.binding];
      if (bindings.empty()) continue;
      const std::size_t position = used_[slot.binding]++;
      const ModelBinding* const binding = bindings[std::min(position, bindings.size() - 1)];
      ports_.push_back({&slot, output, binding, position < bindings.size()});
      if (binding->level) bound_.levels[slot.resource] = *binding->level;
    }
  }

  bool is_packed_buffer(launch::ResourceIndex resource) const {
    const auto* buffer = std::get_if<launch::Buffer>(&plan_.resources[resource].kind);
    return buffer && !buffer->rows;
  }

  std::uint64_t size_of(launch::ResourceIndex resource) const {
    return std::get<launch::Buffer>(plan_.resources[resource].kind).size;
  }

  // Resources of different domains do not overlap; those that were added later have none.
  std::optional<std::size_t> domain_of(launch::ResourceIndex resource) const {
    return resource < ranges_.size() ? std::optional(ranges_[resource].domain) : std::nullopt;
  }
  bool overlap(launch::ResourceIndex a, launch::ResourceIndex b) const {
    if (a == b) return true;
    return domain_of(a) && domain_of(a) == domain_of(b) && ranges_[a].begin < ranges_[b].end &&
           ranges_[b].begin < ranges_[a].end;
  }

  // Whether what is bound to an input or output of another storage uses some of the same memory.
  bool is_taken(launch::ResourceIndex resource, const Port& by) const {
    const auto near = by_domain_.find(domain_of(resource));
    return near != by_domain_.end() && std::ranges::any_of(near->second, [&](const Port* port) {
             return storage_[port->slot->resource] != storage_[by.slot->resource] &&
                    overlap(port->binding->resource, resource);
           });
  }

  // Nothing if the two are the same memory.
  void copy(launch::ResourceIndex from, launch::ResourceIndex to, std::vector<launch::Copy>& list) const {
    if (!overlap(from, to)) list.push_back({.from = from, .to = to, .size = std::min(size_of(from), size_of(to))});
  }

  // Segments use the memory of the first output, or a buffer of their own.
  void bind_buffers(std::span<const Port* const> ports) {
    const auto first = [&](bool output) {
      const auto found = std::ranges::find(ports, output, &Port::output);
      return found == ports.end() ? nullptr : *found;
    };
    const Port* const input = first(false);
    const Port* const output = first(true);
    launch::ResourceIndex used = (output ? output : input)->binding->resource;
    if (output && is_taken(used, *output)) used = add_buffer_like(plan_, name_, used);
    if (input && output) copy(input->binding->resource, used, bound_.before);
    for (const Port* port : ports) {
      if (port->own || !is_image(file_.resources[port->slot->resource])) bound_.resources[port->slot->resource] = used;
      if (port->output) copy(used, port->binding->resource, bound_.after);
    }
  }

  // Members that are images, or see the texels of one, share memory (ModelStorage).
  void bind_images(std::span<const Port* const> ports) {
    for (const Port* port : ports) {
      if (port->own) bound_.resources[port->slot->resource] = port->binding->resource;
    }
  }

  launch::Plan& plan_;
  const vgf::File& file_;
  std::span<const std::uint32_t> storage_;
  const ModelDispatch& dispatch_;
  const std::string& name_;
  std::vector<Port> ports_;
  std::vector<launch::MemoryRange> ranges_;
  std::map<std::optional<std::size_t>, std::vector<const Port*>> by_domain_;
  std::map<std::uint32_t, std::size_t> used_;  // bindings, by logical number
  BoundInterface bound_;
};

}  // namespace

launch::ResourceIndex add_buffer_like(launch::Plan& plan, const std::string& name, launch::ResourceIndex like) {
  const launch::Resource& of = plan.resources[like];
  launch::Resource made{.name = formatted("{} {}", name, of.name),
                        .kind = launch::Buffer{.size = std::get<launch::Buffer>(of.kind).size},
                        .initial = {},
                        .outputs = {},
                        .sharing = std::nullopt,
                        .origin = of.origin,
                        .load_counter = {}};
  plan.resources.push_back(std::move(made));
  return static_cast<launch::ResourceIndex>(plan.resources.size() - 1);
}

BoundInterface bind_interface(launch::Plan& plan, const vgf::File& file, std::span<const std::uint32_t> storage,
                              const ModelDispatch& dispatch, const std::string& name) {
  return InterfaceBinder(plan, file, storage, dispatch, name).run();
}

}  // namespace slipway::model
