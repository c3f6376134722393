// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "importer/onnx/wire/wire.hpp"

#include <gtest/gtest.h>

#include "base/format.hpp"

namespace slipway::importer::onnx {
namespace {

using namespace std::string_view_literals;

// The fields, then the fault.
std::string fields(std::string_view bytes) {
  WireReader reader(bytes_of(bytes));
  std::string text;
  for (WireField field; reader.next(field);) {
    append_formatted(text, "{}:{}={} ", field.number, static_cast<int>(field.type),
                     field.type == WireType::Varint ? std::to_string(field.value) : text_of(field.contents));
  }
  return text + std::to_string(static_cast<int>(reader.fault()));
}

TEST(Wire, ReadsFieldsOfAllTypes) {
  EXPECT_EQ(fields(""), "0");
  EXPECT_EQ(fields("\x08\x05"sv), "1:0=5 0");
  EXPECT_EQ(fields("\x08\x96\x01\x12\x02hi\x1d"
                   "abcd\x21"
                   "abcdefgh"sv),
            "1:0=150 2:2=hi 3:5=abcd 4:1=abcdefgh 0");
  EXPECT_EQ(fields("\x0a\x00"sv), "1:2= 0");
  // The largest number of a field.
  EXPECT_EQ(fields("\xf8\xff\xff\xff\x0f\x01"sv), "536870911:0=1 0");
}

TEST(Wire, ReadsVarintsOf64Bits) {
  EXPECT_EQ(fields("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), "1:0=18446744073709551615 0");
  // Longer than necessary.
  EXPECT_EQ(fields("\x08\x81\x80\x00"sv), "1:0=1 0");
}

TEST(Wire, ReportsFaults) {
  const auto fault = [](WireFault of) { return std::to_string(static_cast<int>(of)); };
  EXPECT_EQ(fields("\x08"sv), fault(WireFault::Truncated));
  EXPECT_EQ(fields("\x08\x80"sv), fault(WireFault::Truncated));
  EXPECT_EQ(fields("\x0d"
                   "abc"sv),
            fault(WireFault::Truncated));
  EXPECT_EQ(fields("\x09"
                   "abcdefg"sv),
            fault(WireFault::Truncated));
  EXPECT_EQ(fields("\x0a"sv), fault(WireFault::Truncated));
  EXPECT_EQ(fields("\x08\x01\x0a\x03"
                   "ab"sv),
            "1:0=1 " + fault(WireFault::Length));
  EXPECT_EQ(fields("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), fault(WireFault::Length));
  EXPECT_EQ(fields("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv), fault(WireFault::LongVarint));
  EXPECT_EQ(fields("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"sv), fault(WireFault::LongVarint));
  EXPECT_EQ(fields("\x00\x00"sv), fault(WireFault::FieldNumber));
  EXPECT_EQ(fields("\x80\x80\x80\x80\x10\x00"sv), fault(WireFault::FieldNumber));
  for (const char type : {'\x0b', '\x0c', '\x0e', '\x0f'})
    EXPECT_EQ(fields(std::string{type, '\x00'}), fault(WireFault::WireType));
}

TEST(Wire, PointsAtTheFieldWithTheFault) {
  const auto bytes =
      "\x08\x01\x12\x05"
      "abc"sv;
  WireReader reader(bytes_of(bytes));
  for (WireField field; reader.next(field);) {
  }
  EXPECT_EQ(reader.fault_number(), 2U);
  EXPECT_EQ(reader.fault_length(), 5U);
  EXPECT_EQ(reader.fault_range().data(), bytes_of(bytes).data() + 2);
}

TEST(Wire, AppendsPackedLists) {
  std::vector<std::int64_t> values = {7};
  EXPECT_EQ(append_varints(bytes_of("\x01\x96\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv), values),
            WireFault::None);
  EXPECT_EQ(values, (std::vector<std::int64_t>{7, 1, 150, -1}));
  EXPECT_EQ(append_varints(bytes_of("\x80"sv), values), WireFault::Truncated);
}

}  // namespace
}  // namespace slipway::importer::onnx
