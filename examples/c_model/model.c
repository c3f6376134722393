// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Runs a model from C99: model FILE [cpu]
 *
 * FILE is a VGF file, or a TOSA or MLIR model. Each byte of the inputs is its index modulo 7. The sum of the bytes of each output
 * is printed. With `cpu` the model runs without Vulkan. */
#include <slipway/slipway.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int failed(slipway_problems* problems, int status) {
  size_t i;
  for (i = 0; i < slipway_problems_count(problems); ++i) fputs(slipway_problems_text(problems, i), stderr);
  slipway_problems_free(problems);
  return status;
}

static void print_tensor(const char* what, const slipway_tensor_info* info) {
  size_t i;
  printf("%s %s: %s[", what, info->name, info->element_type);
  for (i = 0; i < info->rank; ++i) printf("%s%" PRId64, i == 0 ? "" : ", ", info->shape[i]);
  printf("], %zu bytes", info->bytes);
}

int main(int count, char** arguments) {
  const int on_cpu = count == 3 && strcmp(arguments[2], "cpu") == 0;
  slipway_problems* problems = NULL;
  slipway_device* device = NULL;
  slipway_model* model = NULL;
  slipway_prepared_model* prepared = NULL;
  size_t i, b;
  int status;
  if (count != 2 && !on_cpu) {
    fputs("usage: model FILE [cpu]\n", stderr);
    return 2;
  }

  status = slipway_model_load(arguments[1], &model, &problems);
  if (status == 0) {
    slipway_problems_free(problems); /* warnings */
    problems = NULL;
  }
  if (status == 0 && !on_cpu) status = slipway_device_open(NULL, &device, &problems);
  if (status == 0) status = slipway_model_prepare(model, device, NULL, &prepared, &problems);
  slipway_model_free(model);
  if (status != 0) {
    slipway_device_free(device);
    return failed(problems, status);
  }

  for (i = 0; i < slipway_prepared_model_inputs(prepared); ++i) {
    slipway_tensor_info info = {.size = sizeof info};
    unsigned char* data = slipway_prepared_model_input(prepared, i);
    slipway_prepared_model_input_info(prepared, i, &info);
    for (b = 0; b < info.bytes; ++b) data[b] = (unsigned char)(b % 7);
    print_tensor("input", &info);
    putchar('\n');
  }
  status = slipway_prepared_model_run(prepared, &problems);
  for (i = 0; status == 0 && i < slipway_prepared_model_outputs(prepared); ++i) {
    slipway_tensor_info info = {.size = sizeof info};
    const unsigned char* data = slipway_prepared_model_output(prepared, i);
    unsigned long long sum = 0;
    slipway_prepared_model_output_info(prepared, i, &info);
    for (b = 0; b < info.bytes; ++b) sum += data[b];
    print_tensor("output", &info);
    printf(", sum %llu\n", sum);
  }
  slipway_prepared_model_free(prepared);
  slipway_device_free(device);
  return status == 0 ? 0 : failed(problems, status);
}
