# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The shaders that the module itself uses, as words in a generated header.
find_program(SPIRV_AS spirv-as REQUIRED)
set(mip_template ${CMAKE_CURRENT_SOURCE_DIR}/gpu/commands/mip_shader.spvasm.in)
set(mip_shaders ${CMAKE_BINARY_DIR}/generated/gpu/mip_shaders.inc)
add_custom_command(
  OUTPUT ${mip_shaders}
  COMMAND ${CMAKE_COMMAND} -DSPIRV_AS=${SPIRV_AS} -DTEMPLATE=${mip_template} -DOUTPUT=${mip_shaders}
          -P ${CMAKE_SOURCE_DIR}/cmake/embed_mip_shaders.cmake
  DEPENDS ${mip_template} ${CMAKE_SOURCE_DIR}/cmake/embed_mip_shaders.cmake
  VERBATIM)
target_sources(slipway_gpu PRIVATE ${mip_shaders})
