# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The shader that the layer itself uses, as words in a generated header.
find_program(GLSLANG NAMES glslang glslangValidator REQUIRED)
set(after_bind_shader ${CMAKE_CURRENT_SOURCE_DIR}/layer/commands/after_bind.comp)
set(after_bind_header ${CMAKE_BINARY_DIR}/generated/layer/after_bind_comp.hpp)
add_custom_command(
  OUTPUT ${after_bind_header}
  COMMAND ${GLSLANG} --quiet -V --target-env vulkan1.3 --vn kAfterBindWords -o ${after_bind_header} ${after_bind_shader}
  DEPENDS ${after_bind_shader}
  VERBATIM)
target_sources(slipway_layer PRIVATE ${after_bind_header})
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/layer)
