// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The header and the chunks of OpenEXR files (docs/spec/scenario.md#exr-files).
#include "tensor/files/exr.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <ranges>

#include "base/checked.hpp"
#include "base/format.hpp"

namespace slipway::tensor {
namespace {

constexpr std::uint32_t kExrMagic = 20000630, kExrVersion = 2;
constexpr std::uint32_t kTiledFlag = 0x200, kDeepFlag = 0x800, kPartsFlag = 0x1000, kKnownFlags = 0x1e00;
constexpr std::size_t kMaxExrName = 255, kMaxChannels = 1024;
// Of the bytes that one chunk has when it is not compressed; 32 lines of 100,000 RGBA texels of floats have 51 MB.
constexpr std::uint64_t kMaxExrChunkBytes = 256 << 20;

struct CompressionInfo {
  std::string_view name;
  std::uint32_t lines;  // of a chunk
  bool read = true;
};
// By the number in files.
constexpr CompressionInfo kCompressions[] = {
    {"none", 1},         {"RLE", 1},           {"ZIPS", 1},           {"ZIP", 16},
    {"PIZ", 32},         {"PXR24", 16},        {"B44", 32, false},    {"B44A", 32, false},
    {"DWAA", 32, false}, {"DWAB", 256, false}, {"HTJ2K", 256, false}, {"HTJ2K", 32, false},
};

struct ExrBox {
  std::int32_t x_min = 0, y_min = 0, x_max = -1, y_max = -1;
};
struct ExrTiles {
  std::uint32_t width = 0, height = 0;
};

class ExrReader {
 public:
  ExrReader(Bytes file, const std::string& name) : file_(file), name_(name), in_(file) {}

  Result<ExrView> read() {
    read_version();
    if (problems_.empty()) read_attributes();
    if (problems_.empty()) check_extent();
    if (problems_.empty()) read_chunks();
    if (!problems_.empty()) return std::unexpected(problems_.release());
    return std::move(view_);
  }

 private:
  void refuse(DiagnosticKind kind, Span range, std::string message) {
    problems_.error(kind, SourceLocation::in_bytes(name_, range), std::move(message));
  }
  void refuse_truncated(std::string_view what) {
    refuse(DiagnosticKind::FileTruncated, {file_.size(), file_.size()}, formatted("the file ends within {}", what));
  }

  void read_version() {
    const auto magic = in_.read<std::uint32_t>(), version = in_.read<std::uint32_t>();
    if (in_.failed() || magic != kExrMagic)
      return refuse(DiagnosticKind::FileFormat, {0, std::min<std::size_t>(file_.size(), 4)}, "not an OpenEXR file");
    constexpr Span kAt{4, 8};
    if ((version & 0xff) != kExrVersion)
      refuse(DiagnosticKind::Unsupported, kAt,
             formatted("the version of the format is {}, but only {} exists", version & 0xff, kExrVersion));
    if ((version & kPartsFlag) != 0)
      refuse(DiagnosticKind::Unsupported, kAt,
             "the file has several parts; `exrmultipart -separate -i FILE -o PART` writes a file of each");
    if ((version & kDeepFlag) != 0)
      refuse(DiagnosticKind::Unsupported, kAt,
             "the file has deep samples; `oiiotool FILE --flatten -o FLAT.exr` writes one with flat texels");
    if (const std::uint32_t unknown = version & ~(kKnownFlags | 0xff); unknown != 0)
      refuse(DiagnosticKind::Unsupported, kAt, formatted("the version has unknown flags, 0x{:x}", unknown));
    tiled_ = (version & kTiledFlag) != 0;
  }

  // A name that ends with a zero byte; empty at the end of the header, and if the file lacks it.
  std::string_view take_name(std::string_view what) {
    const Bytes rest = file_.subspan(std::min(in_.offset(), file_.size()));
    const std::string_view text = slipway::text_of(rest.first(std::min(rest.size(), kMaxExrName + 1)));
    const std::size_t size = text.find('\0');
    if (size != text.npos) {
      in_.take(size + 1);
      return text.substr(0, size);
    }
    if (rest.size() > kMaxExrName)
      refuse(DiagnosticKind::FileFormat, {in_.offset(), in_.offset() + kMaxExrName},
             formatted("the name of {} has more than {} bytes", what, kMaxExrName));
    else
      refuse_truncated(formatted("the name of {}", what));
    ended_ = true;
    return {};
  }

