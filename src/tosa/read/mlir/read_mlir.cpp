// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tosa/read/mlir/read_mlir.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/mlir_bytecode.hpp"
#include "sandbox/sandbox.hpp"
#include "tensor/element.hpp"
#include "tosa/read/mlir/mlir_reply.hpp"
#include "tosa/read/mlir/parse_mlir.hpp"

namespace slipway::tosa {
namespace {

constexpr std::size_t kMaxShownText = 4 << 20;  // larger texts are not kept for showing source lines
constexpr std::size_t kCopied = 4 << 20;        // of the file in memory at once

class MlirReader {
 public:
  MlirReader(Bytes bytes, const std::string& name, const MlirOptions& options, Diagnostics& diagnostics)
      : bytes_(bytes), name_(name), options_(options), diagnostics_(diagnostics) {}

  std::optional<Model> run() {
    const std::string_view text = slipway::text_of(bytes_);
    MlirRequest request{.contents = bytes_, .name = name_, .entry = options_.entry, .literals = {}};
    if (is_bytecode_) {
      shortened_ = shorten_bytecode(bytes_);
    } else {
      if (text.size() <= kMaxShownText) keep_source(text);
      shortened_ = shorten(text, options_.done_with);
    }
    if (shortened_) {
      request.contents = bytes_of(shortened_->text);
      const std::size_t digits = is_bytecode_ ? 2 : 1;  // of a byte
      for (const LongLiteral& each : shortened_->literals) request.literals.push_back((each.end - each.begin) * digits);
    }
    auto answer = ask(request);
    // Dense constants of bits are packed in another way than resources of bits.
    if (is_bytecode_ && answer &&
        std::ranges::any_of(answer->reply.literals, [](const MlirLiteral& each) { return each.elements.width == 1; })) {
      shortened_.reset();
      request.contents = bytes_;
      request.literals.clear();
      answer = ask(request);
    }
    if (!answer) return failed(answer.error());
    MlirReply* const reply = &answer->reply;
    for (const MlirProblem& problem : reply->problems) report(problem, false);
    for (const MlirProblem& problem : reply->warnings) report(problem, true);
    if (!reply->problems.empty() || !read_literals(*reply)) return std::nullopt;
    Model model;
    model.file = name_;
    model.graph = std::move(reply->graph);
    model.graph.name = "main";
    for (std::size_t i = 0; i < model.graph.nodes.size(); ++i)
      model.graph.nodes[i].location = source_location(reply->lines[i]);
    model.input_names = std::move(reply->input_names);
    model.output_names = std::move(reply->output_names);
    model.separate_parts = reply->functions > 1;
    model.memory = std::make_shared<const Memory>(answer->bytes, std::move(shortened_));
    return model;
  }

 private:
  // What constants are views of, beside the file.
  struct Memory {
    std::shared_ptr<const std::vector<std::byte>> reply;
    std::optional<ShortenedText> shortened;
  };
  struct Answer {
    std::shared_ptr<const std::vector<std::byte>> bytes;  // to which the reply refers
    MlirReply reply;
  };
  static std::expected<Answer, sandbox::CallError> ask(const MlirRequest& request) {
    const std::vector<std::byte> tail = tail_of(request);
    auto bytes = sandbox::call(kMlirService, {request.contents, tail});
    if (!bytes) return std::unexpected(bytes.error());
    Answer answer{std::make_shared<const std::vector<std::byte>>(std::move(*bytes)), {}};
    auto reply = read_mlir_reply(*answer.bytes, request.contents, request.literals);
    if (!reply) return std::unexpected(sandbox::CallError{.text = "MLIR sends what is not a graph"});
    answer.reply = std::move(*reply);
    return answer;
  }

  std::nullopt_t failed(const sandbox::CallError& error) {
    diagnostics_.error(error.kind(DiagnosticKind::FileFormat), SourceLocation::in_file(name_),
                       formatted("the file cannot be read as MLIR: {}", error.text));
    return std::nullopt;
  }

  void keep_source(std::string_view text) {
    source_ = make_source(name_, std::string(text));
    line_begins_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_begins_.push_back(i + 1);
    }
  }

  // The column in the file, which has the literals that MLIR's text replaces by placeholders.
  std::uint64_t column(const MlirLine& line) const {
    const std::uint64_t column = std::max(1u, line.column);
    return shortened_ ? shortened_->column(line.line, column) : column;
  }
  bool is_shown(const MlirLine& line) const { return line.line != 0 && line.in_file && source_; }

