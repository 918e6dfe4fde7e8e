// A real master of a scenario: a Matchmaker whose locks the scenario keeps, or a whole MasterCore
// with its own. Thread rule: one owner. Errors: ScenarioError for what a Matchmaker is not told.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "master/core/master_core.hpp"
#include "master/core/matchmaker.hpp"

namespace fixkeep::scenarios {

struct MasterPlan {
  master::MatchmakerOptions options;
  std::string strategy;  // of its own locks; empty: the scenario keeps them
  std::vector<MasterId> peers;
};

class MasterNode {
 public:
  MasterNode(const MasterPlan& plan, TimePoint now);

  void step(master::Event&& event, TimePoint now, master::Matchmaker::Output out);
  void stop(TimePoint now, master::Matchmaker::Output out);
  void held_up(Duration late) {
    std::visit([&](auto& core) { core.held_up(late); }, core_);
  }

  [[nodiscard]] bool whole() const { return std::holds_alternative<master::MasterCore>(core_); }
  [[nodiscard]] master::Matchmaker& matchmaker();  // REQUIRES: not whole
  [[nodiscard]] TimePoint next_tick() const {
    return std::visit([](const auto& core) { return core.next_tick(); }, core_);
  }
  [[nodiscard]] std::size_t waiting() const {
    return std::visit([](const auto& core) { return core.waiting(); }, core_);
  }
  [[nodiscard]] std::size_t groups() const;        // 0 if it is whole: nobody can say
  [[nodiscard]] events::Happenings take_events();  // REQUIRES: whole
  [[nodiscard]] const master::Directory& directory() const {
    return std::visit(
        [](const auto& core) -> const auto& { return core.directory(); }, core_);
  }
  [[nodiscard]] const master::MasterCounters& counters() const {
    return std::visit(
        [](const auto& core) -> const auto& { return core.counters(); }, core_);
  }

 private:
  std::variant<master::Matchmaker, master::MasterCore> core_;
};

}  // namespace fixkeep::scenarios
