// Figures of locks that were never measured (figures.txt): tables and JSON.
#include "lab/locks/figures.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "client-sim/report/run_json.hpp"
#include "tests/support/report_texts.hpp"
#include "tests/support/scripts.hpp"

namespace fixkeep::client_sim {
namespace {

using support::Words;

RunResult burst(const std::string& lock) {
  RunResult run;
  run.lock = lock;
  run.players = run.verdict.seated = 3;
  run.seed = 1;
  run.verdict.ideal_rooms = run.verdict.rooms = 2;
  run.verdict.match_times = {510, 520, 530};
  return run;
}

LockFigures a_lock(const std::string& name) {
  LockFigures figures;
  figures.lock = name;
  for (const double speed : {1.0, 3.0, 2.0}) {
    figures.uncontended.push_back({.p50_us = 30 * speed,
                                   .p99_us = 60 * speed,
                                   .round_trip_us = 20 * speed,
                                   .round_trip_all_us = 25 * speed,
                                   .messages = 6,
                                   .bytes = 276});
    ContendedRound contended;
    contended.per_second = 12'345 * speed;
    contended.longest_overtaking = static_cast<std::uint64_t>(10 * speed);
    contended.fairness = 1;
    figures.one_key.push_back(contended);
    figures.many_keys.push_back(contended);
  }
  figures.killed.without_holder_ms = {1, 5, 2};
  figures.vanished.without_holder_ms = {600, 800, 700};
  figures.cut.without_holder_ms = {1800, 1700, 1600};
  return figures;
}

// run LOCK FIGURE=VALUE…    one more run of the burst
// lock NAME FIGURE=VALUE…   the figures of a lock
class Locks : public support::ScriptDriver {
 public:
  std::string run(std::string_view line) override {
    Words words{line};
    const auto what = words.next();
    if (what == "run") {
      runs_.push_back(burst(words.next()));
      while (!words.done()) set(runs_.back(), words.next());
      return {};
    }
    if (what == "lock") {
      locks_.push_back(a_lock(words.next()));
      while (!words.done()) set(locks_.back(), words.next());
      return {};
    }
    if (what == "costs") return support::of_table(lock_cost_table(locks_), words);
    if (what == "contention") return support::of_table(lock_contention_table(locks_), words);
    if (what == "failures") return support::of_table(lock_failure_table(locks_, runs_), words);
    if (what == "faults") return support::lines(faults_of(locks_.back()));
    if (what == "json") {
      return support::at_pointers(
          nlohmann::json::parse(to_json(report_origin("locks"), locks_, runs_)), words.rest());
    }
    return "no such command";
  }

 private:
  static void set(RunResult& run, const std::string& word) {
    const auto name = word.substr(0, word.find('='));
    const auto value = word.substr(word.find('=') + 1);
    if (name == "rooms") run.verdict.rooms = std::stoull(value);
    if (name == "duplicates") run.verdict.duplicate_rooms = std::stoull(value);
    if (name == "times") run.verdict.match_times.assign(3, std::stod(value));
  }

  static void set(LockFigures& lock, const std::string& word) {
    const auto name = word.substr(0, word.find('='));
    const auto value = static_cast<std::uint64_t>(std::stoull(word.substr(word.find('=') + 1)));
    if (name == "double-holders") lock.one_key[0].double_holders = value;
    if (name == "tokens-fell") lock.many_keys[0].tokens_fell = value;
    if (name == "before-kill") lock.granted_before_kill = value;
    if (name == "two-believe") lock.two_believers = value;
    if (name == "unfenced") lock.unfenced_believers = value;
    if (name == "leader") lock.leader.without_holder_ms = {static_cast<double>(value)};
    if (name == "never") lock.killed.never_granted = value;
    if (name == "never-vanished") lock.vanished.never_granted = value;
    if (name == "without-holder")
      lock.killed.without_holder_ms.assign(value == 0 ? 0 : 1, static_cast<double>(value));
    if (name == "rounds" && value == 0) lock = {.lock = lock.lock};
  }

  std::vector<RunResult> runs_;
  std::vector<LockFigures> locks_;
};

const bool locks = support::register_scripts("tests/unit/lab/locks/figures.txt",
                                             [] { return std::make_unique<Locks>(); });

TEST(LockFigures, are_medians_over_the_rounds_and_ratios_of_the_same_round) {
  const auto summary = summarise(a_lock("x"));
  EXPECT_EQ(summary.uncontended->p50_us, 60);
  EXPECT_EQ(*summary.ratio, 1.5);
  EXPECT_DOUBLE_EQ(*summary.ratio_all, 1.2);
  EXPECT_EQ(summary.one_key->longest_overtaking, 30U) << "the worst, not the median";
}

}  // namespace
}  // namespace fixkeep::client_sim
