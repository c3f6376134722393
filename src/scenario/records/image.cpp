// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <algorithm>

#include "base/format.hpp"
#include "scenario/records/codecs.hpp"
#include "scenario/records/records.hpp"
#include "scenario/records/words.hpp"

namespace slipway::scenario {
namespace {

using json::Decoder;
using json::Schema;
using json::Value;

// [W], [W, H], [W, H, D] or [N, W, H, D], where N must be 1 (docs/spec/scenario.md#decision-5).
struct ImageDims {
  static constexpr json::List<json::Integer> kList{json::Integer{.min = 1}, 1, 4};

  bool read(Decoder& decoder, Value value, std::array<std::uint32_t, 3>& to) const {
    std::vector<std::uint32_t> dims;
    if (!kList.read(decoder, value, dims)) return false;
    if (dims.size() == 4) {
      if (dims.front() != 1) {
        return decoder.error(value[0], DiagnosticKind::OutOfRange,
                             formatted("`dims` is [N, W, H, D], and N is {}, but must be 1", dims.front()));
      }
      dims.erase(dims.begin());
    }
    std::ranges::copy(dims, to.begin());
    return true;
  }
  void schema(Schema& schema) const { kList.schema(schema); }
};

// At least 1; older files have a boolean, also as text, which has no effect (docs/spec/scenario.md#decision-19).
struct Mips {
  static constexpr json::Integer kInteger{.min = 1};

  bool read(Decoder& decoder, Value value, std::uint32_t& to) const {
    const bool text = value.is(json::Type::String) && (value.string() == "true" || value.string() == "false");
    if (value.is(json::Type::Bool) || text) {
      decoder.warning(value, DiagnosticKind::DeprecatedForm,
                      "Boolean mips flag is deprecated, defaulting to \"1\". Use integer value instead");
      to = 1;
      return true;
    }
    if (value.is(json::Type::Number) && value.integer() == 0) {
      return decoder.error(value, DiagnosticKind::OutOfRange, "Number of mips cannot be 0");
    }
    return kInteger.read(decoder, value, to);
  }
  void schema(Schema& schema) const {
    schema.out().object([&] {
      schema.out().key("anyOf").array([&] {
        kInteger.schema(schema);
        schema.out().raw(R"({"enum": [true, false, "true", "false"], "deprecated": true})");
      });
    });
  }
};

const json::Record<Sampler>& sampler_record() {
  static const auto record =
      json::Record<Sampler>("sampler", "how an image is sampled")
          .optional("min_filter", &Sampler::min_filter, words(kFilter),
                    "between texels when the image shrinks; NEAREST when absent")
          .optional("mag_filter", &Sampler::mag_filter, words(kFilter),
                    "between texels when the image grows; NEAREST when absent")
          .optional("mip_filter", &Sampler::mip_filter, words(kFilter), "between levels; NEAREST when absent")
          .optional("border_address_mode", &Sampler::address_mode, words(kAddressMode),
                    "outside the image, in all directions; CLAMP_EDGE when absent")
          .optional("border_color", &Sampler::border_color, words(kBorderColor),
                    "of CLAMP_BORDER; FLOAT_TRANSPARENT_BLACK when absent")
          .optional("custom_border_color", &Sampler::custom_border_color, json::List{json::Real{}, 4, 4},
                    "red, green, blue, alpha for INT_CUSTOM_EXT and FLOAT_CUSTOM_EXT")
          .optional("compare_operation", &Sampler::compare_operation, words(kCompareOperation),
                    "of a depth image: what `sample_dref` asks of the reference and the depth; without it the sampler "
                    "does not compare");
  return record;
}

}  // namespace

const json::Record<Image>& image_record() {
  static const auto record =
      json::Record<Image>("image", "an image with its sampler", &Image::at)
          .required("uid", &Image::uid, json::kNotEmpty,
                    "the name by which other objects refer to it; unique in the file")
          .required("dims", &Image::extent, ImageDims{}, "[W], [W, H], [W, H, D] or [1, W, H, D]")
          .synonym("size")
          .synonym("extent")
          .required("format", &Image::format, FormatText{}, "the VkFormat of a texel")
          .required("shader_access", &Image::access, words(kAccess),
                    "how shaders access it; `image_read` reads it as a storage image")
          .optional("mips", &Image::mips, Mips{}, "the number of levels; 1 when absent")
          .optional(
              "layers", &Image::layers, json::Integer{.min = 1},
              "the number of layers of a 2D image, which shaders see as an array, a cube (6) or an array of cubes "
              "(a multiple of 6); 1 when absent")
          .part(&Image::contents, typed_contents_record())
          .part(&Image::results, results_record())
          .optional("color_attachment", &Image::color_attachment, json::Boolean{},
                    "whether fragments are written to it; false when absent")
          .part(&Image::sampler, sampler_record())
          .optional("tiling", &Image::tiling, words(kTiling), "the arrangement in memory; a usable one when absent")
          .optional("memory_group", &Image::memory_group, json::Nested(memory_group_record()),
                    "shares memory with others");
  return record;
}

}  // namespace slipway::scenario
