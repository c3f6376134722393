" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
" Words of the Render Pipeline Language. Names are colored by the language server, in Neovim 0.9 or later.
if exists("b:current_syntax")
  finish
endif

syntax keyword rplModifier global instance conditional set_pass set_material set_object set_shared meta pack in out
syntax keyword rplDeclaration constant setting block struct vertex_attribute_container instanced_attribute_container
syntax keyword rplDeclaration state_container color_output_container uniform_buffer read_only_storage_buffer
syntax keyword rplDeclaration read_write_storage_buffer push_constant workgroup_buffer sampler alias
syntax keyword rplStatement if else for while break continue return
syntax keyword rplConstant true false on off
syntax match rplType /\<\%(void\|flag\|uint\|sint\|float\|enum\|[fus][1-4]\|f3x3\|f4x4\)\>/
syntax match rplType /\<\%(image_\%(color\|depth\)_\%(2d\|3d\|cube\|2d_array\)\)\>/
syntax match rplType /\<storage_image_\%(f4\|u4\|s4\|f1\|u1\|s1\)_\%(2d\|3d\|2d_array\)\>/
syntax match rplNumber /\<\%(0x\x\+u\?\|0b[01]\+u\?\|\d\+\.\d\+\%([eE][+-]\?\d\+\)\?\|\d\+[su]\?\)\>/
syntax region rplString start=/"/ skip=/\\./ end=/"/ oneline
syntax match rplComment /\/\/.*$/
syntax region rplComment start=/\/\*/ end=/\*\//

highlight default link rplModifier StorageClass
highlight default link rplDeclaration Structure
highlight default link rplStatement Statement
highlight default link rplConstant Boolean
highlight default link rplType Type
highlight default link rplNumber Number
highlight default link rplString String
highlight default link rplComment Comment

let b:current_syntax = "rpl"
