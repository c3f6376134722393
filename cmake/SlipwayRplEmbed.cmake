# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes DIRECTORY/NAME.rpl.h from NAME.spv and NAME.json: a script of slipway_compile_rpl.
file(READ "${DIRECTORY}/${NAME}.spv" bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR words "${digits} / 8")
# SPIR-V is little-endian here: four bytes make a word from the last one to the first one.
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words_text "${bytes}")
string(REGEX REPLACE "((0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,))" "\\1\n  " words_text
       "${words_text}")
file(READ "${DIRECTORY}/${NAME}.json" metadata HEX)
string(REGEX REPLACE "(..)" "0x\\1," metadata "${metadata}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n  " metadata "${metadata}")
file(WRITE "${DIRECTORY}/${NAME}.rpl.h" "// Made by slipway_compile_rpl.
#pragma once
#include <stdint.h>
enum { ${NAME}_spirv_words = ${words} };
static const uint32_t ${NAME}_spirv[${NAME}_spirv_words] = {
  ${words_text}
};
static const unsigned char ${NAME}_metadata[] = {
  ${metadata}0x00
};
")
