// A model by itself in a plan: its inputs from files or made up, its outputs into files, and its values for whoever
// wants to look at them.
//
//   auto alone = plan_standalone({.file = file, .name = "net", .settings = ..., .values = values}, diagnostics);
//   launch::run(alone->plan, device, ...);
//   values->at(resource)  // what the run left there
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "model/fill.hpp"
#include "model/plan_model.hpp"

namespace slipway::model {

struct NamedInput {
  std::string name;
  Path file;  // .npy
};

struct NamedShape {
  std::string name;
  tensor::Shape shape;
};

// The bytes of resources of a model, by their number in the file. Of inputs they are there before the run.
using ModelValues = std::map<std::uint32_t, std::vector<std::byte>>;

struct StandaloneRequest {
  std::shared_ptr<const ModelFile> file;
  std::string name;  // what profiles and resources begin with
  ModelSettings settings;

  // Inputs go by their names in the file, or by `input_0`, `input_1`...; what has no file and is not given is filled.
  std::vector<NamedInput> inputs;
  std::map<std::size_t, std::vector<std::byte>> given;  // contents of inputs, by index
  Path input_directory;                                 // of files NAME.npy; empty: none
  std::vector<NamedShape> shapes;                       // where the file leaves dimensions open; of outputs too
  Fill fill;

  Path output_directory;  // for NAME.npy of every output; empty: none
  // Gets inputs, outputs and the intermediates that nothing else writes to, as far as they are not images; null: none.
  std::shared_ptr<ModelValues> values;
};

struct Standalone {
  launch::Plan plan;
  ModelPlan model;
  std::vector<SegmentSteps> segments;
  std::vector<tensor::Shape> shapes;  // of the resources of the file
};

// Errors: unknown-reference (of names), file-mismatch (another dtype or shape), those of reading files and of planning.
std::optional<Standalone> plan_standalone(const StandaloneRequest& request, Diagnostics& diagnostics);

// How inputs and outputs are called: by the file, or `input_0`.
std::string input_label(const vgf::File& file, std::size_t index);
std::string output_label(const vgf::File& file, std::size_t index);
// The name of a file for it, with nothing that a file system could object to.
std::string file_name_for(std::string_view label);

}  // namespace slipway::model
