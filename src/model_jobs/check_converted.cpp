// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model_jobs/check_converted.hpp"

#include "model/graph_segment.hpp"
#include "vgf/read.hpp"

namespace slipway::model {

std::optional<vgf::File> check_converted(Bytes file, const std::string& name, convert::ShaderCheck check,
                                         Diagnostics& diagnostics) {
  Diagnostics problems;
  auto read = vgf::read_vgf(file, name, problems);
  if (read && check == convert::ShaderCheck::Full) check_model(*read, problems);
  if (!problems.has_errors()) return read;
  for (Diagnostic& problem : problems.release()) {
    if (problem.severity != Severity::Error) continue;
    problem.note("the converted file is not valid, and is not written");
    diagnostics.add(std::move(problem));
  }
  return std::nullopt;
}

}  // namespace slipway::model
