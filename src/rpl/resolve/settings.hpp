// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Settings and color outputs (docs/spec/rpl.md#settings).
//
// Writes Resolved::settings, the settings of color_outputs, and consulted.settings.
#pragma once

#include <vector>

#include "rpl/resolve/declarations.hpp"

namespace slipway::rpl {

class SettingResolver {
 public:
  SettingResolver(Context& context, ReadLog& log, ConstantResolver& constants, const DeclarationResolver& declarations)
      : context_(context), log_(log), constants_(constants), declarations_(declarations), out_(context.out) {}

  void resolve();
  // Adds what decided the color outputs to consulted.settings: the last step of what it records.
  void record_outputs() { out_.consulted.settings.merge(declarations_.consulted(Group::ColorOutputs)); }

 private:
  void resolve_setting(const Item& item);
  bool setting_value(const Item& item, const SettingInfo& info, std::uint32_t& bits);
  void finish();
  void check_outputs();

  Context& context_;
  ReadLog& log_;
  ConstantResolver& constants_;
  const DeclarationResolver& declarations_;
  Resolved& out_;
  std::vector<Range> ranges_;  // of values: by setting, then by output and setting
};

}  // namespace slipway::rpl
