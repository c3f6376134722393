// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata of a resolved program (docs/spec/rpl.md#metadata).
#pragma once

#include "rpl/emit/emit_spirv.hpp"
#include "rpl/metadata/metadata.hpp"

namespace slipway::rpl {

struct MetadataOptions {
  Target target = Target::Vulkan13;
  bool skip_attributes = false;  // --skip-attributes
  bool skip_sets = false;        // --skip-sets
};

// Everything except `code` and `hashes`, which `add_code` and `seal` (metadata_json.hpp) fill in.
Metadata emit_metadata(const Resolved& resolved, const MetadataOptions& options = {});

// The same, into metadata that the emitter owns. It keeps its memory: use one for many variants, one per thread.
class MetadataEmitter {
 public:
  // Valid until the next call.
  Metadata& emit(const Resolved& resolved, const MetadataOptions& options = {});

 private:
  Metadata metadata_;
};

// Appends an entry for a module that is written to `file`.
void add_code(Metadata& metadata, const Resolved& resolved, const SpirvModule& module, std::string file);
// The same with the hash of the module.
void add_code(Metadata& metadata, const Resolved& resolved, const SpirvModule& module, std::string file,
              std::string sha256);

}  // namespace slipway::rpl
