// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "testing/kernel/workgroup.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "base/format.hpp"
#include "lower/kernel/kernel.hpp"
#include "lower/program_layout.hpp"
#include "tensor/element.hpp"

namespace slipway::testing {
namespace {

float rounded(tensor::ElementType type, double value) {
  std::array<std::byte, 4> bytes{};
  tensor::store_rounded(type, value, bytes.data());
  return static_cast<float>(tensor::double_of(type, bytes.data()));
}

}  // namespace

Workgroup::Workgroup(const DispatchContext& context, std::vector<KernelFinding>& findings)
    : context_(context),
      code_(context.code),
      findings_(findings),
      size_(context.code.tree.local_size),
      first_actor_(context.first_actor),
      steps_((size_ + context.subgroup_size - 1) / context.subgroup_size),
      shared_(code_.shared_types.size()),
      values_(code_.module.id_bound()),
      matrices_(code_.module.id_bound()) {
  for (std::size_t i = 0; i < shared_.size(); ++i) {
    const Type& type = *code_.shared_types[i];
    const std::uint32_t bytes = type.count * code_.size_of(code_.tree.type(type.element));
    shared_[i].bytes.resize(bytes);
    shared_[i].traces.resize(bytes);
  }
  for (const std::uint32_t binding : context.kernel.exchanged) exchanged_.insert(context.dispatch.buffers[binding]);
}

void Workgroup::run(std::array<std::uint32_t, 3> group) {
  group_ = group;
  acquired_ = false;
  begin_ = ++time_;
  Active all(size_);
  std::iota(all.begin(), all.end(), 0U);
  block(code_.tree.body, all);
  first_actor_ += size_;
}

void Workgroup::report(KernelError error, const Instruction& in, std::uint32_t invocation, std::string_view what) {
  if (!reported_.emplace(in.offset, error).second) return;
  findings_.push_back({error, formatted("{}, workgroup {}, invocation {}: {} at word {} {}", context_.name, group_[0],
                                        invocation, spv::OpToString(in.op), in.offset, what)});
}

void Workgroup::unknown(const Instruction& in) const {
  throw std::runtime_error(formatted("{}: the interpreter does not know {}", context_.name, spv::OpToString(in.op)));
}

// --- statements ---

void Workgroup::block(const cpu_compiler::Block& statements, const Active& active) {
  for (const cpu_compiler::Statement& statement : statements) {
    if (const auto* in = std::get_if<const Instruction*>(&statement.what)) {
      execute(**in, active);
    } else if (const auto* branch = std::get_if<cpu_compiler::If>(&statement.what)) {
      Active inside;
      for (const std::uint32_t i : active) {
        if (value(branch->condition, i)) inside.push_back(i);
      }
      if (!inside.empty()) block(branch->body, inside);
    } else {
      const auto& loop = std::get<cpu_compiler::Loop>(statement.what);
      if (loop.waits) {
        block(loop.test, active);
        // All dispatches before this one have ended.
        if (!value(loop.condition, active[0]))
          report(KernelError::WaitsForever, *code_.module.definition(loop.condition), active[0], "never becomes true");
        continue;
      }
      for (Active inside = active;;) {
        block(loop.test, inside);
        std::erase_if(inside, [&](std::uint32_t i) { return value(loop.condition, i) == 0; });
        if (inside.empty()) break;
        block(loop.body, inside);
        block(loop.step, inside);
      }
    }
  }
}

void Workgroup::execute(const Instruction& in, const Active& active) {
  switch (in.op) {
    case spv::Op::OpLoad:
      return code_.shapes[in.result].matrix ? matrix(in, active) : load(in, active);
    case spv::Op::OpStore:
      return code_.shapes[in.operand(1)].matrix ? matrix(in, active) : store(in, active);
    case spv::Op::OpAccessChain:
      return access_chain(in, active);
    case spv::Op::OpSelect:
      return select(in, active);
    case spv::Op::OpExtInst:
      return extended(in, active);
    case spv::Op::OpControlBarrier:
      return barrier(in, active);
    case spv::Op::OpMemoryBarrier:  // of what other dispatches wrote, which is there
      return;
    case spv::Op::OpGroupNonUniformBroadcast:
    case spv::Op::OpGroupNonUniformShuffleXor:
      return exchange_lanes(in, active);
    case spv::Op::OpAtomicAnd:
    case spv::Op::OpAtomicOr:
    case spv::Op::OpAtomicIAdd:
    case spv::Op::OpAtomicLoad:
    case spv::Op::OpAtomicStore:
      return atomic(in, active);
    case spv::Op::OpCooperativeMatrixLoadKHR:
      return matrix_in_memory(in, active, true);
    case spv::Op::OpCooperativeMatrixStoreKHR:
      return matrix_in_memory(in, active, false);
    case spv::Op::OpCooperativeMatrixMulAddKHR:
      return multiply_add(in, active);
    default:
      return in.result && code_.shapes[in.result].matrix ? matrix(in, active) : arithmetic(in, active);
  }
}

// --- values ---

std::vector<std::uint64_t>& Workgroup::values(Id id) {
  std::vector<std::uint64_t>& all = values_[id];
  if (!all.empty()) return all;
  all.resize(std::size_t{code_.shapes[id].components} * size_);
  const Instruction* made = code_.module.definition(id);
  if (const auto constant = code_.tree.constants.find(id); constant != code_.tree.constants.end()) {
    std::ranges::fill(all, constant->second & code_.shapes[id].mask());
  } else if (made->op == spv::Op::OpConstantComposite) {
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = value(made->operand(2 + i / size_), static_cast<std::uint32_t>(i % size_));
  }
  return all;
}

std::int64_t Workgroup::number(Id id, std::uint32_t invocation) {
  return signed_of(value(id, invocation), code_.shapes[id].width);
}

std::uint64_t Workgroup::built_in(spv::BuiltIn what, std::uint32_t component, std::uint32_t invocation) const {
  switch (what) {
    case spv::BuiltIn::WorkgroupId:
      return group_[component];
    case spv::BuiltIn::NumWorkgroups:
      return context_.dispatch.groups[component];
    case spv::BuiltIn::LocalInvocationIndex:
      return invocation;
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return invocation % context_.subgroup_size;
    default:
      return invocation / context_.subgroup_size;  // SubgroupId: the reader knows no others
  }
}

// --- what invocations do together ---

// The subgroups of the active invocations. One of which others are not active is reported.
std::vector<Workgroup::Group> Workgroup::groups_of(const Instruction& in, const Active& active) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < active.size();) {
    const std::uint32_t group = active[i] / context_.subgroup_size, first = group * context_.subgroup_size;
    const std::uint32_t count = std::min(context_.subgroup_size, size_ - first);
    std::size_t end = i;
    while (end < active.size() && active[end] / context_.subgroup_size == group) ++end;
    if (end - i < count) report(KernelError::NotUniform, in, active[i], "is not executed by the whole subgroup");
    groups.push_back({group, first});
    i = end;
  }
  return groups;
}

