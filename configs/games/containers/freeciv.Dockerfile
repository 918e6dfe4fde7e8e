# Freeciv as Debian ships it, for freeciv.json beside this file:
#
#   docker build --network host -t fixkeep-freeciv - <configs/games/containers/freeciv.Dockerfile
FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends freeciv-server \
 && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log
USER games
ENTRYPOINT ["/usr/games/freeciv-server"]
