// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/standalone/array_files.hpp"

#include "base/format.hpp"
#include "base/system/protected_inputs.hpp"

namespace slipway::model {
namespace {

std::shared_ptr<NpyFile> parsed(std::shared_ptr<const void> owner, Bytes bytes, const std::string& name,
                                Diagnostics& diagnostics) {
  Diagnostics warnings;
  auto view = diagnostics.take(tensor::parse_npy(bytes, name, warnings));
  diagnostics.add(warnings.release());
  if (!view) return nullptr;
  return std::make_shared<NpyFile>(std::move(owner), name, std::move(*view));
}

}  // namespace

template <class Read>
const std::vector<NamedArray>& ArrayFiles::opened(const Path& path, Diagnostics& diagnostics, Read read) {
  const auto [at, is_new] = files_.try_emplace(path);
  Opened& file = at->second;
  if (is_new) {
    protect_input(path);
    Diagnostics problems;
    if (auto mapped = problems.take(map_file(path)))
      file.arrays = read(std::make_shared<const MappedFile>(std::move(*mapped)), problems);
    file.problems = problems.release();
  }
  diagnostics.add(file.problems);
  return file.arrays;
}

std::shared_ptr<const NpyFile> ArrayFiles::npy(const Path& path, Diagnostics& diagnostics) {
  const auto read = [&](const std::shared_ptr<const MappedFile>& file, Diagnostics& problems) {
    return std::vector<NamedArray>{{{}, parsed(file, file->bytes(), path.string(), problems)}};
  };
  const std::vector<NamedArray>& arrays = opened(path, diagnostics, read);
  return arrays.empty() ? nullptr : arrays.front().second;
}

std::vector<NamedArray> ArrayFiles::archive(const Path& path, Diagnostics& diagnostics) {
  return opened(path, diagnostics, [&](const std::shared_ptr<const MappedFile>& file, Diagnostics& problems) {
    std::vector<NamedArray> arrays;
    const auto members = problems.take(tensor::parse_npz(file->bytes(), path.string()));
    for (const tensor::NpzMember& member : members.value_or(std::vector<tensor::NpzMember>())) {
      const auto array = parsed(file, member.npy, formatted("{}({}.npy)", path.string(), member.name), problems);
      if (array) {
        array->member = member;
        array->archive = path.string();
      }
      arrays.emplace_back(member.name, array);
    }
    return arrays;
  });
}

}  // namespace slipway::model