void Workgroup::exchange_lanes(const Instruction& in, const Active& active) {
  groups_of(in, active);
  std::vector<std::uint64_t>& to = values(in.result);
  for (const std::uint32_t i : active) {
    const std::uint32_t lane = i % context_.subgroup_size, first = i - lane;
    const std::uint64_t given = value(in.operand(4), i);
    const std::uint64_t other = in.op == spv::Op::OpGroupNonUniformBroadcast ? given : lane ^ given;
    if (other < std::min(context_.subgroup_size, size_ - first))
      to[i] = value(in.operand(3), first + static_cast<std::uint32_t>(other));
    else
      report(KernelError::OutsideBuffer, in, i, formatted("reads lane {}, which the subgroup does not have", other));
  }
}

void Workgroup::barrier(const Instruction& in, const Active& active) {
  if (static_cast<spv::Scope>(value(in.operand(0), active[0])) == spv::Scope::Subgroup) {
    for (const Group& group : groups_of(in, active)) ++steps_[group.index];
    return;
  }
  if (active.size() < size_) report(KernelError::NotUniform, in, active[0], "is not executed by the whole workgroup");
  ++time_;
}

// --- memory ---

std::byte* Workgroup::at(const Instruction& in, std::uint64_t address, std::uint64_t size, spv::StorageClass storage,
                         Way way, std::uint32_t invocation, const Actor& actor, const void* stored) {
  const Location location = location_of(address);
  const bool is_shared = storage == spv::StorageClass::Workgroup;
  const std::string_view kind = is_shared ? "shared array" : "buffer";
  Region region;
  std::uint64_t usable = 0;
  if (is_shared && location.region < shared_.size()) {
    SharedArray& array = shared_[location.region];
    region = {array.bytes.data(), array.traces.data(), array.bytes.size()};
    usable = region.size;
  } else if (!is_shared && location.region < context_.regions.size()) {
    region = context_.regions[location.region];
    usable = context_.kernel.by_words ? (region.size + 3) / 4 * 4 : region.size;
  }
  if (location.offset < 0 || static_cast<std::uint64_t>(location.offset) + size > usable) {
    report(KernelError::OutsideBuffer, in, invocation,
           formatted("accesses {} bytes at offset {} of {} {}, which has {} bytes", size, location.offset, kind,
                     location.region, region.size));
    return nullptr;
  }
  const auto offset = static_cast<std::uint64_t>(location.offset);
  std::byte* const bytes = region.bytes + offset;
  if (!region.traces) {
    if (way == Way::Read || way == Way::AtomicRead) return bytes;
    report(KernelError::OutsideBuffer, in, invocation, formatted("changes constant buffer {}", location.region));
    return nullptr;
  }
  const std::uint64_t end = std::min(offset + size, region.size);  // words may have further bytes
  const bool exchanged = !is_shared && exchanged_.contains(location.region);
  const Moment now{is_shared ? time_ : context_.time, is_shared ? steps_[invocation / context_.subgroup_size] : 0};
  // Parts of words that invocations change atomically are their own: `atomic` notes which.
  const bool by_words = context_.kernel.by_words && !is_shared;
  std::uint64_t written = 0;
  for (std::uint64_t i = offset; i < end; ++i) {
    Trace& trace = region.traces[i];
    const bool is_written = trace.write.moment.time >= (is_shared ? begin_ : 1) && trace.via == location.region;
    if (!is_written) region.bytes[i] = context_.fill;
    written += is_written;
    if (way == Way::AtomicRead || (way == Way::Atomic && by_words)) continue;
    std::optional<KernelError> error;
    if (way == Way::Atomic) {
      trace.write = {now, {}};
    } else if (exchanged && way == Way::Read) {
      // What others wrote can be read by the workgroup that was the last one.
      if (!acquired_ && trace.write.moment.time == now.time) error = KernelError::MissingBarrier;
    } else {
      error = way == Way::Read ? note_read(trace, now, actor) : note_write(trace, now, actor);
    }
    if (stored && static_cast<const std::byte*>(stored)[i - offset] == region.bytes[i]) error.reset();
    if (way != Way::Read) trace.via = location.region;
    if (error) {
      report(
          *error, in, invocation,
          formatted("accesses offset {} of {} {}, which another invocation {} without a barrier between them", i, kind,
                    location.region, *error == KernelError::MissingBarrier && way == Way::Write ? "reads" : "writes"));
    }
  }
  const bool enough = by_words ? written > 0 || way == Way::Atomic : written == end - offset;
  if (way != Way::Write && !enough)
    report(KernelError::NotWritten, in, invocation,
           formatted("reads offset {} of {} {}, which nothing wrote", offset, kind, location.region));
  return bytes;
}

