#include "common/net/link/link_settings.hpp"

namespace fixkeep::net {

void describe_cluster(config::Fields& fields, LinkOptions& links, Duration& round_trip) {
  {
    const auto in_cluster = fields.section("cluster", "The cluster that this node belongs to.");
    constexpr std::size_t name_most = 64;
    fields.text(config::always("id"), links.cluster, config::name_text(name_most),
                "The name of the cluster, the same in all its nodes. A node refuses nodes with "
                "another id.");
    fields.secret("secret", {16, 1024},
                  "A secret shared by all nodes, which proves membership on plain links. Give this "
                  "or secret_file, or use certificates (tls).");
  }
  {
    const auto in_tls = fields.section(
        "tls",
        "Certificates by which nodes authenticate each other. fixkeepctl certs makes them. SIGHUP "
        "reads the files again.");
    TlsFiles& files = links.tls_files;
    fields.path("authority", files.authority,
                "The file with the certificate of the cluster's authority, PEM. Relative to "
                "the folder of this file. Empty: links are not encrypted.");
    fields.path("certificate", files.certificate, "The file with this node's certificate, PEM.");
    fields.path("key", files.key,
                "The file with the key of this node's certificate, PEM. Only the file's owner "
                "and a group of this node may have read permission.");
    fields.path("revoked", files.revoked,
                "The file with the authority's revocation lists (CRL), PEM, from fixkeepctl "
                "certs revoke. SIGHUP reads the file again and closes links with a revoked "
                "certificate. An expired list remains in use. Empty: no list.");
    fields.word("without", links.without_tls, {"on-loopback", "on-a-network-that-i-trust"},
                "Where links may be plain: on the loopback device, or on any network, where "
                "any machine can then be any node.");
  }
  const auto in_network = fields.section(
      "network", "The network between the nodes. Set the same values in all masters and workers.");
  fields.time("round_trip_ms", round_trip, {0, time_limits::round_trip_most.count()},
              "The longest round trip between any two nodes of the cluster, and to "
              "lock.servers. 0: all in one place. Nodes add 5 round trips to each time limit "
              "for an answer, 10 to a lease, and 50 to the wait for a lock.");
}

void describe_heartbeat(config::Fields& fields, LinkOptions& links) {
  fields.time(config::maybe("heartbeat_timeout_ms"), links.heartbeat_timeout, {50, 600'000},
              "A node that sends nothing for this time is down. Default: 1500 plus 5 times "
              "network.round_trip_ms. Must be more than 500 plus one round trip. Use a larger "
              "value if machines can pause.");
}

void describe_master(config::Fields& fields, MasterId& id, config::Address& address) {
  const auto entry = fields.section(config::self, "A master of the cluster.");
  fields.whole(config::always("id"), id, {1, 255},
               "The number of the master, unique in the cluster. A master with a lower number "
               "has priority in the lock.");
  fields.address(config::always("address"), address,
                 "The address and port at which masters and workers reach this master.");
}

}  // namespace fixkeep::net
