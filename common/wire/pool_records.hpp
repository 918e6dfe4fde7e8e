// Descriptions of the messages about pools (common/record/record.hpp). The numbers of the fields
// are those of fixkeep.proto.
//
// Thread rule: free functions. Bounds: limits.hpp. Errors: as in codec.hpp.
#pragma once

#include "common/wire/pool_messages.hpp"
#include "common/wire/room_records.hpp"

namespace fixkeep::wire {

void describe(auto& fields, Described<Gather> auto& gather) {
  fields.id(1, gather.pool, limits::group_bytes);
  fields.nested(2, gather.hold);
}

void describe(auto& fields, Described<LentClaim> auto& lent) {
  fields.number(1, lent.number);
  fields.nested(2, lent.claim);
  fields.number(3, lent.waited);
  fields.number(4, lent.passed);
  fields.text(5, lent.avoid, limits::id_bytes);
  fields.number(6, lent.asked);
}

void describe(auto& fields, Described<ClaimsPart> auto& part) {
  fields.id(1, part.pool, limits::group_bytes);
  fields.nested(2, part.hold);
  fields.number(3, part.index);
  fields.number(4, part.last);
  fields.list(5, part.claims, limits::lent_claims);
}

void describe(auto& fields, Described<ClaimsSeated> auto& seated) {
  fields.id(1, seated.pool, limits::group_bytes);
  fields.nested(2, seated.hold);
  fields.id(3, seated.room.worker, limits::id_bytes);
  fields.fixed(4, seated.room.incarnation);
  fields.positive(5, seated.room.number);
  fields.id(6, seated.mode, limits::id_bytes);
  fields.positive(7, seated.capacity, limits::capacity);
  fields.number(8, seated.reservation);
  fields.number(9, seated.granted_at, limits::worker_time_us);
  fields.number(10, seated.reserved_for);
  fields.numbers(11, seated.claims, limits::claims);
  fields.numbers(12, seated.teams, limits::claims);
}
[[nodiscard]] inline bool holds(const ClaimsSeated& seated) {
  return seated.teams.empty() || seated.teams.size() == seated.claims.size();
}

void describe(auto& fields, Described<RefusedBy> auto& refused) {
  fields.number(1, refused.by, limits::refusers - 1);
  fields.number(2, refused.tickets);
  fields.number(3, refused.rooms);
}

void describe(auto& fields, Described<NearestMiss> auto& nearest) {
  fields.number(1, nearest.by, limits::refusers - 1);
  fields.number(2, nearest.room);
  fields.number(3, nearest.beyond);
  fields.moment(4, nearest.in);
}

void describe(auto& fields, Described<Explained> auto& explained) {
  fields.number(1, explained.number);
  fields.number(2, explained.tickets);
  fields.number(3, explained.rooms);
  fields.number(4, explained.meets);
  fields.list(5, explained.refused, limits::refusers);
  fields.nested(6, explained.nearest);
  fields.number(7, explained.players_missing);
  fields.moment(8, explained.enough_in);
  fields.numbers(9, explained.roles_missing, limits::roles);
  fields.number(10, explained.regions_full);
}

void describe(auto& fields, Described<CloseLoan> auto& close) {
  fields.id(1, close.pool, limits::group_bytes);
  fields.nested(2, close.hold);
  fields.numbers(3, close.passed, limits::passed);
  fields.number(4, close.again);
  fields.list(5, close.explained, limits::explained);
}

}  // namespace fixkeep::wire