  void read_attributes() {
    bool channels = false, compression = false, window = false, tiles = false;
    while (true) {
      const std::size_t begin = in_.offset();
      const std::string_view attribute = take_name("an attribute");
      if (attribute.empty()) break;
      const std::string_view type = take_name("the type of an attribute");
      const auto size = in_.read<std::uint32_t>();
      const Span value{in_.offset(), in_.offset() + size};
      const Bytes bytes = in_.take(size);
      if (ended_ || in_.failed()) {
        if (!ended_) refuse_truncated(formatted("the attribute `{}`", attribute));
        return;
      }
      const auto is = [&](std::string_view wanted, std::string_view wanted_type, std::size_t wanted_size, bool& seen) {
        if (attribute != wanted) return false;
        seen = true;
        if (type == wanted_type && (wanted_size == 0 || size == wanted_size)) return true;
        refuse(DiagnosticKind::FileFormat, {begin, value.end},
               formatted("the attribute `{}` has {} bytes of type `{}`, not {}`{}`", wanted, size, type,
                         wanted_size == 0 ? "" : formatted("{} of type ", wanted_size), wanted_type));
        return false;
      };
      if (is("channels", "chlist", 0, channels)) read_channels(bytes, value);
      if (is("compression", "compression", 1, compression)) read_compression(bytes, value);
      if (is("dataWindow", "box2i", sizeof(ExrBox), window)) {
        window_ = load<ExrBox>(bytes.data());
        window_at_ = value;
      }
      if (is("tiles", "tiledesc", 9, tiles)) {
        tiles_ = load<ExrTiles>(bytes.data());
        tiles_at_ = value;
      }
    }
    if (ended_) return;
    const auto require = [&](bool seen, std::string_view attribute) {
      if (!seen)
        refuse(DiagnosticKind::FileFormat, {8, in_.offset()}, formatted("the header has no attribute `{}`", attribute));
    };
    require(channels, "channels");
    require(compression, "compression");
    require(window, "dataWindow");
    if (tiled_) require(tiles, "tiles");
  }

  void read_channels(Bytes bytes, Span at) {
    view_.channels_offset = at.begin;
    view_.channels_end = at.end;
    view_.channels.clear();
    ByteReader list(bytes);
    while (true) {
      const std::size_t begin = list.offset();
      const std::string_view rest = slipway::text_of(bytes.subspan(begin));
      const std::size_t size = rest.find('\0');
      if (size == rest.npos)
        return refuse(DiagnosticKind::FileFormat, {at.begin + begin, at.end}, "the list of channels has no end");
      list.take(size + 1);
      if (size == 0) break;
      const auto type = list.read<std::uint32_t>();
      list.read<std::uint32_t>();  // a hint for lossy compressions
      const auto x_step = list.read<std::int32_t>(), y_step = list.read<std::int32_t>();
      const Span entry{at.begin + begin, at.begin + list.offset()};
      const std::string channel(rest.substr(0, std::min(size, kMaxExrName)));
      if (list.failed())
        return refuse(DiagnosticKind::FileFormat, {at.begin + begin, at.end},
                      formatted("the list of channels ends within channel `{}`", channel));
      if (type > static_cast<std::uint32_t>(ExrType::Float))
        refuse(DiagnosticKind::FileFormat, entry,
               formatted("channel `{}` has the unknown type {}; known are 0 to 2", channel, type));
      if (x_step != 1 || y_step != 1)
        refuse(DiagnosticKind::Unsupported, entry,
               formatted("channel `{}` has a sample for every {} x {} texels only; `magick FILE FULL.exr` writes "
                         "one with samples for all",
                         channel, x_step, y_step));
      if (view_.channels.size() == kMaxChannels)
        return refuse(DiagnosticKind::Unsupported, entry, formatted("there are more than {} channels", kMaxChannels));
      view_.channels.push_back({channel, static_cast<ExrType>(std::min(type, 2u))});
    }
    if (view_.channels.empty()) refuse(DiagnosticKind::FileFormat, {at.begin, at.end}, "the list of channels is empty");
  }

