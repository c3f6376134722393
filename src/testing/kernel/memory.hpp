// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of which every byte remembers who wrote and who read it last.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "testing/kernel/interpreter.hpp"

namespace slipway::testing {

// Addresses as kernels see them: far apart for each buffer, so that an index that is too large or negative does not
// reach another one.
inline constexpr std::uint32_t kAddressBits = 36;
constexpr std::uint64_t address_of(std::uint32_t region) { return (std::uint64_t{region} + 1) << kAddressBits; }
struct Location {
  std::uint32_t region = 0;
  std::int64_t offset = 0;
};
constexpr Location location_of(std::uint64_t address) {
  const std::uint64_t region = (address + (std::uint64_t{1} << (kAddressBits - 1))) >> kAddressBits;
  return {static_cast<std::uint32_t>(region - 1), static_cast<std::int64_t>(address - (region << kAddressBits))};
}

// When something happened: accesses of another time are ordered by a barrier of all. Within one time, those of one
// subgroup are ordered by its own barriers.
struct Moment {
  std::uint32_t time = 0, step = 0;
};

inline constexpr std::uint32_t kSeveral = ~0U;

// An invocation, or several: which of them accesses an element is not known.
struct Actor {
  std::uint32_t number = kSeveral, subgroup = kSeveral;
};

struct Access {
  Moment moment;
  Actor actor;
  // Whether another access comes after this one for certain.
  bool is_before(const Moment& now, const Actor& other) const {
    if (moment.time != now.time || (actor.number == other.number && actor.number != kSeveral)) return true;
    return actor.subgroup == other.subgroup && actor.subgroup != kSeveral && moment.step != now.step;
  }
};

struct Trace {
  Access write, read;     // of time 0: did not happen
  std::uint32_t via = 0;  // the buffer of the program that was written
};

inline std::optional<KernelError> note_read(Trace& trace, const Moment& now, const Actor& actor) {
  const std::optional<KernelError> error =
      trace.write.is_before(now, actor) ? std::nullopt : std::optional(KernelError::MissingBarrier);
  Access& read = trace.read;
  // Matrices are read by all invocations of a subgroup, so that equal numbers may be others.
  const bool others = read.moment.time == now.time && (read.actor.number != actor.number || actor.number == kSeveral);
  const bool others_of_group = others && read.actor.subgroup == actor.subgroup;
  read = {now, {others ? kSeveral : actor.number, others && !others_of_group ? kSeveral : actor.subgroup}};
  return error;
}

inline std::optional<KernelError> note_write(Trace& trace, const Moment& now, const Actor& actor) {
  std::optional<KernelError> error;
  if (!trace.write.is_before(now, actor))
    error = KernelError::TwoWriters;
  else if (!trace.read.is_before(now, actor))
    error = KernelError::MissingBarrier;
  trace.write = {now, actor};
  return error;
}

// A buffer of the program, in memory that it may share with others at other times.
struct Region {
  std::byte* bytes = nullptr;
  Trace* traces = nullptr;  // null: nothing writes it
  std::uint64_t size = 0;
};

// An array of a workgroup.
struct SharedArray {
  std::vector<std::byte> bytes;
  std::vector<Trace> traces;
};

}  // namespace slipway::testing
