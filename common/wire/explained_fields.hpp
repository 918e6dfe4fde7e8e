// Converts explanations for waiting claims to Protocol Buffers and back. Internal to the codec.
//
// Thread rule: free functions without state. Bounds: limits.hpp. Errors: as codec.hpp says.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "common/wire/fields.hpp"
#include "common/wire/pool_messages.hpp"

namespace fixkeep::wire::fields {

inline void put(std::chrono::milliseconds in, pb::Moment* out) {
  out->set_in_ms(static_cast<std::uint32_t>(in.count()));
}

inline void put(const Explained& explained, pb::Explained* out) {
  out->set_number(explained.number);
  out->set_tickets(explained.tickets);
  out->set_rooms(explained.rooms);
  out->set_meets(explained.meets);
  check_count(explained.refused.size(), limits::refusers);
  for (const RefusedBy& each : explained.refused) {
    auto* refused = out->add_refused();
    refused->set_by(each.by);
    refused->set_tickets(each.tickets);
    refused->set_rooms(each.rooms);
  }
  if (explained.nearest) {
    auto* nearest = out->mutable_nearest();
    nearest->set_by(explained.nearest->by);
    nearest->set_room(explained.nearest->room);
    nearest->set_beyond(explained.nearest->beyond);
    if (explained.nearest->in) put(*explained.nearest->in, nearest->mutable_at());
  }
  out->set_players_missing(explained.players_missing);
  if (explained.enough_in) put(*explained.enough_in, out->mutable_enough());
  out->set_regions_full(explained.regions_full);
  check_count(explained.roles_missing.size(), limits::roles);
  out->mutable_roles_missing()->Add(explained.roles_missing.begin(), explained.roles_missing.end());
}

inline bool get_nearest(const pb::NearestMiss& nearest, NearestMiss& out) {
  out = {nearest.by(), nearest.room(), nearest.beyond(), std::nullopt};
  if (nearest.has_at()) out.in = std::chrono::milliseconds{nearest.at().in_ms()};
  return nearest.by() < limits::refusers;
}

inline bool get_explained(const pb::Explained& explained, Explained& out) {
  out.number = explained.number();
  out.tickets = explained.tickets();
  out.rooms = explained.rooms();
  out.meets = explained.meets();
  out.players_missing = explained.players_missing();
  out.regions_full = explained.regions_full();
  if (explained.has_enough()) out.enough_in = std::chrono::milliseconds{explained.enough().in_ms()};
  out.roles_missing.assign(explained.roles_missing().begin(), explained.roles_missing().end());
  return out.roles_missing.size() <= limits::roles &&
         static_cast<std::size_t>(explained.refused_size()) <= limits::refusers &&
         std::all_of(explained.refused().begin(), explained.refused().end(),
                     [&](const pb::RefusedBy& each) {
                       out.refused.push_back({each.by(), each.tickets(), each.rooms()});
                       return each.by() < limits::refusers;
                     }) &&
         (!explained.has_nearest() || get_nearest(explained.nearest(), out.nearest.emplace()));
}

}  // namespace fixkeep::wire::fields
