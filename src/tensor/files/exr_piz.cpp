// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compression PIZ of OpenEXR: the 16-bit words of each channel through a table of the values that occur, a Haar
// wavelet in two dimensions, and Huffman codes with runs.
#include <algorithm>
#include <array>
#include <optional>

#include "tensor/files/exr.hpp"

namespace slipway::tensor {
namespace {

constexpr std::size_t kBitmapBytes = 8192;        // a bit for each value of a word
constexpr std::uint32_t kMaxSymbols = 65536 + 1;  // words, and the symbol of runs
constexpr std::uint32_t kMaxCodeBits = 58;

// Bits from the highest of each byte on; zeros after the end.
class BitReader {
 public:
  BitReader(Bytes bytes, std::uint64_t bits) : bytes_(bytes), bits_(std::min<std::uint64_t>(bits, bytes.size() * 8)) {}

  std::uint64_t peek(std::uint32_t count) {
    while (held_ < count) {
      const std::uint64_t next = byte_ < bytes_.size() ? std::to_integer<std::uint64_t>(bytes_[byte_]) : 0;
      ++byte_;
      window_ = window_ << 8 | next;
      held_ += 8;
    }
    return window_ >> (held_ - count) & ((std::uint64_t{1} << count) - 1);
  }
  // At most what the last `peek` returned.
  void skip(std::uint32_t count) {
    held_ -= count;
    taken_ += count;
  }
  std::uint64_t take(std::uint32_t count) {
    const std::uint64_t value = peek(count);
    skip(count);
    return value;
  }
  bool failed() const { return taken_ > bits_; }
  bool at_end() const { return taken_ >= bits_; }
  std::size_t bytes_taken() const { return (taken_ + 7) / 8; }

 private:
  Bytes bytes_;
  std::uint64_t bits_, taken_ = 0, window_ = 0;  // the low `held_` bits of the window are not taken yet
  std::size_t byte_ = 0;
  std::uint32_t held_ = 0;
};

// Canonical codes: longer ones have smaller values.
class HuffmanCode {
 public:
  // `lengths[i]` is that of the code of symbol `first + i`, or 0. Returns false if they are not those of a code.
  bool make(std::uint32_t first, const std::vector<std::uint8_t>& lengths) {
    std::array<std::uint64_t, kMaxCodeBits + 2> count{};
    for (const std::uint8_t length : lengths) ++count[length];
    std::uint64_t code = 0;
    std::uint32_t position = 0;
    for (std::uint32_t length = kMaxCodeBits; length > 0; --length) {
      const std::uint64_t next = (code + count[length]) >> 1;
      ranges_[length] = {code, count[length], position};
      if (code + count[length] > std::uint64_t{1} << length) return false;
      position += static_cast<std::uint32_t>(count[length]);
      code = next;
    }
    symbols_.resize(position);
    std::array<std::uint32_t, kMaxCodeBits + 1> used{};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::uint32_t length = lengths[i];
      if (length == 0) continue;
      symbols_[ranges_[length].position + used[length]++] = first + static_cast<std::uint32_t>(i);
    }
    short_.assign(std::size_t{1} << kShortBits, {});
    for (std::uint32_t length = 1; length <= kShortBits; ++length) {
      const Range& range = ranges_[length];
      for (std::uint64_t i = 0; i < range.count; ++i) {
        const std::size_t begin = (range.code + i) << (kShortBits - length);
        std::fill_n(short_.begin() + static_cast<std::ptrdiff_t>(begin), std::size_t{1} << (kShortBits - length),
                    Short{symbols_[range.position + i], static_cast<std::uint8_t>(length)});
      }
    }
    return true;
  }

  // kMaxSymbols if no code has the next bits.
  std::uint32_t next(BitReader& bits) const {
    if (const Short& found = short_[bits.peek(kShortBits)]; found.length != 0) {
      bits.skip(found.length);
      return found.symbol;
    }
    std::uint64_t code = bits.take(kShortBits);
    for (std::uint32_t length = kShortBits + 1; length <= kMaxCodeBits; ++length) {
      code = code << 1 | bits.take(1);
      const Range& range = ranges_[length];
      if (code >= range.code && code - range.code < range.count)
        return symbols_[range.position + static_cast<std::uint32_t>(code - range.code)];
    }
    return kMaxSymbols;
  }

