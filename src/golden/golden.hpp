// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether this machine computes the recorded bits (docs/design/bits.md): a corpus in the program is computed by each
// engine that the machine has, and the digests of the results are compared with those of tests/golden/bits.txt.
//
// Integers and files are equal on every engine and machine. Floats of the interpreter are equal on every machine;
// floats of the CPU engine on all machines with the same level. Floats of a Vulkan device are compared with TOSA's
// bounds instead.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "reference/tensor.hpp"
#include "tosa/graph.hpp"

namespace slipway {
class Device;
}

namespace slipway::golden {

// A graph of the corpus, verified, and what it computes with.
struct GoldenGraph {
  std::string name;  // `ADD/i32 i32`
  std::string text;  // of the graph, as a file
  tosa::Graph graph;
  std::vector<reference::Tensor> inputs;
  bool has_floats() const;  // among the outputs
};
// Throws std::logic_error where the corpus is not valid.
const std::vector<GoldenGraph>& graphs();

enum class State : std::uint8_t {
  Equal,  // to the recorded digest
  Different,
  Unrecorded,  // no machine with this engine has recorded it
  InBounds,    // floats that need not be equal
  OutOfBounds,
  Failed,  // not computed
};

// A result: `ADD/f32 f32` of the engine `avx2`.
struct Bits {
  std::string name, engine;
  std::string digest;    // 16 hexadecimal digits of SHA-256; empty: none
  std::string expected;  // the recorded one, if the two differ; of Failed, why
  State state = State::Equal;
  bool is_wrong() const { return state == State::Different || state == State::OutOfBounds || state == State::Failed; }
};

// Digests by what they hold for (`all`, `reference`, or the name of a level) and the name of a result.
using Recorded = std::map<std::pair<std::string, std::string>, std::string>;
// Lines `NAME<tab>FOR<tab>DIGEST`; others are comments.
Recorded read_recorded(std::string_view text);
std::string write_recorded(const Recorded& recorded);
// Those in the program.
const Recorded& recorded();

// What is in files: VGF files of the graphs with several operators, words and metadata of pipelines in RPL.
std::vector<Bits> bits_of_files(const Recorded& recorded);
// The interpreter, and each level of the CPU engine that this machine has. Without a compiler of kernels the levels are
// missing.
std::vector<Bits> bits_of_host(const Recorded& recorded);
// A Vulkan device: the graphs, and a scenario.
std::vector<Bits> bits_of_device(Device& device, const Recorded& recorded);

// The entry of `found` in a table: where it holds. Nothing for results that are only compared with bounds.
std::optional<std::pair<std::string, std::string>> key_of(const Bits& found);

}  // namespace slipway::golden
