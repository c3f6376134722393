// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variables at module scope, and the interface of the current entry point.
//
// A variable has one id in a module; it is created, bound and decorated at its first use. After each use in an entry
// point the variable is in the interface of that entry point, once.
#pragma once

#include <vector>

#include "rpl/emit/module/types.hpp"

namespace slipway::rpl::emit {

class ModuleVariables {
 public:
  ModuleVariables(Emission& emission, ModuleTypes& types) : emission_(emission), types_(types) {}
  void begin_module();
  void begin_entry_point(Stage stage);

  Stage stage() const { return stage_; }
  std::span<const Id> interface() const { return interface_; }

  // Indices are those of the declarations in Resolved; `member` is among those of the buffer.
  Id field(std::uint32_t field, Storage storage);
  Id buffer(std::uint32_t buffer);
  Id workgroup(std::uint32_t buffer, std::uint32_t member);
  Id sampler(std::uint32_t sampler);
  Id image(std::uint32_t image);
  Id builtin(Builtin builtin);
  // Whether the current entry point uses it.
  bool uses(Builtin builtin) const;

  void mark_buffer_written(std::uint32_t buffer) { buffers_[buffer].written = true; }
  void mark_image_read(std::uint32_t image) { images_[image].read = true; }
  void mark_image_written(std::uint32_t image) { images_[image].written = true; }
  // At the end of a module: buffers and images that the module never writes or reads are decorated so. Drivers need
  // less ordering, and graphics stages need no feature for them.
  void decorate_access();

 private:
  struct Global {
    Id id = 0;
    std::uint32_t entry_point = 0;  // the last that used it
    bool read = false;
    bool written = false;
  };

  Id use(Global& global, Storage storage);
  void define(Global& global, Id pointer_type, Storage storage);
  void bind(const Global& global, DescriptorSet set, std::uint32_t binding);

  Emission& emission_;
  ModuleTypes& types_;
  std::vector<Global> inputs_, outputs_;  // by container field
  std::vector<Global> buffers_, samplers_, images_;
  std::vector<Global> shared_;  // by member of workgroup buffers
  std::vector<Global> builtins_;
  Stage stage_ = Stage::Vertex;
  std::uint32_t entry_point_ = 0;  // counted over the life of the object
  std::vector<Id> interface_;
};

}  // namespace slipway::rpl::emit
