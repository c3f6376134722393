// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program of C that uses the libraries rpl and rpl_runtime: rpl_client PACK SOURCE...
//
// Each source is a program. Its memory comes from this file, which counts it; its files are read by this file.
#include <slipway/rpl.h>
#include <slipway/rpl_json.h>
#include <slipway/rpl_pack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long allocated, released;

static void* allocate(size_t size, size_t alignment, void* user) {
  (void)user;
  if (alignment > 16) return NULL;
  ++allocated;
  return malloc(size);
}
static void release(void* memory, size_t alignment, void* user) {
  (void)alignment, (void)user;
  ++released;
  free(memory);
}

static char* read_file(const char* path, size_t* size) {
  FILE* const file = fopen(path, "rb");
  char* bytes = NULL;
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  fseek(file, 0, SEEK_SET);
  bytes = malloc(*size + 1);
  if (fread(bytes, 1, *size, file) != *size) *size = 0;
  fclose(file);
  return bytes;
}

static rpl_status read_source(const char* path, rpl_status (*give)(const char*, size_t, void*), void* to, void* user) {
  size_t size = 0;
  char* const text = read_file(path, &size);
  rpl_status status = RPL_FAILED;
  ++*(int*)user;
  if (text) status = give(text, size, to);
  free(text);
  return status;
}
static uint64_t stamp(const char* path, void* user) {
  (void)path, (void)user;
  return 1;
}

static int fail(const char* what, rpl_problems* problems) {
  fprintf(stderr, "%s\n", what);
  for (uint32_t i = 0; problems && i < problems->count; ++i) fputs(problems->items[i].text.data, stderr);
  return 1;
}

// All that an engine does, from the creation of the compiler to its release.
static int use(int count, char** arguments, int show) {
  int reads = 0;
  rpl_compiler_options options = {.size = sizeof options, .files = {read_source, stamp, &reads}};
  rpl_problems problems;
  rpl_packed packed[16];
  rpl_variants variants[16];
  rpl_program* programs[16];
  const int sources = count - 2;
  rpl_compiler* const compiler = rpl_compiler_create(&options);
  if (rpl_set_allocator(NULL) != RPL_WRONG_CALL) return fail("the allocator was replaced too late", NULL);

  const rpl_entry_point_name entries[] = {{RPL_STAGE_VERTEX, "vertex_main"}, {RPL_STAGE_FRAGMENT, "fragment_main"}};
  const rpl_variant variant = {.size = sizeof variant, .entry_points = entries, .entry_point_count = 2};
  const rpl_variants_options search = {.size = sizeof search, .variant = &variant};
  for (int i = 0; i < sources; ++i) {
    const char* const files[] = {arguments[i + 2]};
    if (rpl_program_load(compiler, files, 1, &programs[i], &problems) != RPL_OK) return fail("rpl_program_load", &problems);
    if (rpl_program_variants(programs[i], &search, &variants[i], &problems) != RPL_OK) return fail("rpl_program_variants", &problems);
    packed[i].name = arguments[i + 2];
    packed[i].variants = &variants[i];
  }
  rpl_bytes bytes;
  if (rpl_pack_make(packed, (size_t)sources, &bytes, &problems) != RPL_OK) return fail("rpl_pack_make", &problems);
  FILE* const file = fopen(arguments[1], "wb");
  fwrite(bytes.data, 1, bytes.size, file);
  fclose(file);
  rpl_bytes_free(&bytes);

  size_t size = 0;
  char* const read = read_file(arguments[1], &size);
  rpl_pack pack;
  if (rpl_pack_open(read, size, &pack) != RPL_OK) return fail("rpl_pack_open", NULL);
  for (int i = 0; i < sources; ++i) {
    uint32_t program = 0, found = 0;
    const rpl_pipeline* pipeline = NULL;
    const rpl_pipeline* compiled = NULL;
    if (rpl_pack_find_program(&pack, arguments[i + 2], &program) != RPL_OK) return fail("rpl_pack_find_program", NULL);
    if (rpl_pack_find_variant(&pack, program, NULL, 0, &found) != RPL_OK) return fail("rpl_pack_find_variant", NULL);
    const size_t needed = rpl_pack_pipeline_size(&pack, program, found);
    void* const memory = malloc(needed);
    if (rpl_pack_pipeline(&pack, program, found, memory, needed, &pipeline) != RPL_OK) return fail("rpl_pack_pipeline", NULL);
    if (rpl_program_compile(programs[i], &variant, &compiled, &problems) != RPL_OK) return fail("rpl_program_compile", &problems);
    const rpl_numbers a = pipeline->modules.items[0].words, b = compiled->modules.items[0].words;
    if (a.count != b.count || memcmp(a.items, b.items, a.count * sizeof *a.items) != 0) return fail("the SPIR-V differs", NULL);
    if (strcmp(pipeline->metadata.hashes.pipeline.data, compiled->metadata.hashes.pipeline.data) != 0) return fail("the hash differs", NULL);
    if (show) printf("%u variants, %u words, hash %.8s\n", variants[i].count, a.count, pipeline->metadata.hashes.pipeline.data);
    // The JSON of the compiler has the same, without the words.
    const rpl_text json = rpl_pipeline_json(compiled);
    rpl_json_error error;
    const size_t json_size = rpl_json_pipeline_size(json.data, json.size, &error);
    void* const json_memory = malloc(json_size);
    const rpl_pipeline* from_json = NULL;
    if (json_size == 0 || rpl_json_pipeline(json.data, json.size, json_memory, json_size, &from_json, &error) != RPL_OK) {
      return fail(error.message, NULL);
    }
    const rpl_metadata* const one = &from_json->metadata;
    const rpl_metadata* const other = &pipeline->metadata;
    if (strcmp(one->hashes.pipeline.data, other->hashes.pipeline.data) != 0) return fail("the hash of the JSON differs", NULL);
    if (memcmp(&one->settings, &other->settings, sizeof one->settings) != 0) return fail("the settings of the JSON differ", NULL);
    if (from_json->modules.count != pipeline->modules.count) return fail("the modules of the JSON differ", NULL);
    free(json_memory);
    rpl_pipeline_release(compiled);
    rpl_variants_free(&variants[i]);
    rpl_program_release(programs[i]);
    free(memory);
  }
  free(read);
  if (reads != sources) return fail("a file was not read by the callback", NULL);

  // An error is a structure with its location, and not an exception.
  rpl_parsed_module* module = NULL;
  const char broken[] = "void main (void) {\n  f4 x = ;\n}\n";
  if (rpl_module_parse(compiler, "broken.rpl", broken, strlen(broken), &module, &problems) != RPL_BAD_INPUT || module != NULL ||
      problems.count != 1 || problems.items[0].location.line != 2) {
    return fail("another problem was expected", &problems);
  }
  rpl_problems_free(&problems);
  rpl_compiler_release(compiler);
  return 0;
}

int main(int count, char** arguments) {
  const rpl_allocator allocator = {allocate, release, NULL};
  long left[2];
  if (count < 3 || count > 18) return 2;
  if (rpl_set_allocator(&allocator) != RPL_OK) return fail("rpl_set_allocator", NULL);
  for (int i = 0; i < 2; ++i) {
    if (use(count, arguments, i == 0) != 0) return 1;
    left[i] = allocated - released;
  }
  // The first time leaves tables that the library keeps for the process; the second time leaves nothing.
  if (allocated < 100 || left[0] != left[1]) return fail("memory was not released", NULL);
  return 0;
}
