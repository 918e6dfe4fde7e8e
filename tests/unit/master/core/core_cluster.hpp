// Whole masters (MasterCore, with their real locks) and real RoomHosts in one process, for tests:
// every message goes through the codec and one ordered queue; the clock moves from timer to timer.
//
// Thread rule: one owner. Errors: test failures. Bounds: steps between two quiet moments, and ticks
// within one pass(), are limited.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "master/core/master_core.hpp"
#include "worker/core/room_host.hpp"

namespace fixkeep::master {

class CoreCluster {
 public:
  // One worker for each limit of rooms. All are connected and joined, and wait for nobody.
  CoreCluster(int masters, const std::vector<std::uint32_t>& workers, std::string strategy,
              std::vector<WarmMode> warm = {});

  // Connected to every master that runs, but to no worker yet.
  void start_master(int m);
  void connect_workers(int m);
  void crash_master(int m);

  void match(int m, const std::string& player, const std::string& group = "g");
  void run();                // until nothing is under way
  void pass(Duration time);  // and all that happens meanwhile

  [[nodiscard]] std::size_t rooms_on(int w) const { return hosts_.at(w)->rooms().size(); }
  [[nodiscard]] std::size_t rooms_of(const GroupKey& group) const;  // on all workers
  [[nodiscard]] const MasterCore& master(int m) const { return *masters_.at(m); }
  [[nodiscard]] MasterCounters counters() const;  // of all masters that run: fences and refusals

  TimePoint now{std::chrono::seconds{1000}};
  std::set<GroupKey> arrive;        // groups whose players come for good; others let seats lapse
  std::vector<CreationId> created;  // in the order of the rooms' births
  std::size_t seated = 0;
  std::size_t refused = 0;

 private:
  // What is under way to a master that crashes is lost with it.
  void to_master(int m, Event event);
  void to_host(int w, worker::Event event);
  void perform(int m, Action& action);
  void perform(int w, worker::Action& action);

  int size_;
  std::string strategy_;
  std::vector<WarmMode> warm_;
  std::uint64_t incarnations_ = 100;
  std::uint64_t tickets_ = 0;
  std::map<int, std::unique_ptr<MasterCore>> masters_;
  std::map<int, std::unique_ptr<worker::RoomHost>> hosts_;
  std::deque<std::function<void()>> queue_;
};

}  // namespace fixkeep::master
