#include "lock/tests/scenarios/lock_mesh.hpp"

#include <algorithm>
#include <array>

namespace fixkeep::scenarios {
namespace {

MasterId id_of(int master) {
  return MasterId{static_cast<std::uint16_t>(master)};
}

}  // namespace

LockMesh::LockMesh(int masters, bool connected, std::string_view strategy, const lock::Rules& rules)
    : masters_(masters), strategy_(strategy), rules_(rules) {
  for (int a = 1; a <= masters; ++a) {
    nodes_.emplace(a, Node{fresh(a, connected), true, Want::nothing, {}, TimePoint::max()});
    for (int b = 1; b <= masters; ++b) {
      if (a != b) ends_[{a, b}] = connected ? End::live : End::down;
    }
  }
}

lock::AnyMachine LockMesh::fresh(int master, bool connected) const {
  lock::MeshView mesh;
  mesh.self = id_of(master);
  for (int other = 1; other <= masters_; ++other) {
    if (other != master) mesh.configured.push_back(id_of(other));
  }
  if (connected) mesh.connected = mesh.up = mesh.configured;
  mesh.met = mesh.joined = connected;
  mesh.rules = rules_;
  return lock::make_machine(strategy_, mesh);
}

LockMesh::Node& LockMesh::living(int master) {
  require(nodes_.contains(master), "there is no master " + std::to_string(master));
  Node& node = nodes_.at(master);
  require(node.alive, "master " + std::to_string(master) + " has crashed");
  return node;
}

std::string LockMesh::kind_of(int from, const Item& item) const {
  const std::string hello = item.hello ? "Hello" : "";
  if (!item.message) return hello;
  return hello + (item.hello ? "+" : "") +
         std::string{
             std::visit([&](const auto& seen) { return seen.kind_name(item.message->kind); },
                        nodes_.at(from).machine)};
}

std::string LockMesh::bytes_of(int master) const {
  std::string bytes;
  std::visit([&](const auto& machine) { machine.append_bytes(bytes); }, nodes_.at(master).machine);
  return bytes;
}

void LockMesh::send(int from, int to, Item item) {
  item.id = ++messages_;
  news_.push_back(
      {"sent", from, to, item.id, kind_of(from, item), item.message ? item.message->round : 0});
  channels_[{from, to}].push_back(std::move(item));
}

void LockMesh::step(int master, const lock::LockEvent& event) {
  Node& node = living(master);
  lock::LockActions actions;
  std::visit([&](auto& machine) { machine.step(event, now_, actions); }, node.machine);
  for (auto& action : actions) {
    if (auto* send = std::get_if<lock::Send>(&action)) {
      ++sent_;
      const std::pair link{master, int{send->to.number()}};
      if (ends_.at(link) == End::live) {
        this->send(link.first, link.second, {false, std::move(send->message)});
      }
    } else if (const auto* granted = std::get_if<lock::Granted>(&action)) {
      require(node.want == Want::waiting, "a grant that nobody waits for");
      node.want = Want::holding;
      node.last_grant = *granted;
      news_.push_back({"granted", master});
      grants_.emplace_back(master, *granted);
    } else if (const auto* timer = std::get_if<lock::SetTimer>(&action)) {
      require(timer->at > now_, "a timer that is set to the past");
      node.timer = timer->at;
    } else if (std::holds_alternative<lock::Lost>(action)) {
      const bool held = std::exchange(node.want, Want::nothing) == Want::holding;
      news_.push_back({held ? "lease-over" : "waited-too-long", master});
    }
  }
}

void LockMesh::acquire(int master) {
  require(living(master).want == Want::nothing, "waits or holds already");
  nodes_.at(master).want = Want::waiting;
  news_.push_back({"asks", master});
  step(master, lock::Acquire{});
}

void LockMesh::abandon(int master) {
  require(living(master).want == Want::waiting, "does not wait");
  nodes_.at(master).want = Want::nothing;
  news_.push_back({"gave-up", master});
  step(master, lock::Abandon{});
}

void LockMesh::release(int master, const std::string& bytes, bool uncertain) {
  require(living(master).want == Want::holding, "does not hold");
  Node& node = nodes_.at(master);
  node.want = Want::nothing;
  lock::LockValue value;
  value.stamp = node.last_grant->token;
  value.uncertain = uncertain;
  value.bytes = bytes;
  news_.push_back({"released", master});
  step(master, lock::Release{value.stamp, value});
}

void LockMesh::crash(int master) {
  Node& node = living(master);
  node.alive = false;
  news_.push_back({"killed", master});
  node.want = Want::nothing;
  node.timer = TimePoint::max();
  for (int other = 1; other <= masters_; ++other) {
    if (other == master) continue;
    lose(master, other);
    ends_.at({master, other}) = End::down;
  }
}

void LockMesh::restart(int master) {
  require(!alive(master), "has not crashed");
  news_.push_back({"started", master});
  nodes_.at(master) = Node{fresh(master, false), true, Want::nothing, {}, TimePoint::max()};
}

void LockMesh::lapse_grace(int master) {
  step(master, lock::JoinGraceLapsed{});
}

void LockMesh::tick(int master) {
  Node& node = living(master);
  require(node.timer != TimePoint::max(), "has set no timer");
  now_ = std::max(now_, std::exchange(node.timer, TimePoint::max()));
  step(master, lock::Tick{});
}

bool LockMesh::tick_next() {
  const auto next = std::min_element(nodes_.begin(), nodes_.end(), [](auto& one, auto& other) {
    return one.second.timer < other.second.timer;
  });
  if (next->second.timer == TimePoint::max()) return false;
  tick(next->first);
  return true;
}

void LockMesh::lose(int a, int b) {
  for (const auto& link : {std::pair{a, b}, std::pair{b, a}}) {
    if (ends_.at(link) == End::live) ends_.at(link) = End::lost;
    for (const auto& item : channels_[link]) {
      news_.push_back({"dropped", link.first, link.second, item.id});
    }
    channels_[link].clear();
  }
}

void LockMesh::notice(int a, int b) {
  require(lost(a, b), "has nothing to notice");
  ends_.at({a, b}) = End::down;
  news_.push_back({"unlinked", a, b});
  step(a, lock::PeerDown{id_of(b)});
}

void LockMesh::connect(int a, int b) {
  (void)living(a);
  (void)living(b);
  news_.push_back({"linked", a, b});
  for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
    require(ends_.at({from, to}) == End::down, "is connected, or has not noticed the loss");
    ends_.at({from, to}) = End::live;
    auto hello =
        std::visit([](const auto& machine) { return machine.hello(); }, nodes_.at(from).machine);
    send(from, to, {true, std::move(hello)});
    step(from, lock::PeerConnected{id_of(to)});
  }
}

