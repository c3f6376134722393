// Run recipes: a recipe is run with `slipway::runner`, the class of AMD's run recipes with its names and behaviour.
//
//   slipway::device device;                                    // the default Vulkan device, opened when it is needed
//   slipway::runner runner(device, "recipe.json");
//   slipway::bo ifm(device, 64), ofm(device, 64);
//   runner.bind_input("ifm", ifm);
//   runner.bind_output("ofm", ofm);
//   runner.execute();
//   runner.wait();
//
// Because the class has the shape of an existing one, its errors are exceptions; all of them derive from
// `slipway::runner::error`. Everything wrong with a recipe is found when the runner is constructed, and reported at
// once.
//
// Threads: runners are independent of each other and may be used from different threads, also on one device. One runner
// is used by one thread at a time. CPU functions of a recipe are called on a thread of the runner, one at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "slipway/bo.hpp"
#include "slipway/problem.hpp"

namespace slipway {

// A Vulkan device by its number, part of its name or UUID; nothing for SLIPWAY_DEVICE, else the best. It is opened when
// a recipe or buffer needs it: recipes of CPU functions alone need none. Copies are the same device.
class SLIPWAY_API device {
 public:
  device() : device(std::string()) {}
  explicit device(unsigned index) : device(std::to_string(index)) {}
  explicit device(std::string selector);

  struct state;
  const std::shared_ptr<state>& shared() const { return state_; }

 private:
  std::shared_ptr<state> state_;
};

// What `bo(device, size)` calls: zeros, which the device's kernels and the host see as one memory. Where there is no
// device it is memory of the host. Throws runner::backend_error.
SLIPWAY_API bo slipway_make_buffer(const device& device, std::size_t size);

// The files that recipes and profiles name: a directory, or bytes by name. Copies share them.
class SLIPWAY_API artifacts {
 public:
  using map = std::map<std::string, std::vector<char>>;

  artifacts(const std::filesystem::path& directory);  // NOLINT(google-explicit-constructor): as the existing class
  artifacts(map files);                               // NOLINT(google-explicit-constructor)

  struct state;
  const std::shared_ptr<const state>& shared() const { return state_; }

 private:
  std::shared_ptr<const state> state_;
};

struct run_options {
  std::string profile;                 // JSON text or a path; empty: none
  std::optional<artifacts> files;      // the current directory
  std::string backend;                 // vulkan, opencl or xrt; empty: as each kernel's files say
  std::filesystem::path kernels;       // a file that replaces kernels of the recipe; empty: none
  std::filesystem::path library_root;  // of CPU libraries; empty: XILINX_XRT, the install prefix, the artifacts
  std::uint64_t seed = 0;              // of random data that have none
  bool strict = false;                 // warnings are errors
  bool allow_outside = false;          // files and libraries outside their directories
  bool timings = false;                // measure each run, for the report
};

class SLIPWAY_API runner {
 public:
  class SLIPWAY_API error : public std::exception {
   public:
    error(std::string text, std::vector<Problem> problems) : text_(std::move(text)), problems_(std::move(problems)) {}
    ~error() override;
    // The first problem, and how many others there are.
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
  SLIPWAY_RUNNER_ERROR(recipe_error, error);              // what the recipe says cannot be
  SLIPWAY_RUNNER_ERROR(profile_error, error);             // what the profile says cannot be
  SLIPWAY_RUNNER_ERROR(validation_error, profile_error);  // a buffer is not what the profile expects
  SLIPWAY_RUNNER_ERROR(repo_error, error);                // a file that the recipe or profile names
  SLIPWAY_RUNNER_ERROR(hwctx_error, error);               // hardware contexts
  SLIPWAY_RUNNER_ERROR(cpu_error, error);                 // a CPU library or function; nests what the function threw
  SLIPWAY_RUNNER_ERROR(backend_error, error);             // a device is missing or failed
  SLIPWAY_RUNNER_ERROR(state_error, error);               // not now: in progress, or buffers are not bound
#undef SLIPWAY_RUNNER_ERROR

  using artifacts_repository = artifacts;

  // `recipe` and `profile` are JSON texts if their first character is `{`, else paths. Every constructor throws what is
  // wrong.
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

  // All three are the same. The buffer, or part of one, stays bound until another is. Throws recipe_error for an
  // unknown name or a wrong size, state_error while an execution is in progress.
  void bind_input(const std::string& name, const bo& buffer) { bind(name, buffer); }
  void bind_output(const std::string& name, const bo& buffer) { bind(name, buffer); }
  void bind(const std::string& name, const bo& buffer);

  // Starts one execution and returns. With a profile: runs all that it says, to the end. Throws state_error while an
  // execution is in progress, and when a buffer that a run uses is not bound, naming all of them.
  void execute();
  // Until the execution has ended; at once without one. Throws what went wrong in it.
  void wait();
  // False: it is still running.
  bool wait(std::chrono::milliseconds timeout);

  // The bytes of a buffer, of the device's last state; empty for an unknown name or when nothing is bound. Good until
  // another buffer is bound to the name or the runner ends.
  std::span<const std::byte> map_buffer(const std::string& name) const;
  template <class Pointer>
  Pointer map_buffer(const std::string& name) const {
    static_assert(std::is_pointer_v<Pointer> && std::is_const_v<std::remove_pointer_t<Pointer>>,
                  "map_buffer<const T*>() gives a pointer to const");
    const std::span<const std::byte> bytes = map_buffer(name);
    return bytes.empty() ? nullptr : static_cast<Pointer>(static_cast<const void*>(bytes.data()));
  }

  // What ran and how long it took: JSON on one line.
  std::string report() const;
  std::string get_report() const { return report(); }
  // Warnings of loading.
  const std::vector<Problem>& remarks() const;

  struct impl;

 private:
  std::unique_ptr<impl> impl_;
};

}  // namespace slipway
