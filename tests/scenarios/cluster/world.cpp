#include "tests/scenarios/cluster/world.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>
#include <variant>

namespace fixkeep::scenarios {
namespace {

constexpr std::array<std::string_view, 16> refusals{
    "not-joined",      "queue-full",     "no-capacity",      "boot-failed",
    "wait-timeout",    "lock-timeout",   "lock-unavailable", "too-many-rooms",
    "party-too-large", "already-seated", "stopping",         "room-full",
    "room-closed",     "worker-away",    "match-differs",    "match-ended"};

}  // namespace

// --- nodes ---------------------------------------------------------------------------------------

bool World::real(const std::string& node) const {
  return masters_.contains(node) || hosts_.contains(node) || node == "lock";
}

master::MasterCore& World::master(const std::string& name) {
  require(masters_.contains(name), "there is no master " + name);
  return masters_.at(name);
}

worker::RoomHost& World::host(const std::string& name) {
  require(hosts_.contains(name), "there is no real worker " + name);
  return *hosts_.at(name).core;
}

std::vector<std::string> World::masters() const {
  std::vector<std::string> names;
  for (const auto& [name, each] : masters_) names.push_back(name);
  return names;
}

std::vector<std::string> World::workers() const {
  std::vector<std::string> names;
  for (const auto& [name, each] : hosts_) names.push_back(name);
  return names;
}

void World::add_master(const std::string& name, const master::MasterOptions& options) {
  plans_[name] = options;
  masters_.emplace(name, own_locks ? master::MasterCore{options, now}
                                   : master::MasterCore{options, lock_orders_, now});
  if (!own_locks) return;
  for (const auto& [peer, each] : masters_) {
    if (peer == name) continue;
    at_master(name, master::PeerConnected{master_of(peer)});
    at_master(peer, master::PeerConnected{master_of(name)});
  }
}

void World::crash_master(const std::string& name) {
  require(masters_.erase(name) > 0, "there is no master " + name);
  std::erase_if(queue_, [&](const Item& item) { return item.from == name || item.to == name; });
  std::erase_if(holding_, [&](const auto& each) { return each.first == name; });
  for (auto& [number, ticket] : tickets_) {
    if (ticket.master == name) ticket.open = false;
  }
  for (const std::string& worker : workers()) {
    if (links_.contains({name, worker})) cut(name, worker);
  }
  for (const std::string& peer : masters()) {
    if (own_locks) at_master(peer, master::PeerDisconnected{master_of(name)});
  }
}

void World::restart_master(const std::string& name) {
  master::MasterOptions options = plans_.at(name);
  options.incarnation = Incarnation{200U + ++runs_};
  add_master(name, options);
}

void World::add_worker(const std::string& name, worker::RoomHostOptions options) {
  Host& host = hosts_[name];
  options.self = WorkerId{name};
  if (options.incarnation == Incarnation{}) options.incarnation = Incarnation{++runs_};
  options.keep_records = true;
  host.options = options;
  host.core = std::make_unique<worker::RoomHost>(options, now);
  for (const auto& [master, each] : masters_) connect(master, name, options.incarnation);
}

void World::crash_worker(const std::string& name) {
  require(hosts_.contains(name), "there is no real worker " + name);
  hosts_.erase(name);
  std::erase_if(promised_, [&](const auto& each) { return each.first.first == name; });
  std::erase_if(created_, [&](const auto& each) { return std::get<0>(each) == name; });
  std::erase_if(queue_, [&](const Item& item) { return item.from == name || item.to == name; });
  for (const auto& [master, each] : masters_) {
    if (links_.contains({master, name})) cut(master, name);
  }
  std::erase_if(links_, [&](const auto& link) { return link.second == name; });
}

void World::restart_worker(const std::string& name, bool complete) {
  Host before = std::move(hosts_.at(name));
  crash_worker(name);
  Host& host = hosts_[name];
  host.options = before.options;
  host.machine = before.machine;
  host.memory = before.memory;
  host.core = std::make_unique<worker::RoomHost>(host.options, now);
  at_worker(name, worker::Recovered{before.memory, complete});
  for (const worker::Record& record : host.core->snapshot()) host.memory.apply(record);
  for (const auto& [master, each] : masters_) connect(master, name, host.options.incarnation);
}

void World::connect(const std::string& master, const std::string& worker, Incarnation run) {
  links_.insert({master, worker});
  dialogues_[{master, worker}].unanswered.clear();
  believers_.erase({master, worker});
  if (masters_.contains(master)) {
    at_master(master, master::WorkerConnected{WorkerId{worker}, run});
  }
  if (hosts_.contains(worker)) at_worker(worker, worker::MasterConnected{master_of(master)});
}

void World::cut(const std::string& master, const std::string& worker) {
  require(links_.erase({master, worker}) > 0, "there is no such link");
  forget_items(master, worker);
  dialogues_[{master, worker}].unanswered.clear();
  if (masters_.contains(master)) {
    at_master(master, master::WorkerDisconnected{WorkerId{worker}});
  }
  if (hosts_.contains(worker)) at_worker(worker, worker::MasterDisconnected{master_of(master)});
}

void World::forget_items(const std::string& a, const std::string& b) {
  std::erase_if(queue_, [&](const Item& item) {
    return (item.from == a && item.to == b) || (item.from == b && item.to == a);
  });
}

// --- messages ------------------------------------------------------------------------------------

void World::post(const std::string& from, const std::string& to, std::string what,
                 std::function<void()> arrive) {
  queue_.push_back({from, to, std::move(what), std::move(arrive)});
}

void World::say(const std::string& from, const std::string& to, Words& words) {
  require(real(to), to + " hears nothing");
  if (masters_.contains(to)) {
    const auto report = text.report(words, dialogues_[{to, from}], dialogues_[{from, to}], now);
    at_master(to, master::WorkerSaid{WorkerId{from}, carried(report)});
  } else {
    const auto order = text.order(words, dialogues_[{from, to}]);
    at_worker(to, said_to(to, master_of(from), carried(order)));
  }
}

void World::deliver(const std::string& from, const std::string& to, Words& words) {
  const auto found = std::find_if(queue_.begin(), queue_.end(), [&](const Item& item) {
    return item.from == from && item.to == to;
  });
  require(found != queue_.end(), "nothing is on its way");
  const auto has = split(found->what, ' ');
  for (const std::string& word : words.rest()) {
    require(std::find(has.begin(), has.end(), word) != has.end(), "the next is " + found->what);
  }
  const auto arrive = std::move(found->arrive);
  queue_.erase(found);
  arrive();
}

bool World::deliver_next() {
  if (queue_.empty()) return false;
  const auto arrive = std::move(queue_.front().arrive);
  queue_.pop_front();
  arrive();
  return true;
}

void World::deliver_all() {
  for (int i = 0; deliver_next(); ++i) require(i < most_steps, "it is never quiet");
}

std::vector<std::string> World::on_its_way() const {
  std::vector<std::string> lines;
  for (const Item& item : queue_) lines.push_back(item.from + " > " + item.to + " " + item.what);
  return lines;
}

// --- masters -------------------------------------------------------------------------------------

void World::at_master(const std::string& name, master::Event event) {
  call_master(name, [&](auto& master, auto& out) { master.step(std::move(event), now, out); });
}

void World::call_master(const std::string& name,
                        const std::function<void(master::MasterCore&, master::Actions&)>& call) {
  master::Actions actions;
  call(master(name), actions);
  const master::LockOrders orders = std::exchange(lock_orders_, {});
  for (master::Action& action : actions) perform(name, action);
  for (const master::LockOrder& each : orders) order(name, each);
}

void World::claim(const std::string& master, const wire::Claim& claim, const ClaimWords& words) {
  const std::uint64_t number = tickets_.size() + 1;
  std::string name = claim.player.text();
  for (int again = 2; ticket_named_.contains(name); ++again) {
    name = claim.player.text() + "." + std::to_string(again);
  }
  ticket_named_[name] = number;
  tickets_[number] = {name, claim.player.text(), master, true};
  groups_.insert(words.group);
  master::MatchRequested request;
  request.ticket = TicketId{number};
  request.group = words.group;
  request.mode = words.mode;
  request.capacity = words.capacity;
  request.newcomers = newcomers;
  request.claim = claim;
  request.claim.match = words.match;
  if (request.claim.match) {
    auto& players = request.claim.match->players;
    players.push_back({claim.player, {}, {}});
    for (const PlayerId& player : claim.party) players.push_back({player, {}, {}});
  }
  request.deadline = now + words.wait;
  request.client = master::ClientAddress{words.client};
  if (words.one_seat_per_group) request.one_seat_per = master::SeatScope::group;
  request.room = words.room;
  at_master(master, std::move(request));
}

void World::leave(const std::string& master, const std::string& player, bool leaves_match) {
  const std::uint64_t number = tickets_.size() + 1;
  tickets_[number] = {player, player, master, true};
  at_master(master, master::SeatsLeft{
                        TicketId{number}, seat_of.at(player), {PlayerId{player}}, leaves_match});
}

void World::cancel(const std::string& ticket) {
  require(ticket_named_.contains(ticket), "there is no claim " + ticket);
  const std::uint64_t number = ticket_named_.at(ticket);
  Ticket& cancelled = tickets_.at(number);
  cancelled.open = false;
  at_master(cancelled.master, master::RequestCancelled{TicketId{number}});
}

void World::answered(TicketId ticket, const std::string& what) {
  Ticket& known = tickets_.at(ticket.number());
  require(known.open, known.name + " is answered although it is over: " + what);
  known.open = false;
  see(known.name + " " + what);
}

void World::send(const std::string& master, const master::SendToWorker& sent) {
  const std::string& worker = sent.worker.text();
  if (const auto* spawn = std::get_if<wire::SpawnRoom>(&sent.message)) {
    require(own_locks || holding_.contains({master, spawn->group}),
            master + " orders a room without the lock of " + spawn->group.text());
    for (const wire::Claim& claim : spawn->claims) {
      const bool open = std::any_of(tickets_.begin(), tickets_.end(), [&](const auto& each) {
        return each.second.open && each.second.master == master &&
               each.second.player == claim.player.text();
      });
      require(open, master + " orders a room for " + claim.player.text() + ", who does not wait");
    }
  }
  dialogues_[{master, worker}].asked(sent.message);
  if (!hosts_.contains(worker)) {
    see(master + " > " + worker + " " + text.show(sent.message));
    return;
  }
  if (!links_.contains({master, worker})) return;
  post(master, worker, text.show(sent.message),
       [this, master, worker, message = carried(sent.message)] {
         at_worker(worker, said_to(worker, master_of(master), message));
       });
}

void World::perform(const std::string& name, master::Action& action) {
  if (const auto* sent = std::get_if<master::SendToWorker>(&action)) {
    send(name, *sent);
  } else if (const auto* peer = std::get_if<master::SendToPeer>(&action)) {
    const std::string to = to_string(peer->peer);
    if (!masters_.contains(to)) return;
    post(name, to, text.show(peer->message),
         [this, to, from = master_of(name), message = carried(peer->message)] {
           at_master(to, master::PeerSaid{from, message});
         });
  } else if (const auto* close = std::get_if<master::CloseWorkerLink>(&action)) {
    see(name + " closes the link of " + close->worker.text());
    if (!hosts_.contains(close->worker.text())) return;
    post(name, close->worker.text(), "Close", [this, name, worker = close->worker.text()] {
      if (links_.contains({name, worker})) cut(name, worker);
    });
  } else if (const auto* out = std::get_if<master::WorkerQuarantined>(&action)) {
    see(name + " leaves " + out->stay.worker.text() +
        " out: " + std::string{to_string(out->stay.misdeed)});
  } else if (const auto* ended = std::get_if<master::QuarantineEnded>(&action)) {
    see(name + " tries " + ended->stay.worker.text() + " again");
  } else if (const auto* heard = std::get_if<master::ResultHeard>(&action)) {
    see(name + " hears " + heard->result.value + " of " + heard->room.worker.text() + "#" +
        std::to_string(heard->room.number.number()) + " by=" + text_of(heard->result.creation));
  } else if (const auto* over = std::get_if<master::MatchOver>(&action)) {
    see(name + " hears the end of " + over->result.group.text() + " in " +
        over->room.worker.text() + "#" + std::to_string(over->room.number.number()) + " " +
        (over->result.value.empty() ? "without a result" : "with " + over->result.value));
  } else if (const auto* seat = std::get_if<master::Seated>(&action)) {
    ++seated_;
    for (const PlayerId& player : seat->players) {
      seat_of[player.text()] = seat->room;
      answered_seats_.insert({player, seat->room});
    }
    const std::string& first = seat->players.front().text();
    const bool asked = first == tickets_.at(seat->ticket.number()).player;
    answered(seat->ticket, "seated " + seat->room.worker.text() + "#" +
                               std::to_string(seat->room.number.number()) +
                               " for=" + text_of(seat->reserved_for) + text.show(seat->place) +
                               (asked ? "" : " as=" + first));
  } else if (const auto* left = std::get_if<master::SeatsGivenBack>(&action)) {
    answered(left->ticket, "gave back");
  } else if (const auto* refused = std::get_if<master::Refused>(&action)) {
    ++refused_;
    std::string players;
    for (const PlayerId& player : refused->players) {
      players += (players.empty() ? " players=" : ",") + player.text();
    }
    answered(refused->ticket,
             "refused " + std::string{refusals.at(static_cast<std::size_t>(refused->reason))} +
                 " retry=" + text_of(refused->retry_after) + players);
  }
}

}  // namespace fixkeep::scenarios
