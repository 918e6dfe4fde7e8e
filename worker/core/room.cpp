#include "worker/core/room.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/base/assert.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::worker {
namespace {

bool plays(const std::string& attributes, const std::string& role) {
  const auto known = nlohmann::json::parse(attributes, nullptr, false);
  if (!known.is_object() || !known.contains("roles")) return false;
  const auto& roles = known.at("roles");
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

}  // namespace

bool fits(const Want& want, const std::string& team, const std::string& attributes) {
  return (want.team.empty() || want.team == team) &&
         (want.role.empty() || plays(attributes, want.role));
}

const Seat* Seats::find(const PlayerId& player) const {
  const auto found = seats_.find(player);
  return found == seats_.end() ? nullptr : &found->second;
}

std::vector<PlayerId> Seats::newcomers(const wire::Claim& claim) const {
  std::vector<PlayerId> result;
  const auto consider = [&](const PlayerId& player) {
    if (seats_.contains(player)) return;
    if (std::find(result.begin(), result.end(), player) != result.end()) return;
    result.push_back(player);
  };
  consider(claim.player);
  for (const PlayerId& player : claim.party) consider(player);
  return result;
}

void Seats::restore(const SeatRecord& seat) {
  Seat& restored = seats_[seat.player];
  FIXKEEP_ASSERT(seats_.size() <= capacity_, "capacity " + std::to_string(capacity_));
  restored.came = seat.came;
  restored.brings = seat.brings;
  restored.team = seat.team;
  restored.attributes = seat.attributes;
  restored.want = seat.want;
  brought_ = brought_ || !seat.brings.empty();
  restored.reservations.restore(seat.reservations);
  if (restored.occupied()) ++occupied_;
  arrivals_ = std::max(arrivals_, seat.came);
}

SeatRecord Seats::record_of(RoomNumber room, const PlayerId& player) const {
  SeatRecord record{.room = room, .player = player, .reservations = {}};
  if (const Seat* seat = find(player)) {
    record.came = seat->came;
    record.brings = seat->brings;
    record.team = seat->team;
    record.attributes = seat->attributes;
    record.want = seat->want;
    seat->reservations.each(
        [&](const SeatReservation& each) { record.reservations.push_back(each); });
  }
  return record;
}

void Seats::reserve(const PlayerId& player, SeatReservation reservation) {
  Seat& seat = seats_[player];
  FIXKEEP_ASSERT(seats_.size() <= capacity_, "capacity " + std::to_string(capacity_));
  seat.reservations.add(reservation);
  note(player);
}

void Seats::bring(const PlayerId& player, const std::string& brings) {
  seats_.at(player).brings = brings;
  brought_ = brought_ || !brings.empty();
  note(player);
}

void Seats::fill_want(const PlayerId& player, std::uint32_t want) {
  seats_.at(player).want = want;
  note(player);
}

void Seats::want_anew(Wants wants) {
  for (auto& [player, seat] : seats_) {
    if (std::exchange(seat.want, 0U) == 0) continue;
    note(player);
    if (seat.occupied()) continue;
    const auto fits_this = [](const Want& want, const Seat* each) {
      return fits(want, each->team, each->attributes);
    };
    const auto filled = fill(wants, std::array{&seat}, fits_this);
    if (filled) seat.want = filled->front() + 1;
  }
}

void Seats::line_up(const wire::MatchPlayer& player) {
  const auto seat = seats_.find(player.player);
  if (seat == seats_.end()) return;
  seat->second.team = player.team;
  seat->second.attributes = player.attributes;
  lineup_changed_ = true;
  note(player.player);
}

std::vector<wire::MatchPlayer> Seats::lineup() const {
  std::vector<wire::MatchPlayer> players;
  for (const auto& [player, seat] : seats_) {
    if (seat.is_lined_up()) players.push_back({player, seat.team, seat.attributes});
  }
  return players;
}

void Seats::occupy(const PlayerId& player) {
  const auto found = seats_.find(player);
  FIXKEEP_ASSERT(found != seats_.end(), player.text());
  found->second.reservations.clear();
  note(player);
  if (found->second.occupied()) return;
  found->second.came = ++arrivals_;
  ++occupied_;
}

void Seats::occupy_anew(const PlayerId& player) {
  seats_[player];
  FIXKEEP_ASSERT(seats_.size() <= capacity_, "capacity " + std::to_string(capacity_));
  occupy(player);
}

const PlayerId* Seats::first_to_come() const {
  const std::pair<const PlayerId, Seat>* first = nullptr;
  for (const auto& entry : seats_) {
    if (!entry.second.occupied()) continue;
    if (first == nullptr || entry.second.came < first->second.came) first = &entry;
  }
  return first == nullptr ? nullptr : &first->first;
}

bool Seats::drop_unwanted(std::map<PlayerId, Seat>::iterator seat) {
  if (seat->second.occupied() || !seat->second.reservations.none()) return false;
  lineup_changed_ = lineup_changed_ || seat->second.is_lined_up();
  seats_.erase(seat);
  return true;
}

void Seats::leave_for_a_while(const PlayerId& player, ReservationId reservation) {
  const auto found = seats_.find(player);
  FIXKEEP_ASSERT(found != seats_.end() && found->second.occupied(), player.text());
  found->second.came = 0;
  --occupied_;
  found->second.reservations.clear();
  found->second.reservations.add({reservation});
  note(player);
}

bool Seats::leave(const PlayerId& player) {
  const auto found = seats_.find(player);
  if (found == seats_.end() || !found->second.occupied()) return false;
  found->second.came = 0;
  --occupied_;
  note(player);
  return drop_unwanted(found);
}

bool Seats::give_back(const PlayerId& player, ReservationId reservation) {
  const auto found = seats_.find(player);
  if (found == seats_.end()) return false;
  if (reservation == ReservationId{}) {
    found->second.reservations.clear();
  } else {
    found->second.reservations.give_back(reservation);
  }
  note(player);
  return drop_unwanted(found);
}

bool Seats::give_back_of(const PlayerId& player, MasterId by, ReservationId after,
                         ReservationId up_to) {
  const auto found = seats_.find(player);
  if (found == seats_.end()) return false;
  found->second.reservations.give_back_of(by, after, up_to);
  note(player);
  return drop_unwanted(found);
}

bool Seats::give_back_others(const PlayerId& player, ReservationId kept) {
  const auto found = seats_.find(player);
  if (found == seats_.end()) return false;
  Reservations& reservations = found->second.reservations;
  std::optional<SeatReservation> lasting;
  reservations.each([&](const SeatReservation& each) {
    if (each.id == kept) lasting = each;
  });
  reservations.clear();
  if (lasting) reservations.add(*lasting);
  note(player);
  return drop_unwanted(found);
}

bool Seats::lapse(const PlayerId& player, ReservationId reservation) {
  const auto found = seats_.find(player);
  if (found == seats_.end()) return false;
  found->second.reservations.lapse(reservation);
  note(player);
  return drop_unwanted(found);
}

Wants Room::wants_left() const {
  Wants left = wants;
  if (left.empty()) return left;
  for (const auto& [player, seat] : seats.all()) {
    if (seat.want > 0 && seat.want <= left.size() && left[seat.want - 1].players > 0) {
      --left[seat.want - 1].players;
    }
  }
  return left;
}

bool Room::is_join_refused(const PlayerId& player, MasterId master,
                           const wire::ReleaseSeats& release) {
  const auto join = joined.find(player);
  if (join == joined.end()) return false;
  SeatReservation& of_join = join->second;
  const bool in_range =
      of_join.by == master && of_join.id > release.own_after && of_join.id <= release.own_up_to;
  if (!in_range && of_join.id != release.reservation) return false;
  const Seat* seat = seats.find(player);
  if (seat == nullptr) return true;
  seat->reservations.each([&](const SeatReservation& later) { of_join = later; });
  return false;
}

// A service sends all players of its match, so this room has no newcomers to refuse.
RoomStage Room::stage() const {
  if (match) return RoomStage::gathering;
  if (wants.empty()) return admission.stage();
  return told_wants(*this).empty() ? RoomStage::no_newcomers : RoomStage::running;
}

Wants told_wants(const Room& room) {
  if (room.match) return {};
  Wants left = room.wants_left();
  std::erase_if(left, [](const Want& want) { return want.players == 0; });
  return left;
}

wire::RequestContext cause_or_none(const wire::SpawnRoom& order) {
  const wire::RequestContext* const cause = wire::cause_of(order.claims);
  return cause == nullptr ? wire::RequestContext{} : *cause;
}

namespace {

std::optional<wire::MatchFacts> chosen(const Room& room, std::vector<wire::MatchPlayer>&& players) {
  if (players.empty()) return std::nullopt;
  return wire::MatchFacts{.told = room.group, .players = std::move(players)};
}

}  // namespace

std::optional<wire::MatchFacts> match_of(const Room& room) {
  return room.match ? room.match : chosen(room, room.seats.lineup());
}

std::optional<wire::MatchFacts> match_of(const Room& room, const wire::SpawnRoom& order) {
  if (room.match) return room.match;
  std::vector<wire::MatchPlayer> players;
  for (const wire::Claim& claim : order.claims) {
    players.insert(players.end(), claim.lineup.begin(), claim.lineup.end());
  }
  return chosen(room, std::move(players));
}

std::string shortened(std::string text) {
  constexpr auto is_inside = [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
  };
  std::size_t size = std::min(text.size(), wire::limits::reason_bytes);
  while (size > 0 && size < text.size() && is_inside(text[size])) --size;
  text.resize(size);
  return text;
}

wire::RoomInfo info_of(const Room& room) {
  wire::RoomInfo info;
  info.number = room.number;
  info.group = room.group;
  info.mode = room.mode;
  info.phase = room.phase();
  info.place = room.place;
  info.capacity = room.seats.capacity();
  info.creation = room.creation;
  info.occupied = room.seats.occupied();
  info.players.reserve(room.seats.taken());
  for (const auto& [player, seat] : room.seats.all()) info.players.push_back(player);
  const auto& seats = room.seats.all();
  const bool brought = std::any_of(seats.begin(), seats.end(),
                                   [](const auto& seat) { return !seat.second.brings.empty(); });
  if (brought) {
    info.brought.reserve(seats.size());
    for (const auto& [player, seat] : seats) info.brought.push_back(seat.brings);
  }
  info.opened_at = room.opened_at;
  info.unknown = room.unknown();
  info.stage = room.stage();
  info.wants = told_wants(room);
  if (room.match) {
    info.match = room.match;
    info.match->metadata.clear();
  }
  return info;
}

}  // namespace fixkeep::worker
