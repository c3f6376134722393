// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/ktx2.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/files/deflate.hpp"

namespace slipway::tensor {
namespace {

constexpr std::string_view kIdentifier = "\xabKTX 20\xbb\r\n\x1a\n";
// Offsets in the header (KTX File Format Specification 2.0, "File structure").
namespace ktx2_at {
constexpr std::uint32_t kFormat = 12, kTypeSize = 16, kWidth = 20, kHeight = 24, kDepth = 28, kLayers = 32, kFaces = 36,
                        kLevels = 40, kScheme = 44, kDescriptor = 48, kKeys = 56, kGlobal = 64, kIndex = 80;
}
constexpr std::uint32_t kIndexEntryBytes = 24;
enum Scheme : std::uint32_t { kNoScheme = 0, kBasisLz = 1, kZstandard = 2, kZlib = 3 };

// The size of the values whose bytes would be swapped on another machine.
std::uint32_t type_size(const FormatInfo& format) { return format.is_block() ? 1 : size_of(format.stored); }

class Ktx2Reader {
 public:
  Ktx2Reader(Bytes file, const std::string& name, std::uint32_t levels_used)
      : file_(file), name_(name), levels_used_(std::max(levels_used, 1u)) {}

  Result<Ktx2View> read() {
    if (!slipway::text_of(file_).starts_with(kIdentifier))
      return fail(DiagnosticKind::FileFormat,
                  SourceLocation::in_bytes(name_, {0, std::min(file_.size(), kIdentifier.size())}), "not a KTX2 file");
    if (file_.size() < ktx2_at::kIndex)
      return fail(
          DiagnosticKind::FileTruncated, SourceLocation::in_bytes(name_, {0, file_.size()}),
          formatted("the file has {} bytes, fewer than the {} of a KTX2 header", file_.size(), ktx2_at::kIndex));
    read_scheme();
    read_format();
    read_extent();
    read_ranges();
    if (problems_.empty()) read_levels();
    if (!problems_.empty()) return std::unexpected(problems_.release());
    return std::move(view_);
  }

 private:
  std::uint32_t number(std::uint32_t at) const { return load<std::uint32_t>(file_.data() + at); }
  std::uint64_t long_number(std::uint64_t at) const { return load<std::uint64_t>(file_.data() + at); }
  void refuse(DiagnosticKind kind, Span at, std::string message) {
    problems_.error(kind, SourceLocation::in_bytes(name_, at), std::move(message));
  }
  void refuse(std::uint32_t at, std::string message, DiagnosticKind kind = DiagnosticKind::Unsupported) {
    refuse(kind, {at, at + 4}, std::move(message));
  }

  void read_scheme() {
    const std::uint32_t scheme = number(ktx2_at::kScheme);
    view_.deflated = scheme == kZlib;
    if (scheme == kZstandard)
      refuse(ktx2_at::kScheme,
             "the file is supercompressed with Zstandard; `ktx deflate --zlib 9 FILE OUT.ktx2` uses zlib instead");
    else if (scheme != kNoScheme && scheme != kZlib && scheme != kBasisLz)
      refuse(ktx2_at::kScheme,
             formatted("the supercompression scheme {} is unknown; known are 0 (none) and 3 (zlib)", scheme));
  }

  void read_format() {
    const std::uint32_t number_of_format = number(ktx2_at::kFormat);
    const auto format = static_cast<vk::Format>(number_of_format);
    if (number_of_format == 0 || number(ktx2_at::kScheme) == kBasisLz)
      return refuse(
          ktx2_at::kFormat,
          "the file has texels of Basis Universal; `ktx transcode --target rgba8 FILE OUT.ktx2` writes texels "
          "of VK_FORMAT_R8G8B8A8");
    const FormatInfo* const found = find_format(format);
    if (!found || !has_ktx2_form(*found))
      return refuse(
          ktx2_at::kFormat,
          formatted("texels of {} are not read from KTX2 files; `ktx extract --level 0 FILE OUT.png` writes a "
                    "PNG file of some formats",
                    vk::name_of(format)));
    view_.format = found;
    if (const std::uint32_t size = number(ktx2_at::kTypeSize); size != type_size(*found))
      refuse(ktx2_at::kTypeSize,
             formatted("the size of the data type is {}, but for {} it is {}", size, vk::name_of(format),
                       type_size(*found)),
             DiagnosticKind::FileFormat);
  }

