#include <algorithm>
#include <string>
#include <utility>

#include "lab/web/world.hpp"
#include "lock/core/any_machine.hpp"

namespace fixkeep::lab_web {
namespace {

std::string kind_of(const lock::LockMessage& message, std::string_view strategy) {
  const auto named = lock::make_machine(strategy, lock::MeshView{});
  return std::string{
      std::visit([&](const auto& each) { return each.kind_name(message.kind); }, named)};
}

// Writes the page's facts about the message into the record.
struct Describe {
  Message& message;
  std::string_view strategy;

  void operator()(const lock::MeshMessage& said) const {
    if (const auto* lock = std::get_if<lock::LockMessage>(&said)) {
      message.what = kind_of(*lock, strategy);
      message.round = lock->round;
      message.token = lock->token;
      return;
    }
    message.what = "Masters";
    const auto* hello = std::get_if<lock::MeshHello>(&said);
    if (hello == nullptr) return;
    message.what = "Hello";
    for (const auto& open : hello->outstanding) {
      message.what += "+" + kind_of(open, strategy);
      message.round = open.round;
    }
  }
  void operator()(const Prepare& said) const { name("Fence", said.token); }
  void operator()(const Promise& said) const {
    name(said.promised ? "Promise" : "Refusal", said.token);
  }
  void operator()(const Write& said) const { name("Write", said.token); }
  void operator()(const Answer& said) const {
    name(said.accepted ? "Done" : "Refusal", said.token);
  }
  void operator()(const Close&) const { name("Close", {}); }
  void name(std::string_view what, FencingToken token) const {
    message.what = what;
    message.token = token;
  }
};

}  // namespace

void World::send(int from, int to, Body body) {
  Direction& direction = way(from, to);
  Parcel parcel{{}, std::move(body)};
  Message& message = parcel.message;
  message.id = ++messages_;
  message.from = from;
  message.to = to;
  message.sent = now_;
  message.arrives = now_ + flight() + direction.slower;
  std::visit(Describe{message, settings_.strategy}, parcel.body);
  if (settings_.ordered_links) message.arrives = std::max(message.arrives, direction.last_arrival);
  direction.last_arrival = std::max(direction.last_arrival, message.arrives);
  record("sent", from, message);
  const auto later = [&](const Parcel& each) { return each.message.arrives > message.arrives; };
  const auto place = std::find_if(direction.way.begin(), direction.way.end(), later);
  direction.way.insert(place, std::move(parcel));
}

void World::arrive(int from, int to) {
  Direction& direction = way(from, to);
  Parcel parcel = std::move(direction.way.front());
  direction.way.pop_front();
  if (to == the_worker) {
    record("arrived", to, parcel.message);
    read_at_worker(parcel);
    return;
  }
  const bool linked = from == the_worker || way(to, from).up;
  if (node(to).life == Life::killed || !linked) {
    record("dropped", to, parcel.message);
  } else if (node(to).life == Life::stopped) {
    record("kept", to, parcel.message);
    node(to).inbox.push_back(std::move(parcel));
  } else {
    record("arrived", to, parcel.message);
    read(to, parcel);
  }
}

void World::read(int id, const Parcel& parcel) {
  Node& reads = node(id);
  const int from = parcel.message.from;
  lock::TableActions actions;
  if (std::holds_alternative<Close>(parcel.body)) {
    close(id, from);
  } else if (const auto* said = std::get_if<lock::MeshMessage>(&parcel.body)) {
    if (!way(id, from).up) return;
    const std::string before = reads.table->bytes_of(group());
    const bool good = reads.table->receive(master_id(from), *said, now_, actions);
    const bool about_lock = std::holds_alternative<lock::LockMessage>(*said);
    if (about_lock && actions.empty() && reads.table->bytes_of(group()) == before) {
      record("ignored", id, parcel.message);
    }
    perform(id, actions);
    if (!good) close(id, from);
  } else if (const auto* promise = std::get_if<Promise>(&parcel.body)) {
    if (!promise->promised) reads.table->raise_floor(promise->token.counter);
    if (reads.phase != Phase::fencing) return;
    if (promise->promised && promise->token == reads.grant.token) {
      reads.fenced = true;
      begin_work(id);
    } else if (!promise->promised) {
      leave(id, false);
    }
  }
}

void World::read_at_worker(const Parcel& parcel) {
  const Message& message = parcel.message;
  const int from = message.from;
  const bool newer = message.token > seen_;
  if (std::holds_alternative<Prepare>(parcel.body)) {
    if (!newer) record("refused", the_worker, from, message.token);
    if (!newer) ++refused_;
    if (newer) seen_ = message.token;
    send(the_worker, from, Promise{newer ? message.token : seen_, newer});
    return;
  }
  const bool old = message.token < seen_;
  const bool accepted = !old || !settings_.fence;
  record(accepted ? old ? "stale-write" : "written" : "refused", the_worker, from, message.token);
  (accepted ? old ? stale_ : accepted_ : refused_) += 1;
  if (newer) seen_ = message.token;
  send(the_worker, from, Answer{message.token, accepted});
}

void World::drop_all(int from, int to) {
  for (const Parcel& parcel : std::exchange(way(from, to).way, {})) {
    record("dropped", to, parcel.message);
  }
}

// Master `id` closes its end of the link, or has noticed that the peer has closed.
void World::close(int id, int peer) {
  if (!way(id, peer).up) return;
  way(id, peer).up = false;
  record("unlinked", id, peer);
  const bool other_end = way(peer, id).up;
  if (other_end) {
    send(id, peer, Close{});
  } else {
    drop_all(id, peer);
    drop_all(peer, id);
  }
  dial_at(std::min(id, peer), std::max(id, peer)) = now_ + 2 * flight();
  lock::TableActions actions;
  node(id).table->disconnected(master_id(peer), now_, actions);
  perform(id, actions);
}

bool World::can_dial(int a, int b) const {
  return node(a).life == Life::running && node(b).life == Life::running && !way(a, b).up &&
         !way(b, a).up && !way(a, b).cut && !way(b, a).cut && node(a).inbox.empty() &&
         node(b).inbox.empty();
}

void World::connect(int a, int b) {
  drop_all(a, b);
  drop_all(b, a);
  record("linked", a, b);
  way(a, b).up = way(b, a).up = true;
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    way(from, to).last_arrival = now_;
    lock::TableActions actions;
    node(from).table->connected(master_id(to), {}, now_, actions);
    perform(from, actions);
  }
}

