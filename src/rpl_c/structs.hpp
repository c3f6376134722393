// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The structures of slipway/rpl_structs.h from the values of the compiler.
#pragma once

#include <functional>

#include "rpl/metadata/metadata.hpp"
#include "rpl/program.hpp"
#include "rpl_c/arena.hpp"
#include "spirv/module.hpp"

namespace slipway::rpl_c {

// The words of a module, which must live as long as the structures.
using WordsOf = std::function<spirv::WordSpan(std::size_t module)>;

// Fills all structures of a pipeline. `words_of` is called with the indices of Metadata::code.
void make_pipeline(Arena& arena, const rpl::Metadata& metadata, const WordsOf& words_of, rpl_pipeline& made);
rpl_options make_options(Arena& arena, const rpl::Program& program);

}  // namespace slipway::rpl_c
