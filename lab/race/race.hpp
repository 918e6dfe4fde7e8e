// Two clusters serve the same players in many rounds.
//
// In a round, the groups that the settings select start one after another. The players of a group
// send their requests within `spread_ms`. When all players have a seat, they play for a while, so
// that people can look at the page. Then they leave and the rooms close. The next round has groups
// with other names. Each group goes to both clusters together: the same players ask the same
// masters at the same times. A fault of a master happens to the same master in both clusters. New
// settings apply to the groups, orders and messages that begin after the change. While `running` is
// false, no group starts and no round ends.
//
// Thread rule: one io_context with one thread; destroyed before the io_context. Bounds: a round
// ends after `closing_limit` even if rooms do not close; players give up when their longest
// wait is over. Errors: failure() in words; then run() ends.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "lab/race/contestant.hpp"
#include "lab/race/options.hpp"
#include "lab/race/state.hpp"

namespace fixkeep::client_sim {

class Race {
 public:
  // Ends the cluster on this side, if there is one, and starts a cluster with the lock. Blocks
  // until it is ready. Returns the failure in words.
  using Start = std::function<std::variant<std::unique_ptr<Contestant>, std::string>(
      std::size_t side, const std::string& lock)>;

  // REQUIRES: complete_race_options() was called for `options`; `contestants` have the locks of the
  // settings.
  Race(boost::asio::io_context& context, const RaceOptions& options,
       std::vector<std::unique_ptr<Contestant>> contestants, Start start);

  // Runs the number of rounds that the options name; ends earlier if there is a failure.
  [[nodiscard]] boost::asio::awaitable<void> run();

  // Applies the settings to both clusters before it returns.
  void change(const RaceSettings& settings);

  [[nodiscard]] const RaceSettings& settings() const { return settings_; }
  [[nodiscard]] RaceState state() const;
  // The state as JSON, after the last sweep or change; empty before run().
  [[nodiscard]] const std::string& state_text() const { return state_text_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  boost::asio::awaitable<void> play_rounds();
  boost::asio::awaitable<void> fill();
  boost::asio::awaitable<void> watch();
  boost::asio::awaitable<void> sleep();
  void send(std::size_t lane);
  void look_for_ended_processes();
  void change_locks();
  [[nodiscard]] bool may_send() const;
  [[nodiscard]] bool all_decided() const;
  [[nodiscard]] bool all_rooms_closed() const;

  boost::asio::io_context& context_;
  RaceOptions options_;
  RaceSettings settings_;
  std::vector<std::unique_ptr<Contestant>> contestants_;
  std::uint64_t round_ = 0;
  RaceStage stage_ = RaceStage::filling;
  std::string state_text_;
  std::string failure_;
  Start start_;
  std::vector<std::string> locks_;  // the locks of the running clusters
  bool between_rounds_ = false;     // watch() may replace a contestant
  bool over_ = false;
};

}  // namespace fixkeep::client_sim
