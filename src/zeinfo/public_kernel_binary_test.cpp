// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "slipway/kernel_binary.hpp"

namespace slipway {
namespace {

constexpr std::string_view kText = R"(version: 1.39
kernels:
  - name: saxpy
    execution_env: { grf_count: 128, simd_size: 16, spill_size: 64 }
    payload_arguments:
      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global, access_type: readwrite }
      - { arg_type: arg_byvalue, offset: 8, size: 4, arg_index: 1 }
      - { arg_type: local_size, offset: 16, size: 12 }
)";

Outcome<KernelBinary> binary_of(std::string_view text) {
  return KernelBinary::parse(std::as_bytes(std::span(text)), "other.ze_info");
}
Outcome<KernelBinary> saxpy() { return KernelBinary::parse(std::as_bytes(std::span(kText)), "k.ze_info"); }

template <class T>
T at(const std::vector<std::byte>& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

TEST(KernelBinary, MetricsAndLayout) {
  const auto binary = saxpy();
  ASSERT_TRUE(binary) << binary.error()[0].text;
  EXPECT_EQ(binary->version(), "1.39");
  ASSERT_EQ(binary->kernels().size(), 1u);
  EXPECT_EQ(binary->kernels()[0].name, "saxpy");
  EXPECT_EQ(binary->kernels()[0].simd, 16);
  EXPECT_EQ(binary->kernels()[0].spill_bytes, 64u);
  const auto layout = binary->layout("saxpy");
  ASSERT_TRUE(layout);
  ASSERT_GE(layout->size(), 4u);
  EXPECT_EQ((*layout)[0].argument, 0);
  EXPECT_EQ((*layout)[2].what, "(hole)");
  EXPECT_EQ(binary->layout("saxpi").error()[0].message, "there is no kernel `saxpi`");
  const std::string svg = binary->layout_svg("saxpy").value();
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.contains((*layout)[0].what)) << svg;
  EXPECT_EQ(binary->layout_svg("saxpi").error()[0].message, "there is no kernel `saxpi`");
}

TEST(KernelBinary, Occupancy) {
  const auto binary = KernelBinary::parse(std::as_bytes(std::span(kText)), "k.ze_info", {.product = "dg2"});
  ASSERT_TRUE(binary);
  const KernelOccupancy found = binary->occupancy("saxpy", {.local_size = {64, 2, 1}}).value();
  EXPECT_EQ(found.threads_per_group, 8u);
  EXPECT_EQ(found.groups, 16u);
  EXPECT_EQ(found.eus, 16);
  EXPECT_EQ(found.limited_by, "threads");
  EXPECT_EQ(binary->occupancy("saxpy", {.local_size = {2048, 1, 1}}).error()[0].kind, "work-group-size");
  EXPECT_EQ(binary->occupancy("saxpi", {}).error()[0].kind, "unknown-reference");
  EXPECT_EQ(saxpy()->occupancy("saxpy", {}).error()[0].message,
            "kernel `saxpy`: the device is not known; give --product");
  EXPECT_FALSE(binary->kernels()[0].instructions);
}

TEST(KernelBinary, ObjectsThatWereMovedFromThrow) {
  auto binary = saxpy();
  ASSERT_TRUE(binary);
  const KernelBinary taken = std::move(*binary);
  EXPECT_EQ(taken.version(), "1.39");
  EXPECT_THROW((void)binary->version(), std::logic_error);
  EXPECT_THROW((void)binary->kernels(), std::logic_error);
  EXPECT_THROW((void)binary->check(), std::logic_error);
  EXPECT_THROW((void)taken.diff(*binary), std::logic_error);
  EXPECT_THROW((void)binary->pack("saxpy", {}), std::logic_error);
}

TEST(KernelBinary, DiffListsWhatTheOtherHasInstead) {
  const auto binary = saxpy();
  EXPECT_TRUE(binary->diff(*binary).empty());
  std::string text(kText);
  text.replace(text.find("spill_size: 64"), 14, "spill_size: 96");
  text.replace(text.find("1.39"), 4, "1.40");
  text += "  - name: added\n    execution_env: { grf_count: 128, simd_size: 16 }\n";
  const auto other = binary_of(text);
  ASSERT_TRUE(other) << other.error()[0].text;
  const std::vector<KernelChange> changes = binary->diff(*other);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[0].kernel, "");
  EXPECT_EQ(changes[0].field, "version");
  EXPECT_EQ(changes[0].from, "1.39");
  EXPECT_EQ(changes[0].to, "1.40");
  EXPECT_EQ(changes[1].kernel, "saxpy");
  EXPECT_EQ(changes[1].field, "spill");
  EXPECT_EQ(changes[1].before, 64);
  EXPECT_EQ(changes[1].after, 96);
  EXPECT_EQ(changes[2].kernel, "added");
  EXPECT_EQ(changes[2].field, "added");
}

