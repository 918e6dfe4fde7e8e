// The keys of links between nodes in the settings of masters and workers.
// Thread rule: free functions. Bounds: those of the keys. Errors: none.
#pragma once

#include "common/config/fields.hpp"
#include "common/net/link/hub.hpp"

namespace fixkeep::net {

// The sections `cluster`, `tls` and `network`.
void describe_cluster(config::Fields& fields, LinkOptions& links, Duration& round_trip);
// The key `heartbeat_timeout_ms` of the section `mesh`.
void describe_heartbeat(config::Fields& fields, LinkOptions& links);

void describe_master(config::Fields& fields, MasterId& id, config::Address& address);
// The key `masters`. A member has an id and an address.
template <class Member>
void describe_masters(config::Fields& fields, std::vector<Member>& masters, std::string_view text) {
  fields.list(config::always("masters"), masters, {1, 9}, text,
              [&](Member& each) { describe_master(fields, each.id, each.address); });
}

}  // namespace fixkeep::net
