# Teeworlds 0.7 as Debian ships it, for teeworlds.json beside this file:
#
#   docker build --network host -t fixkeep-teeworlds - <configs/games/containers/teeworlds.Dockerfile
FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends teeworlds-server \
 && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log
USER games
ENTRYPOINT ["/usr/games/teeworlds-server"]
