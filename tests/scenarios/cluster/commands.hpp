// The commands of scenarios: words to what happens in a World.
// Thread rule: one owner. Errors: ScenarioError.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/scenarios/cluster/words.hpp"
#include "tests/scenarios/cluster/world.hpp"

namespace fixkeep::scenarios {

struct Counter {
  std::string_view name;
  std::uint64_t master::MasterCounters::*member;
};

class Commands {
 public:
  // `some` delivers the first so many messages of those that are on their way.
  explicit Commands(int some) : some_(some) {}

  void perform(Words& words);
  [[nodiscard]] World& world() { return world_; }
  [[nodiscard]] bool may_deliver_more() const { return more_; }

 private:
  bool set_up(const std::string& command, Words& words);
  bool of_clients(const std::string& command, Words& words);
  bool of_the_lock(const std::string& command, Words& words);
  bool of_links(const std::string& command, Words& words);
  bool of_time(const std::string& command, Words& words);
  bool of_workers(const std::string& command, Words& words);
  bool looking(const std::string& command, Words& words);
  void node(const std::string& name, Words& words);
  void played_worker(const std::string& name, const std::string& verb, Words& words);
  void room(const std::string& name, Words& words);
  void player(const std::string& name, const std::string& verb, Words& words);
  void add_masters(std::uint64_t count, Words& words);
  void add_worker(const std::string& name, Words& words);
  void add_mode(Words& words);
  void some();
  void counters(Words& words);
  [[nodiscard]] std::uint64_t sum_of(const Counter& counter);
  [[nodiscard]] std::string master_in(Words& words) const;  // the next word, or the first master

  int some_;
  bool more_ = false;
  World world_;
  std::vector<worker::ModeOptions> modes_{{ModeName{"duel"}}};
  std::map<std::string_view, std::uint64_t> counted_;
  std::uint64_t questions_ = 0;
};

}  // namespace fixkeep::scenarios
