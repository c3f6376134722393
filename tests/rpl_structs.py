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
 * of Vulkan have the values of its enumerants, so that this header needs none of Vulkan's. MAX_ENUM is not a value: with
 * it the types hold any int that a caller passes. Sizes and offsets are in bytes.
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


def rows(table, settings):
    """(kind, [argument...]) of each line that is about C; settings as SETTING_MEMBER."""
    text = re.sub(r"^#if !defined\(STRUCTS_OF_C\).*?^#endif\n", "", table, flags=re.M | re.S)
    of_scope = {}
    for kind, words in re.findall(r"^(OUTPUT_SETTING|SETTING)\((.*)\)$", settings, re.M):
        words = words.split(", ")
        of_scope.setdefault(kind, []).append((words[0], words[1]))
    for line in text.splitlines():
        # The lines of settings.def, by the macro that the table defines before it includes them.
        if define := re.match(r"#define (OUTPUT_SETTING|SETTING)\(.*\) SETTING_MEMBER\((\w+),", line):
            for name, kind in of_scope[define[1]]:
                yield "SETTING_MEMBER", [define[2], name, kind, ""]
        if call := re.match(r"([A-Z0-9_]+)\((.*)\)$", line):
            words = re.findall(r'"((?:[^"\\]|\\.)*)"|(?:^|, )([^",]*)(?=,|$)', call[2])
            yield call[1], [quoted or bare for quoted, bare in words]


MEMBERS = {
    "TEXT": "rpl_text {1}", "OPTIONAL_TEXT": "rpl_text {1}", "IMAGE_TYPE": "rpl_text {1}", "OPTION_VALUE": "rpl_text {1}",
    "U32": "uint32_t {1}", "COUNT": "uint32_t {1}", "F32S": "float {1}[{2}]",
    "TEXTS": "rpl_texts {1}", "OPTIONAL_TEXTS": "rpl_texts {1}", "NUMBERS": "rpl_numbers {1}", "STAGES": "rpl_numbers {1}",
    "WORDS": "rpl_numbers {1}", "ENUMERANT": "rpl_{1} {3}", "NESTED": "rpl_{1} {3}", "OPTIONAL_NESTED": "rpl_{1} {3}",
    "NESTEDS": "rpl_{1} {3}[{4}]", "LIST": "rpl_{1}s {3}", "TYPE": "rpl_type {1}", "SETTINGS": "rpl_settings {1}",
    "ITEM_FORMAT": "rpl_item_format {1}", "OPTIONAL_ITEM_FORMAT": "rpl_item_format {1}",
}
SETTINGS = {"Flag": "rpl_flag {1}", "Uint": "uint32_t {1}", "Word": "uint32_t {1}", "Float": "float {1}"}


def header(table, settings):
    calls = list(rows(table, settings))
    lines = [HEAD]
    lines += lines_of_list("texts", "rpl_text") + [""] + lines_of_list("numbers", "uint32_t")
    lists = {words[1] for kind, words in calls if kind == "LIST"}
    enum = None
    for kind, words in calls:
        if enum and kind != "VALUE":
            # Callers may pass any int, and C++ leaves values open that the enumerators do not span.
            lines += [f"  RPL_{enum.upper()}_MAX_ENUM = 0x7fffffff", f"}} rpl_{enum};"]
            enum = None
        member = SETTINGS[words[2]] if kind == "SETTING_MEMBER" else MEMBERS.get(kind)
        if kind in ("ENUM", "OPTIONAL_ENUM"):
            enum = words[0]
            lines += ["", f"typedef enum rpl_{enum} {{"]
        elif kind == "VALUE":
            lines.append(f"  RPL_{words[0].upper()}_{words[1]},")
        elif kind == "STRUCT":
            lines += ["", f"/* {words[3]} */", f"typedef struct rpl_{words[0]} {{"]
        elif kind == "END":
            lines.append(f"}} rpl_{words[0]};")
            if words[0] in lists:
                lines.extend(lines_of_list(f"{words[0]}s", f"rpl_{words[0]}"))
        elif member:
            lines.append(f"  {member.format(*words)};" + (f" /* {words[-1]} */" if words[-1] else ""))
    lines += ["", "#endif", ""]
    return "\n".join(lines)


top = pathlib.Path(sys.argv[1])
made = header(*((top / "src/rpl_runtime" / name).read_text() for name in ("structs.def", "settings.def")))
path = top / "include/slipway/rpl_structs.h"
if "--update" in sys.argv:
    path.write_text(made)
elif path.read_text() != made:
    sys.exit(f"{path} is not what structs.def describes: python3 tests/rpl_structs.py . --update")
