#include "lab/own_lock/trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fixkeep::own_lock {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr Duration start_limit = std::chrono::seconds{30};
constexpr Duration calm{milliseconds{1000}};  // between two faults
constexpr Duration look_for_holder{milliseconds{20}};
constexpr Duration after_the_end{milliseconds{2000}};  // for the last releases
constexpr int writes_of_a_hold = 4;

std::string node_name(std::size_t node) {
  return fmt::format("n{}", node + 1);
}

}  // namespace

std::string_view to_string(Fault fault) {
  switch (fault) {
    case Fault::none: return "none";
    case Fault::delay: return "delay";
    case Fault::stop: return "stop";
    case Fault::kill: return "kill";
    case Fault::cut: return "cut";
  }
  return "?";
}

Trial::Trial(TrialOptions options)
    : options_(std::move(options)),
      random_(options_.seed),
      beliefs_(options_.nodes),
      nodes_(options_.nodes, Node::starting),
      clients_(options_.nodes * options_.keys),
      cut_(options_.nodes, std::vector<bool>(options_.nodes)) {}

std::string Trial::key_name(std::size_t key) const {
  return fmt::format("{}-{}-{}", to_string(options_.fault), options_.seed, key + 1);
}

void Trial::note(TimePoint now, std::size_t node, std::string_view what,
                 nlohmann::ordered_json more) {
  if (events_.size() >= most_events) return;
  nlohmann::ordered_json event{{"at_us", (now - began_).count()}, {"node", node_name(node)}};
  event["what"] = what;
  event.update(more);
  events_.push_back(std::move(event));
}

void Trial::strange(std::size_t node, std::string_view text) {
  strange_.add(fmt::format("{}: {}", node_name(node), text.substr(0, 200)));
}

// --- lines ---------------------------------------------------------------------------------------

void Trial::say(std::size_t node, json body, Actions& out) {
  body["msg_id"] = ++last_id_;
  const std::string client = fmt::format("c{}", node + 1);
  const json message{{"src", client}, {"dest", node_name(node)}, {"body", std::move(body)}};
  out.push_back({Action::Kind::say, node, message.dump()});
}

void Trial::begin(TimePoint now, Actions& out) {
  began_ = now;
  for (std::size_t node = 0; node < options_.nodes; ++node) init(node, now, out);
}

void Trial::init(std::size_t node, TimePoint now, Actions& out) {
  deadline_ = now + start_limit;
  std::vector<std::string> names;
  for (std::size_t each = 0; each < options_.nodes; ++each) names.push_back(node_name(each));
  json body{{"type", "init"}, {"node_id", node_name(node)}, {"node_ids", names}};
  body["servers"] = options_.servers;
  say(node, std::move(body), out);
}

void Trial::line(std::size_t node, std::string_view text, TimePoint now) {
  const json message = json::parse(text, nullptr, /*allow_exceptions=*/false);
  const bool known = message.is_object() && message.value("dest", json{}).is_string() &&
                     message.value("body", json{}).is_object();
  if (!known) return strange(node, text);
  const json& body = message["body"];
  if (message["dest"].get_ref<const std::string&>().starts_with('n')) {
    return pass_on(node, message, now);
  }
  const json type = body.value("type", json{});
  if (type == "lost") return lost(node, body, now);
  if (!body.value("in_reply_to", json{}).is_number_unsigned()) return strange(node, text);
  answer(node, body, now);
}

void Trial::answer(std::size_t node, const json& body, TimePoint now) {
  const json type = body.value("type", json{});
  if (type == "init_ok") {
    if (nodes_[node] != Node::starting) return;
    nodes_[node] = Node::running;
    for (std::size_t key = 0; key < options_.keys; ++key) rest(client(node, key), now);
    const bool all = std::ranges::none_of(nodes_, [](Node each) { return each == Node::starting; });
    if (ends_ != TimePoint::max() || !all) return;
    ends_ = now + options_.length;
    const bool later = options_.fault != Fault::none && options_.fault != Fault::delay;
    if (later) next_fault_ = now + calm;
    return;
  }
  const auto id = body["in_reply_to"].get<std::uint64_t>();
  for (std::size_t key = 0; key < options_.keys; ++key) {
    Client& asked = client(node, key);
    if (asked.asked != id) continue;
    asked.asked = 0;
    if (asked.state == Client::State::asking && type == "acquired") {
      return acquired(node, key, body, now);
    }
    if (type != "released" && type != "error") strange(node, body.dump());
    if (type == "error") {
      note(now, node, "error", {{"text", body.value("text", json{})}});
      errors_.add(fmt::format("{}: {}", node_name(node), body.dump().substr(0, 200)));
    }
    return rest(asked, now);
  }
}

