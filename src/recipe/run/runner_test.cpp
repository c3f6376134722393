// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the runner with a back end in this process, and with CPU functions.
#include "recipe/run/runner.hpp"
#include "base/format.hpp"

#include <thread>

#include "platform/channel.hpp"
#include "platform/library.hpp"
#include "testing/recipes.hpp"

namespace slipway::recipe {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunnerTest : public ::testing::Test {
 protected:
  OpenOptions options() {
    return {.runner = {.open_backend = [this](BackendKind kind) -> Result<BackendPtr> {
              if (kind == BackendKind::Vulkan) return toy_;
              return fail(DiagnosticKind::NoBackend, {}, "there is only the toy");
            }}};
  }
  std::shared_ptr<ToyBackend> toy_ = std::make_shared<ToyBackend>();
};

TEST_F(RunnerTest, MixedListsShareTheirBuffers) {
  const std::string a = R"({"name": "x", "argidx": 0}, {"name": "a", "argidx": 1})";
  Opened opened(
      recipe_json(buffer_json("x", "input", 16) + "," + buffer_json("a", "internal", 16) + "," +
                      buffer_json("b", "internal", 16) + "," + buffer_json("y", "output", 16),
                  cpu_run("copy", a) + "," + add_run("a", "b", 4, 1) + "," + add_run("b", "a", 4, 10) + "," +
                      cpu_run("add", R"({"name": "a", "argidx": 0, "offset": 8})", R"({"value": 2, "argidx": 1})") +
                      "," + cpu_run("copy", R"({"name": "a", "argidx": 0}, {"name": "y", "argidx": 1})"),
                  cpus_json({"copy", "add"})),
      options());
  ASSERT_EQ(opened.problems, "");
  EXPECT_EQ(opened.session.plan()->lists.size(), 3u);
  opened.bind("x", {1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(opened.run(), "ok");
    EXPECT_THAT(opened.words("y"), ElementsAre(12u, 13u, 0x02020210u, 0x02020211u)) << i;
  }
  EXPECT_EQ(toy_->lists_made, 1);
  EXPECT_EQ(toy_->submissions, 3);
}

TEST_F(RunnerTest, UnboundBuffersAreAllNamed) {
  Opened opened(recipe_json(buffer_json("x", "input") + "," + buffer_json("y", "output"), add_run("x", "y", 4, 1)),
                options());
  ASSERT_EQ(opened.problems, "");
  EXPECT_EQ(opened.run(), "'x', 'y' are not bound; bind them before executing [runner-state]");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "'y' is not bound; bind it before executing [runner-state]");
  opened.bind("y", {0, 0, 0, 0});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(2, 3, 4, 5));
  EXPECT_THAT(opened.words("unknown"), ElementsAre());
}

// CPU functions run once only, so that short ranges stay undecided.
TEST_F(RunnerTest, OutputsOfCpuFunctionsAreProven) {
  const auto unwritten = [&](std::string_view slice) {
    Opened opened(
        recipe_json(
            buffer_json("x", "input", 64) + "," + buffer_json("y", "output", 64),
            cpu_run("copy", formatted(R"({{"name": "x", "argidx": 0{0}}}, {{"name": "y", "argidx": 1{0}}})", slice)),
            cpus_json({"copy"})),
        options());
    EXPECT_EQ(opened.problems.find("error"), std::string::npos) << opened.problems;
    EXPECT_FALSE(opened.session.run());
    EXPECT_EQ(opened.runner().records().at(0).count, 1u);
    EXPECT_THAT(opened.words("y"), Each(0u));
    const Failure failure = opened.runner().unwritten_outputs();
    return failure.empty() ? "" : Opened::text(failure);
  };
  EXPECT_EQ(unwritten(""), "");
  EXPECT_THAT(unwritten(R"(, "size": 48)"), HasSubstr("output `y` was not written: 16 of 64 bytes, from byte 48 on"));
}

