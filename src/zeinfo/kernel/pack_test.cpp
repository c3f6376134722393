// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/pack.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "testing/zeinfo_texts.hpp"
#include "zeinfo/kernel/layout.hpp"
#include "zeinfo/schema.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;

std::string kernel_text(std::string_view arguments, std::string_view env = "", std::string_view more = "") {
  return formatted(
      "version: 1.63\nkernels:\n- {{ name: k, execution_env: {{ grf_count: 128, simd_size: 16{} }}, "
      "payload_arguments: [ {} ]{} }}\n",
      env, arguments, more);
}

std::vector<std::uint32_t> words(const std::vector<std::byte>& bytes) {
  std::vector<std::uint32_t> out(bytes.size() / 4);
  std::memcpy(out.data(), bytes.data(), out.size() * 4);
  return out;
}

ByValue value(std::initializer_list<int> bytes) {
  ByValue out;
  for (const int one : bytes) out.bytes.push_back(static_cast<std::byte>(one));
  return out;
}

CrossThreadData packed(const std::string& of, const LaunchValues& values) {
  Reading reading(of);
  EXPECT_FALSE(reading.document.has_errors) << reading.messages();
  auto result = pack_cross_thread(reading.document.kernels[0], {}, values);
  EXPECT_TRUE(result) << result.error()[0].message;
  return std::move(*result);
}

DiagnosticKind error_of(const std::string& of, const LaunchValues& values) {
  Reading reading(of);
  const auto result = pack_cross_thread(reading.document.kernels[0], {}, values);
  EXPECT_FALSE(result);
  return result ? DiagnosticKind::Usage : result.error()[0].kind;
}

TEST(Pack, TheLaunchItself) {
  LaunchValues launch{.groups = {2, 3, 4},
                      .local_size = {8, 2, 1},
                      .enqueued_local_size = {8, 2, 9},
                      .global_offset = {5, 6, 7},
                      .dimensions = 3};
  const CrossThreadData data = packed(
      kernel_text(
          "{ arg_type: local_size, offset: 0, size: 12 }, { arg_type: group_count, offset: 12, size: 12 }, "
          "{ arg_type: global_size, offset: 24, size: 12 }, { arg_type: enqueued_local_size, offset: 36, size: 12 }, "
          "{ arg_type: global_id_offset, offset: 48, size: 8 }, { arg_type: work_dimensions, offset: 56, size: 4 }",
          ", inline_data_payload_size: 32"),
      launch);
  EXPECT_EQ(words(data.bytes), (std::vector<std::uint32_t>{8, 2, 1, 2, 3, 4, 16, 6, 4, 8, 2, 9, 5, 6, 3, 0}));
  EXPECT_EQ(data.inline_bytes, 32u);
  EXPECT_TRUE(data.open.empty());
}

TEST(Pack, AnArgumentWithoutBytes) {
  const CrossThreadData data = packed(kernel_text("{ arg_type: local_size, offset: 0, size: 0 }"), {});
  EXPECT_TRUE(data.bytes.empty());
}

TEST(Pack, ValuesAndTheirPieces) {
  LaunchValues launch;
  launch.args = {value({1, 2, 3, 4, 5, 6, 7, 8, 9}), value({10})};
  const CrossThreadData data =
      packed(kernel_text("{ arg_type: arg_byvalue, offset: 0, size: 4, arg_index: 0, source_offset: 4 }, "
                         "{ arg_type: arg_byvalue, offset: 4, size: 1, arg_index: 0, source_offset: 8 }, "
                         "{ arg_type: arg_byvalue, offset: 8, size: 1, arg_index: 1 }"),
             launch);
  EXPECT_EQ(words(data.bytes), (std::vector<std::uint32_t>{0x08070605, 9, 10, 0, 0, 0, 0, 0}));
}

