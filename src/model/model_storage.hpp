// Where the values of a model are in a plan: what is bound, intermediates, and alias groups, whose members are views of
// one storage (VGF page 3.3).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/diagnostic.hpp"
#include "launch/plan/plan.hpp"
#include "vgf/vgf.hpp"

namespace slipway::model {

// The resources of a model in one plan. The order of the calls does not matter; what is made once is used again.
class ModelStorage {
 public:
  ModelStorage(const vgf::File& file, std::vector<tensor::Shape> shapes, std::string name, launch::Origin origin)
      : file_(file), shapes_(std::move(shapes)), name_(std::move(name)), origin_(std::move(origin)) {}

  // Forgets what was bound before.
  void bind(std::map<std::uint32_t, launch::ResourceIndex> bound) { bound_ = std::move(bound); }

  // The resource of the plan that a resource of the model is now; it is made, or made to share memory, when it has to
  // be. Errors: unsupported, conflicting-keys.
  std::optional<launch::ResourceIndex> at(launch::Plan& plan, std::uint32_t resource, Diagnostics& diagnostics);

  const tensor::Shape& shape(std::uint32_t resource) const { return shapes_[resource]; }

 private:
  bool fits(const launch::Resource& planned, std::uint32_t resource) const;
  std::optional<launch::Resource> make(std::uint32_t resource, Diagnostics& diagnostics) const;
  bool share(launch::Plan& plan, launch::ResourceIndex a, launch::ResourceIndex b, std::uint32_t resource,
             Diagnostics& diagnostics) const;

  const vgf::File& file_;
  std::vector<tensor::Shape> shapes_;
  std::string name_;
  launch::Origin origin_;
  std::map<std::uint32_t, launch::ResourceIndex> bound_;
  // By resource of the model, and the bound resource whose memory it shares (none: not bound).
  std::map<std::pair<std::uint32_t, std::optional<launch::ResourceIndex>>, launch::ResourceIndex> made_;
};

// The sampler of a resource of a model. Errors: unsupported ("Unsupported VGF sampler filter: X").
std::optional<launch::Sampler> sampler_of(const vgf::File& file, const vgf::Resource& resource,
                                          Diagnostics& diagnostics);

// Width, height and 1 of a resource of the shape [H, W, C] or [1, H, W, C]. Errors: shape-mismatch.
std::optional<std::array<std::uint32_t, 3>> image_extent(const vgf::File& file, std::uint32_t resource,
                                                         tensor::ShapeView shape, Diagnostics& diagnostics);

// Whether a resource of a model is an image.
bool is_image(const vgf::Resource& resource);

}  // namespace slipway::model
