// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter itself; generated_test.cpp uses it.
#include "rpl/emit/interpreter.hpp"
#include "base/format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

namespace slipway::rpl {
namespace {

// Words of a value without padding: members of structs, elements of arrays and columns in sequence.
using Bits = std::vector<std::uint32_t>;

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }
std::int32_t sint(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

[[noreturn]] void stop(const std::string& why) { throw std::runtime_error(why); }

class Interpreter {
 public:
  Interpreter(const Resolved& program, InterpreterMemory& memory) : p_(program), memory_(memory) {
    memory_.buffers.resize(p_.buffers.size());
  }

  void run() { call(p_.entry_points.at(0).function, {}); }

 private:
  // --- types and memory ----------------------------------------------------------------------------------------------

  std::uint32_t words_of(TypeId type) const {
    const Type& info = p_.types[type];
    switch (info.kind) {
      case TypeKind::Boolean:
        return 1;
      case TypeKind::Vector:
      case TypeKind::Matrix:
        return word_count(type);
      case TypeKind::Array:
        return info.length * words_of(info.element);
      case TypeKind::Struct: {
        std::uint32_t n = 0;
        for (const Member& member : members(info)) n += words_of(member.type);
        return n;
      }
      default:
        stop("a type without a value");
    }
  }
  std::span<const Member> members(const Type& info) const {
    const List list = p_.structs[info.index].members;
    return {p_.members.data() + list.first, list.count};
  }

  // Calls visit(byte offset) for each word of a value as it lies in a buffer.
  template <class Visit>
  void each_word(TypeId type, std::uint32_t offset, Visit visit) {
    const Type& info = p_.types[type];
    if (info.kind == TypeKind::Struct) {
      for (const Member& member : members(info)) each_word(member.type, offset + member.offset, visit);
    } else if (info.kind == TypeKind::Array) {
      for (std::uint32_t i = 0; i < info.length; ++i) each_word(info.element, offset + i * info.stride, visit);
    } else if (info.kind == TypeKind::Matrix) {
      for (std::uint32_t c = 0; c < info.columns; ++c) {
        for (std::uint32_t r = 0; r < info.count; ++r) visit(offset + c * 16 + r * 4);
      }
    } else {
      for (std::uint32_t i = 0; i < info.count; ++i) visit(offset + i * 4);
    }
  }

  struct Frame {
    const Function* function = nullptr;
    std::map<std::uint32_t, Bits> locals, arguments;
    std::map<std::uint32_t, Bits> values;
  };

  const Bits& constant(Ref ref) {
    Bits& value = constants_[ref];
    if (value.empty()) {
      const auto words = p_.words(p_.constants[constant_index(ref)]);
      value.assign(words.begin(), words.end());
    }
    return value;
  }
  const Bits& of(Ref ref) { return is_constant(ref) ? constant(ref) : frame_->values.at(ref); }
  std::uint32_t index_of(Ref ref, std::uint32_t length) {
    const std::uint32_t index = of(ref).at(0);
    if (index >= length) stop("an index out of bounds");
    return index;
  }

  // The memory of an lvalue: a buffer and a byte offset, or a plain value and a word in it.
  struct Where {
    std::vector<std::uint32_t>* memory = nullptr;
    bool laid = false;
    std::uint32_t offset = 0;
    TypeId type = kErrorType;
  };

  Where find(const LValue& lvalue) {
    const Step* step = p_.steps.data() + lvalue.steps.first;
    const Step* const end = step + lvalue.steps.count;
    Where at;
    switch (lvalue.root) {
      case LValueRoot::Local:
        at.memory = &frame_->locals.at(lvalue.index);
        at.type = p_.locals[lvalue.index].type;
        break;
      case LValueRoot::Argument:
        at.memory = &frame_->arguments.at(lvalue.index);
        at.type = p_.arguments[lvalue.index].type;
        break;
      case LValueRoot::Buffer: {
        const Member& member = p_.members[p_.buffers[lvalue.index].members.first + step->value];
        at = {&memory_.buffers[lvalue.index], true, member.offset, member.type};
        ++step;
        break;
      }
      default:
        stop("an lvalue outside of compute");
    }
    for (; step != end; ++step) {
      const Type& info = p_.types[at.type];
      switch (step->kind) {
        case StepKind::Member: {
          const auto list = members(info);
          for (std::uint32_t i = 0; !at.laid && i < step->value; ++i) at.offset += words_of(list[i].type);
          if (at.laid) at.offset += list[step->value].offset;
          at.type = list[step->value].type;
          break;
        }
        case StepKind::Element: {
          std::uint32_t length = info.length;
          if (info.kind == TypeKind::RuntimeArray) {
            length = static_cast<std::uint32_t>((at.memory->size() * 4 - at.offset) / info.stride);
          }
          at.offset += index_of(step->value, length) * (at.laid ? info.stride : words_of(info.element));
          at.type = info.element;
          break;
        }
        case StepKind::Column:
          at.offset += step->value * (at.laid ? 16 : info.count);
          at.type = column_type(at.type);
          break;
        case StepKind::Component:
          at.offset += step->value * (at.laid ? 4 : 1);
          at.type = item_type(at.type);
          break;
      }
    }
    return at;
  }

  Bits load(const LValue& lvalue) {
    const Where at = find(lvalue);
    Bits value;
    if (at.laid) {
      each_word(at.type, at.offset, [&](std::uint32_t offset) { value.push_back(at.memory->at(offset / 4)); });
    } else {
      const auto from = at.memory->begin() + at.offset;
      value.assign(from, from + words_of(at.type));
    }
    return value;
  }
  void store(const LValue& lvalue, const Bits& value) {
    const Where at = find(lvalue);
    std::size_t i = 0;
    if (at.laid) {
      each_word(at.type, at.offset, [&](std::uint32_t offset) { at.memory->at(offset / 4) = value.at(i++); });
    } else {
      std::ranges::copy(value, at.memory->begin() + at.offset);
    }
  }

  // --- arithmetic ----------------------------------------------------------------------------------------------------

  static std::uint32_t arithmetic(BinaryOp op, TypeId item, std::uint32_t a, std::uint32_t b) {
    if (item == kF1) {
      switch (op) {
        case BinaryOp::Multiply:
          return bits_of(real(a) * real(b));
        case BinaryOp::Divide:
          return bits_of(real(a) / real(b));
        case BinaryOp::Add:
          return bits_of(real(a) + real(b));
        default:
          return bits_of(real(a) - real(b));
      }
    }
    const bool is_signed = item == kS1;
    switch (op) {
      case BinaryOp::Multiply:
        return a * b;
      case BinaryOp::Add:
        return a + b;
      case BinaryOp::Subtract:
        return a - b;
      case BinaryOp::Divide:
      case BinaryOp::Modulo: {
        if (b == 0) stop("a division by zero");
        const std::int64_t x = is_signed ? std::int64_t{sint(a)} : std::int64_t{a};
        const std::int64_t y = is_signed ? std::int64_t{sint(b)} : std::int64_t{b};
        if (op == BinaryOp::Divide) return static_cast<std::uint32_t>(x / y);
        const std::int64_t rest = x % y;
        return static_cast<std::uint32_t>(rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest);
      }
      case BinaryOp::ShiftLeft:
        return b < 32 ? a << b : (stop("a shift by too much"), 0);
      case BinaryOp::ShiftRight:
        if (b >= 32) stop("a shift by too much");
        return is_signed ? static_cast<std::uint32_t>(sint(a) >> b) : a >> b;
      case BinaryOp::BitAnd:
        return a & b;
      case BinaryOp::BitOr:
        return a | b;
      case BinaryOp::BitXor:
        return a ^ b;
      default:
        stop("an operator that has no arithmetic");
    }
  }
  template <class T>
  static bool compare(BinaryOp op, T a, T b) {
    switch (op) {
      case BinaryOp::Less:
        return a < b;
      case BinaryOp::LessEqual:
        return a <= b;
      case BinaryOp::Greater:
        return a > b;
      case BinaryOp::GreaterEqual:
        return a >= b;
      default:
        return a == b;
    }
  }
  static bool compare(BinaryOp op, TypeId item, std::uint32_t a, std::uint32_t b) {
    if (item == kF1) return compare(op, real(a), real(b));
    if (item == kS1) return compare(op, sint(a), sint(b));
    return compare(op, a, b);
  }

  Bits product(TypeId ta, TypeId tb, const Bits& a, const Bits& b) {
    // A row vector has one row, a column vector one column; both lie like the other.
    const std::uint32_t n = is_matrix(ta) ? item_count(ta) : item_count(tb);
    const std::uint32_t rows = is_matrix(ta) ? n : 1;
    const std::uint32_t columns = is_matrix(tb) ? n : 1;
    Bits result(static_cast<std::size_t>(rows) * columns);
    for (std::uint32_t c = 0; c < columns; ++c) {
      for (std::uint32_t r = 0; r < rows; ++r) {
        float sum = 0;
        for (std::uint32_t k = 0; k < n; ++k) sum += real(a[k * rows + r]) * real(b[c * n + k]);
        result[c * rows + r] = bits_of(sum);
      }
    }
    return result;
  }

  Bits binary(BinaryOp op, Ref left, Ref right) {
    const TypeId ta = p_.type_of(left);
    const TypeId tb = p_.type_of(right);
    const Bits& a = of(left);
    const Bits& b = of(right);
    const TypeId item = ta == kBoolean ? kU1 : item_type(ta);
    if (op >= BinaryOp::Less && op <= BinaryOp::NotEqual) {
      bool all = true;
      const BinaryOp each = op == BinaryOp::NotEqual ? BinaryOp::Equal : op;
      for (std::size_t i = 0; i < a.size(); ++i) all &= compare(each, item, a[i], b[i]);
      return {(op == BinaryOp::NotEqual ? !all : all) ? 1u : 0u};
    }
    if (op == BinaryOp::Multiply && ta != kF1 && tb != kF1 && (is_matrix(ta) || is_matrix(tb))) {
      return product(ta, tb, a, b);
    }
    Bits result(std::max(a.size(), b.size()));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = arithmetic(op, item, a[a.size() == 1 ? 0 : i], b[b.size() == 1 ? 0 : i]);
    }
    return result;
  }

  Bits unary(UnaryOp op, TypeId type, Bits a) {
    for (std::uint32_t& word : a) {
      if (op == UnaryOp::Not) word = word == 0;
      if (op == UnaryOp::Complement) word = ~word;
      if (op == UnaryOp::Minus) word = is_integer(type) ? 0 - word : word ^ 0x80000000;
    }
    return a;
  }

  Bits convert(TypeId to, TypeId from, Bits a) {
    for (std::uint32_t& word : a) {
      if (is_float(from)) {
        if (std::abs(real(word)) > 2e9f) stop("a conversion out of range");
        word = is_signed(to) ? static_cast<std::uint32_t>(static_cast<std::int32_t>(real(word)))
                             : static_cast<std::uint32_t>(real(word));
      } else if (is_float(to)) {
        word = bits_of(is_signed(from) ? static_cast<float>(sint(word)) : static_cast<float>(word));
      }
    }
    return a;
  }

  static std::uint32_t of_items(Builtin builtin, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    switch (builtin) {
      case Builtin::Min:
        return bits_of(std::min(real(a), real(b)));
      case Builtin::Max:
        return bits_of(std::max(real(a), real(b)));
      case Builtin::Clamp:
        return bits_of(std::clamp(real(a), real(b), real(c)));
      case Builtin::Abs:
        return bits_of(std::abs(real(a)));
      case Builtin::Sign:
        return bits_of(real(a) > 0 ? 1.0f : real(a) < 0 ? -1.0f : 0.0f);
      case Builtin::MinUnsigned:
      case Builtin::AtomicMinUnsigned:
        return std::min(a, b);
      case Builtin::MaxUnsigned:
      case Builtin::AtomicMaxUnsigned:
        return std::max(a, b);
      case Builtin::ClampUnsigned:
        return std::min(std::max(a, b), c);
      case Builtin::AbsSigned:
        return sint(a) < 0 ? 0 - a : a;
      case Builtin::SignSigned:
        return sint(a) > 0 ? 1 : sint(a) < 0 ? static_cast<std::uint32_t>(-1) : 0;
      case Builtin::MinSigned:
      case Builtin::AtomicMinSigned:
        return sint(a) < sint(b) ? a : b;
      case Builtin::MaxSigned:
      case Builtin::AtomicMaxSigned:
        return sint(a) > sint(b) ? a : b;
      case Builtin::ClampSigned:
        return static_cast<std::uint32_t>(std::min(std::max(sint(a), sint(b)), sint(c)));
      case Builtin::AtomicAdd:
        return a + b;
      case Builtin::AtomicAnd:
        return a & b;
      case Builtin::AtomicOr:
        return a | b;
      case Builtin::AtomicXor:
        return a ^ b;
      case Builtin::AtomicExchange:
        return b;
      case Builtin::AtomicCompareExchange:
        return a == b ? c : a;
      default:
        stop(formatted("the built-in `{}`", info_of(builtin).stem));
    }
  }

  Bits builtin(const Instruction& at) {
    const auto code = static_cast<Builtin>(at.sub);
    const std::span<const std::uint32_t> operands(p_.lists.data() + at.a, at.b);
    switch (code) {
      case Builtin::Barrier:
      case Builtin::FullBarrier:
        return {};
      case Builtin::GroupSize:
        return {p_.settings[Setting::workgroup_size_x], p_.settings[Setting::workgroup_size_y],
                p_.settings[Setting::workgroup_size_z]};
      case Builtin::TailLength: {
        const std::uint32_t index = p_.lvalues[operands[0]].index;
        const Buffer& buffer = p_.buffers[index];
        const std::size_t bytes = memory_.buffers[index].size() * 4;
        return {static_cast<std::uint32_t>((bytes - buffer.tail_offset) / buffer.tail_item_size)};
      }
      case Builtin::Dot: {
        const Bits& a = of(operands[0]);
        const Bits& b = of(operands[1]);
        float sum = 0;
        for (std::size_t i = 0; i < a.size(); ++i) sum += real(a[i]) * real(b[i]);
        return {bits_of(sum)};
      }
      default:
        break;
    }
    if (info_of(code).family >= BuiltinFamily::Atomic) {
      const LValue& lvalue = p_.lvalues[operands[0]];
      const Bits old = load(lvalue);
      const std::uint32_t third = operands.size() > 2 ? of(operands[2])[0] : 0;
      store(lvalue, {of_items(code, old[0], of(operands[1])[0], third)});
      return old;
    }
    Bits result = of(operands[0]);
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::uint32_t b = operands.size() > 1 ? of(operands[1])[i] : 0;
      const std::uint32_t c = operands.size() > 2 ? of(operands[2])[i] : 0;
      result[i] = of_items(code, result[i], b, c);
    }
    return result;
  }

