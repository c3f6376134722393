// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "scenario/starter/document.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/format.hpp"

namespace slipway::scenario {

std::string Uids::make(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  name.resize(std::min<std::size_t>(name.size(), 60));
  if (name.empty()) name = "resource";
  std::string uid = name;
  for (int number = 2; !taken_.insert(uid).second; ++number) uid = formatted("{}_{}", name, number);
  return uid;
}

std::string_view access_text(bool reads, bool writes) {
  return reads && writes ? "readwrite" : writes ? "writeonly" : "readonly";
}

std::string path_in_scenario(const StarterOptions& options, const Path& file) {
  if (file.is_absolute()) return file.string();
  std::error_code error;
  const Path directory = options.directory.empty() ? Path(".") : options.directory;
  const Path relative = std::filesystem::relative(file, directory, error);
  return error || relative.empty() ? std::filesystem::absolute(file, error).string() : relative.generic_string();
}

vk::Format format_of(tensor::ElementType element) {
  for (const tensor::FormatInfo& info : tensor::known_formats()) {
    if (info.components != 1 || info.packed || info.is_block() || info.depth || info.stencil) continue;
    const bool is_normalized = info.numeric != tensor::NumericFormat::Uint &&
                               info.numeric != tensor::NumericFormat::Sint &&
                               info.numeric != tensor::NumericFormat::Sfloat;
    if (is_normalized) continue;  // its contents would be fractions
    const auto type = tensor::tensor_element_type(info.format, {});
    if (type && *type == element) return info.format;
  }
  return vk::Format::UNDEFINED;
}

namespace {

// The file of a result; it appears when the scenario runs.
void write_result(json::Writer& out, const std::string& uid, bool writes) {
  if (writes) out.member("dst", uid + ".npy");
}

// `random` contents of a resource that is read: small integers, or floats from 0 to 1. `type` is written for resources
// without a type of their own.
void write_random(json::Writer& out, tensor::ElementType element, bool with_type, std::uint64_t seed) {
  const tensor::ElementKind kind = tensor::info_of(element).kind;
  out.key("random").object([&] {
    if (with_type) out.member("type", tensor::name_of(element));
    out.member("seed", seed);
    if (kind == tensor::ElementKind::Float || kind == tensor::ElementKind::Bool) return;
    out.member("min", 0).member("max", 9);
  });
}

}  // namespace

void write_tensor(json::Writer& out, const std::string& uid, tensor::ShapeView shape, vk::Format format, bool reads,
                  bool writes, std::uint64_t seed, bool zeros) {
  out.object([&] {
    out.key("tensor").object([&] {
      out.member("uid", uid);
      out.key("dims").array([&] {
        for (const std::int64_t dimension : shape) out.value(dimension);
      });
      out.member("format", vk::name_of(format));
      out.member("shader_access", access_text(reads, writes));
      const auto element = tensor::tensor_element_type(format, {});
      if ((reads || !writes) && element)
        write_random(out, *element, false, seed);
      else if (zeros)
        out.member("fill", 0);
      write_result(out, uid, writes);
    });
  });
}

void write_buffer(json::Writer& out, const std::string& uid, std::uint64_t bytes,
                  std::optional<tensor::ElementType> element, bool reads, bool writes, std::uint64_t seed,
                  vk::Format texels, bool zeros) {
  out.object([&] {
    out.key("buffer").object([&] {
      out.member("uid", uid).member("size", bytes).member("shader_access", access_text(reads, writes));
      if (texels != vk::Format::UNDEFINED) out.member("texel_format", vk::name_of(texels));
      if ((reads || !writes) && element && bytes % tensor::size_of(*element) == 0)
        write_random(out, *element, true, seed);
      else if (zeros && writes && !reads)
        out.member("fill", 0);
      write_result(out, uid, writes);
    });
  });
}

void write_image(json::Writer& out, const std::string& uid, const ImageSize& size, vk::Format format, bool reads,
                 bool writes, bool is_attachment, std::uint64_t seed) {
  const tensor::FormatInfo* info = tensor::find_format(format);
  out.object([&] {
    out.key("image").object([&] {
      out.member("uid", uid);
      out.key("dims").array([&] {
        for (const std::uint64_t side : size.extent) out.value(side);
      });
      if (size.layers > 1) out.member("layers", size.layers);
      out.member("format", vk::name_of(format));
      out.member("shader_access", access_text(reads || is_attachment, writes));
      if (is_attachment) out.member("color_attachment", true);
      if (!is_attachment && (reads || !writes) && info && !info->is_block()) {
        const bool is_integer =
            info->numeric == tensor::NumericFormat::Uint || info->numeric == tensor::NumericFormat::Sint;
        write_random(out, is_integer ? tensor::ElementType::U8 : tensor::ElementType::F32, false, seed);
      }
      write_result(out, uid, writes || is_attachment);
    });
  });
}

}  // namespace slipway::scenario