TEST(Pack, Buffers) {
  LaunchValues launch;
  launch.args = {
      BufferValue{.address = 0x1122334455667788, .surface_base = 0x1122334455667700, .size = 99, .heap_offset = 0x40}};
  const std::string all = kernel_text(
      "{ arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }, "
      "{ arg_type: arg_bypointer, offset: 8, size: 4, arg_index: 0, addrmode: bindless, addrspace: global }, "
      "{ arg_type: buffer_offset, offset: 12, size: 4, arg_index: 0 }, { arg_type: buffer_address, offset: 16, size: "
      "8, arg_index: 0 }, "
      "{ arg_type: buffer_size, offset: 24, size: 8, arg_index: 0 }, "
      "{ arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global }");
  EXPECT_EQ(words(packed(all, launch).bytes),
            (std::vector<std::uint32_t>{0x55667788, 0x11223344, 0x40, 0x88, 0x55667788, 0x11223344, 99, 0}));
  // Values that are not given are open and zero.
  launch.args = {BufferValue{}};
  const CrossThreadData open = packed(all, launch);
  EXPECT_EQ(words(open.bytes), (std::vector<std::uint32_t>(8, 0)));
  ASSERT_EQ(open.open.size(), 5u);
  EXPECT_EQ(open.open[1], (Patch{8, 4, ArgType::arg_bypointer, 0}));
  EXPECT_EQ(open.open[4], (Patch{24, 8, ArgType::buffer_size, 0}));
}

TEST(Pack, Addresses) {
  LaunchValues launch;
  launch.implicit = {.private_base = 1,
                     .printf_buffer = 2,
                     .implicit_arg_buffer = 3,
                     .sync_buffer = 4,
                     .rt_global_buffer = 5,
                     .assert_buffer = 6,
                     .indirect_data_pointer = 7,
                     .scratch_pointer = 8,
                     .const_base = 9,
                     .global_base = 10,
                     .region_group_barrier_buffer = 11,
                     .inline_sampler_base = 1000,
                     .region_group_size = {{12, 13, 14}},
                     .region_group_dimension = 15,
                     .region_group_wg_count = 16};
  constexpr std::string_view kTypes[] = {"private_base_stateless",
                                         "printf_buffer",
                                         "implicit_arg_buffer",
                                         "sync_buffer",
                                         "rt_global_buffer",
                                         "assert_buffer",
                                         "indirect_data_pointer",
                                         "scratch_pointer",
                                         "const_base",
                                         "global_base",
                                         "region_group_barrier_buffer"};
  std::string arguments;
  int offset = 0;
  for (const std::string_view type : kTypes) {
    arguments += formatted("{{ arg_type: {}, offset: {}, size: 8 }}, ", type, offset);
    offset += 8;
  }
  arguments += formatted("{{ arg_type: inline_sampler, offset: {}, size: 8, sampler_index: 2 }}, ", offset);
  arguments += formatted("{{ arg_type: region_group_size, offset: {}, size: 12 }}, ", offset + 8);
  arguments += formatted("{{ arg_type: region_group_dimension, offset: {}, size: 4 }}, ", offset + 20);
  arguments += formatted("{{ arg_type: region_group_wg_count, offset: {}, size: 4 }}", offset + 24);
  const std::vector<std::uint32_t> got = words(packed(kernel_text(arguments), launch).bytes);
  for (std::uint32_t i = 0; i < 11; ++i) EXPECT_EQ(got[2 * i], i + 1) << kTypes[i];
  EXPECT_EQ(got[22], 1000u + 32);
  EXPECT_EQ((std::vector<std::uint32_t>(got.begin() + 24, got.begin() + 29)),
            (std::vector<std::uint32_t>{12, 13, 14, 15, 16}));
  EXPECT_EQ(packed(kernel_text(arguments), {}).open.size(), 15u);
}

TEST(Pack, ImagesAndSamplers) {
  LaunchValues launch;
  launch.args = {ImageValue{.heap_offset = 64,
                            .width = 1,
                            .height = 2,
                            .depth = 3,
                            .array_size = 4,
                            .num_mip_levels = 5,
                            .num_samples = 6,
                            .channel_data_type = 0x10d2,
                            .channel_order = 0x10b5,
                            .flat_base = 0x1000,
                            .flat_width = 7,
                            .flat_height = 8,
                            .flat_pitch = 9},
                 SamplerValue{.heap_offset = 80,
                              .addrmode = SamplerAddrMode::clamp_border,
                              .filtermode = SamplerFilterMode::nearest,
                              .normalized = true}};
  constexpr std::string_view kOfImage[] = {"image_width",
                                           "image_height",
                                           "image_depth",
                                           "image_array_size",
                                           "image_num_mip_levels",
                                           "image_num_samples",
                                           "image_channel_data_type",
                                           "image_channel_order",
                                           "image_srgb_channel_order",
                                           "flat_image_width",
                                           "flat_image_height",
                                           "flat_image_pitch"};
  std::string arguments =
      "{ arg_type: arg_bypointer, offset: 0, size: 8, arg_index: 0, addrmode: bindless, addrspace: image }, "
      "{ arg_type: arg_bypointer, offset: 8, size: 8, arg_index: 1, addrmode: bindless, addrspace: sampler }, "
      "{ arg_type: flat_image_baseoffset, offset: 16, size: 8, arg_index: 0 }";
  int offset = 24;
  for (const std::string_view type : kOfImage) {
    arguments += formatted(", {{ arg_type: {}, offset: {}, size: 4, arg_index: 0 }}", type, offset);
    offset += 4;
  }
  for (const std::string_view type : {"sampler_address", "sampler_normalized", "sampler_snap_wa"}) {
    arguments += formatted(", {{ arg_type: {}, offset: {}, size: 4, arg_index: 1 }}", type, offset);
    offset += 4;
  }
  std::vector<std::uint32_t> got = words(packed(kernel_text(arguments), launch).bytes);
  got.resize(21);
  EXPECT_EQ(got, (std::vector<std::uint32_t>{64, 0,      80,     0,      0x1000, 0, 1, 2, 3, 4,         5,
                                             6,  0x10d2, 0x10b5, 0x10b5, 7,      8, 9, 1, 8, 0xffffffff}));
}

