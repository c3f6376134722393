// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/write/convert.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "testing/zeinfo_texts.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;

std::string losses(const Conversion& conversion) {
  std::string out;
  for (const LossItem& one : conversion.losses) out += text_of(one) + "\n";
  return out;
}

std::string kernel(std::string_view version, std::string_view env, std::string_view arguments = "",
                   std::string_view more = "") {
  return formatted(
      "{}{}kernels:\n- {{ name: k, execution_env: {{ grf_count: 128, simd_size: 16{} }}, payload_arguments: [ {} ]{} "
      "}}\n",
      version.empty() ? "" : "version: ", version.empty() ? std::string() : std::string(version) + "\n", env, arguments,
      more);
}

Conversion converted(const Reading& reading, std::string_view to, const Target& target = {}) {
  return convert(reading.document, parse_version_or_pre(to).value(), target).value();
}

TEST(Convert, FromBeforeVersion1AndBack) {
  Reading reading(kernel(
      "", ", actual_kernel_start_offset: 0, hw_preemption_mode: 2",
      "{ arg_type: group_size, offset: 0, size: 12 }, { arg_type: arg_bypointer, offset: 16, size: 8, arg_index: 0, "
      "addrmode: shared_local_memory, addrspace: local, access_type: readwrite }"));
  ASSERT_EQ(reading.messages(), "");
  const Conversion up = converted(reading, "1.9");
  EXPECT_EQ(losses(up),
            "loss: kernels[0].execution_env.hw_preemption_mode: of texts before 1.0 only, dropped (hint)\n");
  EXPECT_EQ(up.document.kernels[0].payload_arguments[0].arg_type, ArgType::group_count);
  EXPECT_EQ(up.document.kernels[0].payload_arguments[1].addrmode, AddrMode::slm);
  EXPECT_TRUE(write(up.document).value().starts_with("---\nversion:         '1.9'\n"));
  const Conversion down = convert(up.document, Version::pre(), {}).value();
  EXPECT_EQ(losses(down), "");
  const std::string text = write(down.document).value();
  EXPECT_TRUE(text.starts_with("---\nkernels:\n"));
  EXPECT_TRUE(text.contains("actual_kernel_start_offset: 0\n"));
  EXPECT_TRUE(text.contains("group_size\n"));
  EXPECT_TRUE(text.contains("shared_local_memory\n"));
}

TEST(Convert, DropsNewerKeysByLossClass) {
  Reading reading(kernel(
      "1.73", ", has_sample: true, has_indirect_calls: true, spill_size: 64, thread_scheduling_mode: age_based",
      "{ arg_type: buffer_size, offset: 0, size: 8, arg_index: 0 }, { arg_type: arg_byvalue, offset: 8, size: 4, "
      "arg_index: 0, is_ptr: true }",
      ", inline_samplers: [ { sampler_index: 0, addrmode: repeat, filtermode: linear } ]"));
  const Conversion down = converted(reading, "1.9");
  EXPECT_EQ(losses(down),
            "loss: kernels[0].execution_env.has_indirect_calls: newer than 1.9, dropped (dispatch)\n"
            "loss: kernels[0].execution_env.spill_size: newer than 1.9, dropped (information)\n"
            "loss: kernels[0].execution_env.thread_scheduling_mode: newer than 1.9, dropped (hint)\n"
            "loss: kernels[0].execution_env.has_sample: newer than 1.9, dropped (hint)\n"
            "loss: kernels[0].payload_arguments[0]: `buffer_size` newer than 1.9, dropped (dispatch)\n"
            "loss: kernels[0].payload_arguments[1].is_ptr: newer than 1.9, dropped (dispatch)\n"
            "loss: kernels[0].inline_samplers: newer than 1.9, dropped (dispatch)\n");
  EXPECT_EQ(down.worst(), Loss::Dispatch);
  // The remaining keys are of 1.9, and offsets are unchanged.
  ASSERT_EQ(down.document.kernels[0].payload_arguments.size(), 1u);
  EXPECT_EQ(down.document.kernels[0].payload_arguments[0].offset, 8);
  Reading again(write(down.document).value());
  EXPECT_EQ(again.check(Level::Spec).messages(), "");
  // The source document is unchanged.
  EXPECT_EQ(reading.document.kernels[0].payload_arguments.size(), 2u);
}

TEST(Convert, DropsRemovedKeys) {
  Reading reading(kernel("1.9", "", "{ arg_type: implicit_local_id_buffer, offset: 0, size: 200 }"));
  EXPECT_EQ(losses(converted(reading, "1.11")), "");
  EXPECT_EQ(
      losses(converted(reading, "1.12")),
      "loss: kernels[0].payload_arguments[0]: `implicit_local_id_buffer` removed after 1.11, dropped (dispatch)\n");
  Reading images(kernel("1.63", "",
                        "{ arg_type: flat_image_pitch, offset: 0, size: 4, arg_index: 0 }, "
                        "{ arg_type: image_srgb_channel_order, offset: 4, size: 4, arg_index: 0 }"));
  EXPECT_EQ(converted(images, "1.64").losses.size(), 1u);
  EXPECT_EQ(converted(images, "1.66").losses.size(), 2u);
  Reading start(kernel("1.5", ", actual_kernel_start_offset: 64"));
  EXPECT_EQ(losses(converted(start, "1.6")),
            "loss: kernels[0].execution_env.actual_kernel_start_offset: removed after 1.5, dropped (information)\n");
}

