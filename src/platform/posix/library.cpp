// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "platform/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <span>

namespace slipway::platform {

std::expected<void*, std::string> open_library(const std::filesystem::path& file) {
  if (void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const char* const reason = ::dlerror();
  return std::unexpected(reason ? reason : file.native() + " cannot be opened");
}

void close_library(void* library) { ::dlclose(library); }

void* loaded_library(const char* name) { return ::dlopen(name, RTLD_NOW | RTLD_NOLOAD); }
void* symbol(void* library, const char* name) { return ::dlsym(library, name); }

std::filesystem::path file_of_code(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || !info.dli_fname) return {};
  return info.dli_fname;
}

bool is_in_program(const void* address) {
  struct Search {
    std::uintptr_t address;
    bool found;
  } search{reinterpret_cast<std::uintptr_t>(address), false};
  // The first object is the program.
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* data) {
        auto& given = *static_cast<Search*>(data);
        for (const auto& part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
          const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
          given.found |= part.p_type == PT_LOAD && given.address >= begin && given.address - begin < part.p_memsz;
        }
        return 1;
      },
      &search);
  return search.found;
}

std::string_view library_ending() { return ".so"; }

LoadedObjects loaded_objects() {
  LoadedObjects objects;
  ::dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        auto& into = *static_cast<LoadedObjects*>(to);
        if (object->dlpi_name && *object->dlpi_name == '/')
          into.directories.push_back(std::filesystem::path(object->dlpi_name).parent_path());
        for (const auto& part : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
          if (part.p_type == PT_INTERP)
            into.loaders.emplace_back(reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr));
        }
        return 0;
      },
      &objects);
  return objects;
}

}  // namespace slipway::platform
