# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Protections of what is distributed; tests/hardening.py inspects the result. The flags hold for all targets, so that
# precompiled headers fit them; they are before the flags of a target, which can revoke them.
if(NOT SLIPWAY_HARDEN OR SLIPWAY_SANITIZE OR SLIPWAY_FUZZ)
  return()
endif()
set(hardening "-fstack-protector-strong -ftrivial-auto-var-init=zero -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  string(APPEND hardening " -fcf-protection=full")
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  string(APPEND hardening " -mbranch-protection=standard")
endif()
string(APPEND CMAKE_C_FLAGS_RELEASE " ${hardening}")
string(APPEND CMAKE_CXX_FLAGS_RELEASE " ${hardening}")
include(CheckPIESupported)
check_pie_supported()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # The C library's start files lack the note, although they need no change for a shadow stack; without the option the linker
  # leaves the note out for all. They have no landing pads: a note of indirect branch tracking (`-z ibt`) would be wrong.
  add_link_options(-Wl,-z,shstk)
endif()