TEST(Convert, ThreadCountsNeedADevice) {
  Reading reading(kernel("1.9", ""));
  const auto without = convert(reading.document, {1, 30}, {});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error()[0].kind, DiagnosticKind::NeedsDevice);
  const Conversion with = converted(reading, "1.30", Target::of_product("dg2").value());
  EXPECT_EQ(with.document.kernels[0].execution_env.eu_thread_count, 8);
  EXPECT_TRUE(write(with.document).value().contains("eu_thread_count: 8\n"));
  EXPECT_TRUE(convert(reading.document, {1, 35}, {}));
}

TEST(Convert, ImplicitArgumentBuffer) {
  using Env = ExecutionEnv;
  const auto env = [](const Conversion& conversion) -> const Env& {
    return conversion.document.kernels[0].execution_env;
  };
  // Absent in 1.54 means true.
  Reading used(kernel("1.54", ""));
  EXPECT_TRUE(env(converted(used, "1.55")).require_iab);
  Reading unused(kernel("1.54", ", implicit_arg_buffer_used_by_code: false"));
  EXPECT_FALSE(env(converted(unused, "1.55")).require_iab);
  EXPECT_EQ(
      losses(converted(unused, "1.53")),
      "loss: kernels[0].execution_env.implicit_arg_buffer_used_by_code: newer than 1.53, dropped (information)\n");
  EXPECT_EQ(losses(converted(used, "1.53")), "");
  // Into 1.54 from either side.
  EXPECT_FALSE(env(converted(Reading(kernel("1.50", "")), "1.54")).implicit_arg_buffer_used_by_code);
  EXPECT_TRUE(
      env(converted(Reading(kernel("1.50", ", has_stack_calls: true")), "1.54")).implicit_arg_buffer_used_by_code);
  EXPECT_TRUE(
      env(converted(Reading(kernel("1.50", "", "{ arg_type: implicit_arg_buffer, offset: 0, size: 8 }")), "1.54"))
          .implicit_arg_buffer_used_by_code);
  EXPECT_TRUE(env(converted(Reading(kernel("1.60", ", require_iab: true")), "1.54")).implicit_arg_buffer_used_by_code);
  EXPECT_FALSE(env(converted(Reading(kernel("1.60", "")), "1.54")).implicit_arg_buffer_used_by_code);
  // Nothing changes beyond it.
  EXPECT_EQ(losses(converted(Reading(kernel("1.50", "")), "1.60")), "");
}

TEST(Convert, SizesOfValuesBefore1_51) {
  Reading reading(kernel("1.51", "", "{ arg_type: arg_byvalue, offset: 0, size: 1, arg_index: 0 }"));
  EXPECT_EQ(converted(reading, "1.50").document.kernels[0].payload_arguments[0].size, 4);
  EXPECT_EQ(losses(converted(reading, "1.50")), "");
  EXPECT_EQ(converted(Reading(kernel("1.50", "")), "1.51").remarks.size(), 1u);
}

TEST(Convert, RejectsUnknownVersions) {
  Reading reading(kernel("1.9", ""));
  for (const Version bad : {Version{1, 74}, Version{2, 0}}) {
    const auto result = convert(reading.document, bad, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error()[0].kind, DiagnosticKind::OutOfRange);
  }
}

TEST(Convert, Samples1_9To1_73LoseNothing) {
  const auto samples = testing::samples("texts-1.9");
  ASSERT_FALSE(samples.empty());
  for (const auto& sample : samples) {
    Reading reading(sample.text);
    const Conversion up = converted(reading, "1.73");
    EXPECT_EQ(losses(up), "") << sample.name;
    EXPECT_EQ(write(converted(reading, "1.9").document).value(), sample.text) << sample.name;
    EXPECT_EQ(write(convert(up.document, {1, 9}, {}).value().document).value(), sample.text) << sample.name;
  }
}

TEST(Rename, ChangesAKernelEverywhere) {
  Reading reading(kernel("1.73", "") + "kernels_misc_info:\n- { name: k }\n");
  const Document renamed = rename_kernel(reading.document, "k", "new name").value();
  EXPECT_EQ(renamed.kernels[0].name, "new name");
  EXPECT_EQ(renamed.kernels_misc_info[0].name, "new name");
  EXPECT_EQ(rename_kernel(reading.document, "x", "y").error()[0].kind, DiagnosticKind::UnknownReference);
  Reading two(
      "version: 1.73\nkernels:\n- { name: a, execution_env: { grf_count: 1, simd_size: 8 } }\n"
      "- { name: b, execution_env: { grf_count: 1, simd_size: 8 } }\n");
  EXPECT_EQ(rename_kernel(two.document, "a", "b").error()[0].kind, DiagnosticKind::DuplicateName);
}

}  // namespace
}  // namespace slipway::zeinfo