TEST(Pack, LocalMemory) {
  const std::string locals =
      "{ arg_type: arg_bypointer, offset: 0, size: 4, arg_index: 1, addrmode: slm, addrspace: local, slm_alignment: 16 "
      "}, "
      "{ arg_type: arg_bypointer, offset: 4, size: 4, arg_index: 0, addrmode: slm, addrspace: local, slm_alignment: 4 "
      "}";
  LaunchValues launch;
  launch.args = {LocalMemory{5}, LocalMemory{100}};
  const CrossThreadData data = packed(kernel_text(locals, ", slm_size: 64"), launch);
  EXPECT_EQ(words(data.bytes)[0], 16u);
  EXPECT_EQ(words(data.bytes)[1], 0u);
  EXPECT_EQ(data.slm_total, 64u + 1024);
  const CrossThreadData after = packed(kernel_text(locals, ", slm_size: 64, slm_alloc_mode: 1"), launch);
  EXPECT_EQ(words(after.bytes)[1], 64u);
  EXPECT_EQ(words(after.bytes)[0], 80u);
  EXPECT_EQ(after.slm_total, 1024u);
  EXPECT_EQ(packed(kernel_text("", ", slm_size: 100"), {}).slm_total, 100u);
}

TEST(Pack, Errors) {
  const std::string by_value =
      kernel_text("{ arg_type: arg_byvalue, offset: 0, size: 4, arg_index: 0, source_offset: 2 }");
  LaunchValues launch;
  EXPECT_EQ(error_of(by_value, launch), DiagnosticKind::MissingArgument);
  launch.args = {value({1, 2, 3, 4, 5})};
  EXPECT_EQ(error_of(by_value, launch), DiagnosticKind::ArgumentSize);
  launch.args = {SamplerValue{}};
  EXPECT_EQ(error_of(by_value, launch), DiagnosticKind::ArgumentKind);
  launch.args = {BufferValue{.address = 0x100000000, .surface_base = 0}};
  EXPECT_EQ(
      error_of(
          kernel_text(
              "{ arg_type: arg_bypointer, offset: 0, size: 4, arg_index: 0, addrmode: stateless, addrspace: global }"),
          launch),
      DiagnosticKind::AddressRange);
  EXPECT_EQ(error_of(kernel_text("{ arg_type: buffer_offset, offset: 0, size: 4, arg_index: 0 }"), launch),
            DiagnosticKind::AddressRange);
  EXPECT_EQ(error_of(kernel_text("", "", ", user_attributes: { invalid_kernel: uses-fp64-math }"), launch),
            DiagnosticKind::InvalidKernel);
  EXPECT_EQ(error_of(kernel_text("{ arg_type: local_size, offset: 65530, size: 12 }"), launch),
            DiagnosticKind::ArgRange);
  EXPECT_EQ(error_of(kernel_text("{ arg_type: local_size, offset: -4, size: 12 }"), launch),
            DiagnosticKind::ArgNegative);
}

std::vector<std::uint16_t> ids(const std::string& of, std::array<std::uint32_t, 3> size,
                               std::string_view device = "dg2") {
  Reading reading(of);
  const auto bytes = pack_local_ids(reading.document.kernels[0], Target::of_product(device).value(), size);
  EXPECT_TRUE(bytes) << bytes.error()[0].message;
  std::vector<std::uint16_t> out(bytes->size() / 2);
  std::memcpy(out.data(), bytes->data(), bytes->size());
  return out;
}

