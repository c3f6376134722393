// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <charconv>
#include <map>

#include "base/format.hpp"
#include "base/text/suggest.hpp"
#include "tensor/element.hpp"
#include "tosa/text.hpp"

namespace slipway::tosa {
namespace {

// A line is a statement. After an error, parsing continues with the next line.
class Parser {
 public:
  Parser(const SourcePtr& source, Diagnostics& diagnostics)
      : source_(source), text_(source->text()), diagnostics_(diagnostics) {}

  std::optional<Graph> run() {
    const std::size_t before = diagnostics_.errors();
    blank_lines();
    if (expect("graph")) graph_.name = word();
    expect("{");
    end_of_line();
    bool closed = false;
    while (!closed && (blank_lines(), at_ < text_.size())) {
      ok_ = true;
      closed = peek() == '}';
      if (!closed) statement();
      if (!ok_ || closed) skip_line();
    }
    if (!closed) error("the graph is not closed by `}`");
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(graph_);
  }

 private:
  // --- characters and words ---

  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool expect(std::string_view token) {
    if (!ok_ || accept(token)) return ok_;
    error(formatted("`{}` is expected here", token));
    return false;
  }
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '+' || c == '-';
  }
  std::string_view word() {
    peek();
    const std::size_t start = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    if (at_ == start && ok_) error("a word is expected here");
    return text_.substr(start, at_ - start);
  }
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  void blank_lines() {
    while (at_ < text_.size()) {
      if (peek() == '\n' || text_.substr(at_).starts_with("\r\n")) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        skip_line();
      } else {
        return;
      }
    }
  }
  void end_of_line() {
    const char next = peek();
    if (next == '\n' || next == '\r' || next == '\0' || text_.substr(at_).starts_with("//")) return;
    if (ok_) error("the line goes on after its end");
  }
  SourceLocation here(std::size_t length = 1) const { return SourceLocation::in_text(source_, {at_, at_ + length}); }
  Diagnostic& error(const std::string& what, DiagnosticKind kind = DiagnosticKind::TextSyntax) {
    ok_ = false;
    return diagnostics_.error(kind, here(), what);
  }
  Diagnostic& error_at(std::string_view part, DiagnosticKind kind, const std::string& what) {
    ok_ = false;
    return diagnostics_.error(kind, place_of(part), what);
  }
  SourceLocation place_of(std::string_view part) const {
    const auto begin = static_cast<std::uint64_t>(part.data() - text_.data());
    return SourceLocation::in_text(source_, {begin, begin + part.size()});
  }

