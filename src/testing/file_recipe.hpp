// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small binary files as readable recipes, for tests with valid and invalid files.
//
//   npy '<f4' (2, 3)        a NumPy header of that dtype and shape; `fortran` at the end for that order
//   dds 61 4 2 1            a DDS header: DXGI code, width, height, levels
//   f32 1 2.5 -3            values: u8 i8 u16 i16 u32 i32 u64 i64 f32 f64
//   hex 00 ff  zeros 12     bytes (one command a line)
//   text \x93NUMPY          characters, with \xHH
//   at 12 u32 5             overwrites what is there
//   cut 20                  keeps the first 20 bytes
//   png 2 1                 turns the bytes so far, RGBA texels, into a PNG
//   exr 109 2 1             turns the bytes so far, texels of that Vulkan format, into an OpenEXR file
//   ktx2 37 2 1 1 1         the same for a KTX2 file: format, width, height, depth, layers
//   spirv                   the rest of the recipe is SPIR-V assembly
#pragma once

#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "spirv/tools.hpp"
#include "tensor/files/exr.hpp"
#include "tensor/files/ktx2.hpp"
#include "tensor/files/png.hpp"

namespace slipway::testing {

class Recipe {
 public:
  static std::vector<std::byte> cook(const std::string& text) {
    Recipe recipe;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (line == "spirv") {
        std::string assembly(std::istreambuf_iterator<char>(lines), {});
        const auto words = spirv::assemble(make_source("recipe", std::move(assembly)));
        if (!words) throw std::runtime_error(words.error().front().message);
        const auto bytes = std::as_bytes(std::span(*words));
        recipe.bytes_.insert(recipe.bytes_.end(), bytes.begin(), bytes.end());
        break;
      }
      recipe.line(line);
    }
    return std::move(recipe.bytes_);
  }

 private:
  template <class T>
  void put(T value) {
    if (at_ + sizeof value > bytes_.size()) bytes_.resize(at_ + sizeof value);
    store(&bytes_[at_], value);
    at_ += sizeof value;
  }
  void put_text(std::string_view text) {
    for (const char c : text) put(c);
  }
  template <class T, class Read = T>
  void values(std::istream& in) {
    for (Read value; in >> value;) put(static_cast<T>(value));
  }

  void line(const std::string& text) {
    std::istringstream in(text);
    std::string word;
    if (!(in >> word)) return;
    at_ = bytes_.size();
    if (word == "at") in >> at_ >> word;
    if (word == "u8") return values<std::uint8_t, unsigned>(in);
    if (word == "i8") return values<std::int8_t, int>(in);
    if (word == "u16") return values<std::uint16_t>(in);
    if (word == "i16") return values<std::int16_t>(in);
    if (word == "u32") return values<std::uint32_t>(in);
    if (word == "i32") return values<std::int32_t>(in);
    if (word == "u64") return values<std::uint64_t>(in);
    if (word == "i64") return values<std::int64_t>(in);
    if (word == "f32") return values<float>(in);
    if (word == "f64") return values<double>(in);
    if (word == "hex") {
      for (std::string byte; in >> byte;) put(static_cast<std::uint8_t>(std::stoul(byte, nullptr, 16)));
    } else if (word == "zeros") {
      std::size_t count = 0;
      in >> count;
      bytes_.resize(bytes_.size() + count);
    } else if (word == "cut") {
      std::size_t count = 0;
      in >> count;
      bytes_.resize(count);
    } else if (word == "text") {
      const std::size_t start = text.find("text ") + 5;
      for (std::size_t i = start; i < text.size(); ++i) {
        if (text.compare(i, 2, "\\x") == 0) {
          put(static_cast<std::uint8_t>(std::stoul(text.substr(i + 2, 2), nullptr, 16)));
          i += 3;
        } else {
          put(text[i]);
        }
      }
    } else if (word == "npy") {
      npy(text);
    } else if (word == "dds") {
      dds(in);
    } else if (word == "png") {
      std::uint32_t width = 0, height = 0;
      in >> width >> height;
      const auto file = tensor::encode_png(width, height, bytes_);
      if (!file) throw std::runtime_error(file.error().front().message);
      bytes_ = *file;
    } else if (word == "exr") {
      std::uint32_t format = 0, width = 0, height = 0;
      in >> format >> width >> height;
      bytes_ = tensor::encode_exr(*tensor::find_format(vk::Format{format}), width, height, bytes_);
    } else if (word == "ktx2") {
      std::uint32_t format = 0, layers = 0;
      std::array<std::uint32_t, 3> extent{};
      in >> format >> extent[0] >> extent[1] >> extent[2] >> layers;
      auto file = tensor::ktx2_header(*tensor::find_format(vk::Format{format}), extent, layers);
      file.append_range(bytes_);
      bytes_ = std::move(file);
    } else {
      throw std::runtime_error("no such step of a recipe: " + text);
    }
  }

  void npy(const std::string& text) {
    const std::size_t open = text.rfind('('), close = text.rfind(')');
    const bool fortran = text.find("fortran", close) != text.npos;
    std::string header = formatted("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", text.substr(4, open - 5),
                                   fortran ? "True" : "False", text.substr(open, close - open + 1));
    header.append(63 - (header.size() + 10) % 64, ' ');
    header += '\n';
    put_text("\x93NUMPY");
    put(std::uint16_t{1});
    put(static_cast<std::uint16_t>(header.size()));
    put_text(header);
  }

  void dds(std::istream& in) {
    std::uint32_t format = 0, width = 0, height = 0, levels = 0;
    in >> format >> width >> height >> levels;
    const std::uint32_t words[37] = {0x20534444, 124, 0x100f, height, width,  0,  1, levels,     0, 0, 0, 0, 0, 0,
                                     0,          0,   0,      0,      0,      32, 4, 0x30315844, 0, 0, 0, 0, 0, 0x1000,
                                     0,          0,   0,      0,      format, 3,  0, 1,          0};
    for (const std::uint32_t value : words) put(value);
  }

  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
};

inline std::vector<std::byte> cook(const std::string& recipe) { return Recipe::cook(recipe); }

}  // namespace slipway::testing
