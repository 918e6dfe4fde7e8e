# A Debian 12 with systemd as its init and nothing else, for scripts/package_test.sh; curl plays the
# game client, logrotate is what an administrator may have.
FROM debian:bookworm-slim
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      systemd systemd-sysv curl logrotate
STOPSIGNAL SIGRTMIN+3
# With a control group namespace of its own this tree is the container's, but Docker mounts it
# read-only; it is one mount with version 2, and several with version 1.
CMD ["sh", "-c", "for tree in /sys/fs/cgroup /sys/fs/cgroup/*; do mount -o remount,bind,rw $tree; done 2>/dev/null; exec /sbin/init"]
