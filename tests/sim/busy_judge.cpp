#include "tests/sim/busy_judge.hpp"

#include <fmt/format.h>

#include <string>

#include "master/core/groups/questions.hpp"
#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

// What a worker says that ends a room which has done nothing wrong.
const char* broken_by(wire::CloseReason reason) {
  switch (reason) {
    case wire::CloseReason::boot_failed: return "a failed boot";
    case wire::CloseReason::boot_timeout: return "a boot that takes too long";
    case wire::CloseReason::crashed: return "a crash";
    case wire::CloseReason::unhealthy: return "silence";
    case wire::CloseReason::shut_down: return "its own shutdown";
    case wire::CloseReason::none:
    case wire::CloseReason::empty:
    case wire::CloseReason::drained:
    case wire::CloseReason::stopping: return nullptr;
  }
  return nullptr;
}

void judge_end(const WorkerNode& worker, RoomNumber room, wire::CloseReason reason) {
  const char* const why = broken_by(reason);
  if (why == nullptr) return;
  throw Violation::safety(fmt::format("{} #{} is ended for {}, and is only late", worker.id.text(),
                                      room.number(), why));
}

}  // namespace

void BusyJudge::master_takes(const MasterNode& master, const master::Event& event) const {
  if (!options_.merely_busy() || !options_.checks.left_out) return;
  std::string peer;
  if (const auto* const gone = std::get_if<master::WorkerDisconnected>(&event)) {
    peer = gone->worker.text();
  } else if (const auto* const lost = std::get_if<master::PeerDisconnected>(&event)) {
    peer = to_string(lost->peer);
  } else {
    return;
  }
  throw Violation::safety(to_string(master.id) + " loses its link to " + peer +
                          ", which is only late");
}

void BusyJudge::master_stepped(const MasterNode& master, const master::Actions& actions) {
  if (!options_.busy.on() || !options_.checks.left_out) return;
  for (const master::Action& action : actions) {
    const auto* const out = std::get_if<master::WorkerQuarantined>(&action);
    if (out != nullptr && options_.merely_busy()) {
      throw Violation::safety(fmt::format("{} leaves out {}, which {} and is only late",
                                          to_string(master.id), out->stay.worker.text(),
                                          to_string(out->stay.misdeed)));
    }
    if (out != nullptr) left_out_.emplace(master.id, out->stay.worker);
    // Without a misdeed it is to connect anew, since its time is over.
    const auto* const close = std::get_if<master::CloseWorkerLink>(&action);
    if (close == nullptr || !close->misdeed || is_due(master, *close)) continue;
    judge_close(master, *close);
  }
}

// Both may be late beyond what a master bears of a worker that is new to it, and it bears less of
// one that it had left out before. Where the mesh is split, a worker has to refuse the promises of
// one holder for another.
bool BusyJudge::is_due(const MasterNode& master, const master::CloseWorkerLink& close) const {
  if (options_.merely_busy()) return false;
  if (close.misdeed == master::Misdeed::refuses_promises) return options_.faults.in_masters();
  const Duration reply = options_.master_config(master.id.number() - 1U).worker_reply;
  const bool slower_than_borne =
      options_.longest_question() > master::Questions::patience * reply ||
      left_out_.contains({master.id, close.worker});
  return close.misdeed == master::Misdeed::silent && slower_than_borne;
}

void BusyJudge::judge_close(const MasterNode& master, const master::CloseWorkerLink& close) const {
  for (const auto& worker : cluster_->workers()) {
    if (worker->id != close.worker || !worker->inbox.responsive()) continue;
    // What it has answered since it woke may be on its way.
    if (scheduler_.now() < worker->inbox.woke_at() + options_.longest_question()) continue;
    if (cluster_->network().sound_since(master.node, worker->node) == never) continue;
    // A master that is late may mean a link that has ended, and has yet to hear of that.
    const auto link = master.queue.links().of(net::Role::worker, worker->id.text());
    if (!cluster_->network().up(master.node, worker->node, link)) continue;
    throw Violation::safety(fmt::format("{} gives up on {}, which {} and is only late",
                                        to_string(master.id), worker->id.text(),
                                        to_string(*close.misdeed)));
  }
}

void BusyJudge::worker_stepped(const WorkerNode& worker, const worker::Actions& actions) const {
  if (!options_.merely_busy() || !options_.checks.patience) return;
  for (const worker::Action& action : actions) {
    if (const auto* const signal = std::get_if<worker::SignalProcess>(&action)) {
      judge_end(worker, signal->room, signal->reason);
    } else if (const auto* const kill = std::get_if<worker::KillProcess>(&action)) {
      judge_end(worker, kill->room, kill->reason);
    }
  }
}

}  // namespace fixkeep::sim
