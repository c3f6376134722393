# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Shaders of device tests: test_shaders/NAME.STAGE in DIRECTORY of src becomes the words `NAME_STAGE` in
# DIRECTORY/test_shaders/NAME_STAGE.hpp, for the test program TARGET.
find_program(GLSLANG NAMES glslang glslangValidator REQUIRED)
function(slipway_test_shaders target directory)
  file(GLOB shaders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${directory}/test_shaders/*)
  set(headers ${CMAKE_BINARY_DIR}/generated/${directory}/test_shaders)
  file(MAKE_DIRECTORY ${headers})
  foreach(shader ${shaders})
    get_filename_component(file ${shader} NAME)
    string(REPLACE "." "_" name ${file})
    add_custom_command(
      OUTPUT ${headers}/${name}.hpp
      COMMAND ${GLSLANG} --quiet -V --target-env vulkan1.3 --vn ${name} -o ${headers}/${name}.hpp ${shader}
      DEPENDS ${shader}
      VERBATIM)
    target_sources(${target} PRIVATE ${headers}/${name}.hpp)
  endforeach()
endfunction()