// The accesses of the toy's shader are known: it reads x and writes y.
TEST_F(RunnerTest, OutputsOfShadersAreProven) {
  const auto unwritten = [&](std::string_view runs, std::string_view buffers = "", int executions = 1) {
    Opened opened(
        recipe_json(buffer_json("x", "input", 16) + "," + buffer_json("y", "output", 16) + std::string(buffers), runs),
        options());
    EXPECT_EQ(opened.problems.find("error"), std::string::npos) << opened.problems;
    for (int i = 0; i < executions; ++i) EXPECT_FALSE(opened.session.run());
    std::string text;
    for (const Diagnostic& problem : opened.runner().unwritten_outputs()) text += problem.message + "\n";
    return std::pair(text, opened.words("y"));
  };
  EXPECT_EQ(unwritten(add_run("x", "y", 4, 1)).first, "");
  const auto partly = unwritten(add_run("x", "y", 4, 7, R"(, "size": 8)", R"(, "offset": 8)"), "", 3);
  EXPECT_EQ(
      partly.first,
      "output `y` was not written: 2 of 4 elements, from element 0 (byte 0) on, hold what was in the memory before "
      "the run\n");
  EXPECT_THAT(partly.second, ElementsAre(0, 0, 7, 7));
  // Runs may rely on the zeros of a buffer that they read.
  const auto read =
      unwritten(add_run("x", "y", 4, 7, R"(, "size": 8)", R"(, "offset": 8)") + "," + add_run("y", "z", 4, 1),
                "," + buffer_json("z", "output", 16));
  EXPECT_EQ(read.first, "");
  EXPECT_THAT(read.second, ElementsAre(0, 0, 7, 7));
  EXPECT_EQ(unwritten(add_run("y", "x", 4, 1)).first, "output `y` was not written: no run writes it\n");
}

// The application's own memory is never filled.
TEST_F(RunnerTest, BoundOutputsAreNotFilled) {
  Opened opened(recipe_json(buffer_json("x", "input", 16) + "," + buffer_json("y", "output", 16),
                            add_run("x", "y", 4, 1, R"(, "size": 8)", R"(, "offset": 8)")),
                options());
  opened.bind("y", {3, 4, 5, 6});
  EXPECT_FALSE(opened.session.run());
  EXPECT_THAT(opened.words("y"), ElementsAre(3, 4, 1, 1));
  EXPECT_TRUE(opened.runner().unwritten_outputs().empty());
}

TEST_F(RunnerTest, BindChecksNamesAndSizes) {
  Opened opened(recipe_json(buffer_json("x", "input") + "," + buffer_json("y", "output", 16),
                            add_run("x", "y", 4, 1, R"(, "offset": 16, "size": 12)", R"(, "size": 12)")),
                options());
  ASSERT_EQ(opened.problems, "");
  const BufferPtr small = *opened.runner().create_buffer({.size = 16});
  const auto bind = [&](std::string_view name, BufferRange bound) {
    return Opened::text(opened.runner().bind(name, bound).error());
  };
  EXPECT_EQ(bind("z", {small, 0, 16}), "Unknown buffer 'z' [unknown-reference]");
  EXPECT_EQ(bind("y", {small, 0, 12}), "Invalid size (12) of bo bound to 'y', expected 16 [buffer-size]");
  EXPECT_THAT(bind("x", {small, 0, 16}), HasSubstr("sub buffer size and offset: Invalid argument"));
  EXPECT_THAT(bind("x", {small, 0, 8}), HasSubstr("buffer size mismatch for buffer: x"));
  EXPECT_THAT(bind("x", {}), HasSubstr("is empty"));
  opened.bind("x", {9, 9, 9, 9, 1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(2, 3, 4, 0));
}

TEST_F(RunnerTest, AnOffsetOfAWholeBufferIsIgnored) {
  Opened opened(recipe_json(buffer_json("x", "input") + "," + buffer_json("y", "output", 16),
                            add_run("x", "y", 4, 1, R"(, "offset": 16, "size": 16)")),
                options());
  ASSERT_EQ(opened.problems, "");
  opened.bind("x", {1, 2, 3, 4});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(2, 3, 4, 5));
}

