// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of arrays, .npy and archives of numpy.savez, that several stages of one run read: each is opened once.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/system/files.hpp"
#include "tensor/files/npy.hpp"
#include "tensor/files/npz.hpp"

namespace slipway::model {

// An .npy file, or a member of an archive, with what keeps its bytes.
struct NpyFile {
  std::shared_ptr<const void> owner;
  std::string name;
  tensor::NpyView view;
  std::optional<tensor::NpzMember> member = std::nullopt;  // of an archive
  std::string archive = {};                                // its name

  // Before elements are used: those of a compressed member are not there yet. Errors: file-format.
  Result<> read_elements() const { return member ? tensor::read_elements(*member, view.payload, archive) : Result<>(); }
};
using NamedArray = std::pair<std::string, std::shared_ptr<const NpyFile>>;

class ArrayFiles {
 public:
  // Null after an error. Each caller gets the errors and warnings of the file.
  std::shared_ptr<const NpyFile> npy(const Path& path, Diagnostics& diagnostics);
  // The arrays of an archive by name; null for one that is not valid.
  std::vector<NamedArray> archive(const Path& path, Diagnostics& diagnostics);

 private:
  struct Opened {
    std::vector<NamedArray> arrays;
    std::vector<Diagnostic> problems;
  };
  template <class Read>
  const std::vector<NamedArray>& opened(const Path& path, Diagnostics& diagnostics, Read read);

  std::map<Path, Opened> files_;
};

}  // namespace slipway::model
