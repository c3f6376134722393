// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Packs of any bytes: whatever opens is read as a whole.
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "slipway/rpl_pack.h"

namespace {

std::size_t sum_of(const rpl_text& text) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i <= text.size; ++i) sum += static_cast<unsigned char>(text.data[i]);
  return sum;
}

// Reads every byte that the structures of a pipeline refer to.
std::size_t sum_of(const rpl_pipeline& pipeline) {
  std::size_t sum = sum_of(pipeline.metadata.hashes.pipeline);
  for (const rpl_descriptor_set& set : pipeline.metadata.pipeline_interface.sets) {
    for (const rpl_buffer& buffer : set.buffers) {
      for (const rpl_parameter& parameter : buffer.main_parameters) {
        sum += sum_of(parameter.name);
        for (const std::uint32_t dimension : parameter.dimensions) sum += dimension;
        for (const rpl_text& word : parameter.meta) sum += sum_of(word);
      }
    }
    for (const rpl_image& image : set.images) sum += sum_of(image.type);
  }
  for (const rpl_option& option : pipeline.metadata.options) sum += sum_of(option.value);
  for (const rpl_module& module : pipeline.modules) {
    for (const std::uint32_t word : module.words) sum += word;
    for (const rpl_entry_point& entry : module.entry_points) sum += sum_of(entry.function);
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint32_t> words(size / 4);
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * 4);
  rpl_pack pack;
  if (rpl_pack_open(words.data(), words.size() * 4, &pack) != RPL_OK) return 0;
  constexpr std::size_t kMemory = std::size_t{1} << 16;
  const std::unique_ptr<char[]> memory(new char[kMemory]);
  std::size_t sum = 0;
  for (std::uint32_t program = 0; program < pack.program_count && program < 8; ++program) {
    sum += sum_of(rpl_pack_program_name(&pack, program));
    rpl_options options;
    if (rpl_pack_options(&pack, program, memory.get(), kMemory, &options) == RPL_OK) {
      for (const rpl_option& option : options) {
        const rpl_option_value value = {option.name.data, option.default_value.data};
        std::uint32_t variant = 0;
        rpl_pack_find_variant(&pack, program, &value, 1, &variant);
      }
    }
    for (std::uint32_t variant = 0; variant < rpl_pack_variant_count(&pack, program) && variant < 64; ++variant) {
      sum += sum_of(rpl_pack_variant_reason(&pack, program, variant));
      const rpl_pipeline* pipeline = nullptr;
      if (rpl_pack_pipeline(&pack, program, variant, memory.get(), kMemory, &pipeline) == RPL_OK)
        sum += sum_of(*pipeline);
    }
  }
  return sum == 0xFFFFFFFF ? 1 : 0;
}
