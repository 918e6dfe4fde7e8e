#include "lock/core/mesh/maekawa.hpp"

#include <algorithm>

#include "common/base/assert.hpp"
#include "lock/core/mesh/logical_time.hpp"

namespace fixkeep::lock {

Maekawa::Maekawa(const MeshView& mesh, Quorum kind)
    : mesh_(mesh),
      kind_(kind),
      patience_(mesh.lease * 2),
      clock_(mesh.used_rounds),
      // The sweep deletes a machine only while its vote is free. Therefore only a voter that has
      // just started can have forgotten its vote.
      remembers_(mesh.met || (mesh.joined && mesh.since_loss >= patience_) ||
                 !mesh_.rules.restart_wait) {}

void Maekawa::step(const LockEvent& event, TimePoint now, LockActions& out) {
  std::visit([&](const auto& happened) { on(happened, now, out); }, event);
  while (!to_self_.empty()) {
    const auto [kind, time] = to_self_.front();
    to_self_.pop_front();
    handle(mesh_.self, kind, time, out);
  }
  if (!remembers_ && mesh_.joined() && votes_from_ == never) votes_from_ = now + patience_;
  if (const auto next = std::min(vote_lapses_, votes_from_); next != timer_) {
    timer_ = next;
    out.emplace_back(SetTimer{std::max(next, now + Duration{1})});  // `next` may be due already
  }
}

std::optional<LockMessage> Maekawa::hello() const {
  switch (state_) {
    case State::none:
    case State::joining: return {};
    case State::asking: return mesh_.message(MaekawaKind::request, time_);
    case State::acquired: return mesh_.message(MaekawaKind::held, time_);
  }
  return {};
}

std::string_view Maekawa::kind_name(std::uint8_t kind) {
  constexpr std::array<std::string_view, 10> names{
      "?",       "Request",    "Locked",  "LockedAfterLapse", "Failed",
      "Inquire", "Relinquish", "Release", "Withdraw",         "Held"};
  return kind < names.size() ? names[kind] : "?";
}

void Maekawa::append_bytes(std::string& out) const {
  mesh_.append_bytes(out);
  MachineBytes{out}.put(clock_, state_, time_, told_, voted_, refused_, want_back_, after_lapse_,
                        remembers_, vote_, inquired_, queue_, lapsed_, vote_lapses_, votes_from_);
}

void Maekawa::send(MasterId to, MaekawaKind kind, std::uint64_t time, LockActions& out) {
  if (to == mesh_.self) {
    to_self_.emplace_back(kind, time);
  } else if (mesh_.connected.contains(to)) {
    const bool with_value = kind == MaekawaKind::locked || kind == MaekawaKind::release ||
                            kind == MaekawaKind::locked_after_lapse;
    out.emplace_back(Send{to, mesh_.message(kind, time, with_value)});
  }
}

// --- the mesh

void Maekawa::on(const Receive& receive, TimePoint, LockActions& out) {
  const auto& message = receive.message;
  if (!mesh_.up.contains(receive.from)) return;  // an unknown master: the driver broke promise 4
  if (message.round > largest_time) return;      // an invalid time
  mesh_.learn(message.token, message.value);
  handle(receive.from, static_cast<MaekawaKind>(message.kind), message.round, out);
}

void Maekawa::handle(MasterId from, MaekawaKind kind, std::uint64_t time, LockActions& out) {
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
    case MaekawaKind::held: return;  // only in a Hello; see heard_of()
  }
  // Ignores a message of an unknown kind: from another strategy or a later version.
}

void Maekawa::on(const PeerConnected& connected, TimePoint, LockActions&) {
  mesh_.on(connected);
  if (state_ == State::asking || state_ == State::acquired) told_.insert(connected.peer);
}

void Maekawa::on(const PeerUp& up, TimePoint, LockActions& out) {
  const bool was_joined = mesh_.joined();
  mesh_.on(up);
  heard_of(up.peer, up.hello, out);
  if (!was_joined && mesh_.joined() && !remembers_) {
    remembers_ = true;  // we have every Hello since our start
    votes_from_ = never;
    vote_for_the_first(out);
  }
  ask_if_joined(out);
  if (state_ == State::asking) ask_voters(out);  // a quorum may be reachable only now
}

