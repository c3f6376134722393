// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/contents/expectations.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "scenario/contents/contents.hpp"
#include "scenario/contents/npy_contents.hpp"
#include "tensor/format.hpp"

namespace slipway::scenario {
namespace {

tensor::Tolerance tolerance_of(const Expect& expect) {
  return {.abs = expect.abs,
          .rel = expect.rel,
          .ulp = expect.ulp,
          .nan = expect.nan == NanRule::Equal  ? tensor::NanPolicy::Equal
                 : expect.nan == NanRule::Fail ? tensor::NanPolicy::Fail
                                               : tensor::NanPolicy::Ignore,
          .max_mismatches = expect.max_mismatches,
          .show = expect.show};
}

// Builds one expectation.
class ExpectationBuilder {
 public:
  ExpectationBuilder(const Scenario& scenario, const launch::Plan& plan, const ResourceIndices& indices,
                     const Expect& expect, Diagnostics& diagnostics)
      : scenario_(scenario), plan_(plan), indices_(indices), expect_(expect), diagnostics_(diagnostics) {
    contents_ = {.src = expect.src, .data = expect.data, .fill = expect.fill, .random = {}};
  }

  std::optional<launch::Expectation> make(const std::string& uid, const Resource& resource) {
    const auto index = indices_.find(uid);
    if (index == indices_.end()) return std::nullopt;
    made_ = {.resource = index->second,
             .tolerance = tolerance_of(expect_),
             .origin = {expect_.at.location(), expect_.at.pointer(), uid}};
    const bool ok = std::visit(
        [&]<class T>(const T& of) {
          if constexpr (std::same_as<T, Buffer> || std::same_as<T, Tensor> || std::same_as<T, Image>) {
            return fit(of);
          } else {
            return false;
          }
        },
        resource);
    if (!ok || (expect_.ref && !refer())) return std::nullopt;
    return std::move(made_);
  }

 private:
  bool error(json::Value at, DiagnosticKind kind, std::string message) {
    diagnostics_.add(json::problem(at, kind, std::move(message)));
    return false;
  }

  ContentsInput input() const { return {scenario_, contents_, expect_.at, Severity::Error}; }

  bool expect_contents(std::optional<launch::Contents> contents) {
    if (contents) made_.expected = std::move(*contents);
    return contents.has_value();
  }

  // Buffers have no element type: it is that of the expectation, of its values or of its file.
  bool fit(const Buffer& buffer) {
    std::optional<tensor::ElementType> type = expect_.type;
    if (contents_.data && contents_.data->type) type = contents_.data->type;
    if (contents_.fill && contents_.fill->type) type = contents_.fill->type;
    if (!contents_.src.empty()) {
      Diagnostics already;  // errors in the file are reported when the contents are built
      const auto npy = open_npy(input(), already);
      if (npy && !type) type = npy->view.type;
      if (npy && type && !check_dtype(*npy, *type, Severity::Error, diagnostics_)) return false;
      if (!npy) type = tensor::ElementType::U8;
    }
    if (!type) {
      return error(expect_.at, DiagnosticKind::MissingKey,
                   formatted("missing key `type`: the element type of buffer `{}` is unknown", buffer.uid));
    }
    if (expect_.type && *expect_.type != *type) {
      return error(expect_.at["type"], DiagnosticKind::WrongType,
                   formatted("`type` is {}, but the elements are given as {}", tensor::name_of(*expect_.type),
                             tensor::name_of(*type)));
    }
    if (contents_.data) contents_.data->type = type;
    if (contents_.fill) contents_.fill->type = type;
    made_.type = *type;
    made_.shape = {static_cast<std::int64_t>(buffer.size / tensor::size_of(*type))};
    if (buffer.size % tensor::size_of(*type) != 0) {
      return error(expect_.at, DiagnosticKind::OutOfRange,
                   formatted("buffer `{}` has {} bytes, which is not a whole number of {} elements", buffer.uid,
                             buffer.size, tensor::name_of(*type)));
    }
    return !contents_.given() || expect_contents(buffer_contents(input(), buffer.size, diagnostics_));
  }

  // A repeated type must equal the resource's.
  bool agrees(tensor::ElementType type) {
    return !expect_.type || *expect_.type == type ||
           error(expect_.at["type"], DiagnosticKind::WrongType,
                 formatted("`type` is {}, but the elements here are {}", tensor::name_of(*expect_.type),
                           tensor::name_of(type)));
  }

