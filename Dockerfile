# Two stages: one that builds with scripts/setup.sh, and one that holds the programs and what they
# need to run. The same image is master, worker and client-sim.
FROM debian:bookworm-slim AS build
WORKDIR /src
# The packages first: they change seldom, so this layer is kept.
COPY scripts/setup.sh scripts/lib.sh scripts/
RUN scripts/setup.sh --only build
COPY . .
RUN cmake --preset release -DFIXKEEP_TESTS=OFF \
 && cmake --build build/release --target \
      fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim \
 && strip --strip-debug build/release/bin/fixkeep-*

FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libssl3 libprotobuf32 libspdlog1.10 libfmt9 libprometheus-cpp-core1.0 curl \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin fixkeep
COPY --from=build /src/build/release/bin/fixkeep-* /usr/local/bin/
COPY configs/compose /etc/fixkeep
USER fixkeep