  // --- code ----------------------------------------------------------------------------------------------------------

  Bits value(const Instruction& at) {
    switch (at.op) {
      case Op::Load:
        return load(p_.lvalues[at.a]);
      case Op::Unary:
        return unary(static_cast<UnaryOp>(at.sub), at.type, of(at.a));
      case Op::Binary:
        return binary(static_cast<BinaryOp>(at.sub), at.a, at.b);
      case Op::Convert:
        return convert(at.type, p_.type_of(at.a), of(at.a));
      case Op::Splat:
        return Bits(item_count(at.type), of(at.a)[0]);
      case Op::Combine:
      case Op::Columns:
      case Op::Build: {
        Bits result;
        for (std::uint32_t i = 0; i < at.b; ++i) {
          const Bits& part = of(p_.lists[at.a + i]);
          result.insert(result.end(), part.begin(), part.end());
        }
        return result;
      }
      case Op::Crop: {
        const Bits& a = of(at.a);
        return {a[0], a[1], a[2], a[4], a[5], a[6], a[8], a[9], a[10]};
      }
      case Op::Extract: {
        const TypeId from = p_.type_of(at.a);
        const Type& info = p_.types[from];
        std::uint32_t first = at.b;
        if (info.kind == TypeKind::Matrix) first *= info.count;
        if (info.kind == TypeKind::Struct) {
          first = 0;
          for (std::uint32_t i = 0; i < at.b; ++i) first += words_of(members(info)[i].type);
        }
        const auto begin = of(at.a).begin() + first;
        return {begin, begin + words_of(at.type)};
      }
      case Op::Swizzle: {
        Bits result;
        for (std::uint32_t i = 0; i < item_count(at.type); ++i) result.push_back(of(at.a)[at.b >> 2 * i & 3]);
        return result;
      }
      case Op::Element: {
        const std::uint32_t words = words_of(at.type);
        const std::uint32_t index = index_of(at.b, p_.types[p_.type_of(at.a)].length);
        const auto begin = of(at.a).begin() + index * words;
        return {begin, begin + words};
      }
      case Op::Builtin:
        return builtin(at);
      case Op::Store:
        store(p_.lvalues[at.a], of(at.b));
        return of(at.b);
      default:
        stop("an instruction without a value");
    }
  }

