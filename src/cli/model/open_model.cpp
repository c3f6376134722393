// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/model/open_model.hpp"

#include "cli/content.hpp"
#include "model_jobs/open_any_model.hpp"

namespace slipway::cli {

std::shared_ptr<const model::ModelFile> open_named_model(const std::string& path, const convert::ReadModelOptions& read,
                                                         Diagnostics& diagnostics) {
  if (path != "-") return model::open_any_model(Path(path), path, read, diagnostics);
  const auto content = diagnostics.take(ContentOf::read(path));
  return content ? model::open_any_model(content->content().bytes, "<stdin>", read, diagnostics) : nullptr;
}

}  // namespace slipway::cli
