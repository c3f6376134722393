// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan that runs one model: inputs from files or generated, outputs written to files, and the values of its resources
// for the caller.
//
//   auto alone = plan_standalone({.file = file, .name = "net", .model = ..., .values = values}, diagnostics);
//   launch::run(alone->plan, device, ...);
//   values->at(resource)  // the value after the run
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/plan/plan_model.hpp"
#include "model/standalone/fill.hpp"
#include "tensor/compare.hpp"

namespace slipway::model {

class ArrayFiles;

struct NamedInput {
  std::string name;
  Path file;  // .npy
};

struct NamedShape {
  std::string name;
  tensor::Shape shape;
};

// The bytes of resources of a model, by their index in the file. Those of inputs are present before the run.
using ModelValues = std::map<std::uint32_t, std::vector<std::byte>>;

struct StandaloneOptions {
  std::shared_ptr<const ModelFile> file;
  std::string name;  // the prefix of names in profiles and of resources
  ModelOptions model;

  // Inputs are named as in the file, or `input_0`, `input_1`... An input without a file and without given contents is
  // filled.
  std::vector<NamedInput> inputs;
  std::map<std::size_t, std::vector<std::byte>> given;  // contents of inputs, by index
  Path input_directory;                                 // of files NAME.npy, or an archive (.npz); empty: none
  std::shared_ptr<ArrayFiles> array_files;              // has opened some of them before; null: none
  std::vector<NamedShape> shapes;                       // of inputs and outputs with open dimensions
  Fill fill;
  bool empty_inputs = false;  // inputs without data are zeros instead: the caller writes them before each iteration

  Path output_directory;  // for NAME.npy of every output; empty: none
  // What outputs must be: a directory of files NAME.npy, or an archive of arrays (.npz); empty: not compared. Arrays of
  // other names are taken by their position if their count, types and shapes leave one way. Outputs without an array
  // are not compared; none has one: an error.
  Path expected;
  bool cast = false;            // convert arrays of other element types, of inputs and of `expected`
  tensor::Tolerance tolerance;  // of this comparison
  // Receives inputs, outputs and those intermediates whose memory nothing else writes, except images; null: not wanted.
  std::shared_ptr<ModelValues> values;
};

struct Standalone {
  launch::Plan plan;
  ModelPlan model;
  std::vector<SegmentSteps> segments;
  std::vector<tensor::Shape> shapes;                   // of the resources of the file
  std::vector<launch::ResourceIndex> inputs, outputs;  // resources of the plan, in the order of the file
  tensor::ComparedOutputs compared;                    // with StandaloneOptions::expected
};

// The elements of a resource in an .npy file or an array: one more dimension than the shape where a texel has several
// components. Empty for block formats.
struct ArrayElements {
  tensor::ElementType type = tensor::ElementType::U8;
  tensor::Shape shape;
};
std::optional<ArrayElements> elements_of(const vgf::Resource& resource, const tensor::Shape& shape);

// The type of graphs for elements that no graph uses.
tosa::DataType data_type_of(tensor::ElementType type);

// Errors: unknown-reference (of names), file-mismatch (another dtype or shape), those of reading files and of planning.
std::optional<Standalone> plan_standalone(const StandaloneOptions& options, Diagnostics& diagnostics);

// The names of inputs and outputs: those of the file, or `input_0`.
std::string input_label(const vgf::File& file, std::size_t index);
std::string output_label(const vgf::File& file, std::size_t index);
// The names of the files of outputs, without suffix; each once.
std::vector<std::string> output_file_names(const vgf::File& file);
// The file name for a label: without characters that file systems reject.
std::string file_name_for(std::string_view label);

}  // namespace slipway::model
