// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plain read and write, to compare loading and saving with: bench_copy IN OUT prints the microseconds of both together.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e6 + time.tv_nsec * 1e-3;
}

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const double start = now();
  const int in = open(arguments[1], O_RDONLY);
  struct stat status;
  if (in < 0 || fstat(in, &status) != 0) return 3;
  char* data = malloc((size_t)status.st_size);
  for (off_t done = 0; done < status.st_size;) {
    const ssize_t got = read(in, data + done, (size_t)(status.st_size - done));
    if (got <= 0) return 3;
    done += got;
  }
  close(in);
  const int out = open(arguments[2], O_WRONLY | O_CREAT | O_TRUNC, 0666);
  for (off_t done = 0; done < status.st_size;) {
    const ssize_t put = write(out, data + done, (size_t)(status.st_size - done));
    if (put <= 0) return 5;
    done += put;
  }
  close(out);
  printf("%.1f\n", now() - start);
  free(data);
  return 0;
}
