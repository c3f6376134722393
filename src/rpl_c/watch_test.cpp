// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that runs gets the pipelines of a pack that is replaced.
#include "slipway/rpl_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/system/files.hpp"
#include "base/system/live/local_server.hpp"
#include "slipway/rpl.h"
#include "testing/scratch_directory.hpp"

namespace slipway::rpl_c {
namespace {

constexpr const char* kProgram = R"(
instance dark: flag off;
push_constant view { f4 tint; };
color_output_container target { f4 color; };
void vertex_main (void) { vertex_stage_output_position (view.tint); }
void fragment_main (void)
{
    target.color = view.tint;
    conditional (dark) { target.color = f4 {DARK}; }
}
)";

// A pack of one program, with a constant in its dark variant and a list of texts that are replaced.
std::vector<std::uint32_t> pack_of(const char* name, const std::string& dark) {
  rpl_compiler* compiler = rpl_compiler_create(nullptr);
  std::string text = kProgram;
  text.replace(text.find("DARK"), 4, dark);
  rpl_parsed_module* module = nullptr;
  rpl_program* program = nullptr;
  EXPECT_EQ(rpl_module_parse(compiler, "program.rpl", text.data(), text.size(), &module, nullptr), RPL_OK);
  EXPECT_EQ(rpl_program_create(compiler, &module, 1, &program, nullptr), RPL_OK);
  const rpl_entry_point_name entries[] = {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}};
  rpl_variant variant{};
  variant.size = sizeof variant;
  variant.entry_points = entries;
  variant.entry_point_count = 2;
  rpl_variants_options options{};
  options.size = sizeof options;
  options.variant = &variant;
  rpl_variants variants{};
  EXPECT_EQ(rpl_program_variants(program, &options, &variants, nullptr), RPL_OK);
  const rpl_packed packed = {name, &variants};
  rpl_bytes bytes{};
  EXPECT_EQ(rpl_pack_make(&packed, 1, &bytes, nullptr), RPL_OK);
  const auto* const words = static_cast<const std::uint32_t*>(bytes.data);
  std::vector<std::uint32_t> made(words, words + bytes.size / 4);
  rpl_bytes_free(&bytes);
  rpl_variants_free(&variants);
  rpl_program_release(program);
  rpl_module_release(module);
  rpl_compiler_release(compiler);
  return made;
}

bool save(const Path& file, const std::string& dark, const char* name = "forward/brick") {
  const std::vector<std::uint32_t> pack = pack_of(name, dark);
  return write_file(file, std::as_bytes(std::span(pack))).has_value();
}

constexpr rpl_option_value kDark = {"dark", "on"};

