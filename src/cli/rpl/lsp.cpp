// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `slipway lsp`: the language server over standard input and output.
#include "base/system/files.hpp"
#include "base/system/streams.hpp"
#include "cli/check_document.hpp"
#include "cli/rpl/verbs.hpp"
#include "platform/file.hpp"
#include "rpl/lsp/frames.hpp"
#include "rpl/lsp/server.hpp"

namespace slipway::cli {

int lsp_verb(const Arguments& arguments) {
  CommandLine line("slipway lsp",
                   "Serves an editor over standard input and output: the Language Server Protocol for programs of the "
                   "Render Pipeline Language and their project files, scenarios, recipes, profiles and ZE Info.",
                   "slipway lsp");
  bool stdio = false;
  line.add_flag("--stdio", stdio, "accepted for editors that pass it; no other transport exists");
  if (const std::optional<int> status = line.parse(arguments)) return *status;

  // Documents that are opened come from the editor; these are the other files of their projects.
  constexpr std::size_t kMaxFile = std::size_t{16} << 20;
  const auto read = [](const Path& path) { return read_small_file(path, kMaxFile); };
  rpl::lsp::Server server({.read = read, .list = files_in}, check_document);
  rpl::lsp::FrameReader reader;
  std::byte buffer[64 << 10];
  while (!server.ended()) {
    const std::size_t got = platform::read_some(platform::kStandardInput, buffer).value_or(0);
    if (got == 0) break;  // the editor has closed the pipe
    reader.feed({reinterpret_cast<const char*>(buffer), got});
    while (!server.ended()) {
      const std::optional<std::string> message = reader.next();
      if (!message) break;
      for (const std::string& answer : server.handle(*message)) print(rpl::lsp::frame(answer));
    }
    if (reader.broken()) {
      print_error("slipway lsp: a message header announces a length beyond the limit\n");
      return 3;
    }
  }
  return server.exit_status();
}

}  // namespace slipway::cli
