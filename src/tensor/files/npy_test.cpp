// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tensor/files/npy.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "base/print_diagnostic.hpp"
#include "tensor/element.hpp"

namespace slipway::tensor {
namespace {

// A .npy file of version 1.0 from the text of its header.
std::string file(std::string_view header, std::string_view payload = {}) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + std::string(header) + std::string(payload);
}

std::string dict(std::string_view descr, std::string_view shape, bool fortran = false) {
  return formatted("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}\n", descr, fortran ? "True" : "False", shape);
}

std::string problem_in_npy(std::string_view bytes) {
  Diagnostics warnings;
  const auto view = parse_npy(bytes_of(bytes), "a.npy", warnings);
  return view ? "parsed" : format_diagnostic(view.error().at(0));
}

// The contents of the header: dtype, element type, bytes of an element, shape.
std::string good(std::string_view bytes) {
  Diagnostics warnings;
  const auto view = parse_npy(bytes_of(bytes), "a.npy", warnings);
  if (!view) return format_diagnostics(view.error());
  EXPECT_TRUE(warnings.empty());
  return formatted("{} {} {} {} {}{}{}", view->descr, view->kind, view->type ? name_of(*view->type) : "-",
                   view->item_size, shape_text(view->shape), view->fortran ? " fortran" : "",
                   view->structured ? " structured" : "");
}

std::string of_type(std::string_view descr) { return good(file(dict(descr, "(0,)"))); }
std::string bad_type(std::string_view descr) { return problem_in_npy(file(dict(descr, "(0,)"))); }

// The elements in C order and little-endian, in hexadecimal digits.
std::string elements(std::string_view bytes) {
  Diagnostics warnings;
  const auto view = parse_npy(bytes_of(bytes), "a.npy", warnings);
  if (!view) return format_diagnostics(view.error());
  std::vector<std::byte> to(view->payload.size());
  copy_elements(*view, to);
  if (const auto plain = plain_elements(*view)) {
    EXPECT_EQ(slipway::text_of(*plain), slipway::text_of(to));
  }
  std::string text;
  for (const std::byte b : to) text += formatted("{:02x}", std::to_integer<int>(b));
  return text;
}

TEST(Npy, ReadsWhatItWrites) {
  for (const ElementTypeInfo& info : element_types()) {
    const std::string bytes = npy_header(info.descr, Shape{2, 3}) + std::string(6 * info.size, 'x');
    Diagnostics warnings;
    const auto view = parse_npy(bytes_of(bytes), "a.npy", warnings);
    ASSERT_TRUE(view) << info.name;
    EXPECT_EQ(view->shape, (Shape{2, 3}));
    EXPECT_EQ(view->item_size, info.size);
    EXPECT_EQ(view->payload.size(), 6 * info.size);
    // .npy files have no bf16 and fp8.
    const bool has_dtype = info.type != ElementType::BF16 && info.type != ElementType::F8E4M3;
    EXPECT_EQ(view->type.has_value(), has_dtype);
  }
}

TEST(Npy, HeadersAreExactToTheByte) {
  EXPECT_EQ(npy_header("<f4", Shape{1, 2}), std::string("\x93NUMPY\x01\x00\x46\x00", 10) +
                                                "{'descr': '<f4','fortran_order': False,'shape': (1, 2)}" +
                                                std::string(14, ' ') + "\n");
  EXPECT_EQ(npy_file("|i1", Shape{2}, bytes_of(std::string_view("ab"))), npy_header("|i1", Shape{2}) + "ab");
  EXPECT_EQ(npy_header("|i1", Shape{40}).substr(10, 55), "{'descr': '|i1','fortran_order': False,'shape': (40,)} ");
  EXPECT_EQ(npy_header("|b1", Shape{}).substr(10, 53), "{'descr': '|b1','fortran_order': False,'shape': ()}  ");
  // One to sixteen spaces: the text of 53 bytes needs sixteen.
  for (std::int64_t extent = 1; extent < 1'000'000'000'000'000'000; extent *= 10) {
    const std::string header = npy_header("<f4", Shape{extent});
    EXPECT_EQ(header.size() % 16, 0u);
    const std::size_t blanks = header.size() - 1 - header.find('}') - 1;
    EXPECT_GE(blanks, 1u);
    EXPECT_LE(blanks, 16u);
  }
  EXPECT_EQ(npy_header("<f4", Shape{10}).size(), 80u);
  EXPECT_EQ(npy_header("<f4", Shape(20'000, 10)).substr(6, 2), std::string("\x02\x00", 2));
  const std::string large = npy_header("<f4", Shape(20'000, 1));
  EXPECT_EQ(large.size() % 16, 0u);
  Diagnostics warnings;
  const std::string bytes = large + "abcd";
  const auto view = parse_npy(bytes_of(bytes), "a.npy", warnings);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->shape.size(), 20'000u);
}

TEST(Npy, KeysInAnyOrderAndSpacing) {
  EXPECT_EQ(good(file("{\"shape\":(2,3),'fortran_order':True,'descr':\"<i2\"}", std::string(12, 'x'))),
            "<i2 i i16 2 [2, 3] fortran");
  EXPECT_EQ(good(file(" { 'descr' : '|u1' , 'fortran_order' : False , 'shape' : ( ) , } \n\n", "x")), "|u1 u u8 1 []");
  EXPECT_EQ(good(file("{'descr': 'f8', 'fortran_order': False, 'shape': (1L,)}", "12345678")), "f8 f f64 8 [1]");
  EXPECT_EQ(good(file(dict("'<f4'", "(0, 5)"))), "<f4 f f32 4 [0, 5]");
}

TEST(Npy, Versions) {
  const std::string header = dict("'|u1'", "(1,)");
  for (const char major : {'\x02', '\x03'}) {
    const std::string bytes = std::string("\x93NUMPY") + major + std::string("\x00", 1) +
                              static_cast<char>(header.size()) + std::string("\0\0\0", 3) + header + "x";
    EXPECT_EQ(good(bytes), "|u1 u u8 1 [1]");
  }
  EXPECT_EQ(problem_in_npy(std::string("\x93NUMPY\x04\x00\x00\x00", 10)),
            "a.npy:0x6: error: version 4.0 of the .npy format is unknown; 1.0, 2.0 and 3.0 are known [file-format]\n");
  EXPECT_EQ(problem_in_npy(std::string("\x93NUMPY\x01\x01\x00\x00", 10)),
            "a.npy:0x6: error: version 1.1 of the .npy format is unknown; 1.0, 2.0 and 3.0 are known [file-format]\n");
}

TEST(Npy, Dtypes) {
  EXPECT_EQ(of_type("'|b1'"), "|b1 b bool 1 [0]");
  EXPECT_EQ(of_type("'|i1'"), "|i1 i i8 1 [0]");
  EXPECT_EQ(of_type("'<u2'"), "<u2 u u16 2 [0]");
  EXPECT_EQ(of_type("'>i4'"), ">i4 i i32 4 [0]");
  EXPECT_EQ(of_type("'=u8'"), "=u8 u u64 8 [0]");
  EXPECT_EQ(of_type("'<f2'"), "<f2 f f16 2 [0]");
  EXPECT_EQ(of_type("'<f16'"), "<f16 f - 16 [0]");
  EXPECT_EQ(of_type("'<c8'"), "<c8 c - 8 [0]");
  EXPECT_EQ(of_type("'<V2'"), "<V2 V - 2 [0]");
  // float8_e5m2 of ml_dtypes; its other types are raw bytes, unless a file names them.
  EXPECT_EQ(of_type("'<f1'"), "<f1 f e5m2 1 [0]");
  EXPECT_EQ(of_type("'<V1'"), "<V1 V - 1 [0]");
  EXPECT_EQ(of_type("'bfloat16'"), "bfloat16 V bf16 2 [0]");
  EXPECT_EQ(of_type("'float8_e4m3fn'"), "float8_e4m3fn V e4m3 1 [0]");
  EXPECT_EQ(of_type("'float8_e5m2'"), "float8_e5m2 f e5m2 1 [0]");
  EXPECT_EQ(of_type("'float32'"), "float32 f f32 4 [0]");
  EXPECT_EQ(of_type("'uint4'"), "uint4 u u8 1 [0]");
  EXPECT_EQ(bad_type("'float8_e4m3fnuz'"), "a.npy:0x14: error: the dtype `float8_e4m3fnuz` is unknown [file-format]\n");
  EXPECT_EQ(elements(file(dict("'int4'", "(4,)"), "\x01\x07\x0f\x08")), "0107fff8");
  EXPECT_EQ(of_type("'|S5'"), "|S5 S - 5 [0]");
  EXPECT_EQ(of_type("'<U5'"), "<U5 U - 20 [0]");
  EXPECT_EQ(of_type("'<M8[ns]'"), "<M8[ns] M - 8 [0]");
  EXPECT_EQ(of_type("[('a', '<f4'), ('b', '>i2', (2, 3)), ]"),
            "[('a', '<f4'), ('b', '>i2', (2, 3)), ] V - 16 [0] structured");
  EXPECT_EQ(of_type("[(('title', 'a'), '|u1'), ('', '|V3'), ('n', [('x', '<f8')])]"),
            "[(('title', 'a'), '|u1'), ('', '|V3'), ('n', [('x', '<f8')])] V - 12 [0] structured");
  EXPECT_EQ(bad_type("'|O'"),
            "a.npy:0x14: error: the dtype `|O` contains Python objects, which cannot be read [file-format]\n");
  EXPECT_EQ(bad_type("[('a', '<f4'), ('b', '|O')]"),
            "a.npy:0x29: error: the dtype `|O` contains Python objects, which cannot be read [file-format]\n");
  for (const std::string_view descr : {"", "<", "<f", "<f3", "<x4", "<i4x", "<i99999999999999999999", "<b2", "<M8ns",
                                       "<c4", "<U4611686018427387904", "<m4"}) {
    EXPECT_EQ(bad_type(formatted("'{}'", descr)),
              formatted("a.npy:0x14: error: the dtype `{}` is unknown [file-format]\n", descr));
  }
  EXPECT_EQ(bad_type("'\x01\xff'"), "a.npy:0x14: error: the dtype `??` is unknown [file-format]\n");
  EXPECT_EQ(bad_type("[('a', '|V9223372036854775807', (9,))]"),
            "a.npy:0x14: error: the size of the dtype does not fit in 64 bits [file-format]\n");
  std::string nested;
  for (int i = 0; i < 40; ++i) nested += "[('a', ";
  EXPECT_EQ(bad_type(nested), "a.npy:0xf4: error: a dtype nested too deeply [file-format]\n");
}

TEST(Npy, SyntaxErrorsHaveLocations) {
  EXPECT_EQ(problem_in_npy("not numpy"),
            "a.npy:0x0: error: not a .npy file: it does not start with `\\x93NUMPY` [file-format]\n");
  EXPECT_EQ(problem_in_npy(""),
            "a.npy:0x0: error: not a .npy file: it does not start with `\\x93NUMPY` [file-format]\n");
  EXPECT_EQ(problem_in_npy("\x93NUMPY"), "a.npy:0x0: error: the file ends inside its header [file-truncated]\n");
  EXPECT_EQ(problem_in_npy(file(dict("'<f4'", "()")).substr(0, 30)),
            "a.npy:0x0: error: the file ends inside its header [file-truncated]\n");
  EXPECT_EQ(problem_in_npy(file("[]")), "a.npy:0xa: error: expected `{` in the header, not `[` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("")), "a.npy:0xa: error: the header ends where `{` should be [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr' 3}")),
            "a.npy:0x13: error: expected `:` in the header, not `3` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{descr: 3}")),
            "a.npy:0xb: error: expected a string in the header, not `d` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr")),
            "a.npy:0xb: error: a string without its closing quote in the header [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr\\")),
            "a.npy:0xb: error: a string without its closing quote in the header [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'type': 3}")), "a.npy:0xb: error: unknown key `type` in the header [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr': '<f4', 'descr': '<f4'}")),
            "a.npy:0x1b: error: duplicate key `descr` in the header [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{}")), "a.npy:0xa: error: the header has no `descr` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr': '<f4'}")),
            "a.npy:0xa: error: the header has no `fortran_order` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr': '<f4', 'fortran_order': False}")),
            "a.npy:0xa: error: the header has no `shape` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'descr': '<f4' 'shape': ()}")),
            "a.npy:0x1a: error: expected `,` or `}` in the header, not `'` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file("{'fortran_order': Maybe}")),
            "a.npy:0x1c: error: expected `True` or `False` in the header, not `M` [file-format]\n");
  EXPECT_EQ(problem_in_npy(file(dict("'<f4'", "()") + "x")),
            "a.npy:0x42: error: unexpected `x` after the dictionary of the header [file-format]\n");
  const auto bad_shape = [](std::string_view shape) {
    return problem_in_npy(file(formatted("{{'shape': {}}}", shape)));
  };
  EXPECT_EQ(bad_shape("3"), "a.npy:0x14: error: expected `(` in the header, not `3` [file-format]\n");
  EXPECT_EQ(bad_shape("(3)"), "a.npy:0x16: error: a tuple of one dimension needs a comma: `(3,)` [file-format]\n");
  EXPECT_EQ(bad_shape("(3 4)"), "a.npy:0x17: error: expected `,` or `)` in the header, not `4` [file-format]\n");
  EXPECT_EQ(bad_shape("(x,)"), "a.npy:0x15: error: expected a dimension in the header, not `x` [file-format]\n");
  EXPECT_EQ(bad_shape("(-1,)"), "a.npy:0x15: error: the dimension `-1` is out of range [file-format]\n");
  EXPECT_EQ(bad_shape("(9223372036854775808,)"),
            "a.npy:0x15: error: the dimension `9223372036854775808` is out of range [file-format]\n");
  EXPECT_EQ(bad_shape("(3,"), "a.npy:0x17: error: expected a dimension in the header, not `}` [file-format]\n");
  EXPECT_EQ(bad_type("[3]"),
            "a.npy:0x15: error: expected a field `(name, dtype)` in the header, not `3` [file-format]\n");
  EXPECT_EQ(bad_type("[('a')]"), "a.npy:0x19: error: expected `,` in the header, not `)` [file-format]\n");
  EXPECT_EQ(bad_type("[('a', '<f4'}"), "a.npy:0x20: error: expected `)` in the header, not `}` [file-format]\n");
  EXPECT_EQ(bad_type("[(('a' 'b'), '<f4')]"), "a.npy:0x1b: error: expected `,` in the header, not `'` [file-format]\n");
  EXPECT_EQ(bad_type("[(('a', 'b', '<f4')]"), "a.npy:0x1f: error: expected `)` in the header, not `,` [file-format]\n");
}

