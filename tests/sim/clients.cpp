#include "tests/sim/clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

// A master may be late by what one step of its loop costs, never more.
constexpr Duration deadline_slack{50'000};

// How late a master notices a hang-up: at once, or when a proxy in between does.
constexpr std::int64_t notice_most_us = 2'000'000;

}  // namespace

// --- asking -------------------------------------------------------------------------------------

std::size_t Clients::choose_master(const Player& player) {
  const std::size_t any = random_.below(options_.masters);
  if (player.requests.empty() || any != player.master || options_.masters == 1) return any;
  return (any + 1) % options_.masters;  // not the one that is slow already
}

std::optional<RoomId> Clients::choose_room(std::size_t index) {
  if (options_.follows == 0 || calm_ || !random_.chance(options_.follows)) return std::nullopt;
  const Player& other = players_[random_.below(players_.size())];
  const bool there = other.state == PlayerState::playing || other.state == PlayerState::travelling;
  if (!there || other.group != players_[index].group) return std::nullopt;
  return other.room;
}

void Clients::ask(std::size_t index) {
  Player& player = players_[index];
  if (player.state == PlayerState::gone) return;
  player.state = PlayerState::waiting;
  player.master = choose_master(player);
  if (player.attempt == 0) player.asked_at = scheduler_.now();
  ++player.attempt;
  const RequestNumber number = ++last_request_;
  requests_[number] =
      Request{index, player.master, scheduler_.now(), TicketId{}, choose_room(index)};
  player.requests.insert(number);
  admission_.asked(player.claim, player.group, scheduler_.now());
  scheduler_.after(trip(), [this, number] { reach_master(number); });
  if (calm_) return;
  const Duration patience{random_.between(1'000, 3'000'000)};
  if (player.hangs_up) {
    scheduler_.after(patience, [this, index, number] { hang_up(index, number); });
  } else if (random_.chance(options_.retries)) {
    scheduler_.after(patience / 3, [this, index, number] { ask_elsewhere(index, number); });
  }
}

void Clients::ask_again(std::size_t index, Duration delay) {
  Player& player = players_[index];
  if (player.state == PlayerState::gone) return;
  player.state = PlayerState::retrying;
  const std::uint32_t attempt = ++player.attempt;
  scheduler_.after(delay, [this, index, attempt] {
    if (players_[index].attempt == attempt) ask(index);
  });
}

void Clients::reach_master(RequestNumber number) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) return;  // it does not even set out
  Request& request = found->second;
  Player& player = players_[request.player];
  MasterNode& master = *cluster_->masters()[request.master];
  if (!master.inbox.running()) {
    const std::size_t index = request.player;
    const bool heeded = player.requests.erase(number) != 0;
    requests_.erase(found);
    if (heeded && player.requests.empty() && player.state == PlayerState::waiting) {
      ask_again(index, Duration{random_.between(retry_least_us, retry_most_us)});
    }
    return;
  }
  request.ticket = TicketId{++master.tickets};
  // The deadline counts from when the master reads the request, which may be after a pause.
  master.inbox.deliver([this, &master, number, made = request] {
    const Player& asking = players_[made.player];
    master::MatchRequested event;
    event.ticket = made.ticket;
    event.group = asking.group;
    event.mode = options_.mode_of(asking.group);
    event.capacity = options_.capacity;
    event.newcomers = options_.newcomers;
    event.newcomers_for = options_.newcomers_for;
    event.claim = asking.claim;
    event.rules = options_.rules;
    event.room = made.room;
    event.claim.no_backfill = !made.room && options_.refuses_backfill(asking.claim.player);
    if (event.rules) write_brings(event.claim, *event.rules);
    // Every second player of a pool carries a ticket.
    if (event.rules && made.player % 2 == 0) event.since = master.clock.at(asking.asked_at);
    event.deadline = master.clock.at(scheduler_.now()) + options_.request_wait;
    tickets_[{master.incarnation, made.ticket}] =
        Ticket{number,           made.master, made.player, event.deadline,
               scheduler_.now(), false,       never,       made.room};
    cluster_->tell(master, std::move(event));
  });
}

// --- giving up ----------------------------------------------------------------------------------

void Clients::hang_up(std::size_t index, RequestNumber number) {
  Player& player = players_[index];
  if (!player.requests.contains(number) || player.state != PlayerState::waiting) return;
  player.state = PlayerState::gone;
  ++player.attempt;
  give_up_all(player);
}

