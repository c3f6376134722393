# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Assembles the variants of src/gpu/commands/mip_shader.spvasm.in and writes them as C++ arrays of words:
#   cmake -DSPIRV_AS=... -DTEMPLATE=... -DOUTPUT=... -P embed_mip_shaders.cmake
set(header "// Made from mip_shader.spvasm.in at build time.\n")
foreach(DIM 2D 3D)
  string(SUBSTRING ${DIM} 0 1 count)
  set(ID id${count})
  set(COORDINATE coordinate${count})
  foreach(TEXEL float uint int)
    set(stem ${OUTPUT}.${DIM}.${TEXEL})
    configure_file(${TEMPLATE} ${stem}.spvasm @ONLY)
    execute_process(COMMAND ${SPIRV_AS} --target-env vulkan1.3 -o ${stem}.spv ${stem}.spvasm COMMAND_ERROR_IS_FATAL ANY)
    file(READ ${stem}.spv words HEX)
    string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${words}")
    string(APPEND header "constexpr std::uint32_t kMipShader_${DIM}_${TEXEL}[] = {${words}};\n")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "${header}")
