// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rpl/emit/function/values.hpp"

namespace slipway::rpl::emit {

void FunctionValues::begin_module() {
  values_.resize(emission_.program->code.size());
  locals_.resize(emission_.program->locals.size());
  arguments_.resize(emission_.program->arguments.size());
}

void FunctionValues::begin_function(const Function& function) {
  std::fill_n(locals_.begin() + function.locals.first, function.locals.count, 0);
  own_arguments_ = function.arguments;
}

std::span<const Id> FunctionValues::of_list(std::span<const Ref> refs) {
  listed_.clear();
  for (const Ref ref : refs) listed_.push_back(of(ref));
  return listed_;
}

bool FunctionValues::is_argument(Id id) const {
  return std::ranges::contains(std::span(arguments_).subspan(own_arguments_.first, own_arguments_.count), id);
}

}  // namespace slipway::rpl::emit
