// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the calls of SPIRV-Tools share. Inside this module only.
#pragma once

#include <spirv-tools/libspirv.hpp>

#include <cstring>
#include <string>

#include "base/bytes.hpp"
#include "base/diagnostic.hpp"
#include "sandbox/sandbox.hpp"
#include "spirv/environment.hpp"
#include "spirv/extensions/newer.hpp"
#include "spirv/module.hpp"

namespace slipway::spirv {

inline spv_target_env target_of(Environment environment) {
  switch (environment) {
    case Environment::Vulkan11:
      return SPV_ENV_VULKAN_1_1;
    case Environment::Vulkan12:
      return SPV_ENV_VULKAN_1_2;
    case Environment::Vulkan13:
      return SPV_ENV_VULKAN_1_3;
    case Environment::Vulkan14:
      return SPV_ENV_VULKAN_1_4;
    case Environment::Universal16:
      return SPV_ENV_UNIVERSAL_1_6;
  }
  return SPV_ENV_VULKAN_1_3;
}

// The first error that a library call reports. Its text may have more lines: the instruction concerned.
struct LibraryError {
  std::string text;
  spv_position_t position{};
  bool seen = false;

  spvtools::MessageConsumer consumer() {
    return [this](spv_message_level_t level, const char*, const spv_position_t& where, const char* message) {
      if (seen || level > SPV_MSG_ERROR) return;
      seen = true;
      text = message;
      position = where;
    };
  }
  // In a reply after its first byte, which is 0.
  void write_to(ByteWriter& reply) const {
    sandbox::put_text(reply, text);
    reply.write(std::uint64_t{position.index});
  }
  static LibraryError read_from(ByteReader& reply) {
    LibraryError error;
    error.text = sandbox::get_text(reply);
    error.position.index = reply.read<std::uint64_t>();
    return error;
  }

  std::string first_line() const { return text.substr(0, text.find('\n')); }
  std::string second_line() const {
    const std::size_t end = text.find('\n');
    if (end == std::string::npos) return {};
    const std::size_t begin = text.find_first_not_of(" \n", end);
    return begin == std::string::npos ? std::string() : text.substr(begin, text.find('\n', begin) - begin);
  }
};

inline Bytes bytes_of_words(WordSpan words) { return std::as_bytes(words); }
// What is left of a request or reply; a rest that is not a word is left out.
inline Words rest_as_words(ByteReader& reader) {
  Words words(reader.remaining() / sizeof(std::uint32_t));
  const Bytes bytes = reader.take(words.size() * sizeof(std::uint32_t));
  if (!bytes.empty()) std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

inline Result<> require_known(WordSpan words, const std::string& name) {
  const auto unknown = unknown_extensions(words);
  if (unknown.empty()) return {};
  return fail(DiagnosticKind::Unsupported, SourceLocation::in_file(name), do_not_know(unknown));
}

}  // namespace slipway::spirv
