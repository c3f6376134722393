// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a client of `slipway layer certify` uses: an application, and the checks of its results.
#pragma once

#include "base/format.hpp"
#include "conformance/vulkan/application.hpp"
#include "conformance/vulkan/clients/outcome.hpp"

namespace slipway::conformance {

inline constexpr std::size_t kMaxFailures = 10;

class Client : public Application {
 public:
  Client(const CertifyOptions& options, ClientOutcome& outcome) : options_(options), outcome_(outcome) {
    validation_ = options.validate;
  }

  void fail(std::string what) {
    if (outcome_.failures.size() < kMaxFailures) outcome_.failures.push_back(std::move(what));
  }
  void check(bool holds, std::string_view what) {
    ++outcome_.checks;
    if (!holds) fail(std::string(what));
  }
  void check_result(VkResult got, VkResult wanted, std::string_view call) {
    check(got == wanted,
          formatted("{} returned {} instead of {}", call, static_cast<int>(got), static_cast<int>(wanted)));
  }
  template <class T>
  void check_contents(const AppTensor& tensor, const std::vector<T>& wanted, std::string_view what) {
    ++outcome_.checks;
    const std::vector<T> got = contents<T>(tensor);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (got[i] == wanted[i]) continue;
      return fail(formatted("{}: element {} is {} instead of {}", what, i, +got[i], +wanted[i]));
    }
  }
  // A message of the validation layer or of the layer is a failure.
  void check_messages(std::string_view what) {
    ++outcome_.checks;
    for (const std::string& message : take_messages()) fail(formatted("{}: message: {}", what, message));
  }

  const CertifyOptions& options() const { return options_; }

 private:
  const CertifyOptions& options_;
  ClientOutcome& outcome_;
};

// The clients (sequences.cpp).
void run_like_a_runner(Client& client);
void run_like_samples(Client& client);
void run_like_a_runtime(Client& client);
void run_generated(Client& client);
void run_odd_calls(Client& client);

}  // namespace slipway::conformance
