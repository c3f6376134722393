// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scenarios: load a file, optionally replace the contents of resources, run, and use the results.
//
//   auto device = slipway::Device::open();
//   auto scenario = slipway::Scenario::load("blur.json");
//   scenario->set_contents("input", pixels);
//   slipway::RunOptions options;
//   options.capture = {"output"};
//   auto report = scenario->run(*device, options);
//   use(report->captured.at("output"));
//
// C++17.
//
// Compilers of shaders and validators run in processes of their own (slipway/sandbox.hpp).
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slipway/bytes.hpp"
#include "slipway/device.hpp"
#include "slipway/problem.hpp"
#include "slipway/tensor_info.hpp"

namespace slipway {

struct LoadOptions {
  std::filesystem::path output;  // base of relative `dst` paths; empty: the scenario's directory
  bool confine =
      false;  // refuse paths that leave the scenario's directory; the kernel has no rules, unlike with --confine
  bool strict = false;  // warnings are errors
  bool cache = true;    // keep compiled shaders in the user's cache directory
};

struct RunOptions {
  std::uint32_t repeat = 1;  // iterations, at least 1; each starts with the contents that the previous one left
  // The time limit of one wait, in seconds, more than 0. A command that takes longer is a problem of kind timed-out. It
  // cannot be stopped, so the device is lost: its objects are leaked, and a thread of the driver may stay busy until
  // the process ends. The next run opens the device again.
  std::optional<double> timeout;
  bool write_outputs = true;         // write the files that `dst` names
  std::vector<std::string> capture;  // uids of buffers and images whose final contents the report has
};

// The outcome of one `expect`.
struct ExpectationResult {
  std::string uid;
  bool met = false;
  std::string text;  // as the program prints it
};

struct RunReport {
  std::vector<ExpectationResult> expectations;
  // The bytes of a buffer; level 0 of an image, rows tightly packed in the image's format.
  std::map<std::string, std::vector<std::byte>, std::less<>> captured;
  // What they are, by uid: a tensor as its format and dims say; level 0 of an image as [H, W, C], or [D, H, W, C] with
  // a depth or layers; a buffer, and an image without plain texels, as bytes (u8).
  std::map<std::string, TensorInfo, std::less<>> captured_types;

  bool all_met() const {
    for (const ExpectationResult& result : expectations) {
      if (!result.met) return false;
    }
    return true;
  }
};

// A scenario with the contents of every file that it names. It is used by one thread at a time; different ones may be
// used at once, also with the same device, on which they take turns. An object that was moved from may only be assigned
// or destroyed; other calls throw std::logic_error.
class SLIPWAY_API Scenario {
 public:
  // Reads the file and every file that it names, compiles the shaders and checks everything. The error has all
  // problems, warnings included.
  static Outcome<Scenario> load(const std::filesystem::path& file, const LoadOptions& options = {});
  // The same for a text; relative paths are resolved against `directory`.
  static Outcome<Scenario> parse(std::string_view text, const std::filesystem::path& directory,
                                 const LoadOptions& options = {});

  Scenario(Scenario&&) noexcept;
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();

  // Warnings and notes of loading.
  const std::vector<Problem>& remarks() const;

  // Replaces the initial contents of a buffer or of level 0 of an image (rows tightly packed). The bytes are copied.
  // Errors: unknown-reference, file-mismatch if the size is not that of the resource.
  Outcome<bool> set_contents(std::string_view uid, ByteView bytes);

  // Errors: usage (options), unknown-reference (`capture`), device-lacks, timed-out, device-failed, and
  // output-not-written of what is stored, captured or has an expectation; files are written all the same. An unmet
  // expectation is not an error: see RunReport. May be called again; each run starts from the initial
  // contents. Graphs are compiled for the device, so the first run on a device reads their files again.
  Outcome<RunReport> run(Device& device, const RunOptions& options = {});

 private:
  struct State;
  explicit Scenario(std::unique_ptr<State> state);
  static Outcome<Scenario> load_text(std::string text, std::string name, const std::filesystem::path& directory,
                                     const LoadOptions& options);
  std::unique_ptr<State> state_;
};

}  // namespace slipway
