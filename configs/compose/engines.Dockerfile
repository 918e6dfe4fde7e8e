# The lock servers of docker-compose.yml, from Debian's packages: Redis, etcd and ZooKeeper.
FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      redis-server etcd-server zookeeper default-jre-headless netcat-openbsd \
 && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/apt /var/log/dpkg.log \
 && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin engine \
 && install -d -o 10001 /var/lib/engine
WORKDIR /var/lib/engine
USER 10001
COPY configs/compose/zoo.cfg /etc/zoo.cfg
