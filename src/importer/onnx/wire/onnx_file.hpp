// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An ONNX file while it is read: its bytes, what was reported, and the limits of what a file may claim.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/diagnostic.hpp"
#include "importer/external.hpp"

namespace slipway::importer::onnx {

inline constexpr int kMaxDepth = 64;  // of nested messages

// What a message is, for diagnostics: "attribute `value` of `Constant #3`". The parents are on the stack.
struct Context {
  const Context* parent = nullptr;
  std::string_view kind;  // its field in the parent; empty: not mentioned
  Bytes message;
  std::uint32_t name_field = 0;  // the number of the field with its name; 0: none
  std::int64_t index = -1;       // of a node
  std::string_view name = {};    // if it is not in a field of the message

  std::string describe() const;
  // " of attribute `value`", or nothing.
  std::string as_owner() const;
  int depth() const;
};

// A name as messages show it, in backticks.
std::string in_backticks(std::string_view name);

class OnnxFile {
 public:
  OnnxFile(Bytes bytes, const std::string& name, const ReadOptions& options, Diagnostics& diagnostics)
      : bytes_(bytes), name_(name), diagnostics_(diagnostics), external_(options) {}

  std::uint64_t size() const { return bytes_.size(); }
  std::uint64_t offset_of(const std::byte* at) const { return static_cast<std::uint64_t>(at - bytes_.data()); }
  SourceLocation location(Bytes part) const;

  // The same problem at the same location is reported once: a function is read for each call. So are at most
  // `kMaxReported` of them.
  void error(DiagnosticKind kind, Bytes part, std::string message);
  void warning(DiagnosticKind kind, Bytes part, std::string message);
  void remark(DiagnosticKind kind, Bytes part, std::string message);
  std::optional<ExternalData> find_external(const ExternalRange& range, const Context& where);
  // A message could not be decoded: what refers to names in it is not reported.
  void note_damage() { is_damaged_ = true; }
  bool is_damaged() const { return is_damaged_; }

  // Messages that are nested deeper than `kMaxDepth`; reported once.
  void refuse_depth(Bytes part);
  void warn_repeated(const Context& where, Bytes part);
  void warn_not_utf8(const Context& where, Bytes part);
  void skip_unknown(Bytes field);
  // Reports what was counted.
  void finish();

  // Whether `bytes` more may be taken for data that are not views of the file, or for decoded fields. Functions can
  // make much of a small file. The first excess is an error, after which no message can be decoded.
  bool charge(std::uint64_t bytes, const Context& where);
  bool is_exhausted() const { return is_exhausted_; }

 private:
  void add(Diagnostic diagnostic);

  static constexpr std::size_t kMaxReported = 1000;

  Bytes bytes_;
  const std::string& name_;
  Diagnostics& diagnostics_;
  ExternalFiles external_;
  std::unordered_set<std::string> reported_;
  std::size_t errors_ = 0, unknown_ = 0;
  Bytes first_unknown_;
  std::uint64_t charged_ = 0;
  bool is_exhausted_ = false, is_too_deep_ = false, is_damaged_ = false;
};

}  // namespace slipway::importer::onnx