 private:
  static constexpr std::uint32_t kShortBits = 12;
  struct Range {
    std::uint64_t code = 0, count = 0;  // codes of one length
    std::uint32_t position = 0;         // of the first one in `symbols_`
  };
  struct Short {
    std::uint32_t symbol = 0;
    std::uint8_t length = 0;
  };
  std::array<Range, kMaxCodeBits + 1> ranges_{};
  std::vector<std::uint32_t> symbols_;  // by length, then by value
  std::vector<Short> short_;            // by the first bits
};

// `count` words; nothing if the bytes are damaged.
std::optional<std::vector<std::uint16_t>> huffman_words(Bytes bytes, std::size_t count) {
  constexpr std::uint32_t kLengthBits = 6, kShortRun = 59, kLongRun = 63, kLongRunBits = 8;
  ByteReader header(bytes);
  const auto first = header.read<std::uint32_t>(), last = header.read<std::uint32_t>();
  header.read<std::uint32_t>();  // the size of the table, which nothing needs
  const auto data_bits = header.read<std::uint32_t>();
  header.read<std::uint32_t>();
  if (header.failed() || first > last || last >= kMaxSymbols) return std::nullopt;

  // The lengths of the codes, with runs of zeros.
  const Bytes packed = bytes.subspan(header.offset());
  BitReader table(packed, packed.size() * 8);
  std::vector<std::uint8_t> lengths(last - first + 1);
  for (std::size_t i = 0; i < lengths.size();) {
    const auto length = static_cast<std::uint32_t>(table.take(kLengthBits));
    std::size_t zeros = 0;
    if (length == kLongRun)
      zeros = table.take(kLongRunBits) + (kLongRun - kShortRun) + 2;
    else if (length >= kShortRun)
      zeros = length - kShortRun + 2;
    if (table.failed() || zeros > lengths.size() - i) return std::nullopt;
    if (zeros == 0) lengths[i++] = static_cast<std::uint8_t>(length);
    i += zeros;
  }
  HuffmanCode code;
  if (!code.make(first, lengths)) return std::nullopt;

  const Bytes data = packed.subspan(table.bytes_taken());
  constexpr std::size_t kMaxRun = 255;  // of one code, which has a bit at least
  if (data_bits > data.size() * 8 || count / kMaxRun > data_bits) return std::nullopt;
  BitReader bits(data, data_bits);
  std::vector<std::uint16_t> words;
  words.reserve(count);
  while (words.size() < count) {
    if (bits.at_end()) return std::nullopt;
    const std::uint32_t symbol = code.next(bits);
    std::size_t repeated = 1;
    if (symbol == last) {  // the previous word again
      repeated = bits.take(8);
      if (words.empty() || repeated > count - words.size()) return std::nullopt;
      words.insert(words.end(), repeated, std::uint16_t{words.back()});
    } else if (symbol < last) {
      words.push_back(static_cast<std::uint16_t>(symbol));
    } else {
      return std::nullopt;
    }
    if (bits.failed()) return std::nullopt;
  }
  return words;
}

// Undo the step of the wavelet from two words to their mean and difference: for values of 14 bits, and of 16 bits
// modulo 2^16.
struct WordPair {
  std::uint16_t a, b;
};
WordPair pair_14(std::uint16_t mean, std::uint16_t difference) {
  const int m = static_cast<std::int16_t>(mean), d = static_cast<std::int16_t>(difference);
  const int a = m + (d & 1) + (d >> 1);
  return {static_cast<std::uint16_t>(a), static_cast<std::uint16_t>(a - d)};
}
WordPair pair_16(std::uint16_t mean, std::uint16_t difference) {
  constexpr int kHalf = 0x8000;
  const int b = (mean - (difference >> 1)) & 0xffff;
  return {static_cast<std::uint16_t>(difference + b - kHalf), static_cast<std::uint16_t>(b)};
}

// Undoes the wavelet on `width` x `height` words, which are `step` and `line` words apart.
template <WordPair (*pair)(std::uint16_t, std::uint16_t)>
void undo_wavelet(std::uint16_t* words, std::size_t width, std::size_t step, std::size_t height, std::size_t line) {
  const std::size_t smaller = std::min(width, height);
  std::size_t outer = 1;
  while (outer * 2 <= smaller) outer *= 2;
  for (std::size_t inner = outer / 2; inner > 0; outer = inner, inner /= 2) {
    const std::size_t right = step * inner, below = line * inner;
    const auto apply = [](std::uint16_t& a, std::uint16_t& b) {
      const WordPair made = pair(a, b);
      a = made.a;
      b = made.b;
    };
    std::size_t y = 0;
    for (; y + outer <= height; y += outer) {
      std::size_t x = 0;
      for (; x + outer <= width; x += outer) {
        std::uint16_t* at = words + y * line + x * step;
        apply(at[0], at[below]);
        apply(at[right], at[below + right]);
        apply(at[0], at[right]);
        apply(at[below], at[below + right]);
      }
      if (width & inner) apply(words[y * line + x * step], words[y * line + x * step + below]);
    }
    if (height & inner) {
      for (std::size_t x = 0; x + outer <= width; x += outer) {
        std::uint16_t* at = words + y * line + x * step;
        apply(at[0], at[right]);
      }
    }
  }
}

}  // namespace