TEST(KernelBinary, PackReturnsWhatALoaderNeeds) {
  const auto binary = saxpy();
  const auto packed =
      binary->pack("saxpy", {.groups = {4, 1, 1},
                             .local_size = {256, 2, 1},
                             .arguments = {PointerArgument{0x123456789abcull}, ValueArgument::of(2.5f)}});
  ASSERT_TRUE(packed) << packed.error()[0].text;
  EXPECT_EQ(at<std::uint64_t>(packed->bytes, 0), 0x123456789abcull);
  EXPECT_EQ(at<float>(packed->bytes, 8), 2.5f);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 16), 256u);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 20), 2u);
  EXPECT_TRUE(packed->open.empty());
  const auto missing = binary->pack("saxpy", {.arguments = {PointerArgument{1}}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].kind, "missing-argument");
}

// The blocks are computed by hand from the offsets of the arguments.
TEST(KernelBinary, PackImagesSamplersAndImplicitArguments) {
  constexpr std::string_view kText =
      "version: 1.73\nkernels:\n  - name: k\n    execution_env: { grf_count: 128, simd_size: 1 }\n"
      "    payload_arguments:\n"
      "      - { arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: bindless, addrspace: image, "
      "access_type: readonly }\n"
      "      - { arg_type: image_width, offset: 8, size: 4, arg_index: 0 }\n"
      "      - { arg_type: image_channel_order, offset: 12, size: 4, arg_index: 0 }\n"
      "      - { arg_type: arg_bypointer, offset: 16, size: 8, arg_index: 1, addrmode: bindless, addrspace: sampler, "
      "access_type: readonly }\n"
      "      - { arg_type: sampler_address, offset: 24, size: 4, arg_index: 1 }\n"
      "      - { arg_type: sampler_normalized, offset: 28, size: 4, arg_index: 1 }\n"
      "      - { arg_type: printf_buffer, offset: 32, size: 8 }\n"
      "      - { arg_type: inline_sampler, offset: 40, size: 8, sampler_index: 1 }\n"
      "      - { arg_type: global_size, offset: 48, size: 12 }\n"
      "    per_thread_payload_arguments:\n      - { arg_type: packed_local_ids, offset: 0, size: 6 }\n";
  const auto binary =
      KernelBinary::parse(std::as_bytes(std::span(kText)), "k.ze_info", {.member = {}, .product = "dg2"});
  ASSERT_TRUE(binary) << binary.error()[0].text;
  const auto packed = binary->pack(
      "k",
      {.groups = {2, 1, 1},
       .local_size = {64, 1, 1},
       .arguments = {ImageArgument{.heap_offset = 0x80, .width = 640, .channel_order = 0x10B5},
                     SamplerArgument{.heap_offset = 0xC0, .addressing = SamplerAddressing::Repeat, .normalized = true}},
       .global_size = {{100, 1, 1}},
       .implicit = {.printf_buffer = 0x7000, .inline_samplers = 0x1000}});
  ASSERT_TRUE(packed) << packed.error()[0].text;
  EXPECT_EQ(at<std::uint64_t>(packed->bytes, 0), 0x80u);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 8), 640u);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 12), 0x10B5u);
  EXPECT_EQ(at<std::uint64_t>(packed->bytes, 16), 0xC0u);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 24), 3u);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 28), 8u);
  EXPECT_EQ(at<std::uint64_t>(packed->bytes, 32), 0x7000u);
  EXPECT_EQ(at<std::uint64_t>(packed->bytes, 40), 0x1010u);
  EXPECT_EQ(at<std::uint32_t>(packed->bytes, 48), 100u);
  EXPECT_TRUE(packed->open.empty());
  // At SIMD 1 each item is a thread, whose ids begin a register of 32 bytes.
  const auto ids = binary->pack_local_ids("k", {4, 2, 1});
  ASSERT_TRUE(ids) << ids.error()[0].text;
  ASSERT_EQ(ids->size(), 256u);
  EXPECT_EQ(at<std::uint16_t>(*ids, 5 * 32), 1u);      // x of item 5
  EXPECT_EQ(at<std::uint16_t>(*ids, 5 * 32 + 2), 1u);  // y
  EXPECT_EQ(at<std::uint16_t>(*ids, 5 * 32 + 4), 0u);
}

TEST(KernelBinary, ProblemsOfReadingAndChecking) {
  const auto broken =
      KernelBinary::parse(std::as_bytes(std::span(std::string_view("version: 1.39\nkernels: 7\n"))), "b.ze_info");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error()[0].line, 2u);
  const auto binary = saxpy();
  EXPECT_TRUE(binary->check("spec").value().empty());
  EXPECT_EQ(binary->check("sometimes").error()[0].kind, "unknown-value");
}

}  // namespace
}  // namespace slipway
