// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/checked.hpp"
#include "lower/strategies/strategy.hpp"

namespace slipway::lower {

void lower_plain(ProgramBuilder& program, const tosa::Node& node, std::size_t result) {
  const tosa::ValueId value = node.outputs[result];
  const tensor::Shape& shape = program.graph()[value].type.shape;
  const GroupKey key = key_of_group(program.graph(), program.stored(), value, "plain");
  if (program.repeat(key)) return;
  const auto count = static_cast<std::int64_t>(tensor::element_count(shape).value_or(0));
  KernelBuilder builder = program.kernel({});
  Kernel& k = builder.kernel();
  const Value index = k.element_index();
  k.when(index < count, [&] {
    const Value element = builder.compute(node, result, coordinates_of(k, shape, index));
    k.store(builder.write(value), index, builder.stored_form(value, element));
  });
  program.dispatch(builder, std::max<std::uint64_t>(divide_up(static_cast<std::uint64_t>(count), kLocalSize), 1), key);
}

}  // namespace slipway::lower