  bool fit(const Tensor& tensor) {
    const auto type = tensor::tensor_element_type(*tensor.format.value, tensor.at.location());
    if (!type || !agrees(*type)) return false;
    made_.type = *type;
    made_.shape = tensor.dims;
    return !contents_.given() ||
           expect_contents(array_contents(input(), *tensor.format.value, made_.shape, ShapeRule::Exact, diagnostics_));
  }

  bool fit(const Image& image) {
    const auto& planned = std::get<launch::Image>(plan_.resources[made_.resource].kind);
    const tensor::FormatInfo& format = *tensor::find_format(tensor::created_as(planned.format));
    if (format.is_block()) {
      return error(expect_.at, DiagnosticKind::Unsupported,
                   formatted("texels of {} are compressed and cannot be compared", vk::name_of(planned.format)));
    }
    if (!agrees(format.component)) return false;
    made_.type = format.component;
    made_.shape = {image.layers, image.extent[1], image.extent[0], format.components};
    if (image.extent[2] > 1) made_.shape.insert(made_.shape.begin() + 1, image.extent[2]);
    if (format.packed) {
      made_.unpack = [&format](Bytes device) { return tensor::unpack(format, device); };
    }
    if (!contents_.given()) return true;
    Image expected = image;  // level 0 alone, in the format that the image really has
    expected.mips = 1;
    expected.format = {vk::name_of(format.format), format.format};
    auto made = image_contents(input(), expected, diagnostics_);
    return made && expect_contents(format.packed ? unpacked(std::move(made->levels.front()), format)
                                                 : std::move(made->levels.front()));
  }

  static launch::Contents unpacked(launch::Contents device, const tensor::FormatInfo& format) {
    const std::uint64_t texels = device.size / format.texel_bytes;
    return {.size = texels * format.components * tensor::size_of(format.component),
            .write = [device = std::move(device), &format](MutableBytes to) -> Result<> {
              return read_contents(device).transform([&](const std::vector<std::byte>& bytes) {
                std::ranges::copy(tensor::unpack(format, bytes), to.begin());
              });
            }};
  }

  static std::uint64_t bytes_of(const launch::Resource& resource) {
    if (const auto* buffer = std::get_if<launch::Buffer>(&resource.kind)) return buffer->size;
    const auto& image = std::get<launch::Image>(resource.kind);
    return tensor::level_bytes(*tensor::find_format(tensor::created_as(image.format)), image.extent[0], image.extent[1],
                               image.slices())
        .value_or(0);
  }

  // Another resource that holds the expected contents.
  bool refer() {
    const auto index = indices_.find(expect_.ref.uid);
    if (index == indices_.end()) return false;
    const launch::Resource& own = plan_.resources[made_.resource];
    const launch::Resource& other = plan_.resources[index->second];
    if (bytes_of(own) != bytes_of(other)) {
      return error(expect_.ref.at, DiagnosticKind::WrongReference,
                   formatted("`{}` has {} bytes, but `{}` has {}; only resources of one size can be compared",
                             expect_.ref.uid, bytes_of(other), own.name, bytes_of(own)));
    }
    const auto* image = std::get_if<launch::Image>(&other.kind);
    if (made_.unpack && (!image || image->format != std::get<launch::Image>(own.kind).format)) {
      return error(
          expect_.ref.at, DiagnosticKind::WrongReference,
          formatted("`{}` has packed texels, which only an image of the same format can be compared with", own.name));
    }
    made_.expected = index->second;
    return true;
  }

  const Scenario& scenario_;
  const launch::Plan& plan_;
  const ResourceIndices& indices_;
  const Expect& expect_;
  Diagnostics& diagnostics_;
  Contents contents_;
  launch::Expectation made_;
};

}  // namespace

std::optional<launch::Expectation> expectation(const Scenario& scenario, const launch::Plan& plan,
                                               const ResourceIndices& indices, const Resource& resource,
                                               const Expect& expect, Diagnostics& diagnostics) {
  return ExpectationBuilder(scenario, plan, indices, expect, diagnostics).make(uid_of(resource), resource);
}

}  // namespace slipway::scenario
