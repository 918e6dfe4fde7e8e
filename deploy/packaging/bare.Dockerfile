# Debian 12 with systemd as init, for scripts/package_test.sh. curl acts as the game client; logrotate
# is here because an administrator may have it.
FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      systemd systemd-sysv curl logrotate
STOPSIGNAL SIGRTMIN+3
# With a separate control group namespace this tree belongs to the container, but Docker mounts it
# read-only. Version 2 has one mount, version 1 several.
CMD ["sh", "-c", "for tree in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,bind,rw $tree; done 2>/dev/null; exec /sbin/init"]