void LockMesh::deliver(int a, int b, std::size_t position) {
  auto& channel = channels_[{a, b}];
  require(position < channel.size(), "no such message is on its way");
  const Item item = channel[position];
  channel.erase(channel.begin() + static_cast<std::ptrdiff_t>(position));
  news_.push_back({"arrived", b, a, item.id});
  const auto news = news_.size();
  const auto before = bytes_of(b);
  if (item.hello) {
    step(b, lock::PeerUp{id_of(a), item.message});
  } else {
    step(b, lock::Receive{id_of(a), *item.message});
  }
  if (news_.size() == news && bytes_of(b) == before) news_.push_back({"ignored", b, a, item.id});
}

void LockMesh::deliver_all() {
  for (bool more = true; more;) {
    more = false;
    for (const auto& [link, end] : ends_) {
      if (waiting(link.first, link.second) == 0) continue;
      deliver(link.first, link.second);
      more = true;
    }
  }
}

std::size_t LockMesh::waiting(int a, int b) const {
  const auto found = channels_.find({a, b});
  return found == channels_.end() ? 0 : found->second.size();
}

std::string LockMesh::next(int a, int b) const {
  const Item& item = channels_.at({a, b}).front();
  const auto round = item.message ? "(" + std::to_string(item.message->round) + ")" : "";
  return kind_of(a, item) + round;
}

std::vector<int> LockMesh::holders() const {
  std::vector<int> all;
  for (const auto& [master, node] : nodes_) {
    if (node.alive && node.want == Want::holding) all.push_back(master);
  }
  return all;
}

bool LockMesh::whole() const {
  for (const auto& [link, end] : ends_) {
    const auto channel = channels_.find(link);
    const bool hello =
        channel != channels_.end() && !channel->second.empty() && channel->second.front().hello;
    if (end != End::live || hello) return false;
  }
  return true;
}

std::string LockMesh::state(int master) const {
  return std::string{
      std::visit([](const auto& machine) { return machine.state(); }, nodes_.at(master).machine)};
}

const std::optional<lock::Granted>& LockMesh::last_grant(int master) const {
  return nodes_.at(master).last_grant;
}

std::vector<std::pair<int, lock::Granted>> LockMesh::take_grants() {
  return std::exchange(grants_, {});
}

}  // namespace fixkeep::scenarios