void Maekawa::on(const PeerDown& down, TimePoint now, LockActions& out) {
  mesh_.on(down);
  std::erase_if(queue_, [&](const Request& request) { return request.second == down.peer; });
  if (vote_ && vote_->second == down.peer) {
    if (mesh_.rules.vote_kept) {
      vote_lapses_ = now + patience_;
    } else {
      vote_ends(false);
      vote_for_the_first(out);
    }
  }
  told_.erase(down.peer);  // the peer drops our request at our next Hello or after two leases
  if (state_ != State::asking) return;
  voted_.erase(down.peer);
  refused_.erase(down.peer);
  want_back_.erase(down.peer);
  ask_voters(out);
}

void Maekawa::on(const JoinGraceLapsed& lapsed, TimePoint, LockActions& out) {
  mesh_.on(lapsed);
  ask_if_joined(out);
}

void Maekawa::on(const MastersListed& listed, TimePoint, LockActions& out) {
  mesh_.on(listed);
  ask_if_joined(out);
}

void Maekawa::on(const Tick&, TimePoint now, LockActions& out) {
  // Handles the earliest timer, even if `now` is before that timer's time: the model checker knows
  // only the order of times. Also handles all other timers that are due, because a paused master
  // gets only one Tick for all due timers.
  const auto earliest = std::min(vote_lapses_, votes_from_);
  timer_ = never;
  if (earliest == never) return;
  const auto due = std::max(earliest, now);
  if (votes_from_ <= due) {
    votes_from_ = never;
    remembers_ = true;
    lapsed_ = true;  // we may have forgotten a vote
  }
  if (vote_lapses_ <= due) vote_ends(false);
  vote_for_the_first(out);
}

void Maekawa::on(const Acquire&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::none, state());
  state_ = State::joining;
  ask_if_joined(out);
}

void Maekawa::ask_if_joined(LockActions& out) {
  if (state_ != State::joining || !mesh_.joined()) return;
  state_ = State::asking;
  // The root of a tree sees all requests, but a leaf only its own. Its token shows the time to it.
  time_ = clock_ = std::max(clock_, std::min(mesh_.highest.counter, largest_time - 1)) + 1;
  told_ = {mesh_.self};
  send(mesh_.self, MaekawaKind::request, time_, out);
  ask_voters(out);
}

// Completes a quorum of masters that have our request. A peer that connects later gets the request
// in our Hello.
void Maekawa::ask_voters(LockActions& out) {
  for (const auto voter : electorate().still_to_ask(told_, mesh_.connected)) {
    told_.insert(voter);
    send(voter, MaekawaKind::request, time_, out);
  }
}

Electorate Maekawa::electorate() const {
  auto all = mesh_.configured;
  all.insert(mesh_.self);
  return {kind_, std::move(all), mesh_.self, mesh_.rules};
}

void Maekawa::locked_by(MasterId voter, bool after_lapse, LockActions& out) {
  voted_.insert(voter);
  refused_.erase(voter);
  after_lapse_ = after_lapse_ || after_lapse;
  if (!electorate().elected_by(voted_)) return;
  state_ = State::acquired;
  want_back_.clear();
  auto granted = mesh_.grant();
  granted.needs_fence = granted.needs_fence || after_lapse_;
  out.emplace_back(std::move(granted));
}

void Maekawa::inquired_by(MasterId voter, LockActions& out) {
  if (!voted_.contains(voter)) return;
  want_back_.insert(voter);
  if (refused_.empty()) return;  // we may get all votes later
  for (const auto each : want_back_) {
    voted_.erase(each);
    refused_.insert(each);
    send(each, MaekawaKind::relinquish, time_, out);
  }
  want_back_.clear();
}

void Maekawa::failed_by(MasterId voter, LockActions& out) {
  refused_.insert(voter);
  if (!want_back_.empty()) inquired_by(*want_back_.begin(), out);
}

void Maekawa::on(const Abandon&, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ != State::acquired, state());
  give_up(MaekawaKind::withdraw, out);
}