TEST(Npy, ThePayloadMustBeComplete) {
  EXPECT_EQ(problem_in_npy(file(dict("'<f4'", "(2, 3)"), std::string(20, 'x'))),
            "a.npy:0x46: error: the shape (2, 3) of `<f4` needs 24 bytes, but the file has 20 [file-truncated]\n");
  EXPECT_EQ(problem_in_npy(file(dict("'<f4'", "(4611686018427387904, 2)"))),
            "a.npy:0x3c: error: the number of bytes of the shape (4611686018427387904, 2) does not fit in 64 bits "
            "[out-of-range]\n");
  Diagnostics warnings;
  const std::string bytes = file(dict("'<f4'", "(2,)"), std::string(11, 'x'));
  const auto view = parse_npy(bytes_of(bytes), "a.npy", warnings);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->payload.size(), 8u);
  EXPECT_EQ(format_diagnostics(warnings.all()),
            "a.npy:0x4c: warning: 3 bytes follow the 8 that the shape (2,) of `<f4` needs; they are ignored "
            "[trailing-data]\n");
  EXPECT_EQ(bytes.substr(view->descr_range.begin, view->descr_range.end - view->descr_range.begin), "'<f4'");
  EXPECT_EQ(bytes.substr(view->shape_range.begin, view->shape_range.end - view->shape_range.begin), "(2,)");
  EXPECT_EQ(view->header_range.begin, 10u);
}