TEST_F(RunnerTest, ABindBetweenExecutionsReplacesTheBuffer) {
  Opened opened(
      recipe_json(buffer_json("x", "input", 16) + "," + buffer_json("y", "output", 16), add_run("x", "y", 4, 1)),
      options());
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), Each(1u));  // created by the runner, zeroed
  opened.bind("x", {5, 6, 7, 8});
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(6, 7, 8, 9));
}

TEST_F(RunnerTest, APartOfAStorageCanBeBound) {
  Opened opened(
      recipe_json(buffer_json("x", "input", 16) + "," + buffer_json("y", "output", 16), add_run("x", "y", 4, 1)),
      options());
  const BufferPtr buffer = *opened.runner().create_buffer({.size = 32});
  for (std::uint32_t i = 0; i < 8; ++i) store(host_bytes(*buffer).data() + 4 * i, i);
  buffer->sync(sync_direction::to_device, 32, 0);
  ASSERT_TRUE(opened.runner().bind("x", {buffer, 16, 16}));
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("y"), ElementsAre(5, 6, 7, 8));
}

TEST_F(RunnerTest, ForeignBuffersUseStagingCopies) {
  Opened opened(
      recipe_json(buffer_json("x", "inout", 32), add_run("x", "x", 4, 1, R"(, "size": 16)", R"(, "offset": 16)")),
      options());
  const BufferPtr host = *cpu::make_host_buffer(32);
  for (std::uint32_t i = 0; i < 8; ++i) store(host_bytes(*host).data() + 4 * i, i);
  ASSERT_TRUE(opened.runner().bind("x", {host, 0, 32}));
  EXPECT_EQ(opened.run(), "ok");
  EXPECT_THAT(opened.words("x"), ElementsAre(0, 1, 2, 3, 1, 2, 3, 4));
}

TEST_F(RunnerTest, AFailedRunStopsTheExecution) {
  Opened opened(recipe_json(buffer_json("x", "inout", 16),
                            cpu_run("add", R"({"name": "x", "argidx": 0})", R"({"value": 1, "argidx": 1})") + "," +
                                cpu_run("fail", "") + "," + add_run("x", "x", 4, 1),
                            cpus_json({"add", "fail"})),
                options());
  ASSERT_EQ(opened.problems, "");
  EXPECT_THAT(
      opened.run(),
      HasSubstr(formatted("run 'fail' (function 'fail' of 'libarithmetic{}'): the answer is not 42 [cpu-function]",
                          platform::library_ending())));
  EXPECT_EQ(toy_->submissions, 0);
  const std::vector<RunRecord> records = opened.runner().records();
  EXPECT_EQ(records[0].status, RunStatus::Ok);
  EXPECT_EQ(records[1].status, RunStatus::Failed);
  EXPECT_EQ(records[2].status, RunStatus::Skipped);
  EXPECT_EQ(records[0].count, 1u);
  EXPECT_EQ(records[2].count, 0u);
}

TEST_F(RunnerTest, WaitReportsDeviceFailures) {
  Opened opened(recipe_json(buffer_json("x", "inout", 16), add_run("x", "x", 4, 1)), options());
  toy_->fails = true;
  ASSERT_TRUE(opened.runner().execute());
  const auto done = opened.runner().wait();
  ASSERT_FALSE(done);
  EXPECT_EQ(Opened::text(done.error().diagnostics), "the toy is broken [device-failed]");
  toy_->fails = false;
  EXPECT_EQ(opened.run(), "ok");
}

TEST_F(RunnerTest, OtherCallsFailWhileAnExecutionIsInProgress) {
  Opened opened(recipe_json(buffer_json("x", "inout", 16), add_run("x", "x", 4, 1)), options());
  ASSERT_TRUE(opened.runner().execute());
  const BufferPtr buffer = *opened.runner().create_buffer({.size = 16});
  EXPECT_THAT(Opened::text(opened.runner().execute().error()), HasSubstr("in progress"));
  EXPECT_THAT(Opened::text(opened.runner().bind("x", {buffer, 0, 16}).error()), HasSubstr("in progress"));
  EXPECT_THAT(Opened::text(opened.runner().map_buffer("x").error()), HasSubstr("in progress"));
  EXPECT_TRUE(opened.runner().wait());
  EXPECT_TRUE(opened.runner().wait());  // at once
}