TEST(Pack, LocalIds) {
  const auto per_thread = [](std::string_view type, int size, std::string_view env = "") {
    return kernel_text(
        "", env, formatted(", per_thread_payload_arguments: [ {{ arg_type: {}, offset: 0, size: {} }} ]", type, size));
  };
  const auto two = ids(per_thread("local_id", 64), {3, 7, 1});  // 21 items, two threads
  ASSERT_EQ(two.size(), 64u);
  EXPECT_EQ(two[0], 0);
  EXPECT_EQ(two[4], 1);       // x of item 4
  EXPECT_EQ(two[16 + 4], 1);  // y of item 4
  EXPECT_EQ(two[32 + 4], 2);  // x of item 20
  EXPECT_EQ(two[48 + 4], 6);  // y of item 20
  EXPECT_EQ(two[32 + 5], 0);  // lanes beyond the group
  const auto yx = ids(per_thread("local_id", 64, ", work_group_walk_order_dimensions: [ 1, 0, 2 ]"), {3, 7, 1});
  EXPECT_EQ(yx[8], 1);
  EXPECT_EQ(yx[16 + 8], 1);
  // Registers of 64 bytes: blocks of 32 ids.
  EXPECT_EQ(ids(per_thread("local_id", 192), {16, 1, 1}, "pvc").size(), 96u);
  Reading wrong(per_thread("local_id", 96));
  EXPECT_EQ(pack_local_ids(wrong.document.kernels[0], Target::of_product("pvc").value(), {1, 1, 1}).error()[0].kind,
            DiagnosticKind::LocalIdSize);
  EXPECT_EQ(pack_local_ids(wrong.document.kernels[0], {}, {1, 1, 1}).error()[0].kind, DiagnosticKind::NeedsDevice);
  EXPECT_EQ(pack_local_ids(wrong.document.kernels[0], {}, {65536, 1, 1}).error()[0].kind, DiagnosticKind::OutOfRange);
  Reading packed(
      "version: 1.73\nkernels:\n- { name: k, execution_env: { grf_count: 128, simd_size: 1 }, "
      "per_thread_payload_arguments: "
      "[ { arg_type: packed_local_ids, offset: 0, size: 6 } ] }\n");
  // Each thread has registers of its own.
  EXPECT_EQ(pack_local_ids(packed.document.kernels[0], Target::of_product("dg2").value(), {4, 2, 1}).value().size(),
            256u);
  EXPECT_EQ(pack_local_ids(packed.document.kernels[0], Target::of_product("pvc").value(), {4, 2, 1}).value().size(),
            512u);
}

// --- layout ---

TEST(Layout, IsInAddressOrderWithHolesAndOverlaps) {
  Reading reading(
      kernel_text(
          "{ arg_type: arg_byvalue, offset: 36, size: 4, arg_index: 1 }, { arg_type: global_id_offset, offset: 0, "
          "size: 12 }, "
          "{ arg_type: arg_bypointer, offset: 20, size: 8, arg_index: 0, addrmode: stateless, addrspace: global }, "
          "{ arg_type: work_dimensions, offset: 24, size: 4 }, "
          "{ arg_type: arg_bypointer, offset: 0, size: 0, arg_index: 0, addrmode: stateful, addrspace: global }",
          ", inline_data_payload_size: 32",
          ", per_thread_payload_arguments: [ { arg_type: local_id, offset: 0, size: 96 } ]") +
      "kernels_misc_info:\n- name: k\n  args_info:\n  - { index: 1, name: n, address_qualifier: __private, "
      "access_qualifier: NONE, "
      "type_name: 'int;4', type_qualifiers: NONE }\n");
  const PayloadLayout layout =
      layout_of(reading.document, reading.document.kernels[0], Target::of_product("dg2").value());
  EXPECT_EQ(print(layout), R"(kernel `k`: 64 bytes of cross-thread data, 32 of them inline; 96 bytes a thread
  register 0
      0 +12   global_id_offset
     12 +8    (hole)
     20 +8    stateless global, argument 0 (misaligned)
     24 +4    (overlap)
     24 +4    work_dimensions
     28 +8    (hole)
  ---- end of inline data
  register 1
     36 +4    value, argument 1 `n`
     40 +24   (hole)
  each thread
      0 +96   local_id
  without space in the payload
      0 +0    stateful global, argument 0
)");
}

}  // namespace
}  // namespace slipway::zeinfo
