# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The build environment as a container, with the same distribution and packages as the private root of ./dev.
#
#   docker build -t slipway . && docker run --rm slipway ./dev test
FROM debian:forky
COPY env/packages.txt env/packages-tests.txt /tmp/
RUN apt-get update && \
    sed -E 's/#.*//; s/(^| )-[^ ]+//g; s/\|[^ ]+//g' /tmp/packages.txt /tmp/packages-tests.txt | xargs apt-get install -y --no-install-recommends && \
    ln -sf clang++-21 /usr/bin/clang++ && ln -sf clang-21 /usr/bin/clang && \
    ln -sf clang-format-21 /usr/bin/clang-format && ln -sf clang-tidy-21 /usr/bin/clang-tidy && \
    rm -rf /var/lib/apt/lists/*
ENV SLIPWAY_ENV=native
WORKDIR /slipway
COPY . .
RUN ./dev build
