// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The data format descriptors of KTX2 files: Khronos Data Format Specification 1.3, "Basic data format descriptor".
#include <algorithm>

#include "base/format.hpp"
#include "tensor/files/ktx2.hpp"

namespace slipway::tensor {
namespace {

// Offsets after the total size.
namespace descriptor_at {
constexpr std::uint32_t kVendor = 4, kVersion = 8, kBlockSize = 10, kModel = 12, kTransfer = 14, kTexelBlock = 16,
                        kPlane0 = 20, kSamples = 28;
}
constexpr std::uint32_t kSampleBytes = 16, kMinDescriptorBytes = 28;
constexpr std::uint16_t kDescriptorVersion = 2;
constexpr std::uint8_t kRgbModel = 1, kBt709 = 1, kLinear = 1, kSrgb = 2;
// Qualifiers of a sample, beside its channel.
constexpr std::uint8_t kLinearSample = 0x10, kSignedSample = 0x40, kFloatSample = 0x80, kChannelMask = 0x0f;

struct Sample {
  std::uint16_t bit_offset = 0;
  std::uint8_t bit_length = 0;  // one less than it is
  std::uint8_t channel = 0;     // and qualifiers
  std::uint32_t position = 0;
  std::uint32_t lower = 0, upper = 0;  // what 0 or -1, and 1 are
  bool operator==(const Sample&) const = default;
};
static_assert(sizeof(Sample) == kSampleBytes);

std::uint8_t model_of(vk::Format format) {
  using enum vk::Format;
  switch (format) {
    case BC1_RGBA_UNORM_BLOCK:
    case BC1_RGBA_SRGB_BLOCK:
      return 128;
    case BC2_UNORM_BLOCK:
    case BC2_SRGB_BLOCK:
      return 129;
    case BC3_UNORM_BLOCK:
    case BC3_SRGB_BLOCK:
      return 130;
    case BC4_UNORM_BLOCK:
    case BC4_SNORM_BLOCK:
      return 131;
    case BC5_UNORM_BLOCK:
    case BC5_SNORM_BLOCK:
      return 132;
    case BC6H_UFLOAT_BLOCK:
    case BC6H_SFLOAT_BLOCK:
      return 133;
    case BC7_UNORM_BLOCK:
    case BC7_SRGB_BLOCK:
      return 134;
    default:
      return kRgbModel;
  }
}

Sample sample_of(const Channel& channel) {
  constexpr std::uint32_t kOne = 0x3f800000, kMinusOne = 0xbf800000;
  const std::string_view letters = "RGBA", others = "SD";
  Sample sample{.bit_offset = channel.offset, .bit_length = static_cast<std::uint8_t>(channel.bits - 1)};
  if (const std::size_t at = letters.find(channel.letter); at != letters.npos)
    sample.channel = channel.letter == 'A' ? 15 : static_cast<std::uint8_t>(at);
  else
    sample.channel = static_cast<std::uint8_t>(13 + others.find(channel.letter));
  const auto largest = static_cast<std::uint32_t>((std::uint64_t{1} << std::min<int>(channel.bits, 32)) - 1);
  switch (channel.numeric) {
    case NumericFormat::Srgb:
      if (channel.letter == 'A') sample.channel |= kLinearSample;
      sample.upper = largest;
      break;
    case NumericFormat::Unorm:
      sample.upper = largest;
      break;
    case NumericFormat::Snorm:
      sample.channel |= kSignedSample;
      sample.upper = largest >> 1;
      sample.lower = 0 - sample.upper;
      break;
    case NumericFormat::Uint:
      sample.upper = 1;
      break;
    case NumericFormat::Sint:
      sample.channel |= kSignedSample;
      sample.lower = 0xffffffff;
      sample.upper = 1;
      break;
    case NumericFormat::Ufloat:
      sample.channel |= kFloatSample;
      sample.upper = kOne;
      break;
    case NumericFormat::Sfloat:
      sample.channel |= kFloatSample | kSignedSample;
      sample.lower = kMinusOne;
      sample.upper = kOne;
      break;
  }
  return sample;
}

bool is_srgb(const FormatInfo& format) { return format.numeric == NumericFormat::Srgb; }

}  // namespace

std::vector<std::byte> data_format_descriptor(const FormatInfo& format) {
  const auto channels = std::span(format.channel).first(format.is_block() ? 0 : format.components);
  const auto size = static_cast<std::uint16_t>(24 + kSampleBytes * channels.size());
  const auto edge = static_cast<std::uint8_t>(format.block_extent - 1);
  ByteWriter out;
  out.write(static_cast<std::uint32_t>(size + 4)).write(std::uint32_t{0}).write(kDescriptorVersion).write(size);
  out.write(model_of(format.format)).write(kBt709).write(is_srgb(format) ? kSrgb : kLinear).write(std::uint8_t{0});
  out.write(std::array<std::uint8_t, 4>{edge, edge, 0, 0});
  out.write(std::array<std::uint8_t, 8>{static_cast<std::uint8_t>(format.texel_bytes)});
  for (const Channel& channel : channels) out.write(sample_of(channel));
  return out.release();
}

void check_data_format(Bytes bytes, std::uint64_t offset, const FormatInfo& format, bool supercompressed,
                       const std::string& name, Diagnostics& diagnostics) {
  using namespace descriptor_at;
  const auto refuse = [&](std::uint64_t begin, std::uint64_t end, std::string message) {
    diagnostics.error(DiagnosticKind::FileFormat, SourceLocation::in_bytes(name, {offset + begin, offset + end}),
                      std::move(message));
  };
  if (bytes.size() < kMinDescriptorBytes)
    return refuse(
        0, bytes.size(),
        formatted("the data format descriptor has {} bytes, fewer than {}", bytes.size(), kMinDescriptorBytes));
  const auto require = [&](std::string_view what, std::uint32_t at, std::uint32_t size, std::uint64_t got,
                           std::uint64_t wanted) {
    if (got != wanted)
      refuse(at, at + size,
             formatted("the data format descriptor has the {} {}, but for {} it is {}", what, got,
                       vk::name_of(format.format), wanted));
  };
  const std::vector<std::byte> wanted = data_format_descriptor(format);
  const auto number = [](Bytes from, std::uint32_t at, std::uint32_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, from.data() + at, size);
    return value;
  };
  const auto compare = [&](std::string_view what, std::uint32_t at, std::uint32_t size) {
    require(what, at, size, number(bytes, at, size), number(wanted, at, size));
  };
  require("total size", 0, 4, number(bytes, 0, 4), bytes.size());
  compare("vendor and type", kVendor, 4);
  compare("version", kVersion, 2);
  compare("colour model", kModel, 1);
  const bool srgb = number(bytes, kTransfer, 1) == kSrgb;
  if (srgb != is_srgb(format)) compare("transfer function", kTransfer, 1);
  compare("texel block", kTexelBlock, 4);
  // Supercompressed levels need not say it.
  if (!supercompressed || number(bytes, kPlane0, 1) != 0) compare("block size in bytes", kPlane0, 1);
  if (format.is_block()) return;
  compare("own size", kBlockSize, 2);
  if (bytes.size() < wanted.size()) return;
  for (std::uint32_t i = 0; i < format.components; ++i) {
    const std::uint32_t at = kSamples + i * kSampleBytes;
    const auto got = load<Sample>(&bytes[at]), right = load<Sample>(&wanted[at]);
    constexpr std::uint8_t kCompared = kChannelMask | kSignedSample | kFloatSample;
    if (got.bit_offset != right.bit_offset || got.bit_length != right.bit_length ||
        (got.channel & kCompared) != (right.channel & kCompared))
      refuse(at, at + kSampleBytes,
             formatted("sample {} of the data format descriptor has {} bits at bit {} and the channel type 0x{:x}, but "
                       "for {} it has {} bits at bit {} and 0x{:x}",
                       i, got.bit_length + 1, got.bit_offset, got.channel, vk::name_of(format.format),
                       right.bit_length + 1, right.bit_offset, right.channel));
  }
}

}  // namespace slipway::tensor
