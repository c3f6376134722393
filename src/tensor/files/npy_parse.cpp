// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses the header of a .npy file: a Python dictionary with `descr`, `fortran_order` and `shape`, in any order and
// spacing.
#include <algorithm>
#include <charconv>

#include "base/checked.hpp"
#include "base/format.hpp"
#include "tensor/files/npy.hpp"

namespace slipway::tensor {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// Limits the recursion; real dtypes are not nested as deeply.
constexpr int kMaxNesting = 32;

// The file may contain any bytes; messages must be printable.
std::string printable(std::string_view text) {
  std::string out(text.substr(0, 40));
  std::ranges::replace_if(out, [](char c) { return c < 0x20 || c > 0x7e; }, '?');
  return out;
}

// A dtype such as `<f4`.
struct SimpleType {
  char kind = 'V';
  bool big_endian = false;
  std::uint64_t size = 0;
  std::optional<ElementType> named = std::nullopt;  // if the dtype is a name that says it
};

// Dtypes by name. Those of ml_dtypes are in files as `<V2`, `<V1` and, float8_e5m2 alone, `<f1`; other programs write
// the names.
struct NamedType {
  std::string_view name;
  SimpleType type;
};
constexpr std::string_view kNibbles = "int4";  // and uint4, whose high bits are zeros
constexpr NamedType kNamedTypes[] = {
    {"bool", {'b', false, 1, ElementType::Bool}},          {"int8", {'i', false, 1, ElementType::I8}},
    {"uint8", {'u', false, 1, ElementType::U8}},           {"int16", {'i', false, 2, ElementType::I16}},
    {"uint16", {'u', false, 2, ElementType::U16}},         {"int32", {'i', false, 4, ElementType::I32}},
    {"uint32", {'u', false, 4, ElementType::U32}},         {"int64", {'i', false, 8, ElementType::I64}},
    {"uint64", {'u', false, 8, ElementType::U64}},         {"float16", {'f', false, 2, ElementType::F16}},
    {"float32", {'f', false, 4, ElementType::F32}},        {"float64", {'f', false, 8, ElementType::F64}},
    {"bfloat16", {'V', false, 2, ElementType::BF16}},      {"float8_e4m3fn", {'V', false, 1, ElementType::F8E4M3}},
    {"float8_e5m2", {'f', false, 1, ElementType::F8E5M2}}, {kNibbles, {'i', false, 1, ElementType::I8}},
    {"uint4", {'u', false, 1, ElementType::U8}},
};

class HeaderParser {
 public:
  // `text` starts at `offset` of the file.
  HeaderParser(std::string_view text, std::uint64_t offset, const std::string& name)
      : text_(text), offset_(offset), name_(name) {}

  Result<NpyView> parse() {
    NpyView view;
    view.header_range = {offset_, offset_ + text_.size()};
    bool seen_descr = false;
    bool seen_order = false;
    bool seen_shape = false;
    if (!accept('{')) return unexpected("`{`");
    while (!accept('}')) {
      const std::size_t key_begin = skip_blanks();
      SLIPWAY_TRY(const std::string_view key, string());
      const std::size_t key_end = at_;
      bool* seen = key == "descr"           ? &seen_descr
                   : key == "fortran_order" ? &seen_order
                   : key == "shape"         ? &seen_shape
                                            : nullptr;
      if (!seen) return failure(key_begin, key_end, formatted("unknown key `{}` in the header", printable(key)));
      if (*seen) return failure(key_begin, key_end, formatted("duplicate key `{}` in the header", key));
      *seen = true;
      if (!accept(':')) return unexpected("`:`");
      skip_blanks();
      SLIPWAY_TRY_VOID(seen == &seen_descr ? descr(view) : seen == &seen_order ? order(view) : shape(view));
      if (!accept(',') && !next_is('}')) return unexpected("`,` or `}`");
    }
    skip_blanks();
    if (at_ != text_.size()) {
      return failure(at_, text_.size(),
                     formatted("unexpected `{}` after the dictionary of the header", printable(text_.substr(at_, 1))));
    }
    for (const auto& [seen, key] :
         {std::pair(seen_descr, "descr"), {seen_order, "fortran_order"}, {seen_shape, "shape"}}) {
      if (!seen) return failure(0, text_.size(), formatted("the header has no `{}`", key));
    }
    return view;
  }