  Bits call_instruction(const Instruction& at) {
    const std::span arguments(p_.call_arguments.data() + at.b, at.c);
    const Function& callee = p_.functions[at.a];
    std::vector<Bits> given;
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      const TypeId type = p_.arguments[callee.arguments.first + i].type;
      given.push_back(arguments[i].access == Access::Out ? Bits(words_of(type)) : of(arguments[i].value));
    }
    const Bits result = call(at.a, given, &given);
    for (std::uint32_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].access != Access::In) store(p_.lvalues[arguments[i].lvalue], given[i]);
    }
    return result;
  }

  // Where each instruction that may jump goes to.
  struct Jumps {
    std::map<std::uint32_t, std::uint32_t> to;  // from If, Else, LoopTest, LoopEnd, LogicBegin, Break and Continue
  };
  const Jumps& jumps_of(std::uint32_t index) {
    const auto [known, is_new] = jumps_.try_emplace(index);
    Jumps& jumps = known->second;
    if (!is_new) return jumps;
    const List code = p_.functions[index].code;
    std::vector<std::uint32_t> ifs, loops, tests;
    std::vector<std::vector<std::uint32_t>> breaks, continues;
    for (std::uint32_t i = code.first; i < code.first + code.count; ++i) {
      switch (p_.code[i].op) {
        case Op::If:
          ifs.push_back(i);
          break;
        case Op::Else:
          jumps.to[ifs.back()] = i + 1;
          ifs.back() = i;
          break;
        case Op::EndIf:
          jumps.to[ifs.back()] = i;
          ifs.pop_back();
          break;
        case Op::LoopBegin:
          loops.push_back(i);
          breaks.emplace_back();
          continues.emplace_back();
          break;
        case Op::LoopTest:
          tests.push_back(i);
          break;
        case Op::LoopStep:
          for (const std::uint32_t at : continues.back()) jumps.to[at] = i;
          continues.pop_back();
          break;
        case Op::LoopEnd:
          jumps.to[i] = loops.back();
          jumps.to[tests.back()] = i + 1;
          for (const std::uint32_t at : breaks.back()) jumps.to[at] = i + 1;
          loops.pop_back(), tests.pop_back(), breaks.pop_back();
          break;
        case Op::Break:
          breaks.back().push_back(i);
          break;
        case Op::Continue:
          continues.back().push_back(i);
          break;
        case Op::LogicEnd:
          jumps.to[p_.code[i].a] = i;
          break;
        default:
          break;
      }
    }
    return jumps;
  }

  Bits call(std::uint32_t index, const std::vector<Bits>& given, std::vector<Bits>* back = nullptr) {
    Frame* const outer = frame_;
    Frame frame;
    frame.function = &p_.functions[index];
    frame_ = &frame;
    const List arguments = frame.function->arguments;
    for (std::uint32_t i = 0; i < arguments.count; ++i) frame.arguments[arguments.first + i] = given[i];
    Bits result = walk(*frame.function, jumps_of(index));
    if (back) {
      for (std::uint32_t i = 0; i < arguments.count; ++i) (*back)[i] = frame.arguments[arguments.first + i];
    }
    frame_ = outer;
    return result;
  }

  Bits walk(const Function& function, const Jumps& jumps) {
    constexpr std::uint64_t kMaxSteps = 20'000'000;
    const std::uint32_t end = function.code.first + function.code.count;
    for (std::uint32_t i = function.code.first; i < end;) {
      if (++steps_ > kMaxSteps) stop("too many steps");
      const Instruction& at = p_.code[i];
      switch (at.op) {
        case Op::Evaluate:
        case Op::ScopeBegin:
        case Op::ScopeEnd:
        case Op::EndIf:
        case Op::LoopBegin:
        case Op::LoopStep:
          break;
        case Op::Declare:
          frame_->locals[at.a] = at.b == kNoRef ? Bits(words_of(p_.locals[at.a].type)) : of(at.b);
          break;
        case Op::If:
          if (of(at.a)[0] == 0) {
            i = jumps.to.at(i);
            continue;
          }
          break;
        case Op::LoopTest:
          if (of(at.a)[0] == 0) {
            i = jumps.to.at(i);
            continue;
          }
          break;
        case Op::Else:
        case Op::LoopEnd:
        case Op::Break:
        case Op::Continue:
          i = jumps.to.at(i);
          continue;
        case Op::LogicBegin: {
          const bool left = of(at.a)[0] != 0;
          if (left == (static_cast<BinaryOp>(at.sub) == BinaryOp::And)) break;
          const std::uint32_t logic_end = jumps.to.at(i);
          frame_->values[logic_end] = {left ? 1u : 0u};
          i = logic_end + 1;
          continue;
        }
        case Op::LogicEnd:
          frame_->values[i] = of(at.b);
          break;
        case Op::Return:
          return at.a == kNoRef ? Bits() : of(at.a);
        case Op::Discard:
          stop("discard");
        case Op::Call:
          frame_->values[i] = call_instruction(at);
          break;
        default:
          frame_->values[i] = value(at);
      }
      ++i;
    }
    return {};
  }

  const Resolved& p_;
  InterpreterMemory& memory_;
  Frame* frame_ = nullptr;
  std::map<Ref, Bits> constants_;
  std::map<std::uint32_t, Jumps> jumps_;
  std::uint64_t steps_ = 0;
};

}  // namespace

std::string interpret(const Resolved& program, InterpreterMemory& memory) {
  try {
    Interpreter(program, memory).run();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace slipway::rpl
