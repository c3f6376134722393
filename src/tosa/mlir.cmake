# libMLIR, statically and only what parsing TOSA needs: the packaged CMake targets end in the shared libLLVM, which would cost
# 80 MB and the time to load it at every start, and they refuse to be loaded without tools of another package. These are the
# archives below MLIRTosaDialect, MLIRFuncDialect and MLIRParser.
set(llvm /usr/lib/llvm-22 CACHE PATH "where LLVM and MLIR 22 are")
set(mlir AffineDialect Analysis ArithDialect ArithUtils AsmParser BytecodeReader CallInterfaces CastInterfaces ComplexDialect
  ControlFlowInterfaces DataLayoutInterfaces DestinationStyleOpInterface Dialect DialectUtils FuncDialect FunctionInterfaces IR
  InferIntRangeCommon InferIntRangeInterface InferStridedMetadataInterface InferTypeOpInterface LoopLikeInterface MemOpInterfaces
  MemRefDialect MemorySlotInterfaces ParallelCombiningOpInterface Parser Presburger QuantDialect QuantUtils
  RuntimeVerifiableOpInterface ShapedOpInterfaces SideEffectInterfaces Support TensorDialect TosaDialect UBDialect
  ValueBoundsOpInterface VectorInterfaces ViewLikeInterface)
list(TRANSFORM mlir REPLACE "(.+)" "${llvm}/lib/libMLIR\\1.a")
foreach(component Support Demangle TargetParser Core BinaryFormat Remarks BitstreamReader)
  list(APPEND mlir ${llvm}/lib/libLLVM${component}.a)
endforeach()
foreach(archive ${mlir})
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "${archive} is missing: libmlir-22-dev and llvm-22-dev have to be installed")
  endif()
endforeach()
target_link_libraries(slipway_tosa PRIVATE -Wl,--start-group ${mlir} -Wl,--end-group z zstd)

# LLVM is built without exceptions; its headers are not ours to warn about.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/tosa/read/mlir/read_mlir.cpp PROPERTIES COMPILE_OPTIONS
  "-fno-exceptions;-isystem;${llvm}/include;-Wno-unused-parameter")
