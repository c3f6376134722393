// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values of a model in a plan: bound resources, intermediates, and alias groups, whose members are views of one
// storage (docs/spec/vgf.md#flatbuffers-tables).
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "vgf/check.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// The resources of a model in one plan. The order of the calls does not matter; resources are reused.
class ModelStorage {
 public:
  ModelStorage(const vgf::File& file, std::vector<tensor::Shape> shapes, std::string name, launch::Origin origin)
      : file_(file),
        shapes_(std::move(shapes)),
        storage_(vgf::storage_of(file)),
        name_(std::move(name)),
        origin_(std::move(origin)) {
    for (std::uint32_t resource = 0; resource < storage_.size(); ++resource)
      members_[storage_[resource]].push_back(resource);
  }

  // Removes all earlier bindings. What is bound to members of one storage shares memory. Errors: conflicting-keys.
  void bind(launch::Plan& plan, std::map<std::uint32_t, launch::ResourceIndex> bound, Diagnostics& diagnostics);

  // The resource of the plan for a resource of the model. It is added, or set up to share memory, if necessary. Errors:
  // unsupported, conflicting-keys.
  std::optional<launch::ResourceIndex> at(launch::Plan& plan, std::uint32_t resource, Diagnostics& diagnostics);

  const tensor::Shape& shape(std::uint32_t resource) const { return shapes_[resource]; }
  std::span<const std::uint32_t> storage() const { return storage_; }  // vgf::storage_of

 private:
  bool fits(const launch::Resource& planned, std::uint32_t resource) const;
  std::optional<launch::Resource> make(std::uint32_t resource, Diagnostics& diagnostics) const;
  bool share(launch::Plan& plan, launch::ResourceIndex a, launch::ResourceIndex b, std::uint32_t resource,
             Diagnostics& diagnostics) const;

  const vgf::File& file_;
  std::vector<tensor::Shape> shapes_;
  std::vector<std::uint32_t> storage_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> members_;  // resources by storage
  std::string name_;
  launch::Origin origin_;
  std::map<std::uint32_t, launch::ResourceIndex> bound_;
  // By resource of the model, and the bound resource whose memory it shares (empty: not bound).
  std::map<std::pair<std::uint32_t, std::optional<launch::ResourceIndex>>, launch::ResourceIndex> made_;
};

// The image of a plan for a resource of a model with the shape [H, W, C] or [1, H, W, C]. Bindings add further uses.
// The sampler is that of `sampled`. Errors: shape-mismatch, unsupported ("Unsupported VGF sampler filter: X").
std::optional<launch::Image> planned_image(const vgf::File& file, std::uint32_t resource, tensor::ShapeView shape,
                                           const vgf::Resource& sampled, Diagnostics& diagnostics);

}  // namespace slipway::model