void Workgroup::access_chain(const Instruction& in, const Active& active) {
  std::vector<std::uint64_t>& to = values(in.result);
  const Id base = in.operand(2), last = in.operand(in.operands.size() - 1);
  const Shape& shape = code_.shapes[in.result];
  const auto variable = code_.tree.variables.find(base);
  if (shape.storage == spv::StorageClass::PushConstant) {
    const Type& block = code_.tree.type(variable->second.type);
    for (const std::uint32_t i : active) to[i] = block.offsets.at(value(last, i));
    return;
  }
  const std::uint64_t stride = code_.size_of(code_.pointee(in.result));
  for (const std::uint32_t i : active) {
    std::uint64_t first = 0;
    if (variable == code_.tree.variables.end())
      first = value(base, i);
    else if (shape.storage == spv::StorageClass::Workgroup)
      first = address_of(code_.shared.at(base));
    else
      first = address_of(context_.dispatch.buffers.at(variable->second.binding));
    to[i] = first + static_cast<std::uint64_t>(number(last, i)) * stride;
  }
}

// Two numbers of a linked kernel, and the addresses of buffers.
std::uint64_t Workgroup::push_constant(std::uint64_t offset) const {
  const lower::StageLink& link = context_.dispatch.link;
  if (context_.kernel.linked && offset == 0) return link.workgroups | std::uint64_t{link.counts} << 32;
  std::uint32_t binding = 0;
  while (lower::address_offset(context_.kernel, binding) < offset) ++binding;
  const std::uint64_t address = address_of(context_.dispatch.buffers.at(binding));
  if (!context_.kernel.linked || binding > 1) return address;
  return address + (binding == 0 ? link.waits_at : link.counts_at);
}