bool World::change_link(const Command& command) {
  const auto [a, b] = std::pair{command.a, command.b};
  if (a == b || a > last() || b > last()) return false;
  Direction& direction = way(a, b);
  switch (command.act) {
    case Act::cut:
      if (direction.cut) return false;
      direction.cut = true;
      direction.quiet = std::min(direction.quiet, now_);
      record("cut", a, b);
      return true;
    case Act::hold:
      if (direction.held) return false;
      direction.held = true;
      record("held", a, b);
      return true;
    case Act::slow:
      direction.slower = std::chrono::milliseconds{command.ms};
      record("slowed", a, b);
      return true;
    case Act::heal:
      direction.cut = direction.held = false;
      direction.slower = Duration{};
      record("healed", a, b);
      retime(direction);
      hear_again(a, b);
      return true;
    case Act::deliver:
      if (direction.way.empty() || !direction.held || direction.cut) return false;
      arrive(a, b);
      return true;
    case Act::stop:
    case Act::resume:
    case Act::kill:
    case Act::start:
    case Act::ask:
    case Act::leave: break;
  }
  return false;
}

void World::retime(Direction& direction) {
  TimePoint latest = now_;
  for (auto& [message, body] : direction.way) {
    latest = message.arrives = std::max(message.arrives, std::max(latest, now_ + flight()));
  }
  direction.last_arrival = std::max(direction.last_arrival, latest);
}

// From now on `to` hears `from` again, unless the direction is still cut or `from` is stopped.
void World::hear_again(int from, int to) {
  if (from == the_worker || to == the_worker) return;
  const bool quiet = way(from, to).cut || node(from).life == Life::stopped;
  way(from, to).quiet = quiet ? std::min(way(from, to).quiet, now_) : TimePoint::max();
}

Record& World::record(std::string_view what, int node, int peer, FencingToken token) {
  return records_.emplace_back(Record{steps_, now_, what, node, peer, token, {}});
}

void World::record(std::string_view what, int node, const Message& message) {
  record(what, node).message = message;
}

}  // namespace fixkeep::lab_web
