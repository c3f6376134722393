// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs recipes with `slipway::runner`, which has the interface and behaviour of the runner class of AMD's XRT.
//
//   slipway::device device;                                    // the default Vulkan device, opened on demand
//   slipway::runner runner(device, "recipe.json");
//   slipway::bo ifm(device, 64), ofm(device, 64);
//   runner.bind_input("ifm", ifm);
//   runner.bind_output("ofm", ofm);
//   runner.execute();
//   runner.wait();
//
// Because the class has the interface of an existing one, errors are exceptions, which derive from
// `slipway::runner::error`. The constructor finds all errors of a recipe and reports them together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "slipway/bo.hpp"
#include "slipway/bytes.hpp"
#include "slipway/problem.hpp"

namespace slipway {

// A device by its index or a part of its name, or a Vulkan device by its UUID. It is a Vulkan device, or an NPU for
// kernels of the back end `xrt`; a prefix says which is meant: `xrt:1`. If empty, the Vulkan device of SLIPWAY_DEVICE,
// else the first by type, and the NPU of SLIPWAY_XRT_DEVICE, else the first one. It is opened when a recipe or buffer
// needs it: recipes of CPU functions only do not need it. With `cpu` models run on the CPU engine, and no other kernels
// run. Copies share the device, and may be used by different threads.
class SLIPWAY_API device {
 public:
  device() : device(std::string()) {}
  explicit device(unsigned index) : device(std::to_string(index)) {}
  explicit device(std::string selector);
  device(const device&) = default;
  device& operator=(const device&) = default;  // a move is a copy, so that every object stays usable

  struct state;
  const std::shared_ptr<state>& shared() const { return state_; }

 private:
  friend SLIPWAY_API device slipway_adopt_xrt_device(std::shared_ptr<const void> xrt_device);
  std::shared_ptr<state> state_;
};

// For slipway/xrt_runner.hpp: a device that uses an `xrt::device` of the application.
SLIPWAY_API device slipway_adopt_xrt_device(std::shared_ptr<const void> xrt_device);

// Creates the buffer of `bo(device, size)`: zeroed memory that the host and the device's kernels share: of the NPU
// if the device was selected with `xrt:`. Without a device it is host memory. Throws runner::backend_error.
SLIPWAY_API bo slipway_make_buffer(const device& device, std::size_t size);

// The files that recipes and profiles name: from a directory, or from memory by name. Copies share them,
// and may be used by different threads.
class SLIPWAY_API artifacts {
 public:
  using map = std::map<std::string, std::vector<char>>;

  artifacts(const std::filesystem::path& directory);  // NOLINT(google-explicit-constructor): as in XRT
  artifacts(map files);                               // NOLINT(google-explicit-constructor)
  artifacts(const artifacts&) = default;
  artifacts& operator=(const artifacts&) = default;

  struct state;
  const std::shared_ptr<const state>& shared() const { return state_; }

 private:
  std::shared_ptr<const state> state_;
};

struct run_options {
  std::string profile;                 // JSON text or a path; empty: none
  std::optional<artifacts> files;      // empty: the current directory
  std::string backend;                 // vulkan, opencl or xrt; empty: chosen by each kernel's files
  std::filesystem::path kernels;       // a file that replaces kernels of the recipe; empty: none
  std::filesystem::path library_root;  // of CPU libraries; empty: XILINX_XRT, the install prefix, the artifacts
  std::uint64_t seed = 0;              // of random data without a seed
  bool strict = false;                 // warnings are errors
  bool allow_outside = false;          // files and libraries outside their directories
  bool timings = false;                // measure each run, for the report
};

// A recipe that runs. Runners are independent and may be used from different threads, even with one device; one runner
// is used by one thread at a time. CPU functions of a recipe are called on a thread of the runner, one at a time.
class SLIPWAY_API runner {
 public:
  // An exception; several threads may read it.
  class SLIPWAY_API error : public std::exception {
   public:
    error(std::string text, std::vector<Problem> problems) : text_(std::move(text)), problems_(std::move(problems)) {}
    ~error() override;
    // The first problem, and the number of others.
    const char* what() const noexcept override { return text_.c_str(); }
    const std::vector<Problem>& diagnostics() const { return problems_; }

