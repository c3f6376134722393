// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Progress messages. The modules write them to a `Log`; the caller decides what its sink does with them.
#pragma once

#include <functional>
#include <string_view>

namespace slipway {

enum class LogLevel { Debug, Info, Warning, Error };

class Log {
 public:
  using Sink = std::function<void(LogLevel, std::string_view)>;

  Log() = default;  // silent
  explicit Log(Sink sink) : sink_(std::move(sink)) {}

  void debug(std::string_view text) const { write(LogLevel::Debug, text); }
  void info(std::string_view text) const { write(LogLevel::Info, text); }
  void warning(std::string_view text) const { write(LogLevel::Warning, text); }
  void error(std::string_view text) const { write(LogLevel::Error, text); }

 private:
  void write(LogLevel level, std::string_view text) const {
    if (sink_) sink_(level, text);
  }
  Sink sink_;
};

}  // namespace slipway