 private:
  SourceLocation location(std::size_t begin, std::size_t end) const {
    return SourceLocation::in_bytes(name_, {offset_ + begin, offset_ + end});
  }
  std::unexpected<Failure> failure(std::size_t begin, std::size_t end, std::string message) const {
    return fail(DiagnosticKind::FileFormat, location(begin, end), std::move(message));
  }
  std::unexpected<Failure> unexpected(std::string_view wanted) {
    skip_blanks();
    if (at_ == text_.size()) return failure(at_, at_, formatted("the header ends where {} should be", wanted));
    return failure(at_, at_ + 1,
                   formatted("expected {} in the header, not `{}`", wanted, printable(text_.substr(at_, 1))));
  }

  std::size_t skip_blanks() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n\f\v", at_), text_.size());
    return at_;
  }
  bool next_is(char c) { return skip_blanks() < text_.size() && text_[at_] == c; }
  bool accept(char c) {
    if (!next_is(c)) return false;
    ++at_;
    return true;
  }
  bool accept_word(std::string_view word) {
    if (!text_.substr(skip_blanks()).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // The raw text between the quotes.
  Result<std::string_view> string() {
    if (!next_is('\'') && !next_is('"')) return unexpected("a string");
    const char quote = text_[at_];
    const std::size_t begin = at_++;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return text_.substr(begin + 1, at_ - begin - 2);
      }
    }
    at_ = text_.size();
    return failure(begin, at_, "a string without its closing quote in the header");
  }

