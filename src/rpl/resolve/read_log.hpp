// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records what compile-time expressions read: into the Consulted set of the output that they belong to, into the order
// of first reads (for the search through variants), and into the lookups of an item that may be cached.
#pragma once

#include <array>
#include <vector>

#include "rpl/resolve/context.hpp"
#include "rpl/resolve/records.hpp"

namespace slipway::rpl {

// The parts of a resolve.
enum class ReadPart : std::uint8_t { Declarations, Settings, Code };
inline constexpr std::uint32_t kReadParts = 3;

// The recording of the lookups of one item, to cache it if nothing was reported.
struct LookupWindow {
  std::size_t problems = 0;  // diagnostics before
  std::size_t first = 0;     // in ReadLog::lookups
  bool nested = false;       // lookups were already recorded
};

class ReadLog {
 public:
  explicit ReadLog(Context& context) : context_(context) {}

  // Starts a variant.
  void begin();
  void set_part(ReadPart part) { part_ = part; }
  // Checks of unused definitions do not count as reads.
  void set_recording(bool recording) { recording_ = recording; }

  void read(OptionId option) {
    sink->options.add(option);
    note(Lookup::Kind::Option, option);
    const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(part_));
    if (!recording_ || (parts_of_[option] & bit) != 0) return;
    parts_of_[option] |= bit;
    reads_[static_cast<std::size_t>(part_)].push_back(option);
  }
  // Options in the order of their first reads, part after part.
  void list_order(std::vector<OptionId>& order) const;
  // Whether declarations or code read the option.
  bool read_outside_settings(OptionId option) const {
    return (parts_of_[option] & ~(1u << static_cast<unsigned>(ReadPart::Settings))) != 0;
  }
  void forget_setting_reads();

  // --- lookups of cacheable items
  void note(Lookup::Kind kind, std::uint32_t of) {
    if (notes_) lookups_.push_back({kind, of});
  }
  Lookup lookup(std::uint32_t index) const { return lookups_[index]; }
  LookupWindow open_window() {
    return {context_.diagnostics->all().size(), lookups_.size(), std::exchange(notes_, true)};
  }
  List close_window(const LookupWindow& window) {
    notes_ = window.nested;
    return list_from(window.first, lookups_);
  }
  // Whether nothing was reported since.
  bool is_clean(const LookupWindow& window) const { return context_.diagnostics->all().size() == window.problems; }
  std::size_t lookup_count() const { return lookups_.size(); }
  void forget_lookups() { lookups_.clear(); }

  Consulted* sink = nullptr;  // receives what compile-time expressions read
  Consulted unrecorded;       // the sink where no output depends on it
  ItemId item = 0;            // whose text is being resolved: the constants that it uses must be declared before it

 private:
  Context& context_;
  std::array<std::vector<OptionId>, kReadParts> reads_;  // in the order of the first reads within the part
  std::vector<std::uint8_t> parts_of_;                   // by option: bits of ReadPart
  ReadPart part_ = ReadPart::Declarations;
  bool recording_ = true;
  bool notes_ = false;
  std::vector<Lookup> lookups_;
};

// Resolves the text of an item into a sink during its lifetime.
class ReadScope {
 public:
  ReadScope(ReadLog& log, Consulted& sink, ItemId item)
      : log_(log), sink_(std::exchange(log.sink, &sink)), item_(std::exchange(log.item, item)) {}
  ReadScope(ReadLog& log, Consulted& sink) : ReadScope(log, sink, log.item) {}
  ReadScope(const ReadScope&) = delete;
  ReadScope& operator=(const ReadScope&) = delete;
  ~ReadScope() {
    log_.sink = sink_;
    log_.item = item_;
  }

 private:
  ReadLog& log_;
  Consulted* sink_;
  ItemId item_;
};

}  // namespace slipway::rpl
