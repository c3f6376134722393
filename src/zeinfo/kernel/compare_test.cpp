// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "zeinfo/kernel/compare.hpp"
#include "base/format.hpp"

#include <gtest/gtest.h>

#include "testing/zeinfo_texts.hpp"
#include "zeinfo/check/runtime.hpp"
#include "zeinfo/kernel/occupancy.hpp"

namespace slipway::zeinfo {
namespace {

using testing::Reading;

std::string text(std::string_view env, std::string_view more = "", std::string_view version = "1.73") {
  return formatted("version: {}\nkernels:\n- {{ name: k, execution_env: {{ {} }}{} }}\n", version, env, more);
}

std::string printed(const Comparison& comparison) {
  std::string out;
  for (const Change& one : comparison.whole) out += formatted("{} {} -> {}\n", one.field, one.from, one.to);
  for (const KernelChanges& kernel : comparison.kernels) {
    for (const Change& one : kernel.changes)
      out += formatted("{}: {} {} -> {}\n", kernel.name, one.field, one.from, one.to);
  }
  return out;
}

TEST(Compare, ListsChanges) {
  Reading a(text("grf_count: 128, simd_size: 16, spill_size: 2688, has_dpas: true",
                 ", per_thread_memory_buffers: [ { type: scratch, usage: spill_fill_space, size: 2688 } ], "
                 "payload_arguments: [ { arg_type: local_size, offset: 0, size: 12 } ]") +
            "- { name: gone, execution_env: { grf_count: 128, simd_size: 8 } }\n");
  Reading b(
      "version: 1.72\nkernels:\n- { name: new, execution_env: { grf_count: 128, simd_size: 8 } }\n"
      "- { name: k, execution_env: { grf_count: 256, simd_size: 16, slm_size: 64, barrier_count: 1 }, user_attributes: "
      "{ vec_type_hint: int },"
      " payload_arguments: [ { arg_type: local_size, offset: 32, size: 12 } ] }\n");
  Target dg2 = Target::of_product("dg2").value();
  Target other = dg2;
  dg2.code = {{"k", 27072}};
  other.code = {{"k", 16576}};
  const Comparison result = compare({&a.document, &dg2}, {&b.document, &other});
  EXPECT_EQ(printed(result), R"(version 1.73 -> 1.72
k: grf 128 -> 256
k: threads 8 -> 4
k: spill 2688 -> 0
k: scratch 4096 -> 0
k: slm 0 -> 64
k: barriers 0 -> 1
k: code 27072 -> 16576
k: cross_thread 32 -> 64
k: args 1 arguments in 32 B: local_size at 0 -> 1 arguments in 64 B: local_size at 32
k: flags has_dpas -> 
k: attributes  -> vec_type_hint=int
gone: removed gone -> 
new: added  -> new
)");
  EXPECT_TRUE(compare({&a.document, &dg2}, {&a.document, &dg2}).equal());
  for (const KernelChanges& kernel : result.kernels) {
    for (const Change& one : kernel.changes) EXPECT_TRUE(std::ranges::contains(diff_fields(), one.field)) << one.field;
  }
}

TEST(Compare, SpillHasTwoUnits) {
  Reading reading(text("grf_count: 128, simd_size: 8, spill_size: 2688"));
  const KernelSummary summary = summarize(reading.document.kernels[0], {1, 73}, {});
  EXPECT_EQ(summary.spill_bytes, 2688u);
  EXPECT_EQ(summary.spill_registers_per_lane, 84);
  // Before 1.39: scratch slot 0 is spill, slot 1 private memory.
  Reading old(text("grf_count: 128, simd_size: 8",
                   ", per_thread_memory_buffers: [ { type: scratch, usage: spill_fill_space, size: 3000 }, "
                   "{ type: scratch, usage: private_space, size: 64, slot: 1 } ]",
                   "1.20"));
  const KernelSummary before = summarize(old.document.kernels[0], {1, 20}, {});
  EXPECT_EQ(before.spill_bytes, 3000u);
  EXPECT_EQ(before.private_bytes, 64u);
  EXPECT_EQ(before.scratch_bytes, 4096u + 64);
}

TEST(Compare, Thresholds) {
  const Change spill{.field = "spill", .from = "100", .to = "111", .before = 100, .after = 111};
  EXPECT_TRUE(exceeds(spill, *parse_threshold("spill")));
  EXPECT_TRUE(exceeds(spill, *parse_threshold("spill+10")));
  EXPECT_FALSE(exceeds(spill, *parse_threshold("spill+11")));
  EXPECT_TRUE(exceeds(spill, *parse_threshold("spill+10%")));
  EXPECT_FALSE(exceeds(spill, *parse_threshold("spill+11%")));
  EXPECT_FALSE(exceeds(spill, *parse_threshold("grf")));
  const Change better{.field = "spill", .from = "100", .to = "50", .before = 100, .after = 50};
  EXPECT_FALSE(exceeds(better, *parse_threshold("spill")));
  const Change threads{.field = "threads", .from = "8", .to = "4", .before = 8, .after = 4};
  EXPECT_TRUE(exceeds(threads, *parse_threshold("threads+3")));
  EXPECT_FALSE(exceeds(threads, *parse_threshold("threads+50%")));
  const Change args{.field = "args", .from = "a", .to = "b", .before = {}, .after = {}};
  EXPECT_TRUE(exceeds(args, *parse_threshold("args")));
  for (const std::string_view bad : {"", "spil", "spill+", "spill+x", "spill+%", "spill+-1", "spill 5"}) {
    EXPECT_FALSE(parse_threshold(bad)) << bad;
  }
}

// --- devices and occupancy ---

TEST(Target, DevicesByName) {
  EXPECT_EQ(find_device("ats-m150"), find_device("dg2-g10"));
  EXPECT_EQ(find_device("12.55.8"), find_device("dg2"));
  EXPECT_EQ(find_device("0x030dc008"), find_device("dg2"));
  EXPECT_EQ(find_device("20.1.4"), find_device("bmg"));  // another revision
  EXPECT_EQ(find_device("12.55"), nullptr);
  EXPECT_EQ(find_device("12.55.8.1"), nullptr);
  EXPECT_EQ(find_device(""), nullptr);
  EXPECT_EQ(Target::of_product("dg3").error()[0].kind, DiagnosticKind::UnknownValue);
  EXPECT_EQ(Target::of_product("pvc").value().grf_bytes, 64);
  EXPECT_EQ(Target::of_product("dg2").value().grf_bytes, 32);
  EXPECT_EQ(text_of(Target::of_product("20.1.4").value().config.value()), "20.1.4");
}

TEST(Target, DevicesByNotes) {
  // 1.20: the core is 0 and the family decides.
  const Target old = Target::of_notes(1250, 0, {}, {});
  EXPECT_EQ(old.device, find_device("xe_hp_sdv"));
  EXPECT_EQ(old.grf_bytes, 32);
  EXPECT_EQ(Target::of_notes(22, {}, {}, {}).grf_bytes, 32);
  EXPECT_EQ(Target::of_notes({}, {}, {}, {}).source, Target::Source::None);
  const Target exact = Target::of_notes(1270, 3079, 0, ProductConfig{12, 56, 5}.encode());
  EXPECT_EQ(exact.device, find_device("dg2-g11"));
  EXPECT_TRUE(runs_on({12, 55, 8}, {12, 57, 0}));
  EXPECT_FALSE(runs_on({12, 57, 0}, {12, 55, 8}));
}

TEST(Occupancy, ThreadsOfAnEu) {
  struct Row {
    std::string_view device;
    int grf;
    int threads;
  };
  const Row rows[] = {{"skl", 128, 7},   {"dg2", 128, 8},   {"dg2", 256, 4},   {"ptl-h", 96, 10}, {"ptl-h", 128, 8},
                      {"ptl-h", 160, 6}, {"ptl-h", 192, 5}, {"ptl-h", 256, 4}, {"nvl-p", 320, 3}, {"nvl-p", 448, 2},
                      {"nvl-p", 512, 1}, {"cri", 128, 8},   {"cri", 256, 4},   {"cri", 512, 4}};
  for (const Row& one : rows) {
    EXPECT_EQ(derived_threads_per_eu(one.grf, Target::of_product(one.device).value()), one.threads)
        << one.device << one.grf;
  }
  EXPECT_FALSE(derived_threads_per_eu(128, {}));
}

TEST(Occupancy, GroupsOfASubslice) {
  Reading reading(text("grf_count: 128, simd_size: 16, slm_size: 40000, barrier_count: 1"));
  const Target bmg = Target::of_product("bmg").value();
  const Kernel& kernel = reading.document.kernels[0];
  const auto result = occupancy(kernel, bmg, {.local_size = {256, 1, 1}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->threads_per_group, 16u);
  EXPECT_EQ(result->eus, 8);
  EXPECT_EQ(result->local_memory_bytes, 48u * 1024);
  EXPECT_EQ(result->groups, 2u);
  EXPECT_EQ(result->limited_by, "slm");
  // Local arguments need memory too: 40000 + 40000 bytes are 96 KiB.
  EXPECT_EQ(occupancy(kernel, bmg, {.local_size = {256, 1, 1}, .local_memory = 40000})->groups, 1u);
}

TEST(Occupancy, GroupsThatCannotRun) {
  const auto reason = [](std::string_view env, std::string_view device, OccupancyQuestion options) {
    Reading reading(text(std::string(env)));
    const Target target = device.empty() ? Target() : Target::of_product(device).value();
    const auto result = occupancy(reading.document.kernels[0], target, options);
    return result ? "" : result.error();
  };
  constexpr std::string_view kPlain = "grf_count: 128, simd_size: 16";
  EXPECT_EQ(reason(kPlain, "", {}), "the device is not known; give --product");
  EXPECT_EQ(reason(kPlain, "pvc", {.local_size = {4096, 1, 1}}),
            "a work group of 4096x1x1 cannot run: the runtime allows pvc at most 1024 items");
  EXPECT_EQ(reason("grf_count: 128, simd_size: 32", "pvc", {.local_size = {2048, 1, 1}}),
            "a work group of 2048x1x1 cannot run: the runtime allows pvc at most 1024 items");
  EXPECT_EQ(reason("grf_count: 256, simd_size: 16", "pvc", {.local_size = {1024, 1, 1}}),
            "a work group of 1024x1x1 cannot run: it needs 64 hardware threads; there are at most 32");
  EXPECT_EQ(reason(kPlain, "bmg", {.local_size = {1024, 1, 1}}), "");
  EXPECT_EQ(reason(kPlain, "pvc", {.local_size = {0, 1, 1}}),
            "a work group of 0x1x1 cannot run: it has no items, or more than can be counted");
  // The size that the kernel requires counts, not the one that is given.
  EXPECT_EQ(reason("grf_count: 128, simd_size: 16, required_work_group_size: [ 16, 4, 2 ]", "pvc",
                   {.local_size = {4096, 1, 1}}),
            "");
  EXPECT_EQ(reason("grf_count: 128, simd_size: 16, required_work_group_size: [ 64, 32, 1 ]", "pvc",
                   {.local_size = {64, 1, 1}}),
            "a work group of 64x32x1 cannot run: the runtime allows pvc at most 1024 items");
  EXPECT_EQ(reason(kPlain, "dg2", {.local_size = {64, 1, 1}, .local_memory = 65537}),
            "a work group of 64x1x1 cannot run: it needs more local memory than 64 KiB");
}

TEST(Occupancy, SizesOfLocalMemory) {
  const auto allocated = [](std::uint64_t bytes, std::string_view device) {
    return allocated_slm(bytes, *find_device(device)).value_or(0) / 1024;
  };
  EXPECT_EQ(allocated(1, "pvc"), 1u);
  EXPECT_EQ(allocated(33792, "pvc"), 48u);
  EXPECT_EQ(allocated(33792, "dg2"), 64u);
  EXPECT_EQ(allocated(98305, "lnl-m"), 128u);
  EXPECT_EQ(allocated(131073, "lnl"), 0u);
  EXPECT_EQ(allocated(131073, "nvl-p"), 192u);
}

// --- rules that need a container, and verdicts of releases ---

TEST(Container, CodeAndVersion) {
  Reading reading(text("grf_count: 128, simd_size: 16, offset_to_skip_per_thread_data_load: 64",
                       ", per_thread_payload_arguments: [ { arg_type: local_id, offset: 0, size: 96 } ]") +
                  "- { name: none, execution_env: { grf_count: 128, simd_size: 8 } }\n");
  Target target = Target::of_product("dg2").value();
  target.container_version = Version{1, 72};
  target.code = {{"k", 64}, {"other", 5}, {std::string_view(kPseudoKernel), 5}};
  reading.check(Level::Consistency, target);
  for (const DiagnosticKind kind : {DiagnosticKind::TextMissing, DiagnosticKind::TextUnlisted,
                                    DiagnosticKind::VersionMismatch, DiagnosticKind::SkipOffset}) {
    EXPECT_TRUE(reading.reports(kind)) << name_of(kind);
  }
  EXPECT_FALSE(reading.reports(DiagnosticKind::TargetUnknown));
  EXPECT_TRUE(Reading(reading.text).check().reports(DiagnosticKind::TargetUnknown));
}

TEST(Runtime, VerdictsByRelease) {
  Reading reading(
      "version: '1.73'\nkernels:\n  - name: k\n    execution_env:\n      grf_count: 128\n      simd_size: 16\n"
      "      has_printf_calls: true\n");
  const auto verdict = [&](std::string_view release) {
    return runtime_verdict(reading.document, {}, parse_release(release).value());
  };
  EXPECT_EQ(verdict("24.35").verdict, Verdict::AcceptsWithWarnings);
  EXPECT_EQ(verdict("24.45").verdict, Verdict::Refuses);
  EXPECT_EQ(verdict("24.45").code, 4);
  EXPECT_EQ(verdict("25.31").verdict, Verdict::Refuses);
  EXPECT_EQ(verdict("25.35").verdict, Verdict::AcceptsWithWarnings);  // the version is newer
  EXPECT_EQ(verdict("26.27").verdict, Verdict::Accepts);
  EXPECT_EQ(verdict("99.01").release, kLastRelease);
  EXPECT_EQ(decoder_of({2235}), 15);
  EXPECT_EQ(decoder_of({2032}), -1);
  EXPECT_FALSE(container_features().empty());
  EXPECT_EQ(runtime_steps().front().from, kFirstRelease);
  for (const std::string_view good : {"spec", "consistency", "runtime", "runtime=24.45", "runtime=all"})
    EXPECT_TRUE(parse_level(good));
  for (const std::string_view bad : {"", "runtime=", "runtime=x", "runtime=20.31", "runtime=24.54"})
    EXPECT_FALSE(parse_level(bad)) << bad;
}

TEST(Runtime, Devices) {
  Reading reading(text("grf_count: 128, simd_size: 16, slm_size: 131072"));
  const Target built = Target::of_notes(1270, 3079, 0, ProductConfig{12, 55, 8}.encode());
  const auto verdict = [&](std::string_view device) {
    return runtime_verdict(reading.document, built, kLastRelease, find_device(device));
  };
  EXPECT_EQ(verdict("bmg").code, 3);
  EXPECT_EQ(verdict("bmg").findings[0].runtime_message, "Unhandled target device");
  const RuntimeVerdict same = verdict("dg2-g11");
  EXPECT_EQ(same.code, 2);
  EXPECT_TRUE(std::ranges::any_of(same.findings, [](const RuntimeFinding& one) {
    return one.runtime_message == "Size of SLM (131072) larger than available (65536)";
  }));
}

TEST(Runtime, SamplesLoadWithTheirOwnRelease) {
  struct Directory {
    std::string_view name;
    Release release;
  };
  for (const Directory& one : {Directory{"v1.73/", {2627}}, Directory{"v1.49/", {2435}}, Directory{"v1.20/", {2243}},
                               Directory{"pre-1.0/", {2044}}}) {
    const auto samples = testing::samples(one.name);
    ASSERT_FALSE(samples.empty()) << one.name;
    for (const auto& sample : samples) {
      Reading reading(sample.text);
      const RuntimeVerdict verdict = runtime_verdict(reading.document, {}, one.release);
      // These cases test names that the runtime does not understand.
      if (sample.name.contains("names.") || sample.name.contains("host.") || sample.name.contains("uni.")) continue;
      EXPECT_LE(verdict.verdict, Verdict::AcceptsWithWarnings)
          << sample.name << ": "
          << (verdict.findings.empty() ? "" : verdict.findings[0].message + verdict.findings[0].runtime_message);
    }
  }
}

}  // namespace
}  // namespace slipway::zeinfo
