// Masters, their locks and the links between them.
#include "tests/model/lock_model.hpp"

#include <algorithm>

namespace fixkeep::model {
namespace {

// All that counts is which of them has been reached.
master::HoldOptions hold_options(MasterId self) {
  return {.self = self, .longest = Duration{2}, .await = Duration{1}, .fence_rounds = 3};
}

}  // namespace

LockModel::LockModel(const Budget& budget)
    : budget_(budget),
      exclusion_(budget.exclusive || (budget.link_losses == 0 && !budget.grace &&
                                      budget.lists == decltype(budget.lists){} &&
                                      budget.lists_after == decltype(budget.lists_after){})) {
  workers_.resize(index(budget.workers), Shared{Worker{}});
  for (int a = 0; a < budget.masters; ++a) {
    const auto list = budget.list_of(a);
    Master made{fresh(a, list, budget.connected), hold_options(id(a)), budget.workers};
    made.list = list;
    made.acquisitions = budget.acquisitions;
    for (int w = 0; budget.connected && w < budget.workers; ++w) {
      WorkerLink& link = made.links[index(w)];
      link.end = End::up;
      link.awaited = false;
      link.run = 1;
      link.seen = 2;
    }
    masters_.emplace_back(std::move(made));
  }
  ends_.fill(End::down);
  for (int a = 0; a < budget.masters; ++a) {
    for (int b = 0; budget.connected && b < budget.masters; ++b) {
      if (a == b || !may_link(a, b)) continue;
      ends_[link(a, b)] = End::up;
      hear_list(a, b, told_list(b));
    }
  }
}

lock::AnyMachine LockModel::fresh(int node, std::uint32_t list, bool connected) const {
  lock::MeshView mesh;
  mesh.self = id(node);
  mesh.configured = peers_in(list, node);
  for (int other = 0; connected && other < budget_.masters; ++other) {
    const bool linked = (list & bit(other)) != 0 && (budget_.list_of(other) & bit(node)) != 0;
    if (other != node && linked) mesh.connected.push_back(id(other));
  }
  mesh.up = mesh.connected;
  mesh.met = mesh.joined = connected;
  mesh.quorum = budget_.quorum;
  mesh.rules = budget_.rules;
  return lock::make_machine(budget_.lock, mesh);
}

// --- what can happen

void LockModel::steps(std::vector<Step>& out) const {
  if (out_of_scope_) return;
  for (int a = 0; a < budget_.masters; ++a) {
    if (urgent_steps(a, out)) return;
  }
  for (int a = 0; a < budget_.masters; ++a) {
    const Master& master = *masters_[index(a)];
    if (!master.alive) {
      out.push_back(code(Kind::restart, a));
    } else {
      hold_steps(a, out);
      if (budget_.crashes > 0) out.push_back(code(Kind::crash, a));
      if (timer_may_go_off(a)) out.push_back(code(Kind::timeout, a));
      if (budget_.grace && !master.grace_lapsed) out.push_back(code(Kind::grace, a));
      const std::uint32_t list = budget_.lists_after[index(a)];
      if (list != 0 && list != master.list) out.push_back(code(Kind::relist, a));
    }
    for (int b = 0; b < budget_.masters; ++b) {
      if (a != b) link_steps(a, b, out);
    }
    for (int w = 0; w < budget_.workers; ++w) worker_steps(a, w, out);
  }
  for (int w = 0; budget_.worker_restarts > 0 && w < budget_.workers; ++w) {
    out.push_back(code(Kind::restart_worker, w));
  }
}

bool LockModel::timer_may_go_off(int a) const {
  if (!masters_[index(a)]->timer || budget_.timeouts == 0) return false;
  if (!budget_.timers_outlast_holds) return true;
  const bool noticed =
      std::none_of(ends_.begin(), ends_.end(), [](End end) { return end == End::broken; });
  return noticed && holders() == 0 &&
         std::all_of(mesh_.begin(), mesh_.end(),
                     [](const auto& channel) { return channel->messages.empty(); });
}

void LockModel::link_steps(int a, int b, std::vector<Step>& out) const {
  const bool alive = masters_[index(a)]->alive;
  const End end = ends_[link(a, b)];
  if (end == End::broken && alive) out.push_back(code(Kind::notice, a, b));
  if (end == End::down && alive && masters_[index(b)]->alive && may_link(a, b)) {
    out.push_back(code(Kind::connect, a, b));
  }
  if (a < b && (live(a, b) || live(b, a)) && budget_.link_losses > 0) {
    out.push_back(code(Kind::link_loss, a, b));
  }
  if (!live(b, a)) return;
  const auto waiting = static_cast<int>(mesh_[link(a, b)]->messages.size());
  const int reach = budget_.ordered_links ? std::min(waiting, 1) : waiting;
  for (int position = 0; position < reach; ++position) {
    out.push_back(code(Kind::deliver, a, b, position));
  }
}

void LockModel::take(Step taken) {
  const Kind kind = kind_of(taken);
  const int a = first_of(taken);
  const int b = second_of(taken);
  switch (kind) {
    case Kind::acquire:
    case Kind::abandon:
    case Kind::release:
    case Kind::take_grant:
    case Kind::trust_orders:
    case Kind::decline_grant:
    case Kind::order:
    case Kind::stop_awaiting:
    case Kind::reach_limit:
    case Kind::lose_lock: take_hold(kind, a, b); return;
    case Kind::connect_worker:
    case Kind::lose_worker:
    case Kind::notice_worker:
    case Kind::restart_worker:
    case Kind::tell_worker:
    case Kind::refuse_order:
    case Kind::tell_master: take_worker(kind, a, b); return;
    case Kind::crash:
    case Kind::restart:
    case Kind::connect:
    case Kind::link_loss:
    case Kind::notice:
    case Kind::grace:
    case Kind::deliver:
    case Kind::relist:
    case Kind::timeout: take_mesh(kind, a, b, third_of(taken)); return;
  }
}

void LockModel::take_mesh(Kind kind, int a, int b, int c) {
  Master& master = masters_[index(a)].edit();
  if (kind == Kind::crash) {
    crash(a);
  } else if (kind == Kind::restart) {
    master.alive = true;
  } else if (kind == Kind::connect) {
    connect(a, b);
  } else if (kind == Kind::link_loss) {
    --budget_.link_losses;
    break_link(a, b);
    break_link(b, a);
  } else if (kind == Kind::notice) {
    ends_[link(a, b)] = End::down;
    mesh_changed(a);
    step(a, lock::PeerDown{id(b)});
    hear_list(a, b, 0);
  } else if (kind == Kind::relist) {
    relist(a);
  } else if (kind == Kind::grace) {
    master.grace_lapsed = true;
    step(a, lock::JoinGraceLapsed{});
  } else if (kind == Kind::deliver) {
    deliver(a, b, c);
  } else if (kind == Kind::timeout) {
    --budget_.timeouts;
    master.timer = false;
    step(a, lock::Tick{});
  }
}

// --- masters and links

void LockModel::step(int a, const lock::LockEvent& event) {
  lock::LockActions actions;
  std::optional<lock::Granted> got;
  Master& master = masters_[index(a)].edit();
  std::visit([&](auto& machine) { machine.step(event, TimePoint{}, actions); }, master.machine);
  for (auto& action : actions) {
    if (auto* send = std::get_if<lock::Send>(&action)) {
      // What is sent on a broken connection is lost; the sender has not noticed yet.
      const int to = send->to.number() - 1;
      if (!live(a, to)) continue;
      mesh_[link(a, to)].edit().messages.push_back({false, std::move(send->message)});
    } else if (auto* granted = std::get_if<lock::Granted>(&action)) {
      got = std::move(*granted);
    } else if (const auto* timer = std::get_if<lock::SetTimer>(&action)) {
      master.timer = timer->at != TimePoint::max();
    } else if (std::holds_alternative<lock::Lost>(action)) {
      master.work = Work::idle;
      master.claim = false;
    }
  }
  if (!got) return;
  check_grant(a, *got);
  offer(a, *got);
}

void LockModel::check_grant(int a, const lock::Granted& got) {
  Master& master = masters_[index(a)].edit();
  if (master.work != Work::waiting) wrong_ = "a grant that nobody waits for";
  // A peer's fence is as good if it began since the change and the grant knows of it.
  const FencingToken fenced = master.fenced_since;
  const bool others_fenced = fenced != FencingToken{} && got.value.fence >= fenced;
  const bool owes = master.mesh_changed && !others_fenced;
  if (!got.needs_fence && (owes || got.value.uncertain)) wrong_ = "a missing fence";
  if (exclusion_ && !crashed_ && !got.needs_fence) {
    if (got.token <= highest_grant_) wrong_ = "a token that does not grow";
    if (got.value.stamp < newest_release_) wrong_ = "a lost lock value";
  }
  highest_grant_ = std::max(highest_grant_, got.token);
  master.mesh_changed = false;
  master.fenced_since = {};
  master.told_to_fence = got.needs_fence;
  for (int b = 0; got.needs_fence && b < budget_.masters; ++b) {
    if (b == a || !live(a, b) || !live(b, a)) continue;
    Master& other = masters_[index(b)].edit();
    if (other.mesh_changed && other.fenced_since == FencingToken{}) other.fenced_since = got.token;
  }
}

void LockModel::mesh_changed(int a) {
  Master& master = masters_[index(a)].edit();
  master.mesh_changed = true;
  master.fenced_since = {};
}

// Its next life starts from nothing; only the checker remembers what it may still acquire.
void LockModel::crash(int a) {
  --budget_.crashes;
  crashed_ = true;
  Master& old = masters_[index(a)].edit();
  Master next{fresh(a, old.list, false), hold_options(id(a)), budget_.workers};
  next.alive = false;
  next.list = old.list;
  next.acquisitions = old.acquisitions;
  next.run = old.run + 1;
  old = std::move(next);
  for (int b = 0; b < budget_.masters; ++b) {
    if (a == b) continue;
    break_link(b, a);
    ends_[link(a, b)] = End::down;
    mesh_[link(a, b)].reset();
  }
  for (int w = 0; w < budget_.workers; ++w) to_masters_[link(a, w)].reset();
}

// What `a` sees of a break: whatever was on its way to `b` is lost.
void LockModel::break_link(int a, int b) {
  if (live(a, b)) ends_[link(a, b)] = End::broken;
  mesh_[link(a, b)].reset();
}

void LockModel::connect(int a, int b) {
  ends_[link(a, b)] = End::made;
  auto hello =
      std::visit([](const auto& machine) { return machine.hello(); }, masters_[index(a)]->machine);
  mesh_[link(a, b)].edit().messages.push_back({true, std::move(hello), told_list(a)});
  step(a, lock::PeerConnected{id(b)});
}

void LockModel::deliver(int from, int to, int position) {
  auto& messages = mesh_[link(from, to)].edit().messages;
  const MeshMessage said = messages[index(position)];
  messages.erase(messages.begin() + position);
  if (messages.empty()) mesh_[link(from, to)].reset();
  if (said.list != 0) hear_list(to, from, said.list);
  if (said.hello) {
    ends_[link(to, from)] = End::up;
    mesh_changed(to);
    step(to, lock::PeerUp{id(from), said.message});
  } else if (said.message) {
    step(to, lock::Receive{id(from), *said.message});
  }
}

// --- what must hold

bool LockModel::holds(const Master& master) {
  return master.alive && master.work == Work::holding;
}

int LockModel::holders() const {
  return static_cast<int>(std::count_if(masters_.begin(), masters_.end(),
                                        [](const auto& master) { return holds(*master); }));
}

std::optional<std::string> LockModel::violation(const std::vector<Step>& steps) const {
  if (wrong_ != nullptr) return wrong_;
  if (exclusion_ && holders() > 1) return "two holders";
  const auto unfenced = std::count_if(masters_.begin(), masters_.end(), [](const auto& master) {
    return holds(*master) && !master->told_to_fence;
  });
  if (unfenced > 1) return "two holders without a fence";
  int rooms = 0;
  for (const auto& worker : workers_) rooms += worker->rooms;
  if (rooms > 1) return "two rooms";
  if (!budget_.past_deadlocks && !out_of_scope_ && somebody_is_stuck(steps)) return "deadlock";
  return {};
}

bool LockModel::somebody_is_stuck(const std::vector<Step>& steps) const {
  // A timer goes off some time, also one that this search has no budget for.
  bool pending = false;
  bool waits = false;
  for (const auto& master : masters_) {
    pending = pending || (master->alive && master->timer);
    waits = waits || (master->alive && master->work != Work::idle);
  }
  if (pending || !waits) return false;
  return std::all_of(steps.begin(), steps.end(), [](Step step) {
    switch (kind_of(step)) {
      case Kind::abandon:
      case Kind::crash:
      case Kind::link_loss:
      case Kind::acquire:
      case Kind::reach_limit:
      case Kind::lose_lock:
      case Kind::lose_worker:
      case Kind::restart_worker:
      case Kind::refuse_order: return true;  // may happen, need not
      case Kind::relist:
      case Kind::restart:
      case Kind::connect:
      case Kind::notice:
      case Kind::grace:
      case Kind::deliver:
      case Kind::timeout:
      case Kind::release:
      case Kind::take_grant:
      case Kind::trust_orders:
      case Kind::decline_grant:
      case Kind::order:
      case Kind::stop_awaiting:
      case Kind::connect_worker:
      case Kind::notice_worker:
      case Kind::tell_worker:
      case Kind::tell_master: return false;
    }
    return false;
  });
}

}  // namespace fixkeep::model