  Result<std::int64_t> extent() {
    skip_blanks();
    std::int64_t value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error == std::errc::invalid_argument) return unexpected("a dimension");
    const std::size_t start = at_;
    at_ += static_cast<std::size_t>(end - begin);
    if (error != std::errc{} || value < 0) {
      return failure(start, at_, formatted("the dimension `{}` is out of range", text_.substr(start, at_ - start)));
    }
    // Python 2 wrote long integers with a suffix.
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;
    return value;
  }

  // A tuple of dimensions. A single element needs a comma, as in Python.
  Result<Shape> tuple() {
    if (!accept('(')) return unexpected("`(`");
    Shape values;
    bool comma = false;
    while (!accept(')')) {
      if (!values.empty() && !comma) return unexpected("`,` or `)`");
      SLIPWAY_TRY(const std::int64_t value, extent());
      values.push_back(value);
      comma = accept(',');
    }
    if (values.size() == 1 && !comma) {
      return failure(at_ - 1, at_, formatted("a tuple of one dimension needs a comma: `({},)`", values[0]));
    }
    return values;
  }

  Result<> shape(NpyView& view) {
    const std::size_t begin = at_;
    SLIPWAY_TRY(view.shape, tuple());
    view.shape_range = {offset_ + begin, offset_ + at_};
    return {};
  }

  Result<> order(NpyView& view) {
    view.fortran = accept_word("True");
    if (!view.fortran && !accept_word("False")) return unexpected("`True` or `False`");
    return {};
  }

  // Whether NumPy has the type in this size, which becomes one in bytes.
  static bool fix_size(SimpleType& type) {
    const auto sizes = [&](std::initializer_list<std::uint64_t> known) {
      return std::ranges::contains(known, type.size);
    };
    switch (type.kind) {
      case 'b':
        return type.size == 1;
      case 'i':
      case 'u':
        return sizes({1, 2, 4, 8});
      case 'f':
        return sizes({1, 2, 4, 8, 12, 16});
      case 'c':
        return sizes({8, 16, 24, 32});
      case 'm':
      case 'M':
        return type.size == 8;
      case 'U': {
        const Size bytes = checked_multiply(type.size, 4);
        type.size = bytes.value_or(0);
        return bytes.has_value();
      }
      default:
        return type.kind == 'S' || type.kind == 'a' || type.kind == 'V';
    }
  }

  // `<f4`: byte order, kind, size in bytes (in characters for U), a unit for dates.
  Result<SimpleType> simple_type() {
    const std::size_t begin = skip_blanks();
    SLIPWAY_TRY(const std::string_view string_text, string());
    const auto refuse = [&](std::string_view why) {
      return failure(begin, at_, formatted("the dtype `{}` {}", printable(string_text), why));
    };
    SimpleType type;
    std::string_view rest = string_text;
    if (!rest.empty() && std::string_view("<>|=").contains(rest[0])) {
      type.big_endian = rest[0] == '>';
      rest.remove_prefix(1);
    }
    if (rest.empty()) return refuse("is unknown");
    if (const auto* const named = std::ranges::find(kNamedTypes, rest, &NamedType::name);
        named != std::end(kNamedTypes)) {
      type.kind = named->type.kind;
      type.size = named->type.size;
      type.named = named->type.named;
      return type;
    }
    type.kind = rest[0];
    if (type.kind == 'O') return refuse("contains Python objects, which cannot be read");
    const auto [end, error] = std::from_chars(rest.data() + 1, rest.data() + rest.size(), type.size);
    const std::string_view unit(end, rest.data() + rest.size());
    const bool is_date = type.kind == 'm' || type.kind == 'M';
    if (error != std::errc{} || !(unit.empty() || (is_date && unit.starts_with('[') && unit.ends_with(']')))) {
      return refuse("is unknown");
    }
    if (!fix_size(type)) return refuse("is unknown");
    return type;
  }

  Result<> descr(NpyView& view) {
    const std::size_t begin = at_;
    if (next_is('[')) {
      SLIPWAY_TRY(view.item_size, structured_size(0));
      view.structured = true;
      view.descr = text_.substr(begin, at_ - begin);
    } else {
      SLIPWAY_TRY(const SimpleType type, simple_type());
      view.descr = text_.substr(begin + 1, at_ - begin - 2);
      view.kind = type.kind;
      view.big_endian = type.big_endian;
      view.item_size = type.size;
      view.swap_size = swap_size(type);
      view.type = element_type(type);
      view.nibbles = view.descr == kNibbles;
    }
    view.descr_range = {offset_ + begin, offset_ + at_};
    return {};
  }

  static std::uint32_t swap_size(const SimpleType& type) {
    switch (type.kind) {
      case 'S':
      case 'a':
      case 'V':
      case 'b':
        return 1;
      case 'U':
        return 4;
      case 'c':
        return static_cast<std::uint32_t>(type.size / 2);
      default:
        return static_cast<std::uint32_t>(type.size);
    }
  }

  static std::optional<ElementType> element_type(const SimpleType& type) {
    if (type.named) return type.named;
    // The only float of 8 bits that ml_dtypes does not write as raw bytes.
    if (type.kind == 'f' && type.size == 1) return ElementType::F8E5M2;
    const ElementKind kind = type.kind == 'b'   ? ElementKind::Bool
                             : type.kind == 'u' ? ElementKind::Unsigned
                             : type.kind == 'i' ? ElementKind::Signed
                                                : ElementKind::Float;
    if (!std::string_view("buif").contains(type.kind)) return std::nullopt;
    // Element types without a dtype of their own are written as another one, so a dtype never means them.
    for (const ElementTypeInfo& info : element_types()) {
      if (info.kind == kind && info.descr == formatted("{}{}{}", info.descr[0], type.kind, type.size)) return info.type;
    }
    return std::nullopt;
  }

  // A list of fields: (name, dtype) or (name, dtype, shape); a name may be (title, name), and a dtype may be a list of
  // fields.
  Result<std::uint64_t> structured_size(int depth) {
    const std::size_t begin = at_;
    if (depth == kMaxNesting) return failure(begin, begin + 1, "a dtype nested too deeply");
    if (!accept('[')) return unexpected("`[`");
    Size total = 0;
    while (!accept(']')) {
      if (!accept('(')) return unexpected("a field `(name, dtype)`");
      if (const auto named = field_name(); !named) return std::unexpected(named.error());
      if (!accept(',')) return unexpected("`,`");
      Result<std::uint64_t> size = 0;
      if (next_is('[')) {
        size = structured_size(depth + 1);
      } else {
        size = simple_type().transform([](const SimpleType& type) { return type.size; });
      }
      if (!size) return size;
      Size field = *size;
      if (accept(',') && !next_is(')')) {
        SLIPWAY_TRY(const Shape extents, tuple());
        field = checked_multiply(field, checked_product(ShapeView(extents)));
      }
      if (!accept(')')) return unexpected("`)`");
      total = checked_add(total, field);
      if (!accept(',') && !next_is(']')) return unexpected("`,` or `]`");
    }
    if (!total) return failure(begin, at_, "the size of the dtype does not fit in 64 bits");
    return *total;
  }

  Result<> field_name() {
    const bool titled = accept('(');
    SLIPWAY_TRY_VOID(string());
    if (!titled) return {};
    if (!accept(',')) return unexpected("`,`");
    SLIPWAY_TRY_VOID(string());
    if (!accept(')')) return unexpected("`)`");
    return {};
  }

  std::string_view text_;
  std::uint64_t offset_;
  const std::string& name_;
  std::size_t at_ = 0;
};