TEST(Npy, ElementsInCOrder) {
  EXPECT_EQ(elements(file(dict("'<u2'", "(2,)"), "abcd")), "61626364");
  EXPECT_EQ(elements(file(dict("'>u2'", "(2,)"), "abcd")), "62616463");
  EXPECT_EQ(elements(file(dict("'>u1'", "(2,)"), "ab")), "6162");
  EXPECT_EQ(elements(file(dict("'>c8'", "(1,)"), "abcdefgh")), "6463626168676665");
  EXPECT_EQ(elements(file(dict("'>U1'", "(1,)"), "abcd")), "64636261");
  EXPECT_EQ(elements(file(dict("'>V2'", "(2,)"), "abcd")), "61626364");
  EXPECT_EQ(elements(file(dict("[('a', '>u2')]", "(2,)"), "abcd")), "61626364");
  EXPECT_EQ(elements(file(dict("'|S2'", "(2,)", true), "abcd")), "61626364");
  EXPECT_EQ(elements(file(dict("'<f4'", "()"), "abcd")), "61626364");
  EXPECT_EQ(elements(file(dict("'<f4'", "(0, 3)", true))), "");
  EXPECT_EQ(elements(file(dict("'|S0'", "(1000000000000,)"))), "");
  // [[0, 1, 2], [3, 4, 5]] with the first dimension varying fastest.
  EXPECT_EQ(elements(file(dict("'|u1'", "(2, 3)", true), std::string("\0\3\1\4\2\5", 6))), "000102030405");
  EXPECT_EQ(elements(file(dict("'>u2'", "(2, 2)", true), std::string("\0\0\0\2\0\1\0\3", 8))), "0000010002000300");
  EXPECT_EQ(elements(file(dict("'|u1'", "(1, 3, 1)", true), "abc")), "616263");
}

// All element sizes and a rank of four, against the definition.
TEST(Npy, FortranOrderIsTransposed) {
  const Shape shape{2, 3, 1, 4};
  for (const std::size_t size : {1, 2, 3, 4, 8, 16}) {
    std::string payload(24 * size, ' ');
    std::string expected;
    for (std::uint64_t i = 0; i < 24; ++i) {
      const Shape at = coordinates_of(shape, i);
      const auto from = static_cast<std::size_t>(at[0] + 2 * (at[1] + 3 * (at[2] + 1 * at[3])));
      for (std::size_t b = 0; b < size; ++b) {
        payload[from * size + b] = static_cast<char>(i * 7 + b);
        expected += formatted("{:02x}", (i * 7 + b) & 0xff);
      }
    }
    EXPECT_EQ(elements(file(dict(formatted("'|V{}'", size), "(2, 3, 1, 4)", true), payload)), expected) << size;
  }
}

}  // namespace
}  // namespace slipway::tensor
