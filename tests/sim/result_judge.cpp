#include "tests/sim/result_judge.hpp"

#include <fmt/format.h>

#include <variant>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {

void ResultJudge::worker_takes(const WorkerNode& worker, const worker::Event& event) {
  const auto* const said = std::get_if<worker::ResultSaid>(&event);
  if (said == nullptr) return;
  const RoomId room{worker.id, worker.incarnation, said->room};
  asked_.insert_or_assign({worker.id, said->question}, std::pair{room, said->value});
}

void ResultJudge::answered(const WorkerNode& worker, const worker::AnswerResult& answer) {
  const auto& [room, value] = asked_.at({worker.id, answer.question});
  const auto known = results_.find(room);
  if (answer.answer == ResultAnswer::kept) {
    counts(room, value, true);
  } else if (known != results_.end() && known->second.value == value) {
    throw Violation::safety("the result of " + to_string(room) + " is refused when it is repeated");
  }
}

void ResultJudge::counts(const RoomId& room, const std::string& value, bool answered) {
  Truth& truth = results_.try_emplace(room, Truth{value}).first->second;
  truth.answered = truth.answered || answered;
  if (truth.value == value) return;
  throw Violation::safety(
      fmt::format("{} has two results: {} and {}", to_string(room), truth.value, value));
}

void ResultJudge::master_stepped(const MasterNode& master, const master::Actions& actions) {
  for (const master::Action& action : actions) {
    if (const auto* const over = std::get_if<master::MatchOver>(&action)) hear(master, *over);
    const auto* const heard = std::get_if<master::ResultHeard>(&action);
    if (heard == nullptr) continue;
    counts(heard->room, heard->result.value, false);
    if (heard_.try_emplace({master.incarnation, heard->room}, heard->result.value).second) continue;
    throw Violation::safety(fmt::format("{} tells the result of {} twice", to_string(master.id),
                                        to_string(heard->room)));
  }
}

void ResultJudge::hear(const MasterNode& master, const master::MatchOver& over) {
  const auto [end, fresh] = ends_.try_emplace(over.room, over.result.value);
  if (end->second != over.result.value) {
    throw Violation::safety("masters hear two ends of " + to_string(over.room));
  }
  if (ends_heard_.insert({master.incarnation, over.room}).second) return;
  throw Violation::safety(
      fmt::format("{} hears the end of {} twice", to_string(master.id), to_string(over.room)));
}

void ResultJudge::judge_end() const {
  for (const auto& [room, value] : ends_) {
    const WorkerNode* const worker = cluster_->find_worker(room);
    if (worker == nullptr || !worker->core) continue;
    for (const auto& master : cluster_->masters()) {
      if (ends_heard_.contains({master->incarnation, room})) continue;
      throw Violation::liveness(fmt::format("{} does not know the end of the match in {}",
                                            to_string(master->id), to_string(room)));
    }
  }
  for (const auto& [room, truth] : results_) {
    const WorkerNode* const worker = cluster_->find_worker(room);
    if (!truth.answered || worker == nullptr || !worker->core) continue;
    for (const auto& master : cluster_->masters()) {
      if (heard_.contains({master->incarnation, room})) continue;
      throw Violation::liveness(
          fmt::format("{} does not know the result of {}", to_string(master->id), to_string(room)));
    }
  }
}

}  // namespace fixkeep::sim
