// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/resolve/read_log.hpp"

namespace slipway::rpl {

void ReadLog::begin() {
  parts_of_.assign(context_.program->options.size(), 0);
  for (std::vector<OptionId>& part : reads_) part.clear();
  part_ = ReadPart::Declarations;
  recording_ = true;
  notes_ = false;
}

void ReadLog::list_order(std::vector<OptionId>& order) const {
  order.clear();
  for (std::uint32_t part = 0; part < kReadParts; ++part) {
    const std::uint32_t earlier = (1u << part) - 1;
    for (const OptionId option : reads_[part]) {
      if ((parts_of_[option] & earlier) == 0) order.push_back(option);
    }
  }
}

void ReadLog::forget_setting_reads() {
  const auto settings = static_cast<std::uint8_t>(1u << static_cast<unsigned>(ReadPart::Settings));
  for (std::uint8_t& parts : parts_of_) parts &= static_cast<std::uint8_t>(~settings);
  reads_[static_cast<std::size_t>(ReadPart::Settings)].clear();
}

}  // namespace slipway::rpl