  void read_extent() {
    const std::uint32_t width = number(ktx2_at::kWidth), height = number(ktx2_at::kHeight),
                        depth = number(ktx2_at::kDepth), layers = number(ktx2_at::kLayers),
                        faces = number(ktx2_at::kFaces), levels = number(ktx2_at::kLevels);
    if (width == 0) refuse(ktx2_at::kWidth, "the width is 0", DiagnosticKind::OutOfRange);
    if (height == 0 && depth != 0) refuse(ktx2_at::kHeight, "the height of a 3D texture is 0");
    if (faces != 1 && faces != 6)
      refuse(ktx2_at::kFaces, formatted("there are {} faces; a texture has 1 and a cube map 6", faces),
             DiagnosticKind::OutOfRange);
    if (faces == 6 && width != std::max(height, 1u))
      refuse(ktx2_at::kWidth,
             formatted("the faces of a cube map have {} x {} texels, which is not a square", width, height),
             DiagnosticKind::FileFormat);
    if (depth != 0 && (layers > 1 || faces > 1))
      refuse(ktx2_at::kDepth, "the file has an array of 3D textures; only one is read");
    view_.extent = {width, std::max(height, 1u), std::max(depth, 1u)};
    const Size slices = checked_multiply(std::max(layers, 1u), faces);
    if (slices > std::numeric_limits<std::uint32_t>::max())
      refuse(ktx2_at::kLayers, formatted("there are {} layers", layers), DiagnosticKind::OutOfRange);
    view_.layers = static_cast<std::uint32_t>(*slices);
    view_.level_count = std::max(levels, 1u);
    const auto most = static_cast<std::uint32_t>(std::bit_width(std::max({width, height, depth, 1u})));
    if (levels > most)
      refuse(ktx2_at::kLevels,
             formatted("the file claims {} mip levels, but {} x {} x {} texels have at most {}", levels, width, height,
                       view_.extent[2], most),
             DiagnosticKind::OutOfRange);
  }

  // Whether a range is in the file.
  bool check_range(std::string_view what, std::uint32_t at, std::uint32_t size, std::uint64_t offset,
                   std::uint64_t length) {
    const Size end = checked_add(offset, length);
    if (end && *end <= file_.size()) return true;
    refuse(DiagnosticKind::FileTruncated, {at, at + size},
           formatted("{} has {} bytes at 0x{:x}, but the file has {}", what, length, offset, file_.size()));
    return false;
  }

  void read_ranges() {
    const std::uint32_t at = number(ktx2_at::kDescriptor), size = number(ktx2_at::kDescriptor + 4);
    if (check_range("the data format descriptor", ktx2_at::kDescriptor, 8, at, size) && view_.format)
      check_data_format(file_.subspan(at, size), at, *view_.format, view_.deflated, name_, problems_);
    check_range("the table of keys and values", ktx2_at::kKeys, 8, number(ktx2_at::kKeys), number(ktx2_at::kKeys + 4));
    if (view_.format && long_number(ktx2_at::kGlobal + 8) != 0)
      refuse(DiagnosticKind::FileFormat, {ktx2_at::kGlobal, ktx2_at::kIndex},
             "there are global data of a supercompression that has none");
  }

  // Of one level with all layers.
  Size level_size(std::uint32_t level) const {
    const auto edge = [&](int axis) { return std::max(view_.extent[axis] >> level, 1u); };
    return checked_multiply(level_bytes(*view_.format, edge(0), edge(1), edge(2)), view_.layers);
  }