  void read_compression(Bytes bytes, Span at) {
    const auto number = std::to_integer<std::size_t>(bytes[0]);
    if (number >= std::size(kCompressions))
      return refuse(DiagnosticKind::Unsupported, at, formatted("the compression {} is unknown", number));
    lines_ = kCompressions[number].lines;
    if (kCompressions[number].read) {
      view_.compression = static_cast<ExrCompression>(number);
      return;
    }
    refuse(DiagnosticKind::Unsupported, at,
           formatted("the file has the compression {}, but only none, RLE, ZIPS, ZIP, PIZ and PXR24 are read; "
                     "`oiiotool FILE --compression zip -o ZIP.exr` writes another",
                     kCompressions[number].name));
  }

  void check_extent() {
    const std::int64_t width = std::int64_t{window_.x_max} - window_.x_min + 1,
                       height = std::int64_t{window_.y_max} - window_.y_min + 1;
    constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
    if (width < 1 || height < 1 || width > kMax || height > kMax)
      return refuse(DiagnosticKind::OutOfRange, window_at_,
                    formatted("the data window from {}, {} to {}, {} has {} x {} texels", window_.x_min, window_.y_min,
                              window_.x_max, window_.y_max, width, height));
    view_.width = static_cast<std::uint32_t>(width);
    view_.height = static_cast<std::uint32_t>(height);
    if (!tiled_) tiles_ = {view_.width, lines_};
    if (tiles_.width == 0 || tiles_.height == 0)
      return refuse(DiagnosticKind::OutOfRange, tiles_at_,
                    formatted("tiles have {} x {} texels", tiles_.width, tiles_.height));
    // A tile may be larger than the image.
    const Size texels = checked_multiply(std::min(tiles_.width, view_.width), std::min(tiles_.height, view_.height));
    std::uint64_t texel = 0;
    for (const ExrChannel& channel : view_.channels) texel += channel.bytes();
    if (const Size bytes = checked_multiply(texels, texel); !bytes || *bytes > kMaxExrChunkBytes)
      refuse(DiagnosticKind::Unsupported, tiled_ ? tiles_at_ : window_at_,
             formatted("a {} has more than {} MiB", tiled_ ? "tile" : "block of lines", kMaxExrChunkBytes >> 20));
  }

  void read_chunks() {
    const std::uint64_t across = divide_up(view_.width, tiles_.width), down = divide_up(view_.height, tiles_.height);
    const Span table{in_.offset(), file_.size()};
    const Size count = checked_multiply(across, down);
    if (!count || *count > in_.remaining() / sizeof(std::uint64_t))
      return refuse(
          DiagnosticKind::FileTruncated, table,
          formatted("the file ends within its table of {} chunks", count ? std::to_string(*count) : "more than 2^64"));
    view_.chunks.reserve(*count);
    for (std::uint64_t i = 0; i < *count; ++i) {
      const std::size_t entry = in_.offset();
      const auto offset = in_.read<std::uint64_t>();
      const auto x = static_cast<std::uint32_t>(i % across * tiles_.width),
                 y = static_cast<std::uint32_t>(i / across * tiles_.height);
      read_chunk({.x = x,
                  .y = y,
                  .width = std::min(tiles_.width, view_.width - x),
                  .height = std::min(tiles_.height, view_.height - y)},
                 {entry, entry + sizeof offset}, offset);
    }
  }

  std::string name_of_chunk(const ExrChunk& chunk) const {
    if (tiled_) return formatted("the tile {}, {}", chunk.x / tiles_.width, chunk.y / tiles_.height);
    const std::int64_t first = std::int64_t{window_.y_min} + chunk.y;
    return chunk.height == 1 ? formatted("line {}", first)
                             : formatted("the lines {} to {}", first, first + chunk.height - 1);
  }