void Maekawa::on(const Release& release, TimePoint, LockActions& out) {
  FIXKEEP_ASSERT(state_ == State::acquired, state());
  mesh_.learn(release.token, release.value);
  give_up(MaekawaKind::release, out);
}

void Maekawa::give_up(MaekawaKind how, LockActions& out) {
  for (const auto voter : told_) send(voter, how, time_, out);
  state_ = State::none;
  told_.clear();
  voted_.clear();
  refused_.clear();
  want_back_.clear();
  after_lapse_ = false;
}

void Maekawa::requested(const Request& request, LockActions& out) {
  clock_ = std::max(clock_, request.first);
  const auto candidate = request.second;
  if (vote_ == request) {
    send_vote(out);  // the candidate dropped our vote when the link broke
    return;
  }
  std::erase_if(queue_, [&](const Request& other) { return other.second == candidate; });
  const auto first = queue_.empty() ? std::optional<Request>{} : *queue_.begin();
  queue_.insert(request);
  if (!remembers_) {
    send(candidate, MaekawaKind::failed, request.first, out);
    return;
  }
  if (!vote_ || !mesh_.rules.one_vote) {
    vote_for_the_first(out);
    return;
  }
  if (request > *vote_ || (first && request > *first)) {
    send(candidate, MaekawaKind::failed, request.first, out);
    return;
  }
  // The new request is better than all other requests, so the previous head of the queue gets
  // FAILED.
  if (first && *first < *vote_) send(first->second, MaekawaKind::failed, first->first, out);
  if (!inquired_) send(vote_->second, MaekawaKind::inquire, vote_->first, out);
  inquired_ = true;
}

void Maekawa::released(const Request& request, bool held, LockActions& out) {
  queue_.erase(request);
  if (vote_ != request) return;
  vote_ends(true);
  if (held) lapsed_ = false;
  vote_for_the_first(out);
}

void Maekawa::relinquished(const Request& request, LockActions& out) {
  if (vote_ != request) return;
  vote_ends(true);
  queue_.insert(request);  // needs no FAILED: its candidate itself returned our vote
  vote_for_the_first(out);
}

// The peer's request or hold in its Hello replaces all earlier knowledge of the peer's request.
void Maekawa::heard_of(MasterId peer, const std::optional<LockMessage>& hello, LockActions& out) {
  std::erase_if(queue_, [&](const Request& request) { return request.second == peer; });
  const auto kind = hello ? static_cast<MaekawaKind>(hello->kind) : MaekawaKind{};
  const Request request{hello ? hello->round : 0, peer};
  const bool known =
      request.first <= largest_time && (kind == MaekawaKind::request || kind == MaekawaKind::held);
  if (known) clock_ = std::max(clock_, request.first);
  if (vote_ && vote_->second == peer) {
    vote_lapses_ = never;
    if (!known || *vote_ != request) vote_ends(false);  // the peer's release did not reach us
  }
  if (known && kind == MaekawaKind::request) requested(request, out);
  // The peer may hold with our vote, so we give it our vote if that is free. If another master has
  // our vote, the peer's quorum does not include us.
  if (known && kind == MaekawaKind::held && !vote_) vote_ = request;
  vote_for_the_first(out);
}

void Maekawa::vote_for_the_first(LockActions& out) {
  if (!remembers_ || queue_.empty() || (vote_ && mesh_.rules.one_vote)) return;
  vote_ = *queue_.begin();
  queue_.erase(queue_.begin());
  send_vote(out);
}

void Maekawa::send_vote(LockActions& out) {
  inquired_ = false;
  send(vote_->second, lapsed_ ? MaekawaKind::locked_after_lapse : MaekawaKind::locked, vote_->first,
       out);
  // Asks for the vote back if a better request is queued: the better request's candidate waits for
  // the answer to INQUIRE.
  if (queue_.empty() || *vote_ < *queue_.begin()) return;
  send(vote_->second, MaekawaKind::inquire, vote_->first, out);
  inquired_ = true;
}

void Maekawa::vote_ends(bool cleanly) {
  vote_.reset();
  inquired_ = false;
  vote_lapses_ = never;
  lapsed_ = lapsed_ || !cleanly;
}

}  // namespace fixkeep::lock
