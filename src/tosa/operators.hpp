// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators and their properties, from the table operators.def.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tosa/data_type.hpp"

namespace slipway::tosa {

enum class Op : std::uint8_t {
#define OPERATOR(name, set, number, rule, operands, results, variables, types) name,
#include "tosa/operators.def"
#undef OPERATOR
  CUSTOM,  // defined by the implementation: domain, name and attributes are texts
};

// BlockScaled: of TOSA 1.1, numbered as in `.tosa` files less 1; Tosa11: its other operators.
enum class InstructionSet : std::uint8_t { Tosa, MotionEngine, Tosa11, BlockScaled, Custom };
inline constexpr std::int64_t kBlockSize = 32;  // the only one
inline constexpr std::string_view kTosaSet = "TOSA.001000.1";
inline constexpr std::string_view kMotionEngineSet = "Arm.MotionEngine.100";

// Enumerants with the values that files use.
enum class AccType : std::uint32_t { Int32 = 1, Fp16 = 2, Fp32 = 3, Int48 = 4 };
enum class NanMode : std::uint32_t { Propagate = 1, Ignore = 2 };
enum class RoundingMode : std::uint32_t { SingleRound = 1, InexactRound = 2, DoubleRound = 3 };
enum class ResizeMode : std::uint32_t { NearestNeighbor = 1, Bilinear = 2 };
enum class SearchPattern : std::uint32_t { Raster = 0, Spiral = 1 };

enum class OperandKind : std::uint8_t {
  Tensor,
  Int,
  Flag,
  NanMode,
  AccType,
  ResizeMode,
  RoundingMode,
  SearchPattern,
  BlockSize,
  List,
  Value,
  One,
  ZeroPoint
};

struct OperandInfo {
  std::string_view name;
  OperandKind kind = OperandKind::Tensor;
  std::string_view type;  // a type variable of the operator, or a type; empty where the kind implies it
  std::uint8_t min_rank = 0, max_rank = 0;  // of a tensor
  std::uint8_t count = 0;                   // of a list; 0: depends on a rank
  bool constant = false;                    // a tensor that must be constant
  bool variadic = false;                    // one or more tensors
  bool optional = false;                    // a flag of TOSA 1.1, false where it is missing; not an operand in SPIR-V

  bool is_tensor() const { return kind == OperandKind::Tensor; }
};

// Types of the variables of an operator, in their order, and the profiles and extensions that allow them.
struct TypeRow {
  std::vector<DataType> types;
  std::string_view enabled_by;  // `INT`, `INT/FP`, `BF16+E4M3`
};

struct OperatorInfo {
  Op op;
  std::string_view name;
  InstructionSet set;
  std::uint32_t number;               // in the instruction set
  std::vector<OperandInfo> operands;  // in SPIR-V order
  std::vector<OperandInfo> results;   // tensors
  std::vector<std::string_view> variables;
  std::vector<TypeRow> rows;

  const OperandInfo* operand(std::string_view name) const;
  // Position of a variable in the rows; empty for a type.
  std::optional<std::size_t> variable(std::string_view name) const;
};

std::span<const OperatorInfo> operators();  // without CUSTOM
const OperatorInfo& info_of(Op op);         // not of CUSTOM
std::string_view name_of(Op op);
// Also the names of the adaptive pools of TOSA 1.1: with a constant window they are the pools of TOSA 1.0.
std::optional<Op> op_from_name(std::string_view name);
inline constexpr std::string_view kAdaptive = "_ADAPTIVE";
const OperatorInfo* find_operator(InstructionSet set, std::uint32_t number);

// The names of an enumerant operand: {"PROPAGATE", 1}, ...; empty for other kinds.
struct EnumerantName {
  std::string_view name;
  std::uint32_t value;
};
std::span<const EnumerantName> enumerants(OperandKind kind);

// The data type of an acc_type.
DataType data_type_of(AccType type);

}  // namespace slipway::tosa