  SourceLocation source_location(const MlirLine& line) const {
    if (!is_shown(line)) return SourceLocation::in_file(name_);
    const std::uint64_t begin =
        (line.line <= line_begins_.size() ? line_begins_[line.line - 1] : source_->text().size()) + column(line) - 1;
    return SourceLocation::in_text(source_, {begin, begin + 1});
  }

  void report(const MlirProblem& problem, bool is_rule) {
    const MlirLine& line = problem.line;
    // Without source text, the message contains the location.
    const bool located = line.line == 0 || is_shown(line);
    std::string text =
        located ? problem.text
                : formatted("at {}:{}:{}: {}", line.in_file ? name_ : line.file, line.line, column(line), problem.text);
    Diagnostic& made = is_rule ? diagnostics_.rule(problem.kind, source_location(line), std::move(text))
                               : diagnostics_.error(problem.kind, source_location(line), std::move(text));
    for (const auto& [note, where] : problem.notes) made.note(note, source_location(where));
  }

  bool read_literals(MlirReply& reply) {
    const std::size_t before = diagnostics_.errors();
    for (const MlirLiteral& each : reply.literals) {
      const LongLiteral& literal = shortened_->literals[each.literal];
      Constant& constant = reply.graph.constants[each.constant];
      const TensorType& type = reply.graph[constant.value].type;
      const Bytes in_file = bytes_.subspan(literal.begin, literal.end - literal.begin);
      const bool as_it_is = each.elements.same_as(type.data);
      if (is_bytecode_ && as_it_is && is_aligned(in_file, type.data)) {
        constant.data = in_file;
        continue;
      }
      const auto raw = is_bytecode_ ? copy_of(in_file) : digits_of(literal);
      if (!raw) continue;
      if (as_it_is) {
        reply.graph.storage.push_back(raw);
      } else {
        auto converted = each.elements.convert(*raw, tensor::element_count(type.shape).value_or(0), type.data);
        if (!converted) {
          report({DiagnosticKind::OutOfRange, formatted("`tosa.const`: {}", converted.error()), each.line, {}}, false);
          continue;
        }
        if (std::string lost = each.elements.lost(*raw, tensor::element_count(type.shape).value_or(0)); !lost.empty())
          report({DiagnosticKind::OutOfRange, formatted("`tosa.const`: {}", lost), each.line, {}}, true);
        reply.graph.storage.push_back(std::make_shared<const std::vector<std::byte>>(std::move(*converted)));
      }
      constant.data = *reply.graph.storage.back();
    }
    return diagnostics_.errors() == before;
  }

  static bool is_aligned(Bytes bytes, DataType type) {
    return reinterpret_cast<std::uintptr_t>(bytes.data()) % tensor::size_of(storage_of(type)) == 0;
  }
  std::shared_ptr<const std::vector<std::byte>> copy_of(Bytes bytes) const {
    auto made = std::make_shared<std::vector<std::byte>>();
    made->reserve(bytes.size());
    while (!bytes.empty()) {
      const Bytes part = bytes.first(std::min(bytes.size(), kCopied));
      made->insert(made->end(), part.begin(), part.end());
      if (options_.done_with) options_.done_with(part);
      bytes = bytes.subspan(part.size());
    }
    return made;
  }

  std::shared_ptr<const std::vector<std::byte>> digits_of(const LongLiteral& literal) {
    const std::string_view text = slipway::text_of(bytes_);
    auto bytes = tosa::decode(text, literal, options_.done_with);
    if (bytes) return std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
    const std::size_t at = bytes.error().at;
    const std::string_view before = text.substr(0, at);
    if (source_) {
      diagnostics_.error(DiagnosticKind::TextSyntax, SourceLocation::in_text(source_, {at, at + 1}),
                         bytes.error().message);
    } else {
      diagnostics_.error(DiagnosticKind::TextSyntax, SourceLocation::in_file(name_),
                         formatted("at {}:{}:{}: {}", name_, std::ranges::count(before, '\n') + 1,
                                   at - (before.rfind('\n') + 1) + 1, bytes.error().message));
    }
    return nullptr;
  }

  Bytes bytes_;
  const bool is_bytecode_ = is_mlir_bytecode(bytes_);
  const std::string& name_;
  const MlirOptions& options_;
  Diagnostics& diagnostics_;
  SourcePtr source_;
  std::vector<std::uint64_t> line_begins_;
  std::optional<ShortenedText> shortened_;
};

}  // namespace

std::optional<Model> read_mlir(Bytes bytes, const std::string& name, const MlirOptions& options,
                               Diagnostics& diagnostics) {
  return MlirReader(bytes, name, options, diagnostics).run();
}

}  // namespace slipway::tosa
