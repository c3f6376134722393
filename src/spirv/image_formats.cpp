// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spirv/image_formats.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <spirv/unified1/spirv.hpp11>
#include <utility>
#include <vector>

#include "spirv/types.hpp"

namespace slipway::spirv {
namespace {

constexpr std::uint32_t kFormatOperand = 7;  // of OpTypeImage

class Rewriter {
 public:
  Rewriter(const Module& module, const std::map<Id, vk::Format>& formats)
      : module_(module), formats_(formats), words_(module.words().begin(), module.words().end()) {}

  Words run() {
    choose();
    for (const auto& [type, format] : chosen_) change(type, format);
    merge();
    return assembled();
  }

 private:
  // The image type of a variable; 0 if it has another type.
  Id image_type(const Instruction& variable) const {
    const Instruction* type = module_.definition(variable.type);
    if (!type || type->op != spv::Op::OpTypePointer) return 0;
    type = module_.definition(type->operand(2));
    while (type && (type->op == spv::Op::OpTypeArray || type->op == spv::Op::OpTypeRuntimeArray))
      type = module_.definition(type->operand(1));
    return type && type->op == spv::Op::OpTypeImage ? type->result : 0;
  }

  // The format of each image type: `Unknown` where variables differ.
  void choose() {
    std::set<Id> changed;
    for (const Instruction& variable : module_.instructions()) {
      const Id type = variable.op == spv::Op::OpVariable ? image_type(variable) : 0;
      if (type == 0) continue;
      const std::uint32_t declared = module_.definition(type)->operand(kFormatOperand);
      const auto given = formats_.find(variable.result);
      const std::uint32_t wanted = given == formats_.end() ? declared : image_format_number(given->second);
      if (wanted != declared) changed.insert(type);
      const auto [known, is_new] = chosen_.try_emplace(type, wanted);
      if (!is_new && known->second != wanted) known->second = 0;
    }
    std::erase_if(chosen_, [&](const auto& one) { return !changed.contains(one.first); });
  }

  void change(Id type, std::uint32_t format) {
    words_[module_.definition(type)->offset + 1 + kFormatOperand] = format;
    // These need no capability: those that the base of SPIR-V lists for Shader.
    using enum spv::ImageFormat;
    constexpr std::pair<spv::ImageFormat, spv::ImageFormat> kBasic[] = {
        std::pair(Rgba32f, Rgba8Snorm), std::pair(Rgba32i, R32i), std::pair(Rgba32ui, R32ui)};
    const auto is_basic = [&](const auto& range) {
      return format >= static_cast<std::uint32_t>(range.first) && format <= static_cast<std::uint32_t>(range.second);
    };
    if (format == 0) {
      needed_.insert({spv::Capability::StorageImageReadWithoutFormat, spv::Capability::StorageImageWriteWithoutFormat});
    } else if (!std::ranges::any_of(kBasic, is_basic)) {
      needed_.insert(spv::Capability::StorageImageExtendedFormats);
    }
  }

  // SPIR-V allows each image type once: a type that now equals another one is replaced by it.
  void merge() {
    std::map<std::vector<std::uint32_t>, Id> first;
    for (const Instruction& type : module_.instructions()) {
      if (type.op != spv::Op::OpTypeImage) continue;
      const auto begin = words_.begin() + type.offset + 2;
      std::vector<std::uint32_t> key(begin, begin + static_cast<std::ptrdiff_t>(type.operands.size()) - 1);
      const auto [known, is_new] = first.try_emplace(std::move(key), type.result);
      if (!is_new) replaced_[type.result] = known->second;
    }
  }

  Words assembled() const {
    Words made(words_.begin(), words_.begin() + kHeaderWords);
    std::set<spv::Capability> declared;
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op == spv::Op::OpCapability)
        declared.insert(static_cast<spv::Capability>(instruction.operand(0)));
    }
    for (const spv::Capability capability : needed_) {
      if (declared.contains(capability)) continue;
      made.push_back(2u << 16 | static_cast<std::uint32_t>(spv::Op::OpCapability));
      made.push_back(static_cast<std::uint32_t>(capability));
    }
    for (const Instruction& instruction : module_.instructions()) {
      if (instruction.op == spv::Op::OpTypeImage && replaced_.contains(instruction.result)) continue;
      const auto end = static_cast<std::uint32_t>(instruction.offset + 1 + instruction.operands.size());
      for (std::uint32_t i = instruction.offset; i < end; ++i) {
        const auto other = module_.is_id(i) ? replaced_.find(words_[i]) : replaced_.end();
        made.push_back(other == replaced_.end() ? words_[i] : other->second);
      }
    }
    return made;
  }

  const Module& module_;
  const std::map<Id, vk::Format>& formats_;
  Words words_;
  std::map<Id, std::uint32_t> chosen_;  // formats by image type
  std::set<spv::Capability> needed_;
  std::map<Id, Id> replaced_;  // image types
};

}  // namespace

Words with_image_formats(const Module& module, const std::map<Id, vk::Format>& formats) {
  return Rewriter(module, formats).run();
}

}  // namespace slipway::spirv