void Workgroup::load(const Instruction& in, const Active& active) {
  std::vector<std::uint64_t>& to = values(in.result);
  const Shape& shape = code_.shapes[in.result];
  const Id from = in.operand(2);
  if (const auto variable = code_.tree.variables.find(from); variable != code_.tree.variables.end()) {
    for (std::uint32_t part = 0; part < shape.components; ++part) {
      for (const std::uint32_t i : active)
        to[part * size_ + i] =
            variable->second.built_in ? built_in(*variable->second.built_in, part, i) : value(from, i, part);
    }
    return;
  }
  const spv::StorageClass storage = code_.shapes[from].storage;
  if (storage == spv::StorageClass::PushConstant) {
    for (const std::uint32_t i : active) to[i] = push_constant(value(from, i));
    return;
  }
  const std::uint32_t size = shape.width / 8;
  for (const std::uint32_t i : active) {
    const std::byte* const bytes =
        at(in, value(from, i), std::uint64_t{size} * shape.components, storage, Way::Read, i, actor_of(i));
    for (std::uint32_t part = 0; part < shape.components; ++part) {
      std::uint64_t& loaded = to[part * size_ + i];
      loaded = 0;
      if (bytes) std::memcpy(&loaded, bytes + std::size_t{part} * size, size);
    }
  }
}

void Workgroup::store(const Instruction& in, const Active& active) {
  const Id pointer = in.operand(0), what = in.operand(1);
  const Shape& shape = code_.shapes[what];
  if (code_.tree.variables.contains(pointer)) {
    std::vector<std::uint64_t>& to = values(pointer);
    const std::vector<std::uint64_t>& from = values(what);
    for (std::uint32_t part = 0; part < shape.components; ++part) {
      for (const std::uint32_t i : active) to[part * size_ + i] = from[part * size_ + i];
    }
    return;
  }
  const std::uint32_t size = shape.width / 8;
  for (const std::uint32_t i : active) {
    std::array<std::byte, 4 * sizeof(std::uint64_t)> stored;
    for (std::uint32_t part = 0; part < shape.components; ++part) {
      const std::uint64_t bits = value(what, i, part);
      std::memcpy(&stored[std::size_t{part} * size], &bits, size);
    }
    const std::size_t all = std::size_t{size} * shape.components;
    if (std::byte* const bytes =
            at(in, value(pointer, i), all, code_.shapes[pointer].storage, Way::Write, i, actor_of(i), stored.data()))
      std::memcpy(bytes, stored.data(), all);
  }
}

// On words of 32 bits. Parts of a word are cleared and then set.
void Workgroup::atomic(const Instruction& in, const Active& active) {
  const bool is_store = in.op == spv::Op::OpAtomicStore, is_load = in.op == spv::Op::OpAtomicLoad;
  const Way way = is_load ? Way::AtomicRead : Way::Atomic;
  const Id pointer = in.operand(is_store ? 0 : 2), operand = in.operand(is_store ? 3 : 5);
  const spv::StorageClass storage = code_.shapes[pointer].storage;
  for (const std::uint32_t i : active) {
    const std::uint64_t address = value(pointer, i);
    std::byte* const bytes = at(in, address, 4, storage, way, i, actor_of(i));
    if (!bytes) continue;
    const auto before = slipway::load<std::uint32_t>(bytes);
    if (!is_store) values(in.result)[i] = before;
    if (is_load) continue;
    const auto with = static_cast<std::uint32_t>(value(operand, i));
    for (std::uint32_t byte = 0; byte < 4 && in.op == spv::Op::OpAtomicAnd; ++byte) {
      if ((with >> (8 * byte) & 0xff) == 0) at(in, address + byte, 1, storage, Way::Write, i, actor_of(i));
    }
    std::uint32_t after = with;
    if (in.op == spv::Op::OpAtomicAnd) after = before & with;
    if (in.op == spv::Op::OpAtomicOr) after = before | with;
    if (in.op == spv::Op::OpAtomicIAdd) {
      after = before + with;
      acquired_ = true;
    }
    slipway::store(bytes, after);
  }
}

// --- matrices ---

std::vector<double>& Workgroup::matrices(Id id) {
  std::vector<double>& all = matrices_[id];
  if (all.empty()) {
    const Type& type = *code_.shapes[id].matrix;
    all.resize(steps_.size() * type.rows * type.count);
  }
  return all;
}