void Trial::acquired(std::size_t node, std::size_t key, const json& body, TimePoint now) {
  Client& holder = client(node, key);
  holder.token = body.value("token", json{});
  Token token;
  if (holder.token.is_number_unsigned()) token = holder.token.get<std::uint64_t>();
  if (!token && !holder.token.is_null()) {
    strange(node, "the token is no whole number: " + body.dump());
  }
  const bool needs_fence = body.value("needs_fence", json{}) == true;
  const bool holds = beliefs_.acquired(node, key, token, needs_fence, now - holder.since, now);
  note(now, node, holds ? "acquired" : "refused by the fence",
       {{"key", key_name(key)}, {"token", holder.token}, {"needs_fence", needs_fence}});
  holder.state = Client::State::holding;
  holder.since = now;
  holder.writes_left = holds ? writes_of_a_hold : 0;
  holder.due = now;
}

void Trial::lost(std::size_t node, const json& body, TimePoint now) {
  for (std::size_t key = 0; key < options_.keys; ++key) {
    if (body.value("key", json{}) != key_name(key)) continue;
    note(now, node, "lost", {{"key", key_name(key)}});
    beliefs_.lost(node, key, now);
    if (client(node, key).state == Client::State::holding) rest(client(node, key), now);
  }
}

// --- messages between nodes ----------------------------------------------------------------------

void Trial::pass_on(std::size_t from, const json& message, TimePoint now) {
  const auto& name = message["dest"].get_ref<const std::string&>();
  for (std::size_t to = 0; to < options_.nodes; ++to) {
    if (name != node_name(to)) continue;
    const std::uint64_t number = ++messages_;
    note(now, from, "sent",
         {{"message", number}, {"to", name}, {"type", message["body"].value("type", json{})}});
    if (cut_[from][to] || on_their_way_.size() >= most_messages) {
      return note(now, to, "dropped", {{"message", number}});
    }
    TimePoint due = now;
    if (options_.fault == Fault::delay) due += Duration{random_.between(0, options_.delay.count())};
    on_their_way_.emplace(due, Message{to, number, message.dump()});
    return;
  }
  strange(from, message.dump());
}

void Trial::deliver(TimePoint now, Actions& out) {
  while (!on_their_way_.empty() && on_their_way_.begin()->first <= now) {
    Message& message = on_their_way_.begin()->second;
    const bool arrives = nodes_[message.to] != Node::dead;
    note(now, message.to, arrives ? "arrived" : "dropped", {{"message", message.number}});
    if (arrives) { out.push_back({Action::Kind::say, message.to, std::move(message.line)}); }
    on_their_way_.erase(on_their_way_.begin());
  }
}

// --- clients -------------------------------------------------------------------------------------

void Trial::rest(Client& client, TimePoint now) {
  client.state = Client::State::idle;
  client.since = now;
  client.asked = 0;
  client.due = now + Duration{random_.between(0, options_.pause.count())};
}

void Trial::act(std::size_t node, std::size_t key, TimePoint now, Actions& out) {
  Client& acting = client(node, key);
  if (acting.state == Client::State::idle) {
    acting.due = TimePoint::max();
    if (now >= ends_) return;
    note(now, node, "asks", {{"key", key_name(key)}});
    say(node, {{"type", "acquire"}, {"key", key_name(key)}}, out);
    acting.state = Client::State::asking;
    acting.asked = last_id_;
    acting.since = now;
    return;
  }
  if (acting.writes_left > 0) {
    beliefs_.write(node, key);
    note(now, node, "write", {{"key", key_name(key)}, {"token", acting.token}});
    --acting.writes_left;
    const Duration between = options_.hold / writes_of_a_hold;
    const TimePoint planned = acting.since + (writes_of_a_hold - acting.writes_left) * between;
    // If the process was stopped, this write may be late. The next write is then not due
    // immediately, so that the client first reads its node's lines.
    acting.due = std::max(planned, now + between / 2);
    return;
  }
  beliefs_.released(node, key, now);
  note(now, node, "release", {{"key", key_name(key)}});
  json body{{"type", "release"}, {"key", key_name(key)}};
  if (!acting.token.is_null()) body["token"] = acting.token;
  say(node, std::move(body), out);
  acting.state = Client::State::releasing;
  acting.asked = last_id_;
  acting.due = TimePoint::max();
}

void Trial::forget(std::size_t node) {
  for (std::size_t key = 0; key < options_.keys; ++key) client(node, key) = Client{};
}

// --- faults --------------------------------------------------------------------------------------

