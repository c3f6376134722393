#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""include/slipway/rpl_structs.h is what src/rpl_runtime/structs.def describes: rpl_structs.py TOP [--update]"""
import pathlib
import re
import sys

HEAD = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The structures of a compiled render pipeline, for C99 and C++17. Made from src/rpl_runtime/structs.def by
 * `tests/rpl_structs.py . --update`; do not edit.
 *
 * The compiler (slipway/rpl.h) and the reader of packs (slipway/rpl_pack.h) return the same structures. Formats and other names
 * of Vulkan have the values of its enumerants, so that this header needs none of Vulkan's. Sizes and offsets are in bytes.
 * Texts are UTF-8 and end with a zero that `size` does not count. A list without items has a null pointer.
 */
#ifndef SLIPWAY_RPL_STRUCTS_H
#define SLIPWAY_RPL_STRUCTS_H

#include <stddef.h>
#include <stdint.h>

/* In C++ a list is a range, and a text converts to std::string_view; the memory is that of C. */
#ifdef __cplusplus
#include <string_view>
#define RPL_RANGE(type)                                                                     \\
  const type* begin() const noexcept { return items; }                                      \\
  const type* end() const noexcept { return items + count; }                                \\
  std::size_t size() const noexcept { return count; }                                       \\
  bool empty() const noexcept { return count == 0; }                                        \\
  const type* data() const noexcept { return items; }                                       \\
  const type& operator[](std::size_t index) const noexcept { return items[index]; }
#else
#define RPL_RANGE(type)
#endif

typedef struct rpl_text {
  const char* data;
  uint32_t size;
#ifdef __cplusplus
  operator std::string_view() const noexcept { return {data ? data : "", size}; }
#endif
} rpl_text;
#ifdef __cplusplus
inline bool operator==(const rpl_text& a, std::string_view b) noexcept { return std::string_view(a) == b; }
inline bool operator!=(const rpl_text& a, std::string_view b) noexcept { return std::string_view(a) != b; }
#endif

typedef uint32_t rpl_flag; /* 0 or 1 */

/* What functions return; the numbers are the exit statuses of the program `slipway`. */
typedef enum rpl_status {
  RPL_OK = 0,
  RPL_WRONG_CALL = 2, /* an argument that no call can have: a null pointer, an index beyond the end */
  RPL_BAD_INPUT = 3,  /* a program, a file or an option has errors */
  RPL_LACKS = 4,      /* a device or this library lacks something */
  RPL_FAILED = 5      /* a file cannot be read; or there is no memory, also for a list of problems */
} rpl_status;

/* An option and its value, as the command line takes it: {"quality", "high"}. */
typedef struct rpl_option_value {
  const char* name;
  const char* value;
} rpl_option_value;

#if defined(__GNUC__)
#define RPL_API __attribute__((visibility("default")))
#else
#define RPL_API
#endif
"""


def lines_of_list(name, type_name):
    return [f"typedef struct rpl_{name} {{", f"  const {type_name}* items;", "  uint32_t count;", f"  RPL_RANGE({type_name})",
            f"}} rpl_{name};"]


def header(text):
    calls = re.findall(r"^([A-Z0-9]+)\((.*)\)$", text, re.M)
    lines = [HEAD]
    lines += lines_of_list("texts", "rpl_text") + [""] + lines_of_list("numbers", "uint32_t")
    open_struct = open_enum = None
    lists = {argument.split(", ")[1] for kind, argument in calls if kind == "LIST"}

    def close():
        nonlocal open_struct, open_enum
        if open_struct:
            lines.append(f"}} rpl_{open_struct};")
            if open_struct in lists:
                lines.extend(lines_of_list(f"{open_struct}s", f"rpl_{open_struct}"))
        if open_enum:
            lines.append(f"}} rpl_{open_enum};")
        open_struct = open_enum = None

    for kind, arguments in calls:
        explanation = re.search(r'"(.*)"$', arguments)
        words = re.sub(r',? *".*"$', "", arguments).split(", ")
        comment = f" /* {explanation[1]} */" if explanation and explanation[1] else ""
        if kind in ("ENUM", "STRUCT"):
            close()
            lines.append("")
            if comment:
                lines.append(comment.strip())
        if kind == "ENUM":
            lines.append(f"typedef enum rpl_{words[0]} {{")
            open_enum = words[0]
        elif kind == "VALUE":
            lines.append(f"  RPL_{words[0].upper()}_{words[1]},")
        elif kind == "STRUCT":
            lines.append(f"typedef struct rpl_{words[0]} {{")
            open_struct = words[0]
        else:
            assert words[0] == open_struct, arguments
            member = {
                "TEXT": lambda name: f"rpl_text {name}", "U32": lambda name: f"uint32_t {name}",
                "FLAG": lambda name: f"rpl_flag {name}", "F32": lambda name: f"float {name}",
                "WORDS": lambda name: f"rpl_numbers {name}", "TEXTS": lambda name: f"rpl_texts {name}",
                "NUMBERS": lambda name: f"rpl_numbers {name}",
                "ENUMERANT": lambda of, name: f"rpl_{of} {name}", "NESTED": lambda of, name: f"rpl_{of} {name}",
                "LIST": lambda of, name: f"rpl_{of}s {name}",
                "U32S": lambda name, count: f"uint32_t {name}[{count}]", "F32S": lambda name, count: f"float {name}[{count}]",
                "NESTEDS": lambda of, name, count: f"rpl_{of} {name}[{count}]",
            }[kind](*words[1:])
            lines.append(f"  {member};{comment}")
    close()
    lines += ["", "#endif", ""]
    return "\n".join(lines)


top = pathlib.Path(sys.argv[1])
made = header((top / "src/rpl_runtime/structs.def").read_text())
path = top / "include/slipway/rpl_structs.h"
if "--update" in sys.argv:
    path.write_text(made)
elif path.read_text() != made:
    sys.exit(f"{path} is not what structs.def describes: python3 tests/rpl_structs.py . --update")