// Variables, and what is done element by element.
void Workgroup::matrix(const Instruction& in, const Active& active) {
  const bool is_store = in.op == spv::Op::OpStore;
  const Id to = is_store ? in.operand(0) : in.result, a = in.operand(is_store ? 1 : 2), b = in.operand(3);
  const Type& type = *code_.shapes[to].matrix;
  const tensor::ElementType element = code_.element_of(type);
  const std::size_t size = std::size_t{type.rows} * type.count;
  for (const Group& group : groups_of(in, active)) {
    for (std::size_t i = group.index * size; i < (group.index + 1) * size; ++i) {
      const double x = matrices(a)[i];
      double& result = matrices(to)[i];
      switch (in.op) {
        case spv::Op::OpLoad:
        case spv::Op::OpStore:
          result = x;
          break;
        case spv::Op::OpIAdd:
          result = static_cast<std::int32_t>(static_cast<std::int64_t>(x + matrices(b)[i]));
          break;
        case spv::Op::OpFAdd:
          result = rounded(element, x + matrices(b)[i]);
          break;
        case spv::Op::OpFMul:
          result = rounded(element, x * matrices(b)[i]);
          break;
        case spv::Op::OpFConvert:
          result = rounded(element, x);
          break;
        default:
          unknown(in);
      }
    }
  }
}

void Workgroup::matrix_in_memory(const Instruction& in, const Active& active, bool is_load) {
  const Id pointer = in.operand(is_load ? 2 : 0), id = is_load ? in.result : in.operand(1),
           layout = in.operand(is_load ? 3 : 2), stride = in.operand(is_load ? 4 : 3);
  const Type& type = *code_.shapes[id].matrix;
  const tensor::ElementType element = code_.element_of(type);
  const auto size = static_cast<std::uint32_t>(tensor::size_of(element));
  const std::uint64_t unit = code_.size_of(code_.pointee(pointer));
  for (const Group& group : groups_of(in, active)) {
    const std::uint64_t first = value(pointer, group.first), between = value(stride, group.first) * unit;
    const auto order = static_cast<lower::MatrixOrder>(value(layout, group.first));
    for (const std::uint32_t i : active) {
      if (i / context_.subgroup_size == group.index && value(pointer, i) != first)
        report(KernelError::NotUniform, in, i, "has another address than in the first invocation of the subgroup");
    }
    // Not that of an invocation: which one has an element is not known.
    const Actor actor{kSeveral, actor_of(group.first).subgroup};
    for (std::uint32_t row = 0; row < type.rows; ++row) {
      for (std::uint32_t column = 0; column < type.count; ++column) {
        std::uint64_t offset = row * between + std::uint64_t{column} * size;
        if (order == lower::MatrixOrder::ByColumn) offset = column * between + std::uint64_t{row} * size;
        if (order == lower::MatrixOrder::ByWords)
          offset = row / (4 / size) * between + std::uint64_t{column} * 4 + row % (4 / size) * size;
        double& number = matrices(id)[(std::size_t{group.index} * type.rows + row) * type.count + column];
        std::array<std::byte, 4> stored{};
        if (!is_load && element == tensor::ElementType::I32)
          slipway::store(stored.data(), static_cast<std::int32_t>(number));
        else if (!is_load)
          tensor::store_rounded(element, number, stored.data());
        std::byte* const bytes =
            at(in, first + offset, size, code_.shapes[pointer].storage, is_load ? Way::Read : Way::Write, group.first,
               actor, is_load ? nullptr : stored.data());
        if (is_load)
          number = bytes ? tensor::double_of(element, bytes) : 0;
        else if (bytes)
          std::memcpy(bytes, stored.data(), size);
      }
    }
  }
}

void Workgroup::multiply_add(const Instruction& in, const Active& active) {
  const Id a = in.operand(2), b = in.operand(3), sum = in.operand(4);
  const Type& type = *code_.shapes[in.result].matrix;
  const std::size_t depth = code_.shapes[a].matrix->count;
  const tensor::ElementType element = code_.element_of(type);
  for (const Group& group : groups_of(in, active)) {
    const double* const x = matrices(a).data() + group.index * type.rows * depth;
    const double* const y = matrices(b).data() + group.index * depth * type.count;
    for (std::size_t row = 0; row < type.rows; ++row) {
      for (std::size_t column = 0; column < type.count; ++column) {
        const std::size_t at = (group.index * type.rows + row) * type.count + column;
        double total = matrices(sum)[at];
        for (std::size_t k = 0; k < depth; ++k) {
          total += x[row * depth + k] * y[k * type.count + column];
          if (element != tensor::ElementType::I32) total = static_cast<float>(total);
        }
        matrices(in.result)[at] = element == tensor::ElementType::I32
                                      ? static_cast<std::int32_t>(static_cast<std::int64_t>(total))
                                      : rounded(element, total);
      }
    }
  }
}

}  // namespace slipway::testing
