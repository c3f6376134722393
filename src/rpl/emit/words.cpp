#include "rpl/emit/words.hpp"

#include <algorithm>

namespace slipway::rpl::emit {
namespace {

// Keys of arrays are no instructions: the stride belongs to them. No opcode has this number.
constexpr std::uint32_t kArrayKey = 0xffff;

}  // namespace

template <std::size_t size>
std::uint32_t UniqueIds::hash_of(std::span<const std::uint32_t, size> key) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;
  std::uint64_t hash = key.size();
  std::size_t i = 0;
  for (; i + 1 < key.size(); i += 2) {
    hash = (hash ^ (key[i] | std::uint64_t{key[i + 1]} << 32)) * kSpread;
    hash ^= hash >> 32;
  }
  if (i < key.size()) hash = (hash ^ key[i]) * kSpread;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

template <std::size_t size>
Id& UniqueIds::find(std::span<const std::uint32_t, size> key) {
  if (used_ * 2 >= entries_.size()) enlarge();
  const std::uint32_t hash = hash_of(key);
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Entry& entry = entries_[at];
    if (entry.generation != generation_) {
      entry = {generation_, hash, static_cast<std::uint32_t>(keys_.size()), 0};
      std::uint32_t* const to = keys_.grow(key.size() + 1);
      to[0] = static_cast<std::uint32_t>(key.size());
      for (std::size_t i = 0; i < key.size(); ++i) to[i + 1] = key[i];
      ++used_;
      return entry.id;
    }
    if (entry.hash != hash) continue;
    const std::uint32_t* const known = &keys_[entry.key];
    bool same = known[0] == key.size();
    for (std::size_t i = 0; i < key.size() && same; ++i) same = known[i + 1] == key[i];
    if (same) return entry.id;
  }
}

void WordBuffer::enlarge(std::size_t count) {
  const std::size_t capacity = std::max({size_ + count, capacity_ * 2, std::size_t{256}});
  auto data = std::make_unique_for_overwrite<std::uint32_t[]>(capacity);
  if (size_ != 0) std::memcpy(data.get(), data_.get(), size_ * sizeof(std::uint32_t));
  data_ = std::move(data);
  capacity_ = capacity;
}

void UniqueIds::clear() {
  if (entries_.empty()) entries_.resize(512);
  if (++generation_ == 0) {  // after 2^32 modules the oldest entries would count again
    std::ranges::fill(entries_, Entry{});
    generation_ = 1;
  }
  keys_.clear();
  used_ = 0;
}

void UniqueIds::enlarge() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  const std::size_t mask = entries_.size() - 1;
  for (const Entry& entry : old) {
    if (entry.generation != generation_) continue;
    std::size_t at = entry.hash & mask;
    while (entries_[at].generation == generation_) at = (at + 1) & mask;
    entries_[at] = entry;
  }
}

void ModuleWords::reset(std::uint32_t version) {
  version_ = version;
  next_id_ = 1;
  for (WordBuffer* section :
       {&capabilities_, &extensions_, &imports_, &preamble, &strings, &names, &annotations, &globals, &functions}) {
    section->clear();
  }
  ids_.clear();
}

void ModuleWords::capability(spv::Capability capability) {
  const std::array key = {static_cast<std::uint32_t>(spv::Op::OpCapability), static_cast<std::uint32_t>(capability)};
  if (Id& seen = ids_.find(std::span<const std::uint32_t, 2>(key)); seen == 0) {
    seen = 1;
    capabilities_.op(spv::Op::OpCapability, capability);
  }
}

void ModuleWords::extension(std::string_view name) { extensions_.op_text(spv::Op::OpExtension, name, {}); }

Id ModuleWords::import(std::string_view instruction_set) {
  const Id id = new_id();
  imports_.op_text(spv::Op::OpExtInstImport, instruction_set, {}, id);
  return id;
}

Id ModuleWords::unique_type(WordSpan key) {
  Id& id = ids_.find(key);
  if (id == 0) {
    id = new_id();
    globals.op_list(static_cast<spv::Op>(key[0]), key.subspan(1), id);
  }
  return id;
}

Id ModuleWords::array(Id element, Id length, std::uint32_t stride) {
  const std::array key = {kArrayKey, element, length, stride};
  Id& id = ids_.find(std::span<const std::uint32_t, 4>(key));
  if (id != 0) return id;
  id = new_id();
  if (length == 0) {
    globals.op(spv::Op::OpTypeRuntimeArray, id, element);
  } else {
    globals.op(spv::Op::OpTypeArray, id, element, length);
  }
  if (stride != 0) annotations.op(spv::Op::OpDecorate, id, spv::Decoration::ArrayStride, stride);
  return id;
}

Id ModuleWords::constant(Id type, std::uint32_t bits) {
  const std::array key = {static_cast<std::uint32_t>(spv::Op::OpConstant), type, bits};
  Id& id = ids_.find(std::span<const std::uint32_t, 3>(key));
  if (id == 0) {
    id = new_id();
    globals.op(spv::Op::OpConstant, type, id, bits);
  }
  return id;
}

Id ModuleWords::composite(Id type, WordSpan constituents) {
  // Vectors and matrices; structs may have more.
  std::array<std::uint32_t, 6> few = {static_cast<std::uint32_t>(spv::Op::OpConstantComposite), type};
  WordSpan key(few.data(), 2 + constituents.size());
  if (constituents.size() <= few.size() - 2) {
    std::ranges::copy(constituents, few.begin() + 2);
  } else {
    key_.assign(few.begin(), few.begin() + 2);
    key_.insert(key_.end(), constituents.begin(), constituents.end());
    key = key_;
  }
  Id& id = ids_.find(key);
  if (id == 0) {
    id = new_id();
    globals.op_list(spv::Op::OpConstantComposite, constituents, type, id);
  }
  return id;
}

Id ModuleWords::unique_constant(spv::Op op, Id type) {
  const std::array key = {static_cast<std::uint32_t>(op), type};
  Id& id = ids_.find(std::span<const std::uint32_t, 2>(key));
  if (id == 0) {
    id = new_id();
    globals.op(op, type, id);
  }
  return id;
}

std::size_t ModuleWords::words() const {
  return spirv::kHeaderWords + capabilities_.size() + extensions_.size() + imports_.size() + preamble.size() +
         strings.size() + names.size() + annotations.size() + globals.size() + functions.size();
}

spirv::Words ModuleWords::finish() const {
  spirv::Words all;
  all.reserve(words());
  all.insert(all.end(), {spv::MagicNumber, version_, 0, next_id_, 0});
  for (const WordBuffer* section :
       {&capabilities_, &extensions_, &imports_, &preamble, &strings, &names, &annotations, &globals, &functions}) {
    all.insert(all.end(), section->words().begin(), section->words().end());
  }
  return all;
}

}  // namespace slipway::rpl::emit