  void read_chunk(ExrChunk chunk, Span entry, std::uint64_t offset) {
    if (offset == 0)
      return refuse(DiagnosticKind::FileTruncated, entry,
                    formatted("{} {} missing: the file was not written to its end", name_of_chunk(chunk),
                              chunk.height == 1 || tiled_ ? "is" : "are"));
    if (offset > file_.size())
      return refuse(DiagnosticKind::FileTruncated, entry,
                    formatted("{} begin{} past the end of the file", name_of_chunk(chunk),
                              chunk.height == 1 || tiled_ ? "s" : ""));
    ByteReader in(file_, offset);
    bool agrees = true;
    if (tiled_) {
      const std::uint32_t wanted[] = {chunk.x / tiles_.width, chunk.y / tiles_.height, 0, 0};
      for (const std::uint32_t value : wanted) agrees &= in.read<std::uint32_t>() == value;
    } else {
      agrees = in.read<std::int32_t>() == std::int64_t{window_.y_min} + chunk.y;
    }
    const auto size = in.read<std::uint32_t>();
    if (!in.failed() && !agrees)
      return refuse(DiagnosticKind::FileFormat, {offset, in.offset()},
                    formatted("the chunk is not {}, as the table says", name_of_chunk(chunk)));
    chunk.offset = in.offset();
    chunk.bytes = in.take(size);
    if (in.failed())
      return refuse(DiagnosticKind::FileTruncated, {offset, file_.size()},
                    formatted("the file ends within {}", name_of_chunk(chunk)));
    view_.chunks.push_back(chunk);
  }

  Bytes file_;
  const std::string& name_;
  ByteReader in_;
  Diagnostics problems_;
  ExrView view_;
  bool tiled_ = false, ended_ = false;
  std::uint32_t lines_ = 1;
  ExrBox window_;
  ExrTiles tiles_;
  Span window_at_{}, tiles_at_{};
};

// The names that a component may have, best first.
std::vector<std::string_view> channel_names(const FormatInfo& format, char letter) {
  if (letter == 'D') return {"Z", "Y"};
  if (letter == 'A') return {"A"};
  if (format.components == 1) return {"Y", "R", "Z"};
  return {letter == 'R' ? "R" : letter == 'G' ? "G" : "B", "Y"};
}

}  // namespace

Result<ExrView> parse_exr(Bytes file, const std::string& name) { return ExrReader(file, name).read(); }

bool has_exr_form(const FormatInfo& format) {
  if (format.is_block() || format.stencil || format.component == ElementType::Bool) return false;
  return std::ranges::all_of(std::span(format.channel).first(format.components), [](const Channel& channel) {
    return channel.bits <= 32 && (channel.numeric == NumericFormat::Sfloat ||
                                  channel.numeric == NumericFormat::Ufloat || channel.numeric == NumericFormat::Uint);
  });
}

Result<std::array<std::size_t, 4>> exr_channels(const ExrView& picture, const std::string& name,
                                                const FormatInfo& format) {
  std::array<std::size_t, 4> chosen{};
  Diagnostics problems;
  const SourceLocation location = SourceLocation::in_bytes(name, {picture.channels_offset, picture.channels_end});
  std::string all;
  for (const ExrChannel& channel : picture.channels) all += formatted("{}`{}`", all.empty() ? "" : ", ", channel.name);
  const bool wants_integers = format.channel[0].numeric == NumericFormat::Uint;
  for (std::uint32_t c = 0; c < format.components; ++c) {
    const std::vector<std::string_view> names = channel_names(format, format.channel[c].letter);
    chosen[c] = kExrNone;
    for (const std::string_view wanted : std::views::reverse(names)) {
      const auto found = std::ranges::find(picture.channels, wanted, &ExrChannel::name);
      if (found != picture.channels.end()) chosen[c] = static_cast<std::size_t>(found - picture.channels.begin());
    }
    if (chosen[c] == kExrNone && format.components == 1 && picture.channels.size() == 1) chosen[c] = 0;
    if (chosen[c] == kExrNone) {
      if (names.front() == "A" && format.components > 1) continue;
      problems.error(DiagnosticKind::FileMismatch, location,
                     formatted("the file has no channel `{}`; its channels are {}", names.front(), all));
      continue;
    }
    const ExrChannel& channel = picture.channels[chosen[c]];
    if ((channel.type == ExrType::Uint) != wants_integers)
      problems.error(
          DiagnosticKind::FileMismatch, location,
          formatted("channel `{}` has {}, but {} has {}", channel.name, wants_integers ? "floats" : "integers",
                    vk::name_of(format.format), wants_integers ? "integers" : "floats"));
  }
  if (!problems.empty()) return std::unexpected(problems.release());
  return chosen;
}

}  // namespace slipway::tensor
