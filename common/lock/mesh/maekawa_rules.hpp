// The rules of BasicMaekawa: what it hears, and what becomes of it; what a candidate does, and what
// a voter does, is in the two files included below. Included by maekawa.cpp and by the model
// checker, which instantiates them with single rules switched off; all other code includes
// maekawa.hpp.
#pragma once

#include <algorithm>

#include "common/base/assert.hpp"
#include "common/lock/mesh/logical_time.hpp"
#include "common/lock/mesh/maekawa.hpp"
#include "common/lock/mesh/maekawa_candidate_rules.hpp"
#include "common/lock/mesh/maekawa_voter_rules.hpp"

namespace fixkeep::lock {

template <class Rules>
BasicMaekawa<Rules>::BasicMaekawa(const MeshView& mesh)
    : mesh_(mesh),
      kind_(mesh.quorum),
      patience_(mesh.lease * 2),
      clock_(mesh.used_rounds),
      // A machine that was swept had its vote; so only a voter that has just started can have
      // forgotten.
      remembers_(mesh.met || (mesh.joined && mesh.since_loss >= patience_) ||
                 !Rules::restarts_without_vote) {}

template <class Rules>
void BasicMaekawa<Rules>::step(const LockEvent& event, TimePoint now, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, now, out); }, event);
  while (!to_self_.empty()) {
    const auto [kind, time] = to_self_.front();
    to_self_.pop_front();
    handle(mesh_.self, kind, time, out);
  }
  if (!remembers_ && mesh_.joined() && votes_from_ == never) votes_from_ = now + patience_;
  if (const auto next = std::min(vote_lapses_, votes_from_); next != timer_) {
    timer_ = next;
    out.emplace_back(SetTimer{std::max(next, now + Duration{1})});  // it may be due already
  }
}

template <class Rules>
std::optional<LockMessage> BasicMaekawa<Rules>::hello() const {
  switch (state_) {
    case State::none:
    case State::joining: return {};
    case State::asking: return mesh_.message(MaekawaKind::request, time_);
    case State::acquired: return mesh_.message(MaekawaKind::held, time_);
  }
  return {};
}

template <class Rules>
std::string_view BasicMaekawa<Rules>::kind_name(std::uint8_t kind) {
  constexpr std::array<std::string_view, 10> names{
      "?",       "Request",    "Locked",  "LockedAfterLapse", "Failed",
      "Inquire", "Relinquish", "Release", "Withdraw",         "Held"};
  return kind < names.size() ? names[kind] : "?";
}

template <class Rules>
void BasicMaekawa<Rules>::append_bytes(std::string& out) const {
  mesh_.append_bytes(out);
  MachineBytes{out}.put(clock_, state_, time_, told_, voted_, refused_, want_back_, after_lapse_,
                        remembers_, vote_, inquired_, queue_, lapsed_, vote_lapses_, votes_from_);
}

template <class Rules>
void BasicMaekawa<Rules>::send(MasterId to, MaekawaKind kind, std::uint64_t time,
                               LockActions& out) {
  if (to == mesh_.self) {
    to_self_.emplace_back(kind, time);
  } else if (mesh_.connected.contains(to)) {
    const bool with_value = kind == MaekawaKind::locked || kind == MaekawaKind::release ||
                            kind == MaekawaKind::locked_after_lapse;
    out.emplace_back(Send{to, mesh_.message(kind, time, with_value)});
  }
}

// --- the mesh

template <class Rules>
void BasicMaekawa<Rules>::on(const Receive& receive, TimePoint, LockActions& out) {
  const auto& message = receive.message;
  if (!mesh_.up.contains(receive.from)) return;  // not the driver's promise 3; nobody we know
  if (message.round > largest_time) return;      // rubbish
  mesh_.learn(message.token, message.value);
  handle(receive.from, static_cast<MaekawaKind>(message.kind), message.round, out);
}

template <class Rules>
void BasicMaekawa<Rules>::handle(MasterId from, MaekawaKind kind, std::uint64_t time,
                                 LockActions& out) {
  const bool asks = state_ == State::asking && time == time_ && told_.contains(from);
  switch (kind) {
    case MaekawaKind::request: requested({time, from}, out); return;
    case MaekawaKind::release: released({time, from}, true, out); return;
    case MaekawaKind::withdraw: released({time, from}, false, out); return;
    case MaekawaKind::relinquish: relinquished({time, from}, out); return;
    case MaekawaKind::locked:
      if (asks) locked_by(from, false, out);
      return;
    case MaekawaKind::locked_after_lapse:
      if (asks) locked_by(from, true, out);
      return;
    case MaekawaKind::failed:
      if (asks) failed_by(from, out);
      return;
    case MaekawaKind::inquire:
      if (asks) inquired_by(from, out);
      return;
    case MaekawaKind::held: return;  // a Hello's; see heard_of()
  }
  // A kind of another strategy or of a later version: nothing to us.
}

template <class Rules>
void BasicMaekawa<Rules>::on(const PeerConnected& connected, TimePoint, LockActions&) {
  mesh_.on(connected);
  if (state_ == State::asking || state_ == State::acquired) told_.insert(connected.peer);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const PeerUp& up, TimePoint, LockActions& out) {
  const bool was_joined = mesh_.joined();
  mesh_.on(up);
  heard_of(up.peer, up.hello, out);
  if (!was_joined && mesh_.joined() && !remembers_) {
    remembers_ = true;  // every Hello of our life has been heard
    votes_from_ = never;
    vote_for_the_first(out);
  }
  ask_if_joined(out);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const PeerDown& down, TimePoint now, LockActions& out) {
  mesh_.on(down);
  std::erase_if(queue_, [&](const Request& request) { return request.second == down.peer; });
  if (vote_ && vote_->second == down.peer) {
    if (Rules::keeps_vote_when_cut) {
      vote_lapses_ = now + patience_;
    } else {
      vote_ends(false);
      vote_for_the_first(out);
    }
  }
  told_.erase(down.peer);  // it has our request still, until our next Hello or for two leases
  if (state_ != State::asking) return;
  voted_.erase(down.peer);
  refused_.erase(down.peer);
  want_back_.erase(down.peer);
  if (kind_ == Quorum::majority) ask_for_majority(out);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const JoinGraceLapsed& lapsed, TimePoint, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const MastersListed& listed, TimePoint, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

template <class Rules>
void BasicMaekawa<Rules>::on(const Tick&, TimePoint now, LockActions& out) {
  // At least the earliest one is handled: the model checker knows an order of times, but no times.
  // So are all others whose time has come, for a master that slept hears of them together.
  const auto earliest = std::min(vote_lapses_, votes_from_);
  timer_ = never;
  if (earliest == never) return;
  const auto due = std::max(earliest, now);
  if (votes_from_ <= due) {
    votes_from_ = never;
    remembers_ = true;
    lapsed_ = true;  // what it has forgotten may have been a vote
  }
  if (vote_lapses_ <= due) vote_ends(false);
  vote_for_the_first(out);
}

}  // namespace fixkeep::lock