void Trial::begin_fault(TimePoint now, Actions& out) {
  next_fault_ = TimePoint::max();
  if (now >= ends_) return;
  if (options_.fault == Fault::cut) {
    victim_ = random_.below(options_.nodes);
    const auto way = random_.below(3);  // to the victim, from the victim, or both
    for (std::size_t other = 0; other < options_.nodes; ++other) {
      cut_[other][victim_] = way != 1 && other != victim_;
      cut_[victim_][other] = way != 0 && other != victim_;
    }
    note(now, victim_, way == 0 ? "cut to it" : way == 1 ? "cut from it" : "cut both ways");
    heals_ = now + options_.outage;
    return;
  }
  const auto holders = beliefs_.believers(random_.below(options_.keys));
  if (holders.empty()) {
    next_fault_ = now + look_for_holder;
    return;
  }
  victim_ = holders[random_.below(holders.size())];
  heals_ = now + options_.outage;
  if (options_.fault == Fault::stop) {
    nodes_[victim_] = Node::stopped;
    beliefs_.stopped(victim_, now);
    note(now, victim_, "stopped");
    out.push_back({Action::Kind::stop, victim_, {}});
  } else {
    nodes_[victim_] = Node::dead;
    beliefs_.killed(victim_, now);
    forget(victim_);
    note(now, victim_, "killed");
    out.push_back({Action::Kind::kill, victim_, {}});
  }
}

void Trial::end_fault(TimePoint now, Actions& out) {
  heals_ = TimePoint::max();
  next_fault_ = now + calm + Duration{random_.between(0, options_.hold.count())};
  if (options_.fault == Fault::cut) {
    for (auto& row : cut_) row.assign(options_.nodes, false);
    note(now, victim_, "healed");
  } else if (options_.fault == Fault::stop) {
    nodes_[victim_] = Node::running;
    beliefs_.continued(victim_, now);
    note(now, victim_, "continued");
    for (std::size_t key = 0; key < options_.keys; ++key) {
      if (client(victim_, key).due <= now) act(victim_, key, now, out);
    }
    out.push_back({Action::Kind::resume, victim_, {}});
  } else {
    nodes_[victim_] = Node::starting;
    note(now, victim_, "started");
    out.push_back({Action::Kind::start, victim_, {}});
    init(victim_, now, out);
  }
}

void Trial::ended(std::size_t node, const std::string& how) {
  if (!failure_.empty()) return;
  failure_ = fmt::format("{} ended by itself: {}", node_name(node), how);
  over_ = true;
}

// --- time ----------------------------------------------------------------------------------------

void Trial::tick(TimePoint now, Actions& out) {
  const bool starting =
      std::ranges::any_of(nodes_, [](Node node) { return node == Node::starting; });
  if (starting && now >= deadline_) {
    failure_ = fmt::format("a node did not answer \"init\" within {} s with \"init_ok\"",
                           std::chrono::duration_cast<std::chrono::seconds>(start_limit).count());
    over_ = true;
    return;
  }
  if (now >= heals_) end_fault(now, out);
  if (now >= next_fault_) begin_fault(now, out);
  deliver(now, out);
  for (std::size_t node = 0; node < options_.nodes; ++node) {
    if (nodes_[node] != Node::running) continue;
    for (std::size_t key = 0; key < options_.keys; ++key) {
      if (client(node, key).due <= now) act(node, key, now, out);
    }
  }
  if (ends_ != TimePoint::max() && now >= ends_ + after_the_end && heals_ == TimePoint::max()) {
    over_ = true;
  }
}

Figures Trial::finish(TimePoint now) {
  Figures figures = beliefs_.finish(now);
  for (const Client& each : clients_) {
    if (each.state == Client::State::asking) {
      figures.open_wait = std::max(figures.open_wait, std::min(now, ends_) - each.since);
    }
  }
  figures.messages = messages_;
  return figures;
}

TimePoint Trial::next() const {
  TimePoint at = std::min(heals_, next_fault_);
  const auto starting = [](Node node) { return node == Node::starting; };
  if (std::ranges::any_of(nodes_, starting)) at = std::min(at, deadline_);
  if (!on_their_way_.empty()) at = std::min(at, on_their_way_.begin()->first);
  for (std::size_t node = 0; node < options_.nodes; ++node) {
    if (nodes_[node] != Node::running) continue;
    for (std::size_t key = 0; key < options_.keys; ++key) {
      at = std::min(at, clients_[node * options_.keys + key].due);
    }
  }
  if (ends_ != TimePoint::max() && heals_ == TimePoint::max()) {
    at = std::min(at, ends_ + after_the_end);
  }
  return at;
}

}  // namespace fixkeep::own_lock
