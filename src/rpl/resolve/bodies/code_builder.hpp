// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code and the facts about it: appends instructions, constants and lvalues, and collects what the body that is being
// resolved calls and uses.
//
// Writes Resolved::code, constants, constant_words, lvalues, lists and call_arguments, and BodyTables.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "rpl/resolve/context.hpp"
#include "rpl/resolve/records.hpp"

namespace slipway::rpl {

// Bodies and what they refer to. Cached bodies keep their entries between the variants of a program.
struct BodyTables {
  std::vector<Body> bodies;
  std::vector<CallEdge> edges;
  std::vector<FieldUse> uses;
  std::vector<SamplerUse> sampler_uses;

  std::size_t size() const { return edges.size() + uses.size() + sampler_uses.size(); }
  void clear() {
    bodies.clear();
    edges.clear();
    uses.clear();
    sampler_uses.clear();
  }
};

class CodeBuilder {
 public:
  CodeBuilder(Context& context, BodyTables& tables) : tables_(tables), out_(context.out) {}

  // Forgets the known constants: the program is another one.
  void forget() { known_constants_.fill(0); }
  // Starts the body of a function and returns it; it keeps its address until the next one.
  Body& begin_body(std::uint32_t function);
  // Ends it.
  void end_body();
  // The function and the body that are being resolved.
  std::uint32_t function() const { return function_; }
  Body& body() { return tables_.bodies.back(); }
  std::uint32_t body_index() const { return static_cast<std::uint32_t>(tables_.bodies.size()) - 1; }

  // --- instructions
  // Compiled into its callers, which know most of the arguments.
  [[gnu::always_inline]] Ref emit(Op op, TypeId type, Range at, std::uint32_t a = 0, std::uint32_t b = 0,
                                  std::uint32_t c = 0, std::uint8_t sub = 0) {
    out_.code.push_back({op, sub, begins_statement_, false, false, type, a, b, c, at});
    begins_statement_ = false;
    return static_cast<Ref>(out_.code.size()) - 1;
  }
  // The next instruction begins a statement.
  void begin_statement() { begins_statement_ = true; }
  void end_statement() { begins_statement_ = false; }

  // Code that is checked but not part of the result, during the lifetime of a DeadCode.
  class DeadCode {
   public:
    explicit DeadCode(CodeBuilder& builder)
        : builder_(builder),
          code_(builder.out_.code.size()),
          locals_(builder.out_.locals.size()),
          begins_statement_(builder.begins_statement_) {
      ++builder_.dead_;
    }
    DeadCode(const DeadCode&) = delete;
    DeadCode& operator=(const DeadCode&) = delete;
    ~DeadCode() {
      --builder_.dead_;
      truncate(builder_.out_.code, code_);
      truncate(builder_.out_.locals, locals_);
      builder_.begins_statement_ = begins_statement_;
    }

   private:
    CodeBuilder& builder_;
    std::size_t code_, locals_;
    bool begins_statement_;
  };
  bool is_dead() const { return dead_ != 0; }

  // --- operands
  static ExprResult value_of(Ref ref, TypeId type) { return {.kind = ResultKind::Value, .type = type, .index = ref}; }
  ExprResult value_of(Ref ref) const { return value_of(ref, out_.type_of(ref)); }
  Ref add_constant(TypeId type, std::span<const std::uint32_t> words);
  Ref add_scalar(TypeId type, std::uint32_t bits) {
    const std::uint32_t hash = (bits ^ type) * 0x9E3779B1u;
    Ref& known = known_constants_[hash >> 24];
    if (known != 0) {
      const Constant& constant = out_.constants[constant_index(known)];
      if (constant.type == type && out_.constant_words[constant.first] == bits) return known;
    }
    return known = new_scalar(type, bits);
  }
  ExprResult literal(TypeId type, std::uint32_t bits) { return value_of(add_scalar(type, bits), type); }
  std::span<const std::uint32_t> words_of(Ref ref) const { return out_.words(out_.constants[constant_index(ref)]); }
  List keep_operands(std::span<const std::uint32_t> operands);
  ExprResult make_lvalue(LValueRoot root, std::uint32_t index, TypeId type) {
    if (type == kErrorType) return {};
    out_.lvalues.emplace_back(root, index, List{}, type);
    return {.kind = ResultKind::LValue, .type = type, .index = static_cast<std::uint32_t>(out_.lvalues.size()) - 1};
  }

  // --- facts about the body
  void use_group(Group group) { body().groups |= 1u << static_cast<unsigned>(group); }
  void note_stage_use(StageUse kind, StageMask stages, Range at);
  void use_field(FieldUse use) {
    if (!is_dead()) tables_.uses.push_back(use);
  }
  // `sampler`: the lvalue.
  void use_sampler(SamplerUse::Kind kind, std::uint32_t sampler, Range at, ItemId callee = kNone,
                   std::uint32_t argument = 0);
  // Returns the index of the edge, for `set_call`.
  std::size_t add_call(std::uint32_t callee, ItemId item, Range at);
  void set_call(std::size_t edge, Ref call) {
    if (!is_dead()) tables_.edges[edge].code = call;
  }

 private:
  Ref new_scalar(TypeId type, std::uint32_t bits);

  BodyTables& tables_;
  Resolved& out_;
  std::uint32_t function_ = 0;
  std::uint32_t dead_ = 0;  // nesting of DeadCode
  bool begins_statement_ = false;
  // Repeated constants are mostly found again, in a table that keeps the last one of each hash.
  static constexpr std::size_t kKnownConstants = 256;
  std::array<Ref, kKnownConstants> known_constants_{};
};

}  // namespace slipway::rpl
