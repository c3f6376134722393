// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verbs for programs of the Render Pipeline Language, metadata of pipelines, and SPIR-V modules.
#pragma once

#include "cli/command_line.hpp"
#include "cli/content.hpp"

namespace slipway::cli {

// Text with the suffix `.rpl`, or text that begins with an item that no other language has.
bool is_rpl(const Content& content);
// The JSON that `slipway compile` writes.
bool is_rpl_metadata(const Content& content);

// What `slipway compile --pack` writes.
bool is_rpl_pack(const Content& content);

// A file with the suffix `.rplproject.json`.
bool is_rpl_project(const Content& content);

int compile_verb(const Arguments& arguments);
int format_verb(const Arguments& arguments);
int lsp_verb(const Arguments& arguments);
int serve_verb(const Arguments& arguments);

int check_rpl(const Arguments& arguments);
int inspect_rpl(const Arguments& arguments);
int inspect_rpl_metadata(const Arguments& arguments);
int check_rpl_pack(const Arguments& arguments);
int inspect_rpl_pack(const Arguments& arguments);
int diff_rpl_metadata(const Arguments& arguments);

// A SPIR-V module, in either byte order.
bool is_spirv(const Content& content);
bool is_shader(const Content& content);  // text: GLSL, HLSL, SPIR-V assembly
int check_spirv(const Arguments& arguments);
int inspect_spirv(const Arguments& arguments);

}  // namespace slipway::cli
