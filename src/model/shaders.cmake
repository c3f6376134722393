# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The variants of optical_flow.comp, as words in generated headers.
find_program(GLSLANG NAMES glslang glslangValidator REQUIRED)
set(flow_shader ${CMAKE_CURRENT_SOURCE_DIR}/model/optical_flow/optical_flow.comp)
foreach(variant plain hint cost hint_cost)
  set(macros)
  if(variant MATCHES hint)
    list(APPEND macros -DHINT)
  endif()
  if(variant MATCHES cost)
    list(APPEND macros -DCOST)
  endif()
  set(header ${CMAKE_BINARY_DIR}/generated/model/flow_${variant}.hpp)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${GLSLANG} --quiet -V --target-env vulkan1.3 ${macros} --vn kFlow_${variant} -o ${header} ${flow_shader}
    DEPENDS ${flow_shader}
    VERBATIM)
  target_sources(slipway_model PRIVATE ${header})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/model)
