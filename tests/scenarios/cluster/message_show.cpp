#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "tests/scenarios/cluster/message_text.hpp"

namespace fixkeep::scenarios {
namespace {

template <class Question>
std::vector<wire::Claim> answered(Dialogue* back, std::uint64_t request) {
  if (back == nullptr) return {};
  for (auto at = back->unanswered.begin(); at != back->unanswered.end(); ++at) {
    const auto* question = std::get_if<Question>(&*at);
    if (question == nullptr || question->request != request) continue;
    std::vector<wire::Claim> claims;
    if constexpr (requires { question->claims; }) claims = question->claims;
    back->unanswered.erase(at);
    return claims;
  }
  return {};
}

std::string number(RoomNumber room) {
  return "#" + std::to_string(room.number());
}

std::string granted_text(const std::vector<std::uint32_t>& granted,
                         const std::vector<wire::Claim>& claims, Duration reserved_for,
                         ReservationId reservation) {
  if (granted.empty()) return "";
  std::string text;
  for (const std::uint32_t index : granted) {
    text += text.empty() ? " granted=" : ",";
    text += index < claims.size() ? claims[index].player.text() : std::to_string(index);
  }
  return text + " for=" + text_of(reserved_for) + " r=" + std::to_string(reservation.number());
}

std::string modes_text(const wire::WorkerModes& modes) {
  std::string text;
  if (modes.known != std::vector{ModeName{"duel"}}) {
    for (const ModeName& each : modes.known) {
      text += (text.empty() ? " modes=" : ",") + each.text();
    }
  }
  bool first = true;
  for (const wire::PausedMode& each : modes.paused) {
    text += (std::exchange(first, false) ? " paused=" : ",") + each.mode.text() + ":";
    text += each.cause == wire::PauseCause::failing ? text_of(each.left)
                                                    : std::string{to_string(each.cause)};
  }
  return text;
}

std::string starts_text(const wire::StartQueue& starts) {
  if (starts == wire::StartQueue{}) return "";
  return " queued=" + std::to_string(starts.queued) + "/" + std::to_string(starts.per_minute);
}

std::string claims_text(const MessageText& names, const std::vector<wire::Claim>& claims) {
  std::string text;
  for (const wire::Claim& each : claims) text += " " + names.show(each);
  return text;
}

}  // namespace

struct ShowMessage {
  const MessageText& names;
  Dialogue* back;

