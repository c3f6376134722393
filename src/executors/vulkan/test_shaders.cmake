# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The shaders of this module's device tests: test_shaders/NAME.STAGE becomes the words `NAME_STAGE` in executors/vulkan/test_shaders/NAME_STAGE.hpp.
find_program(GLSLANG NAMES glslang glslangValidator REQUIRED)
file(GLOB shaders CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/test_shaders/*)
foreach(shader ${shaders})
  get_filename_component(file ${shader} NAME)
  string(REPLACE "." "_" name ${file})
  set(header ${CMAKE_BINARY_DIR}/generated/executors/vulkan/test_shaders/${name}.hpp)
  add_custom_command(
    OUTPUT ${header}
    COMMAND ${GLSLANG} --quiet -V --target-env vulkan1.3 --vn ${name} -o ${header} ${shader}
    DEPENDS ${shader}
    VERBATIM)
  target_sources(executors_test PRIVATE ${header})
endforeach()
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/executors/vulkan/test_shaders)