std::string shape_as_tuple(const Shape& shape) {
  std::string text = shape_text(shape);
  text.front() = '(';
  text.back() = ')';
  if (shape.size() == 1) text.insert(text.size() - 1, ",");
  return text;
}

}  // namespace

Result<NpyView> parse_npy(Bytes file, const std::string& name, Diagnostics& warnings) {
  const auto location = [&](std::uint64_t begin, std::uint64_t end) {
    return SourceLocation::in_bytes(name, {begin, end});
  };
  if (!slipway::text_of(file).starts_with(kMagic)) {
    return fail(DiagnosticKind::FileFormat, location(0, std::min(file.size(), kMagic.size())),
                "not a .npy file: it does not start with `\\x93NUMPY`");
  }
  ByteReader reader(file, kMagic.size());
  const auto major = reader.read<std::uint8_t>();
  const auto minor = reader.read<std::uint8_t>();
  if (!reader.failed() && (major < 1 || major > 3 || minor != 0)) {
    return fail(DiagnosticKind::FileFormat, location(6, 8),
                formatted("version {}.{} of the .npy format is unknown; 1.0, 2.0 and 3.0 are known", major, minor));
  }
  const std::uint64_t length = major == 1 ? reader.read<std::uint16_t>() : reader.read<std::uint32_t>();
  const std::uint64_t begin = reader.offset();
  const std::string_view header = slipway::text_of(reader.take(length));
  if (reader.failed())
    return fail(DiagnosticKind::FileTruncated, location(0, file.size()), "the file ends inside its header");

  Result<NpyView> view = HeaderParser(header, begin, name).parse();
  if (!view) return view;
  const std::uint64_t payload = begin + length;
  const std::uint64_t there = file.size() - payload;
  const Size needed = checked_multiply(checked_product(ShapeView(view->shape)), view->item_size);
  if (!needed) {
    return fail(DiagnosticKind::OutOfRange, SourceLocation::in_bytes(name, view->shape_range),
                formatted("the number of bytes of the shape {} does not fit in 64 bits", shape_as_tuple(view->shape)));
  }
  if (*needed > there) {
    return fail(DiagnosticKind::FileTruncated, location(payload, file.size()),
                formatted("the shape {} of `{}` needs {} bytes, but the file has {}", shape_as_tuple(view->shape),
                          printable(view->descr), *needed, there));
  }
  if (*needed < there) {
    warnings.warning(DiagnosticKind::TrailingData, location(payload + *needed, file.size()),
                     formatted("{} bytes follow the {} that the shape {} of `{}` needs; they are ignored",
                               there - *needed, *needed, shape_as_tuple(view->shape), printable(view->descr)));
  }
  view->payload = file.subspan(payload, *needed);
  return view;
}

}  // namespace slipway::tensor