  std::string operator()(const wire::WorkerState& m) const {
    std::string text = "WorkerState headroom=" + std::to_string(m.headroom) +
                       " newest=" + std::to_string(m.newest_room.number());
    if (m.highest_counter > 0) text += " highest=" + std::to_string(m.highest_counter);
    text += modes_text(m.modes) + starts_text(m.starts);
    for (const wire::RoomInfo& each : m.rooms) text += " " + names.show(each);
    return text;
  }
  std::string operator()(const wire::RoomsChanged& m) const {
    std::string text = "RoomsChanged headroom=" + std::to_string(m.headroom);
    if (m.modes) text += m.modes->paused.empty() ? " paused=" : modes_text(*m.modes);
    text += starts_text(m.starts);
    for (const wire::RoomInfo& each : m.opened) text += " +" + names.show(each);
    for (const wire::RoomChange& each : m.changed) text += " " + names.show(each);
    for (const wire::RoomResult& each : m.results) text += " !" + names.show(each);
    return text;
  }
  std::string operator()(const wire::SeatsReleased&) const { return "SeatsReleased"; }
  std::string operator()(const wire::SeatReply& m) const {
    const auto claims = answered<wire::SeatRequest>(back, m.request);
    std::string text = "SeatReply " + number(m.room);
    if (m.stage == RoomStage::no_newcomers) text += " no-newcomers";
    if (m.phase == wire::RoomPhase::starting) text += " starting";
    if (m.phase == wire::RoomPhase::draining) text += " draining";
    if (m.phase == wire::RoomPhase::closed) text += " closed";
    if (m.reason != wire::CloseReason::none) text += " " + std::string{to_string(m.reason)};
    text += granted_text(m.granted, claims, m.reserved_for, m.reservation);
    std::size_t granted_seats = 0;
    for (const std::uint32_t index : m.granted) granted_seats += claims.at(index).seats();
    if (m.seated.size() == granted_seats) return text;
    text += " seated=";
    const std::string seated = names.show(m.seated);
    if (!seated.empty()) text += seated.substr(1);
    return text;
  }
  std::string operator()(const wire::PrepareReply& m) const {
    answered<wire::PrepareSpawn>(back, m.request);
    std::string text = std::string{"PrepareReply "} + (m.promised ? "yes" : "no");
    if (m.highest != FencingToken{}) text += " highest=" + text_of(m.highest);
    for (const wire::RoomInfo& each : m.rooms) text += " " + names.show(each);
    return text;
  }
  std::string operator()(const wire::SpawnReply& m) const {
    const auto claims = answered<wire::SpawnRoom>(back, m.request);
    std::string text = "SpawnReply " + std::string{to_string(m.outcome)};
    if (m.outcome == wire::SpawnOutcome::accepted) {
      text += " " + number(m.room.number);
      if (m.room.phase == wire::RoomPhase::open) text += " open";
      if (m.room.phase == wire::RoomPhase::draining) text += " draining";
      if (m.room.phase == wire::RoomPhase::closed) text += " closed";
      text += granted_text(m.granted, claims, m.reserved_for, m.reservation);
    } else if (m.highest != FencingToken{}) {
      text += " highest=" + text_of(m.highest);
    }
    return text + " headroom=" + std::to_string(m.headroom);
  }
  std::string operator()(const wire::SeatRequest& m) const {
    const std::string basis = m.basis ? " basis=" + text_of(*m.basis) : "";
    return "SeatRequest " + number(m.room) + claims_text(names, m.claims) + basis;
  }
  std::string operator()(const wire::ReleaseSeats& m) const {
    std::string text = "ReleaseSeats " + number(m.room);
    for (const PlayerId& each : m.players) text += " " + each.text();
    if (m.own_up_to != ReservationId{}) {
      return text + " after=" + std::to_string(m.own_after.number()) +
             " up-to=" + std::to_string(m.own_up_to.number());
    }
    text += " r=" + std::to_string(m.reservation.number());
    return m.request == 0 ? text : text + " n=" + std::to_string(m.request);
  }
  std::string operator()(const wire::PrepareSpawn& m) const {
    return "PrepareSpawn " + text_of(m.token) + " " + m.group.text();
  }
  std::string operator()(const wire::SpawnRoom& m) const {
    std::string text = "SpawnRoom " + text_of(m.creation) + claims_text(names, m.claims);
    if (m.group != GroupKey{"g"}) text += " g=" + m.group.text();
    if (m.mode != ModeName{"duel"}) text += " mode=" + m.mode.text();
    if (m.basis != FencingToken{}) text += " basis=" + text_of(m.basis);
    return text + (m.only_warm ? " only-warm" : "");
  }
  std::string operator()(const wire::KeepWarm& m) const {
    std::string text = "KeepWarm";
    for (const GroupKey& each : m.pools) text += " " + each.text();
    return text;
  }
  std::string operator()(const wire::CloseWarmRoom& m) const {
    return "CloseWarmRoom " + number(m.room) + " " + m.pool.text() + " " + text_of(m.order) +
           " basis=" + text_of(m.basis);
  }
  std::string operator()(const lock::MeshMessage& m) const { return std::visit(*this, m); }
  std::string operator()(const lock::LockMessage& m) const { return "LockMessage " + m.key.text(); }
  std::string operator()(const lock::MeshHello&) const { return "MeshHello"; }
  std::string operator()(const lock::MasterList&) const { return "MasterList"; }
  std::string operator()(const wire::PoolMessage& m) const { return std::visit(*this, m); }
  std::string operator()(const wire::ModesKnown& m) const {
    return "ModesKnown " + std::to_string(m.hash);
  }
  std::string operator()(const wire::Gather& m) const { return "Gather " + text_of(m.hold); }
  std::string operator()(const wire::ClaimsPart& m) const {
    std::string text = "ClaimsPart " + text_of(m.hold);
    for (const wire::LentClaim& lent : m.claims) text += claims_text(names, {lent.claim});
    return text + (m.last ? "" : " and more");
  }
  std::string operator()(const wire::ClaimsSeated& m) const {
    std::string text = "ClaimsSeated " + text_of(m.hold) + " " + number(m.room.number);
    for (const std::uint64_t each : m.claims) text += " " + std::to_string(each);
    return text;
  }
  std::string operator()(const wire::CloseLoan& m) const {
    return "CloseLoan " + text_of(m.hold) + (m.again ? " again" : "");
  }
};

std::string MessageText::show(const wire::Report& report, Dialogue& asked) const {
  return std::visit(ShowMessage{*this, &asked}, report);
}
std::string MessageText::show(const wire::Order& order) const {
  return std::visit(ShowMessage{*this, nullptr}, order);
}
std::string MessageText::show(const wire::BetweenMasters& message) const {
  return std::visit(ShowMessage{*this, nullptr}, message);
}

}  // namespace fixkeep::scenarios