TEST_F(RunnerTest, WaitWithATimeOut) {
  Opened opened(recipe_json(buffer_json("x", "inout", 16), add_run("x", "x", 4, 1)), options());
  toy_->hangs = true;
  ASSERT_TRUE(opened.runner().execute());
  EXPECT_FALSE(*opened.runner().wait(std::chrono::milliseconds(1)));
  EXPECT_TRUE(opened.runner().in_progress());
  toy_->hangs = false;
  EXPECT_TRUE(*opened.runner().wait());
  toy_->hangs = true;
  ASSERT_TRUE(opened.runner().prepare({.time_out = std::chrono::milliseconds(1)}));
  EXPECT_EQ(opened.run(), "run `x_to_x` did not end within 1 ms [timed-out]");
  toy_->hangs = false;
}

TEST_F(RunnerTest, CpuFunctionsHaveATimeOutToo) {
  const auto pipe = platform::make_pipe();
  ASSERT_TRUE(pipe);
  for (const std::uint32_t copies : {1u, 3u}) {
    Opened opened(
        recipe_json(buffer_json("x", "output", 8),
                    cpu_run("wait_for_byte", "", formatted(R"({{"value": {}, "argidx": 0}})", (*pipe)[0].number())),
                    cpus_json({"wait_for_byte"})),
        options());
    ASSERT_TRUE(opened.session.opened()) << opened.problems;
    ASSERT_TRUE(opened.runner().prepare({.copies = copies, .time_out = std::chrono::milliseconds(1)}));
    for (std::uint32_t i = 0; i < copies; ++i) ASSERT_TRUE(opened.runner().start(i));
    // One copy calls the function, and the others wait for their turn.
    for (std::uint32_t i = 0; i < copies; ++i) {
      const auto done = opened.runner().finish(i);
      ASSERT_FALSE(done);
      EXPECT_EQ(Opened::text(done.error().diagnostics),
                "the CPU function of run `wait_for_byte` did not end within 1 ms [timed-out]");
    }
  }
  const std::vector<std::byte> bytes(8);  // the threads end
  EXPECT_EQ(platform::write_all((*pipe)[1].number(), bytes), 0);
}

TEST_F(RunnerTest, CopiesHaveTheirOwnBuffersAndShareBoundOnes) {
  Opened opened(recipe_json(buffer_json("x", "input", 16) + "," + buffer_json("t", "internal", 16) + "," +
                                buffer_json("y", "output", 16),
                            add_run("x", "t", 4, 1) + "," + add_run("t", "y", 4, 1)),
                options());
  opened.bind("x", {1, 2, 3, 4});
  ASSERT_TRUE(opened.runner().prepare({.copies = 3}));
  EXPECT_EQ(opened.runner().created_bytes(), 3 * 32u);  // t and y of each copy
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(opened.runner().start(i));
  for (std::size_t i = 0; i < 3; ++i) ASSERT_TRUE(opened.runner().finish(i));
  EXPECT_THAT(opened.words("y"), ElementsAre(3, 4, 5, 6));
  EXPECT_EQ(opened.runner().records()[1].count, 3u);
}

TEST_F(RunnerTest, ConstantsOfEachTypeReachTheFunction) {
  std::string constants;
  constexpr std::string_view kTyped[] = {R"("value": -2)",
                                         R"("value": 4000000000, "type": "uint32")",
                                         R"("value": "-5000000000", "type": "int64")",
                                         R"("value": 18446744073709551615)",
                                         R"("value": 1.5, "type": "float")",
                                         R"("value": 2.5)"};
  for (std::size_t i = 0; i < std::size(kTyped); ++i)
    constants += formatted(R"({}{{{}, "argidx": {}}})", i ? ", " : "", kTyped[i], i + 1);
  Opened opened(recipe_json(buffer_json("x", "output", 64),
                            cpu_run("constants", R"({"name": "x", "argidx": 0})", constants), cpus_json({"constants"})),
                options());
  ASSERT_EQ(opened.problems.find("error"), std::string::npos) << opened.problems;
  ASSERT_EQ(opened.run(), "ok");
  ByteReader reader(*opened.runner().map_buffer("x"));
  EXPECT_EQ(reader.read<int>(), -2);
  EXPECT_EQ(reader.read<std::uint32_t>(), 4000000000u);
  EXPECT_EQ(reader.read<std::int64_t>(), -5000000000);
  EXPECT_EQ(reader.read<std::uint64_t>(), UINT64_MAX);
  EXPECT_EQ(reader.read<float>(), 1.5f);
  EXPECT_EQ(reader.read<double>(), 2.5);
}

