// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zebin files as readable recipes, for tests with valid and invalid files.
//
//   class 32                             64 when absent
//   type 0xff12
//   machine 29                           also: flags 0x8000, abi 2
//   section .text.k PROGBITS AX zeros 64 name, type (name or number), flags or -, then bytes: zeros N, hex .., text ..
//   ze_info                              the text that is passed with the recipe
//   symbol k FUNC LOCAL .text.k 0 40     name, type, binding, section or -, value, size
//   reloc .text.k 8 SYM_ADDR_32 k        section, offset, type, symbol; an addend at the end makes it a RELA
//   note 1 u32 1270                      also: note 4 text 1.73
//   at 58 u16 63                         overwrites bytes of the file: u8 u16 u32 u64
//   cut 100                              keeps the first 100 bytes
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "zeinfo/zebin/image.hpp"

namespace slipway::testing {

class ZebinRecipe {
 public:
  static std::vector<std::byte> cook(const std::string& recipe, std::string_view ze_info = {}) {
    ZebinRecipe made(ze_info);
    std::istringstream lines(recipe);
    for (std::string line; std::getline(lines, line);) made.line(line);
    return made.finish();
  }

 private:
  explicit ZebinRecipe(std::string_view ze_info) : ze_info_(ze_info) {
    image_.header.type = 1;
    image_.header.machine = zebin::kIntelMachine;
    image_.header.version = 1;
    image_.parts.push_back({});
  }

  static std::uint64_t number(const std::string& word) { return std::stoull(word, nullptr, 0); }

  static std::uint32_t section_type(const std::string& word) {
    for (const std::uint32_t type : {0u, 1u, 2u, 3u, 4u, 7u, 8u, 9u, zebin::kSpirv, zebin::kZeInfo, zebin::kGtpinInfo,
                                     zebin::kVisaAsm, zebin::kMisc, zebin::kPisa}) {
      if (zebin::section_type_name(type) == word) return type;
    }
    return static_cast<std::uint32_t>(number(word));
  }
  static std::uint32_t index_of(const std::string& word, auto&& name_of, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (name_of(i) == word) return i;
    }
    return static_cast<std::uint32_t>(number(word));
  }

  static std::vector<std::byte> content(std::istream& in, std::uint64_t& size) {
    std::string word, rest;
    if (!(in >> word)) return {};
    std::vector<std::byte> bytes;
    if (word == "zeros" || word == "size") {
      in >> size;
      if (word == "zeros") bytes.resize(size);
    } else if (word == "hex") {
      for (std::string byte; in >> byte;) bytes.push_back(static_cast<std::byte>(std::stoul(byte, nullptr, 16)));
    } else if (word == "text") {
      std::getline(in >> std::ws, rest);
      bytes.assign(bytes_of(rest).begin(), bytes_of(rest).end());
    } else {
      throw std::runtime_error("no such content: " + word);
    }
    return bytes;
  }

  zebin::Image::Part& add(std::string name, std::uint32_t type) {
    image_.parts.push_back(
        {.id = static_cast<std::uint32_t>(image_.parts.size()), .name = std::move(name), .type = type});
    return image_.parts.back();
  }
  std::uint32_t id_of(const std::string& name) {
    const zebin::Image::Part* part = name == "-" ? nullptr : image_.find(name);
    if (!part && name != "-") return static_cast<std::uint32_t>(number(name));
    return part ? part->id : 0;
  }

