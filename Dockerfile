# Three stages: one that has the sources and what building them needs (scripts/setup.sh), one that
# builds, and one that holds the programs and what they need to run. The same image is master, worker
# and client-sim. Needs no BuildKit.
FROM debian:bookworm-slim AS sources
WORKDIR /src
# The packages first: they change seldom, so this layer is kept. A change of a script or of a
# configuration does not build the programs again either.
COPY scripts/setup.sh scripts/lib.sh scripts/
RUN scripts/setup.sh --only build
COPY CMakeLists.txt CMakePresets.json ./
COPY cmake cmake
COPY docs/openapi.yaml docs/
COPY common common
COPY master master
COPY worker worker
COPY lock lock
COPY client-sim client-sim
COPY lab lab
COPY ctl ctl
COPY deploy/packaging deploy/packaging
RUN cmake --preset release -DFIXKEEP_TESTS=OFF

FROM sources AS build
RUN cmake --build build/release --parallel "$(nproc)" --target \
      fixkeep-master fixkeep-worker fixkeep-demo-game fixkeep-client-sim fixkeep-lock-node \
      fixkeep-relay fixkeep-lab fixkeep-room-keeper fixkeep-room-tls fixkeep-sdk-relay fixkeepctl \
 && strip build/release/bin/fixkeep*

FROM debian:bookworm-slim AS programs
# What ldd names for the four programs; the rest is in the base.
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      libssl3 libprotobuf32 libprometheus-cpp-core1.0 libfmt9 libspdlog1.10 libhiredis0.14 \
      libre2-9 libzookeeper-st2 libpq5 libgrpc++1.51 libjemalloc2 \
 && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log \
 && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin fixkeep
COPY --from=build /src/build/release/bin/fixkeep* /usr/local/bin/
COPY configs/compose/healthy /usr/local/bin/fixkeep-healthy
COPY configs/compose/*.json /etc/fixkeep/
COPY configs/games/containers/*.json /etc/fixkeep/games/
# By number, so that an orchestrator can see that it is not root.
USER 10001