TEST_F(RunnerTest, StringsReachTheFunction) {
  Opened opened(recipe_json(buffer_json("x", "output", 8),
                            cpu_run("label", R"({"name": "x", "argidx": 0})", R"({"value": "nchw", "argidx": 1})"),
                            cpus_json({"label"})),
                options());
  ASSERT_EQ(opened.run(), "ok");
  EXPECT_EQ(text_of(opened.runner().map_buffer("x")->first(4)), "nchw");
}

TEST_F(RunnerTest, ArgumentsBeyondTheFunctionAreErrors) {
  const Opened opened(recipe_json(buffer_json("x", "output", 8),
                                  cpu_run("copy", R"({"name": "x", "argidx": 0})", R"({"value": 3, "argidx": 2})"),
                                  cpus_json({"copy"})),
                      options());
  EXPECT_THAT(opened.problems, HasSubstr("function `copy` takes 2 arguments; it has no argidx 2 [argument-index]"));
  EXPECT_THAT(opened.problems,
              HasSubstr("run `copy` does not set argument 1 of function `copy`; it is empty [unset-argument]"));
}

TEST_F(RunnerTest, AllMissingLibrariesAndFunctionsAreReported) {
  const Opened opened(
      recipe_json(buffer_json("x", "output", 8),
                  cpu_run("copy", R"({"name": "x", "argidx": 0})") + "," + cpu_run("nope", ""),
                  R"({"name": "copy", "library_path": "nowhere"}, {"name": "nope", "library_path": "arithmetic"})"),
      options());
  EXPECT_THAT(opened.problems, HasSubstr("[cpu-open]"));
  EXPECT_THAT(opened.problems, HasSubstr("[cpu-lookup]"));
}

TEST_F(RunnerTest, CpuLibrariesCanBeRefused) {
  OpenOptions refusing = options();
  refusing.runner.why_no_cpu_libraries = "`--no-cpu-libraries` is given";
  const Opened opened(
      recipe_json(buffer_json("x", "output", 8), cpu_run("copy", R"({"name": "x", "argidx": 0})"), cpus_json({"copy"})),
      refusing);
  EXPECT_THAT(opened.problems, HasSubstr("`--no-cpu-libraries` is given [cpu-open]"));
}

TEST_F(RunnerTest, SeveralRunnersWorkSideBySide) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      auto toy = std::make_shared<ToyBackend>();
      Opened opened(recipe_json(buffer_json("x", "inout", 16),
                                cpu_run("add", R"({"name": "x", "argidx": 0})", R"({"value": 1, "argidx": 1})") + "," +
                                    add_run("x", "x", 4, 1),
                                cpus_json({"add"})),
                    {.runner = {.open_backend = [toy](BackendKind) -> Result<BackendPtr> { return toy; }}});
      for (int i = 0; i < 50; ++i) EXPECT_EQ(opened.run(), "ok") << t;
      EXPECT_EQ(opened.words("x").front() % 256, 100u);
    });
  }
}

TEST_F(RunnerTest, DestroyingARunnerWaits) {
  for (int i = 0; i < 20; ++i) {
    Opened opened(recipe_json(buffer_json("x", "inout", 16),
                              cpu_run("add", R"({"name": "x", "argidx": 0})", R"({"value": 1, "argidx": 1})"),
                              cpus_json({"add"})),
                  options());
    ASSERT_TRUE(opened.runner().execute());
  }
}

}  // namespace
}  // namespace slipway::recipe
