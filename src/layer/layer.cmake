# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The Vulkan layer: a shared object that exports the loader's entry point alone, and its manifest.
if(SLIPWAY_FUZZ)
  return()
endif()
set(layer_directory ${CMAKE_CURRENT_SOURCE_DIR}/layer)
add_library(slipway_layer_object MODULE ${layer_directory}/main.cpp)
set_target_properties(slipway_layer_object PROPERTIES OUTPUT_NAME VkLayer_slipway_ml
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/slipway
                      CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                      LINK_DEPENDS ${layer_directory}/exports.map)
# It is loaded into programs of others, so that it links what hosts may lack or have in another version statically.
find_library(SIMDJSON_STATIC simdjson_static)
# The C++ library comes first: the linker takes an archive's member for the first undefined symbol that the member defines,
# also weakly. Otherwise functions of std::string would come from members of modules that the layer does not use, with all
# that those need (glslang, SPIRV-Tools' optimizer, launch).
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
                OUTPUT_VARIABLE static_libstdcxx OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT IS_ABSOLUTE "${static_libstdcxx}")
  set(static_libstdcxx)
endif()
target_compile_definitions(slipway_layer_object PRIVATE $<$<BOOL:${static_libstdcxx}>:SLIPWAY_LAYER_OWNS_LIBSTDCXX>)
target_link_libraries(slipway_layer_object PRIVATE ${static_libstdcxx} $<$<BOOL:${SIMDJSON_STATIC}>:${SIMDJSON_STATIC}>
                      slipway_layer volk::volk Vulkan::Headers)
# In the build, the library is beside its manifest; installed, the manifest names the directory of libraries.
if(WIN32)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/layer.def CONTENT "EXPORTS vkNegotiateLoaderLayerInterfaceVersion\n")
  target_sources(slipway_layer_object PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/layer.def)
  set_target_properties(slipway_layer_object PROPERTIES PREFIX "")
  target_link_options(slipway_layer_object PRIVATE -Wl,--gc-sections -static)
  set(layer_library .\\\\VkLayer_slipway_ml.dll)
else()
  target_link_options(slipway_layer_object PRIVATE -Wl,--gc-sections ${SLIPWAY_FOLD} -Wl,--exclude-libs,ALL -Wl,-Bsymbolic
                      -Wl,--version-script=${layer_directory}/exports.map ${SLIPWAY_PACK} -Wl,--as-needed -static-libstdc++ -static-libgcc)
  set(layer_library ./libVkLayer_slipway_ml.so)
endif()
configure_file(${layer_directory}/manifest.json.in ${CMAKE_BINARY_DIR}/lib/slipway/VkLayer_slipway_ml.json @ONLY)
if(WIN32)
  install(FILES ${CMAKE_BINARY_DIR}/lib/slipway/VkLayer_slipway_ml.json DESTINATION lib/slipway COMPONENT layer)
  install(TARGETS slipway_layer_object LIBRARY DESTINATION lib/slipway COMPONENT layer)
  return()
endif()
include(GNUInstallDirs)
file(RELATIVE_PATH layer_library /${CMAKE_INSTALL_DATADIR}/vulkan/explicit_layer.d
     /${CMAKE_INSTALL_LIBDIR}/slipway/libVkLayer_slipway_ml.so)
configure_file(${layer_directory}/manifest.json.in ${CMAKE_BINARY_DIR}/layer/VkLayer_slipway_ml.json @ONLY)
# The layer under the names of the emulation layers, in a directory that the loader does not search by itself.
foreach(layer_name VK_LAYER_ML_Graph_Emulation VK_LAYER_ML_Tensor_Emulation)
  configure_file(${layer_directory}/emulation_name.json.in ${CMAKE_BINARY_DIR}/lib/slipway/emulation_names/${layer_name}.json @ONLY)
endforeach()
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/slipway/emulation_names
        DESTINATION ${CMAKE_INSTALL_DATADIR}/vulkan/explicit_layer.d COMPONENT layer)
install(TARGETS slipway_layer_object LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/slipway COMPONENT layer)
install(FILES ${CMAKE_BINARY_DIR}/layer/VkLayer_slipway_ml.json
        DESTINATION ${CMAKE_INSTALL_DATADIR}/vulkan/explicit_layer.d COMPONENT layer)