// The client has waited long enough and asks another master at once. It hangs up on the first one
// in the same moment, or keeps listening for a while.
void Clients::ask_elsewhere(std::size_t index, RequestNumber number) {
  Player& player = players_[index];
  if (calm_ || !player.requests.contains(number) || player.state != PlayerState::waiting) return;
  if (random_.chance(options_.faults.pause_on_retry)) {
    const std::size_t master = player.master;
    cluster_->pause_master(master);
    const Duration nap{random_.between(10'000, longest_retry_nap.count())};
    scheduler_.after(nap, [this, master] { cluster_->resume_master(master); });
  }
  const Duration listens{random_.chance(0.5) ? 0 : random_.between(0, 300'000)};
  ask(index);
  scheduler_.after(listens, [this, index, number] {
    give_up(number);
    // The other master may have died or refused while the client still listened here.
    const Player& waits = players_[index];
    if (waits.requests.empty() && waits.state == PlayerState::waiting) ask_again(index, trip());
  });
}

void Clients::give_up(RequestNumber number) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) return;
  if (players_[found->second.player].requests.erase(number) == 0) return;
  const Duration unseen =
      random_.chance(0.5) ? trip() : Duration{random_.between(0, notice_most_us)};
  scheduler_.after(unseen, [this, number] { notice_hang_up(number); });
}

void Clients::give_up_all(Player& player) {
  const std::set<RequestNumber> given_up = player.requests;
  for (const RequestNumber number : given_up) give_up(number);
}

std::vector<std::pair<GroupKey, wire::Claim>> Clients::unserved() const {
  std::vector<std::pair<GroupKey, wire::Claim>> found;
  for (const Player& player : players_) {
    const bool waits = player.state == PlayerState::waiting;
    if (waits || player.state == PlayerState::retrying) {
      found.emplace_back(player.group, player.claim);
    }
  }
  return found;
}

void Clients::give_up_unserved() {
  for (Player& player : players_) {
    const bool waits = player.state == PlayerState::waiting;
    if (!waits && player.state != PlayerState::retrying) continue;
    player.state = PlayerState::gone;
    ++player.attempt;
    give_up_all(player);
  }
}

void Clients::notice_hang_up(RequestNumber number) {
  const auto found = requests_.find(number);
  if (found == requests_.end()) return;
  const Request request = found->second;
  requests_.erase(found);
  if (request.ticket == TicketId{}) return;
  MasterNode& master = *cluster_->masters()[request.master];
  master.inbox.deliver([this, &master, ticket = request.ticket] {
    const auto asked = tickets_.find({master.incarnation, ticket});
    if (asked == tickets_.end() || asked->second.answered) return;
    cluster_->tell(master, master::RequestCancelled{ticket});
  });
}

void Clients::cancelled(MasterNode& master, TicketId ticket) {
  // Its answer may have been in the same batch, before this.
  const auto asked = tickets_.find({master.incarnation, ticket});
  if (asked != tickets_.end() && !asked->second.answered)
    asked->second.cancelled_at = scheduler_.now();
}

void Clients::master_crashed(MasterNode& master) {
  std::set<std::size_t> left_alone;
  for (auto at = requests_.begin(); at != requests_.end();) {
    if (at->second.master + 1U != master.id.number() || at->second.ticket == TicketId{}) {
      ++at;
      continue;
    }
    if (players_[at->second.player].requests.erase(at->first) != 0) {
      left_alone.insert(at->second.player);
    }
    at = requests_.erase(at);
  }
  for (const std::size_t index : left_alone) {
    const Player& player = players_[index];
    if (player.state != PlayerState::waiting || !player.requests.empty()) continue;
    ask_again(index, Duration{random_.between(retry_least_us, retry_most_us)});
  }
}

// --- answers ------------------------------------------------------------------------------------

Ticket& Clients::take_answer(MasterNode& master, TicketId ticket) {
  const std::string name = fmt::format("{} t{}", to_string(master.id), ticket.number());
  const auto found = tickets_.find({master.incarnation, ticket});
  if (found == tickets_.end()) throw Violation::safety(name + ": no such ticket was asked for");
  if (found->second.answered) throw Violation::safety(name + " is answered twice");
  if (found->second.cancelled()) throw Violation::safety(name + " is answered though cancelled");
  found->second.answered = true;
  return found->second;
}

void Clients::seated(MasterNode& master, const master::Seated& seated) {
  const Ticket& ticket = take_answer(master, seated.ticket);
  const Player& player = players_[ticket.player];
  if (seated.group != player.group) throw Violation::safety("a seat in a foreign group");
  if (ticket.room && seated.room != *ticket.room) {
    throw Violation::safety(to_string(seated.room) + " is answered to who wanted a seat in " +
                            to_string(*ticket.room));
  }
  if (seated.players.size() != player.claim.seats() ||
      seated.players.front() != player.claim.player) {
    throw Violation::safety("a seat for other players than those who asked");
  }
  const wire::RoomPlace place = place_of(seated.room.number);
  const bool at_worker = place.host.empty() && seated.place.host.starts_with("10.0.0.");
  if (seated.place.ports != place.ports || (!at_worker && seated.place.host != place.host)) {
    throw Violation::safety(to_string(seated.room) + " is told to be where it is not");
  }
  const auto request = requests_.find(ticket.request);
  if (request == requests_.end()) return;
  const SeatAnswer answer{seated.room, seated.group, request->second.asked_at, scheduler_.now(),
                          seated.reserved_for};
  scheduler_.after(trip(), [this, number = ticket.request, answer] { take_seat(number, answer); });
}

void Clients::take_seat(RequestNumber number, const SeatAnswer& answer) {
  const auto request = requests_.find(number);
  if (request == requests_.end()) return;
  const std::size_t index = request->second.player;
  Player& owner = players_[index];
  const bool heeded = owner.requests.erase(number) != 0;
  if (heeded) requests_.erase(request);
  const bool wants = owner.state == PlayerState::waiting || owner.state == PlayerState::retrying;
  if (!heeded || !wants) return;
  give_up_all(owner);
  if (!owner.seated_once) waits_.push_back(scheduler_.now() - owner.asked_at);
  owner.seated_once = true;
  owner.room = answer.room;
  owner.answer = answer;
  const std::uint32_t attempt = ++owner.attempt;
  if (owner.never_claims) {
    owner.state = PlayerState::gone;
    return;
  }
  owner.state = PlayerState::travelling;
  const std::int64_t whole = answer.reserved_for.count();
  const Duration way{random_.chance(options_.late_comers)
                         ? random_.between(whole * 4 / 5, whole)
                         : random_.between(100, std::max<std::int64_t>(whole / 4, 100))};
  scheduler_.after(way, [this, index, attempt] { travel(index, attempt); });
}

void Clients::refused(MasterNode& master, const master::Refused& refused) {
  const Ticket& ticket = take_answer(master, refused.ticket);
  const bool of_a_room = refused.reason == master::Refusal::room_full ||
                         refused.reason == master::Refusal::room_closed ||
                         refused.reason == master::Refusal::worker_away;
  if (of_a_room && !ticket.room) {
    throw Violation::safety("a room is refused to who would take any");
  }
  // Requests of one client for a room and for any are two claims, of which one waits.
  const bool contended = options_.rivals > 0 || options_.follows > 0;
  if (refused.reason != master::Refusal::not_joined && !contended) ++refusals_;
  const Duration pause = std::max(refused.retry_after, Duration{retry_least_us});
  scheduler_.after(trip(), [this, number = ticket.request, pause] { take_refusal(number, pause); });
}

void Clients::take_refusal(RequestNumber number, Duration retry_after) {
  const auto request = requests_.find(number);
  if (request == requests_.end()) return;
  const std::size_t index = request->second.player;
  Player& player = players_[index];
  if (player.requests.erase(number) == 0) return;  // nobody reads it
  requests_.erase(request);
  if (player.state != PlayerState::waiting) return;
  ++player.refusals;
  if (!player.requests.empty()) return;  // another master may still say yes
  if (plays_elsewhere(player)) {
    player.state = PlayerState::gone;
  } else {
    ask_again(index, retry_after);
  }
}

// --- checks -------------------------------------------------------------------------------------

std::vector<Pending> Clients::tickets_of(std::optional<SimTime> given_up_since) const {
  std::vector<Pending> result;
  for (const auto& [key, ticket] : tickets_) {
    const MasterNode& master = *cluster_->masters()[ticket.master];
    if (ticket.answered || key.first != master.incarnation) continue;
    if (ticket.cancelled() && (!given_up_since || ticket.cancelled_at < *given_up_since)) continue;
    const Player& player = players_[ticket.player];
    std::vector<PlayerId> players{player.claim.player};
    for (const PlayerId& each : player.claim.party) players.push_back(each);
    result.push_back(
        {master.id, key.first, key.second, ticket.read_at, player.group, std::move(players)});
  }
  return result;
}

void Clients::check_deadlines() {
  const SimTime remembered = scheduler_.now() - options_.longest_question();
  for (auto at = tickets_.begin(); at != tickets_.end();) {
    const Ticket& ticket = at->second;
    const MasterNode& master = *cluster_->masters()[ticket.master];
    const bool given_up = ticket.cancelled() && ticket.cancelled_at < remembered;
    if (ticket.answered || given_up || at->first.first != master.incarnation) {
      at = tickets_.erase(at);
      continue;
    }
    if (ticket.cancelled()) {
      ++at;
      continue;
    }
    const TimePoint local = master.clock.at(scheduler_.now());
    const Duration late = deadline_slack + 2 * options_.busy.longest_lag();
    const bool has_woken = scheduler_.now() > master.inbox.woke_at() + late;
    if (master.inbox.responsive() && has_woken && local > ticket.deadline + late) {
      throw Violation::liveness(fmt::format("{} t{} is not answered by its deadline",
                                            to_string(master.id), at->first.second.number()));
    }
    ++at;
  }
}

}  // namespace fixkeep::sim
