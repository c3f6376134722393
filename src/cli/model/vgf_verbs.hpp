// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for VGF models.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"
#include "cli/run/job.hpp"

namespace slipway::cli {

// Whether the first four bytes are those of a VGF file.
bool is_vgf_file(const Content& content);
int run_vgf_file(const Arguments& arguments);
std::unique_ptr<JobSource> model_jobs();
// Adds every error of a VGF file, its graphs and shaders.
void check_vgf(Bytes bytes, const std::string& name, Diagnostics& diagnostics);
int check_vgf_file(const Arguments& arguments);
int inspect_vgf_file(const Arguments& arguments);

// Models of any format.
int tune_verb(const Arguments& arguments);

// The drop-in names `vgf_dump` and `vgf_updater`, with the options, texts and exit status of these tools
// (docs/spec/vgf.md#compatibility).
int vgf_dump(const Arguments& arguments);
int vgf_updater(const Arguments& arguments);

}  // namespace slipway::cli