  std::int64_t integer() {
    const std::string_view text = word();
    std::int64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ok_ && (problem != std::errc() || end != text.data() + text.size()))
      error_at(text, DiagnosticKind::TextSyntax, formatted("`{}` is not a number", text));
    return value;
  }
  template <class F>
  void bracketed(F&& item) {
    if (!expect("[") || accept("]")) return;
    do item();
    while (ok_ && accept(","));
    expect("]");
  }
  std::string quoted() {
    std::string text;
    if (!expect("\"")) return text;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      text += text_[at_++];
    }
    expect("\"");
    return text;
  }

  // --- statements ---

  void statement() {
    if (accept("output")) {
      graph_.outputs.push_back(known_value());
      binding(graph_.output_bindings);
      return end_of_line();
    }
    // An operator without results.
    if (accept("CUSTOM")) {
      node(text_.substr(at_ - std::string_view("CUSTOM").size(), std::string_view("CUSTOM").size()), {});
      if (ok_) end_of_line();
      return;
    }
    std::vector<std::string_view> names;
    do names.push_back(value_name());
    while (ok_ && accept(","));
    if (!expect("=")) return;
    const std::string_view what = word();
    if (!ok_) return;
    if (what == "input") {
      const TensorType type = tensor_type();
      define(names[0], graph_.add_input(type, optional_name()));
      binding(graph_.input_bindings);
    } else if (what == "const") {
      constant(names[0]);
    } else {
      node(what, names);
    }
    if (ok_) end_of_line();
  }

  std::string_view value_name() {
    expect("%");
    return word();
  }
  ValueId known_value() {
    const std::string_view name = value_name();
    const auto found = values_.find(name);
    if (ok_ && found == values_.end())
      error_at(name, DiagnosticKind::UnknownReference, formatted("no earlier line makes `%{}`", name));
    return found == values_.end() ? ValueId{0} : found->second;
  }
  void define(std::string_view name, ValueId value) {
    if (ok_ && !values_.emplace(name, value).second)
      error_at(name, DiagnosticKind::DuplicateName, formatted("`%{}` is made twice", name));
  }
  std::string optional_name() { return ok_ && peek() == '"' ? quoted() : std::string(); }
  void binding(std::vector<Binding>& bindings) {
    if (!ok_ || !accept("at")) return;
    const std::string_view text = word();
    const std::size_t dot = text.find('.');
    Binding binding;
    const auto number = [&](std::string_view digits, std::uint32_t& value) {
      return std::from_chars(digits.data(), digits.data() + digits.size(), value).ec == std::errc();
    };
    if (dot == text.npos || !number(text.substr(0, dot), binding.set) || !number(text.substr(dot + 1), binding.binding))
      error_at(text, DiagnosticKind::TextSyntax, "`SET.BINDING` is expected here");
    if (accept("[")) {
      binding.element = static_cast<std::uint32_t>(integer());
      expect("]");
    }
    bindings.push_back(binding);
  }

  TensorType tensor_type() {
    TensorType type;
    const std::string_view name = word();
    if (!ok_) return type;
    if (const auto data = data_type_from_name(name))
      type.data = *data;
    else
      error_at(name, DiagnosticKind::UnknownValue, formatted("`{}` is not an element type", name));
    bracketed([&] { type.shape.push_back(integer()); });
    return type;
  }

  void constant(std::string_view name) {
    const TensorType type = tensor_type();
    if (!ok_) return;
    ValueId value{};
    if (accept("graph_constant")) {
      value = graph_.add_graph_constant(type, static_cast<std::uint32_t>(integer()));
    } else {
      std::vector<std::byte> data;
      const bool splat = accept("splat");
      if (splat)
        element(type.data, data);
      else
        bracketed([&] { element(type.data, data); });
      const Size count = tensor::element_count(type.shape);
      const std::uint64_t given = data.size() / tensor::size_of(storage_of(type.data));
      if (ok_ && !splat && count != given)
        error(formatted("{} elements are given for {}", given, text_of(type)), DiagnosticKind::ShapeMismatch);
      value = graph_.add_constant(type, std::move(data), splat);
    }
    graph_[value].name = optional_name();
    define(name, value);
  }

  void element(DataType type, std::vector<std::byte>& data) {
    const std::string_view text = word();
    if (!ok_) return;
    const tensor::ElementType storage = storage_of(type);
    data.resize(data.size() + tensor::size_of(storage));
    std::byte* to = data.data() + data.size() - tensor::size_of(storage);
    if (const tensor::Stored stored = store(storage, text, to); !stored)
      error_at(text, DiagnosticKind::OutOfRange, stored.error());
  }
  static tensor::Stored store(tensor::ElementType storage, std::string_view text, std::byte* to) {
    if (text == "true" || text == "false") return tensor::store_number(storage, std::int64_t{text == "true"}, to);
    std::int64_t whole = 0;
    const char* last = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), last, whole);
        read.ec == std::errc() && read.ptr == last && !(text == "-0" && tensor::is_float(storage)))
      return tensor::store_number(storage, whole, to);
    double real = 0;
    if (const auto read = std::from_chars(text.data(), last, real);
        read.ec == std::errc() && read.ptr == last && real == real && real - real == 0)
      return tensor::store_number(storage, real, to);
    return tensor::store_word(storage, text, to);
  }

  void node(std::string_view name, const std::vector<std::string_view>& results) {
    const std::optional<Op> op = op_from_name(name);
    if (!op) {
      Diagnostic& diagnostic = error_at(name, DiagnosticKind::UnknownValue, formatted("no operator `{}`", name));
      const auto near = closest(name, operators() | std::views::transform(&OperatorInfo::name));
      if (near) diagnostic.hint(formatted("did you mean `{}`?", *near));
      return;
    }
    std::vector<ValueId> inputs;
    if (expect("(") && !accept(")")) {
      do inputs.push_back(known_value());
      while (ok_ && accept(","));
      expect(")");
    }
    std::vector<TensorType> types;
    for (std::size_t i = 0; ok_ && i < results.size(); ++i) {
      if (i) expect(",");
      types.push_back(tensor_type());
    }
    Attributes attributes;
    CustomOperator custom;
    while (ok_ && is_word(peek())) *op == Op::CUSTOM ? custom_attribute(custom) : attribute(info_of(*op), attributes);
    if (!ok_) return;
    if (*op != Op::CUSTOM) {
      for (const OperandInfo& operand : info_of(*op).operands) {
        if (operand.kind == OperandKind::ZeroPoint && !attributes.has(operand.name))
          attributes.set(operand.name, std::int64_t{0});
      }
    }
    const std::vector<ValueId> made = graph_.add_node(*op, std::move(inputs), std::move(attributes), std::move(types));
    for (std::size_t i = 0; i < results.size(); ++i) define(results[i], made[i]);
    Node& added = graph_.nodes.back();
    added.location = place_of(name);
    added.name = optional_name();
    if (*op == Op::CUSTOM) added.custom = std::make_shared<CustomOperator>(std::move(custom));
  }

  void custom_attribute(CustomOperator& custom) {
    const std::string_view name = word();
    std::string* const text = name == "domain"       ? &custom.domain
                              : name == "name"       ? &custom.name
                              : name == "attributes" ? &custom.attributes
                                                     : nullptr;
    if (!text) {
      error_at(name, DiagnosticKind::UnknownKey, formatted("CUSTOM has no attribute `{}`", name));
      return;
    }
    if (expect("=")) *text = quoted();
  }

  void attribute(const OperatorInfo& info, Attributes& attributes) {
    const std::string_view name = word();
    const OperandInfo* operand = info.operand(name);
    if (!operand || operand->is_tensor()) {
      error_at(name, DiagnosticKind::UnknownKey, formatted("{} has no attribute `{}`", info.name, name));
      return;
    }
    if (!expect("=")) return;
    if (operand->kind == OperandKind::List) {
      std::vector<std::int64_t> values;
      bracketed([&] { values.push_back(integer()); });
      return attributes.set(operand->name, std::move(values));
    }
    const std::string_view text = word();
    if (!ok_) return;
    if (operand->kind == OperandKind::Flag && (text == "true" || text == "false"))
      return attributes.set(operand->name, std::int64_t{text == "true"});
    for (const EnumerantName& enumerant : enumerants(operand->kind)) {
      if (enumerant.name == text) return attributes.set(operand->name, std::int64_t{enumerant.value});
    }
    const char* last = text.data() + text.size();
    std::int64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), last, whole);
        read.ec == std::errc() && read.ptr == last && text != "-0")
      return attributes.set(operand->name, whole);
    double real = 0;
    if (const auto read = std::from_chars(text.data(), last, real); read.ec == std::errc() && read.ptr == last)
      return attributes.set_real(operand->name, real);
    error_at(text, DiagnosticKind::UnknownValue, formatted("`{}` is not a value of `{}`", text, name));
  }

  SourcePtr source_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  Graph graph_;
  std::map<std::string_view, ValueId> values_;
  std::size_t at_ = 0;
  bool ok_ = true;  // false after an error, until the next line
};

}  // namespace

std::optional<Graph> parse(const SourcePtr& source, Diagnostics& diagnostics) {
  return Parser(source, diagnostics).run();
}

}  // namespace slipway::tosa