  void line(const std::string& text) {
    std::istringstream in(text);
    std::string word, a, b, c, d;
    if (!(in >> word)) return;
    if (word == "class") {
      in >> a;
      image_.header.wide = a == "64";
    } else if (word == "type" || word == "machine" || word == "flags" || word == "abi") {
      in >> a;
      if (word == "type") image_.header.type = static_cast<std::uint16_t>(number(a));
      if (word == "machine") image_.header.machine = static_cast<std::uint16_t>(number(a));
      if (word == "flags") image_.header.flags = static_cast<std::uint32_t>(number(a));
      if (word == "abi") image_.header.ident[8] = static_cast<std::uint8_t>(number(a));
    } else if (word == "section") {
      in >> a >> b >> c;
      zebin::Image::Part& part = add(a, section_type(b));
      if (c.contains('W')) part.flags |= 1;
      if (c.contains('A')) part.flags |= 2;
      if (c.contains('X')) part.flags |= 4;
      part.bytes = content(in, part.size);
    } else if (word == "ze_info") {
      add(".ze_info", zebin::kZeInfo).bytes.assign(bytes_of(ze_info_).begin(), bytes_of(ze_info_).end());
    } else if (word == "symbol") {
      std::uint64_t value = 0, size = 0;
      in >> a >> b >> c >> d >> value >> size;
      if (symbols_.empty()) symbols_.push_back({});
      const auto type =
          index_of(b, [](std::uint32_t i) { return zebin::symbol_type_name(static_cast<std::uint8_t>(i)); }, 5);
      const auto binding =
          index_of(c, [](std::uint32_t i) { return zebin::symbol_binding_name(static_cast<std::uint8_t>(i)); }, 3);
      symbols_.push_back({.id = static_cast<std::uint32_t>(symbols_.size()),
                          .name = a,
                          .info = static_cast<std::uint8_t>(binding << 4 | type),
                          .section = id_of(d),
                          .value = value,
                          .size = size});
    } else if (word == "reloc") {
      std::uint64_t offset = 0;
      std::optional<std::int64_t> addend;
      in >> a >> offset >> b >> c;
      if (std::int64_t value = 0; in >> value) addend = value;
      const std::uint32_t type = index_of(b, [](std::uint32_t i) { return zebin::relocation_type_name(i); }, 8);
      std::uint32_t symbol = ~0u;
      for (const auto& s : symbols_) {
        if (s.name == c) symbol = s.id;
      }
      if (symbol == ~0u) throw std::runtime_error("no such symbol: " + c);
      const std::string name = (addend ? ".rela" : ".rel") + a;
      if (!image_.find(name)) {
        const std::uint32_t target = id_of(a);
        zebin::Image::Part& part = add(name, addend ? zebin::kRela : zebin::kRel);
        part.info = target;
      }
      image_.relocations.push_back({image_.find(name)->id, offset, symbol, type, addend});
    } else if (word == "note") {
      in >> a >> b;
      ByteWriter value;
      std::string rest;
      std::getline(in >> std::ws, rest);
      if (b == "u32") value.write(static_cast<std::uint32_t>(number(rest)));
      if (b == "text") value.append(rest).write(std::uint8_t{0});
      if (b == "raw") value.append(rest);
      notes_.write(std::uint32_t{8})
          .write(static_cast<std::uint32_t>(value.size()))
          .write(static_cast<std::uint32_t>(number(a)));
      notes_.append(std::string_view("IntelGT\0", 8)).append(value.bytes());
      notes_.pad_to((notes_.size() + 3) / 4 * 4);
    } else if (word == "at" || word == "cut") {
      patches_.push_back(text);
    } else {
      throw std::runtime_error("no such step of a recipe: " + text);
    }
  }

  std::vector<std::byte> finish() {
    if (!symbols_.empty()) {
      zebin::Image::Part& part = add(".symtab", zebin::kSymtab);
      part.entry_size = image_.header.symbol_size();
      image_.symbol_table = part.id;
      image_.symbols = symbols_;
    }
    if (notes_.size() != 0) add(".note.intelgt.compat", zebin::kNote).bytes = notes_.release();
    const std::uint32_t strings = add(".strtab", zebin::kStrtab).id;
    image_.names = strings;
    for (zebin::Image::Part& part : image_.parts) {
      if (part.type == zebin::kSymtab) part.link = strings;
      if (part.type == zebin::kRel || part.type == zebin::kRela) {
        part.link = image_.symbol_table;
        part.entry_size = image_.header.relocation_size(part.type == zebin::kRela);
      }
    }
    const std::uint8_t ident[] = {0x7f, 'E', 'L', 'F', static_cast<std::uint8_t>(image_.header.wide ? 2 : 1), 1, 1};
    std::ranges::copy(ident, image_.header.ident);
    image_.header.ehsize = static_cast<std::uint16_t>(image_.header.size());
    image_.header.shentsize = static_cast<std::uint16_t>(image_.header.section_header_size());
    std::vector<std::byte> bytes = write_image(image_);
    for (const std::string& patch : patches_) apply(bytes, patch);
    return bytes;
  }

  static void apply(std::vector<std::byte>& bytes, const std::string& patch) {
    std::istringstream in(patch);
    std::string word, at, type, value;
    in >> word >> at >> type >> value;
    if (word == "cut") return bytes.resize(number(at));
    const std::uint64_t v = number(value);
    std::byte* const to = &bytes.at(number(at));
    if (type == "u8") store(to, static_cast<std::uint8_t>(v));
    if (type == "u16") store(to, static_cast<std::uint16_t>(v));
    if (type == "u32") store(to, static_cast<std::uint32_t>(v));
    if (type == "u64") store(to, v);
  }

  zebin::Image image_;
  std::vector<zebin::Image::Symbol> symbols_;
  ByteWriter notes_;
  std::vector<std::string> patches_;
  std::string_view ze_info_;
};

inline std::vector<std::byte> cook_zebin(const std::string& recipe, std::string_view ze_info = {}) {
  return ZebinRecipe::cook(recipe, ze_info);
}

}  // namespace slipway::testing
