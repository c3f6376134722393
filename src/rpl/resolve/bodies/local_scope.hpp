// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The locals, arguments and aliases that are in scope (docs/spec/rpl.md#modules-and-names).
#pragma once

#include <span>
#include <vector>

#include "rpl/resolve/constants/constants.hpp"

namespace slipway::rpl {

class LocalScope {
 public:
  LocalScope(Context& context, const ConstantResolver& constants) : context_(context), constants_(constants) {}

  // Starts a variant, and a program.
  void begin();
  void forget();

  // Adds a binding; returns its index.
  std::uint32_t bind(const Binding& binding);
  // The same for a local of the function, by its index in Resolved::locals.
  void bind_local(const Binding& binding);
  // Ends the bindings from an index on.
  void unbind(std::size_t count);
  std::size_t size() const { return bindings_.size(); }
  std::span<const Binding> all() const { return bindings_; }

  // Reports a name that a local, alias or argument may not have here; false then.
  bool check_name(NameId name, Range range) const;
  // The innermost binding of a name, or kNone; hidden ones included.
  std::uint32_t innermost(NameId name) const { return local_of_[name]; }
  // The same, as an index below `visible()`: kNone when that one is hidden.
  bool is_visible(std::uint32_t binding) const { return binding < visible_; }
  // The innermost visible binding of a name, or kNone.
  std::uint32_t find(NameId name) const {
    std::uint32_t local = local_of_[name];
    while (local != kNone && local >= visible_) local = bindings_[local].previous;
    return local;
  }
  Binding& operator[](std::uint32_t binding) { return bindings_[binding]; }
  Binding& binding_of(const LValue& local) {
    return bindings_[local_binding_[local.index - context_.out.functions[function_].locals.first]];
  }

  // Inside an alias, bindings after its own are hidden. Returns what was visible before.
  std::uint32_t hide_from(std::uint32_t binding) { return std::exchange(visible_, binding); }
  void set_function(std::uint32_t function) { function_ = function; }

 private:
  Context& context_;
  const ConstantResolver& constants_;
  std::vector<Binding> bindings_;
  std::vector<std::uint32_t> local_of_;       // by name: in bindings_, or kNone
  std::vector<std::uint32_t> local_binding_;  // by local of the function: in bindings_
  std::uint32_t visible_ = kNone;             // bindings from here on are hidden
  std::uint32_t function_ = 0;
};

}  // namespace slipway::rpl