   private:
    std::string text_;
    std::vector<Problem> problems_;
  };
#define SLIPWAY_RUNNER_ERROR(name, base) \
  class SLIPWAY_API name : public base { \
   public:                               \
    using base::base;                    \
    ~name() override;                    \
  }
  SLIPWAY_RUNNER_ERROR(json_error, error);                // a text is not JSON
  SLIPWAY_RUNNER_ERROR(recipe_error, error);              // the recipe is invalid
  SLIPWAY_RUNNER_ERROR(profile_error, error);             // the profile is invalid
  SLIPWAY_RUNNER_ERROR(validation_error, profile_error);  // a buffer does not have the expected contents
  SLIPWAY_RUNNER_ERROR(repo_error, error);                // a file of the recipe or profile
  SLIPWAY_RUNNER_ERROR(hwctx_error, error);               // hardware contexts
  SLIPWAY_RUNNER_ERROR(cpu_error, error);                 // a CPU library or function; nests its exception
  SLIPWAY_RUNNER_ERROR(backend_error, error);             // a device is missing or failed
  SLIPWAY_RUNNER_ERROR(state_error, error);               // an execution is in progress, or buffers are not bound
#undef SLIPWAY_RUNNER_ERROR

  using artifacts_repository = artifacts;

  // `recipe` and `profile` are JSON texts if their first character is `{`, else paths. Constructors throw errors of
  // recipe, profile and files.
  runner();
  runner(const device& device, const std::string& recipe);
  runner(const device& device, const std::string& recipe, const std::filesystem::path& artifacts_dir);
  runner(const device& device, const std::string& recipe, const artifacts_repository& files);
  runner(const device& device, const std::string& recipe, const std::string& profile);
  runner(const device& device, const std::string& recipe, const char* profile);
  runner(const device& device, const std::string& recipe, const std::string& profile,
         const std::filesystem::path& artifacts_dir);
  runner(const device& device, const std::string& recipe, const std::string& profile,
         const artifacts_repository& files);
  runner(const device& device, const std::string& recipe, const run_options& options);
  runner(runner&&) noexcept;
  runner& operator=(runner&&) noexcept;
  ~runner();  // waits

  explicit operator bool() const { return impl_ != nullptr; }

  // All three are equivalent. The buffer, or part of one, stays bound until another one is bound. Throws recipe_error
  // for an unknown name or a wrong size, state_error while an execution is in progress.
  void bind_input(const std::string& name, const bo& buffer) { bind(name, buffer); }
  void bind_output(const std::string& name, const bo& buffer) { bind(name, buffer); }
  void bind(const std::string& name, const bo& buffer);

  // Starts one execution and returns. With a profile, runs all its executions to the end. Throws state_error while an
  // execution is in progress, and if buffers that runs use are not bound, with the names of all of them.
  void execute();
  // Waits until the execution has ended; returns at once if no execution is in progress. Throws errors of the
  // execution.
  void wait();
  // Returns false if the execution still runs after the timeout.
  bool wait(std::chrono::milliseconds timeout);

  // The bytes of a buffer, synced from the device; empty for an unknown name or if nothing is bound. Valid until
  // another buffer is bound to the name or the runner is destroyed.
  ByteView map_buffer(const std::string& name) const;
  template <class Pointer>
  Pointer map_buffer(const std::string& name) const {
    static_assert(std::is_pointer<Pointer>::value && std::is_const<std::remove_pointer_t<Pointer>>::value,
                  "map_buffer<const T*>() returns a pointer to const");
    const ByteView bytes = map_buffer(name);
    return bytes.empty() ? nullptr : static_cast<Pointer>(static_cast<const void*>(bytes.data()));
  }

  // The report of runs and times: JSON on one line.
  std::string report() const;
  std::string get_report() const { return report(); }
  // Warnings of the constructor.
  const std::vector<Problem>& remarks() const;

  struct impl;

 private:
  std::unique_ptr<impl> impl_;
};

}  // namespace slipway