std::optional<std::vector<std::byte>> exr_piz(const ExrView& picture, const ExrChunk& chunk, std::size_t size) {
  ByteReader in(chunk.bytes);
  const auto first = in.read<std::uint16_t>(), last = in.read<std::uint16_t>();
  std::array<std::byte, kBitmapBytes> bitmap{};
  if (last >= kBitmapBytes) return std::nullopt;
  if (first <= last) std::ranges::copy(in.take(std::size_t{last} - first + 1), bitmap.begin() + first);
  const auto code_bytes = in.read<std::uint32_t>();
  const Bytes code = in.take(code_bytes);
  if (in.failed()) return std::nullopt;

  // Value i of the words is the i-th value that occurs; 0 always does.
  std::vector<std::uint16_t> values;
  for (std::uint32_t value = 0; value < kBitmapBytes * 8; ++value) {
    const auto bits = std::to_integer<std::uint32_t>(bitmap[value / 8]);
    if (value == 0 || (bits >> value % 8 & 1) != 0) values.push_back(static_cast<std::uint16_t>(value));
  }
  constexpr std::size_t kMax14 = 1 << 14;
  const bool narrow = values.size() <= kMax14;
  values.resize(kBitmapBytes * 8);

  auto words = huffman_words(code, size / 2);
  if (!words) return std::nullopt;
  std::uint16_t* channel_words = words->data();
  std::vector<const std::uint16_t*> next;  // of each channel
  for (const ExrChannel& channel : picture.channels) {
    const std::size_t parts = channel.bytes() / 2, line = chunk.width * parts;
    for (std::size_t part = 0; part < parts; ++part) {
      (narrow ? undo_wavelet<pair_14> : undo_wavelet<pair_16>)(channel_words + part, chunk.width, parts, chunk.height,
                                                               line);
    }
    next.push_back(channel_words);
    channel_words += line * chunk.height;
  }
  for (std::uint16_t& word : *words) word = values[word];

  // From channel after channel to line after line.
  std::vector<std::byte> lines(size);
  std::byte* to = lines.data();
  for (std::uint32_t y = 0; y < chunk.height; ++y) {
    for (std::size_t c = 0; c < picture.channels.size(); ++c) {
      const std::size_t bytes = std::size_t{chunk.width} * picture.channels[c].bytes();
      std::memcpy(to, next[c], bytes);
      next[c] += bytes / 2;
      to += bytes;
    }
  }
  return lines;
}

}  // namespace slipway::tensor