struct Watch {
  explicit Watch(const Path& path) : watch(rpl_watch_open(path.string().c_str())) {
    plain.program = dark.program = lost.program = "forward/brick";
    dark.options = &kDark;
    dark.option_count = 1;
    lost.program = "forward/lost";
    for (rpl_watched* each : {&plain, &dark, &lost}) rpl_watch_add(watch, each);
  }
  ~Watch() { rpl_watch_close(watch); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  std::string changes() {
    std::string names;
    while (const rpl_watched* changed = rpl_watch_next(watch)) {
      names += changed == &plain ? "plain " : changed == &dark ? "dark " : "lost ";
      EXPECT_NE(changed->pipeline, nullptr);
      EXPECT_NE(changed->pipeline, changed->previous);
    }
    return names;
  }

  rpl_watch* watch;
  rpl_watched plain{}, dark{}, lost{};
};

std::string hash_of(const rpl_watched& of) { return of.pipeline->metadata.hashes.pipeline.data; }

TEST(RplWatch, ReportsChangedPipelinesOnce) {
  const testing::ScratchDirectory scratch;
  const Path file = scratch / "game.rplpack";
  Watch watch(file);
  EXPECT_EQ(watch.changes(), "") << "there is no file yet";
  EXPECT_EQ(rpl_watch_status(watch.watch), RPL_LACKS);
  EXPECT_EQ(rpl_watch_pack(watch.watch), nullptr);

  ASSERT_TRUE(save(file, "0.5"));
  EXPECT_EQ(watch.changes(), "plain dark ");
  EXPECT_EQ(watch.changes(), "");
  EXPECT_EQ(watch.lost.status, RPL_BAD_INPUT);
  EXPECT_EQ(rpl_watch_status(watch.watch), RPL_OK);
  EXPECT_EQ(rpl_pack_program_count(rpl_watch_pack(watch.watch)), 1);
  const std::string plain = hash_of(watch.plain), dark = hash_of(watch.dark);
  const rpl_pipeline* const same = watch.plain.pipeline;

  ASSERT_TRUE(save(file, "0.25"));
  EXPECT_EQ(watch.changes(), "dark ");
  EXPECT_NE(hash_of(watch.dark), dark);
  EXPECT_EQ(watch.plain.pipeline, same) << "what does not change stays where it is";
  EXPECT_EQ(hash_of(watch.plain), plain);
  EXPECT_EQ(watch.plain.pipeline->modules[0].words[0], 0x07230203);

  // Both variants are one: a pipeline that was in the pack before.
  ASSERT_TRUE(save(file, "0.0};} conditional (false) { target.color = f4 {0.0"));
  EXPECT_THAT(watch.changes(), ::testing::HasSubstr("dark"));
}

TEST(RplWatch, KeepsTheLastGoodPipelines) {
  const testing::ScratchDirectory scratch;
  const Path file = scratch / "game.rplpack";
  ASSERT_TRUE(save(file, "0.5"));
  Watch watch(file);
  EXPECT_EQ(watch.changes(), "plain dark ");
  const std::string before = hash_of(watch.dark);

  ASSERT_TRUE(write_file(file, std::string_view("RPLPACK and nothing else")));
  EXPECT_EQ(watch.changes(), "");
  EXPECT_EQ(rpl_watch_status(watch.watch), RPL_BAD_INPUT);
  EXPECT_EQ(watch.changes(), "");
  EXPECT_EQ(hash_of(watch.dark), before);
  EXPECT_NE(rpl_watch_pack(watch.watch), nullptr);

  ASSERT_TRUE(save(file, "0.5", "forward/stone"));
  EXPECT_EQ(watch.changes(), "") << "another program";
  EXPECT_EQ(watch.dark.status, RPL_BAD_INPUT);
  EXPECT_EQ(hash_of(watch.dark), before);
  remove_file(file);
  EXPECT_EQ(watch.changes(), "");
  EXPECT_EQ(hash_of(watch.dark), before);

  ASSERT_TRUE(save(file, "0.75"));
  EXPECT_EQ(watch.changes(), "dark ");
  EXPECT_EQ(watch.dark.status, RPL_OK);
}

TEST(RplWatch, AddsAndRemovesPipelines) {
  const testing::ScratchDirectory scratch;
  const Path file = scratch / "game.rplpack";
  ASSERT_TRUE(save(file, "0.5"));
  Watch watch(file);
  rpl_watched* const first = rpl_watch_next(watch.watch);
  EXPECT_EQ(first, &watch.plain);
  EXPECT_EQ(first->previous, nullptr);
  rpl_watch_remove(watch.watch, &watch.plain);
  EXPECT_EQ(watch.plain.pipeline, nullptr);
  EXPECT_EQ(watch.changes(), "dark ") << "that was still to be reported";
  rpl_watch_add(watch.watch, &watch.plain);
  EXPECT_EQ(watch.changes(), "plain ");
  rpl_watch_remove(watch.watch, &watch.lost);
  rpl_watch_remove(watch.watch, &watch.lost);

  ASSERT_TRUE(save(file, "0.25"));
  rpl_watched* const changed = rpl_watch_next(watch.watch);
  ASSERT_EQ(changed, &watch.dark);
  ASSERT_NE(changed->previous, nullptr);
  EXPECT_EQ(changed->previous->metadata.hashes.interface_hash,
            std::string_view(changed->pipeline->metadata.hashes.interface_hash));
  EXPECT_EQ(rpl_watch_next(watch.watch), nullptr);
  EXPECT_EQ(changed->previous, nullptr) << "it is valid until the next call";
}

TEST(RplWatch, RefusesWrongCalls) {
  EXPECT_EQ(rpl_watch_open(nullptr), nullptr);
  EXPECT_EQ(rpl_watch_next(nullptr), nullptr);
  EXPECT_EQ(rpl_watch_status(nullptr), RPL_WRONG_CALL);
  EXPECT_EQ(rpl_watch_pack(nullptr), nullptr);
  rpl_watch_close(nullptr);
  rpl_watch_add(nullptr, nullptr);
  rpl_watch_remove(nullptr, nullptr);
}

TEST(RplWatch, ReceivesPacksOverASocket) {
  using Message = std::vector<std::uint32_t>;
  const testing::ScratchDirectory scratch;
  const Path file = scratch / "game.socket";
  auto server = std::make_unique<Result<LocalServer>>(LocalServer::open(file));
  ASSERT_TRUE(*server) << server->error().front().message;
  EXPECT_FALSE(LocalServer::open(file)) << "it is served";
  Watch watch(file);
  EXPECT_EQ(watch.changes(), "");
  (*server)->serve();
  EXPECT_EQ((*server)->client_count(), 1);
  EXPECT_EQ(watch.changes(), "") << "nothing was sent yet";
  (*server)->send(std::make_shared<const Message>(pack_of("forward/brick", "0.5")));
  (*server)->serve();
  EXPECT_EQ(watch.changes(), "plain dark ");
  EXPECT_EQ(watch.changes(), "");
  // Of two packs the newer one counts.
  (*server)->send(std::make_shared<const Message>(pack_of("forward/brick", "0.25")));
  (*server)->serve();
  (*server)->send(std::make_shared<const Message>(pack_of("forward/brick", "0.125")));
  (*server)->serve();
  EXPECT_EQ(watch.changes(), "dark ");
  const std::string newest = hash_of(watch.dark);

  // Another program with this socket sends something else, and then a pack.
  server.reset();
  EXPECT_FALSE(file_exists(file));
  EXPECT_EQ(watch.changes(), "");
  server = std::make_unique<Result<LocalServer>>(LocalServer::open(file));
  ASSERT_TRUE(*server);
  EXPECT_EQ(watch.changes(), "");
  (*server)->send(std::make_shared<const Message>(Message(64, 1)));
  (*server)->serve();
  EXPECT_EQ(watch.changes(), "");
  EXPECT_EQ(rpl_watch_status(watch.watch), RPL_BAD_INPUT);
  EXPECT_EQ(hash_of(watch.dark), newest);
  (*server)->send(std::make_shared<const Message>(pack_of("forward/brick", "0.5")));
  EXPECT_EQ(watch.changes(), "");
  (*server)->serve();
  EXPECT_EQ(watch.changes(), "dark ");
}

TEST(RplWatch, ConnectsAgainAfterABadPack) {
  const testing::ScratchDirectory scratch;
  Result<LocalServer> server = LocalServer::open(scratch / "game.socket");
  ASSERT_TRUE(server);
  Watch watch(scratch / "game.socket");
  EXPECT_EQ(watch.changes(), "");
  const auto send = [&](std::vector<std::uint32_t> pack) {
    server->send(std::make_shared<const std::vector<std::uint32_t>>(std::move(pack)));
    server->serve();
  };
  std::vector<std::uint32_t> other = pack_of("forward/brick", "0.5");
  other[3] ^= 1;  // PackHeader::form: of another compiler
  send(other);
  EXPECT_EQ(watch.changes(), "");
  EXPECT_EQ(rpl_watch_status(watch.watch), RPL_BAD_INPUT);
  server->serve();
  EXPECT_EQ(server->client_count(), 0) << "what follows may begin anywhere";
  EXPECT_EQ(watch.changes(), "");
  send(pack_of("forward/brick", "0.5"));
  EXPECT_EQ(server->client_count(), 1);
  EXPECT_EQ(watch.changes(), "plain dark ");
  EXPECT_EQ(rpl_watch_status(watch.watch), RPL_OK);

  // The same bad pack is sent to each new connection, until there is another one.
  send(other);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(watch.changes(), "");
    EXPECT_EQ(rpl_watch_status(watch.watch), RPL_BAD_INPUT);
    server->serve();
  }
  send(pack_of("forward/brick", "0.25"));
  std::string changes;
  while (changes.empty()) {  // for less than a second
    changes = watch.changes();
    server->serve();
  }
  EXPECT_EQ(changes, "dark ");
}

TEST(RplWatch, ReceivesAPackInParts) {
  // More than a socket takes at once.
  std::vector<std::uint32_t> pack = pack_of("forward/brick", "0.5");
  const testing::ScratchDirectory scratch;
  Result<LocalServer> server = LocalServer::open(scratch / "game.socket");
  ASSERT_TRUE(server);
  Watch watch(scratch / "game.socket");
  EXPECT_EQ(watch.changes(), "");
  std::vector<std::uint32_t> large(std::size_t{1} << 20, 0);
  std::ranges::copy(pack, large.begin());
  large[4] = static_cast<std::uint32_t>(large.size());  // PackHeader::word_count, whose records are the same
  server->send(std::make_shared<const std::vector<std::uint32_t>>(std::move(large)));
  int calls = 0;
  for (; watch.plain.pipeline == nullptr && rpl_watch_status(watch.watch) != RPL_BAD_INPUT && calls < 1000; ++calls) {
    server->serve();
    watch.changes();
  }
  EXPECT_GT(calls, 2);
  EXPECT_LT(calls, 1000);
}

}  // namespace
}  // namespace slipway::rpl_c