  void read_levels() {
    const std::uint64_t index_bytes = std::uint64_t{view_.level_count} * kIndexEntryBytes;
    if (file_.size() - ktx2_at::kIndex < index_bytes)
      return refuse(DiagnosticKind::FileTruncated, {ktx2_at::kIndex, file_.size()},
                    formatted("the file ends within its index of {} levels", view_.level_count));
    for (std::uint32_t i = 0; i < std::min(view_.level_count, levels_used_); ++i) {
      const std::uint32_t entry = ktx2_at::kIndex + i * kIndexEntryBytes;
      const std::uint64_t offset = long_number(entry), length = long_number(entry + 8),
                          full_length = long_number(entry + 16);
      const std::string what = formatted("level {}", i);
      if (!check_range(what, entry, kIndexEntryBytes, offset, length)) continue;
      const Size size = level_size(i);
      const std::uint64_t claimed = view_.deflated ? full_length : length;
      if (!size || claimed != *size) {
        refuse(DiagnosticKind::FileFormat, {entry, entry + kIndexEntryBytes},
               formatted("{} has {} bytes, but {} x {} x {} texels of {}{} have {}", what, claimed,
                         std::max(view_.extent[0] >> i, 1u), std::max(view_.extent[1] >> i, 1u),
                         std::max(view_.extent[2] >> i, 1u), vk::name_of(view_.format->format),
                         view_.layers > 1 ? formatted(" in {} layers", view_.layers) : "",
                         size ? std::to_string(*size) : "more than 2^64"));
        continue;
      }
      if (!view_.deflated && full_length != length)
        refuse(DiagnosticKind::FileFormat, {entry + 16, entry + kIndexEntryBytes},
               formatted("{} has {} bytes, but {} without supercompression, which it does not have", what, length,
                         full_length));
      view_.levels.push_back({file_.subspan(offset, length), offset, *size});
    }
  }

  Bytes file_;
  const std::string& name_;
  std::uint32_t levels_used_;
  Diagnostics problems_;
  Ktx2View view_;
};

}  // namespace

bool has_ktx2_form(const FormatInfo& format) {
  constexpr std::uint32_t kFirstOfExtensions = 1000000000;
  return !format.stencil && static_cast<std::uint32_t>(format.format) < kFirstOfExtensions;
}

Result<Ktx2View> parse_ktx2(Bytes file, const std::string& name, std::uint32_t levels_used) {
  return Ktx2Reader(file, name, levels_used).read();
}

Result<> read_ktx2_level(const Ktx2View& texture, const std::string& name, std::size_t index, MutableBytes to) {
  const Ktx2Level& level = texture.levels[index];
  if (!texture.deflated) {
    std::ranges::copy(level.bytes, to.begin());
    return {};
  }
  const auto bytes = inflated(level.bytes, level.size, DeflateForm::Zlib);
  if (!bytes)
    return fail(DiagnosticKind::FileFormat,
                SourceLocation::in_bytes(name, {level.offset, level.offset + level.bytes.size()}),
                formatted("the compressed level {} is damaged", index));
  std::ranges::copy(*bytes, to.begin());
  return {};
}

std::vector<std::byte> ktx2_header(const FormatInfo& format, std::array<std::uint32_t, 3> extent,
                                   std::uint32_t layers) {
  // The one key that writers should write.
  constexpr std::string_view kWriter("KTXwriter\0Slipway\0", 18);
  constexpr auto kLevelEnd = std::uint32_t{ktx2_at::kIndex + kIndexEntryBytes};
  const std::vector<std::byte> descriptor = data_format_descriptor(format);
  const auto keys = static_cast<std::uint32_t>(kLevelEnd + descriptor.size());
  constexpr auto kKeysSize = static_cast<std::uint32_t>(sizeof(std::uint32_t) + round_up(kWriter.size(), 4));
  const std::uint64_t texels = round_up(keys + kKeysSize, std::lcm(format.texel_bytes, 4u));
  const std::uint64_t size = *level_bytes(format, extent[0], extent[1], extent[2]) * layers;
  ByteWriter out;
  out.append(kIdentifier).write(static_cast<std::uint32_t>(format.format)).write(type_size(format));
  out.write(extent[0]).write(extent[1]).write(extent[2] > 1 ? extent[2] : 0u);
  out.write(layers > 1 ? layers : 0u).write(std::uint32_t{1}).write(std::uint32_t{1}).write(std::uint32_t{kNoScheme});
  out.write(std::uint32_t{kLevelEnd}).write(static_cast<std::uint32_t>(descriptor.size())).write(keys).write(kKeysSize);
  out.write(std::uint64_t{0}).write(std::uint64_t{0});
  out.write(texels).write(size).write(size);
  out.append(descriptor).write(static_cast<std::uint32_t>(kWriter.size())).append(kWriter);
  out.pad_to(texels);
  return out.release();
}

}  // namespace slipway::tensor
