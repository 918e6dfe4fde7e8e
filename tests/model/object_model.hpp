// ObjectModel is one object of an engine with everything that can happen to it: the production
// ObjectLife, and around it an engine that loses answers before or after it has obeyed, obeys late,
// refuses, and tells news early, late or never; a hook, of which only lists are believed; a fleet,
// which answers when it has news; others
// that remove the object or take its name; a game that ends by itself; a worker that is killed.
//
// The checker has its own idea of what the life has to do (header of object_life.hpp). A timer may
// be late, but not by the time of another one. Thread rule: a value. Bounds: ObjectBudget. Errors:
// none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/model/explore.hpp"
#include "worker/runner/engine/object_life.hpp"

namespace fixkeep::model {

struct ObjectBudget {
  bool starts_by_itself = false;  // as a pod; else as a container, which has to be started
  bool by_hook = false;   // as a hook's: one call makes and starts it, and none tells its end
  bool of_fleet = false;  // as a fleet's server: taken and given back by others than the life
  bool adopted = false;   // an earlier run of the worker has ordered it
  int faults = 0;         // answers that are lost, refused or late
  int strangers = 0;      // others remove it, or take its name
  int restarts = 0;       // of the worker
};

class ObjectModel {
 public:
  explicit ObjectModel(const ObjectBudget& budget);

  void steps(std::vector<Step>& out) const;
  void take(Step step);
  [[nodiscard]] std::optional<std::string> violation(const std::vector<Step>& steps) const;
  void append_bytes(std::string& out) const;
  [[nodiscard]] static std::string describe(Step step);

 private:
  enum class There : std::uint8_t { nothing, made, waiting, running, ended, foreign };

  [[nodiscard]] worker::engine::ObjectLife new_life() const;
  [[nodiscard]] worker::engine::Sight sight() const;
  [[nodiscard]] bool is_ours() const {
    return there_ != There::nothing && there_ != There::foreign;
  }
  void perform(const worker::engine::Step& step);
  void answer(Step how);
  worker::engine::Answer obey(const worker::engine::Call& call);
  worker::engine::Answer make();
  [[nodiscard]] worker::engine::Answer obey_fleet(worker::engine::Ask ask);
  void check(bool holds, const char* otherwise);

  ObjectBudget left_;
  TimePoint now_{std::chrono::hours{1}};
  worker::engine::ObjectLife life_;
  const char* wrong_ = nullptr;

  // This is so at the engine.
  There there_ = There::nothing;
  std::uint8_t uid_ = 0;  // of the object that is there
  bool no_node_ = false;  // no node has room for it
  bool is_late_ = false;  // an order to make it is still to be carried out
  bool was_started_ = false;
  bool has_record_ = false;  // a hook's: the next look shows the record of it

  // The checker remembers this of the life.
  std::optional<worker::engine::Call> call_;
  bool was_lost_ = false;    // the last answer
  bool has_failed_ = false;  // it was a start that may have been obeyed all the same
  bool begun_ = false;
  bool ended_ = false;
  bool gone_ = false;
  bool wants_end_ = false;
  bool wants_kill_ = false;
};

}  // namespace fixkeep::model
