// Two clusters under the same players in many rounds.
//
// A round: the groups of the settings come one after the other and their players ask within
// `spread_ms`. When all have a seat they play for a while to be looked at. Then they leave and the
// rooms close. The next round has groups with other names. Each group goes to both clusters at
// once: the same players ask the same masters at the same times. A change of the settings acts on
// the next group, order or message. While `running` is false no further group comes and no round
// ends.
//
// Thread rule: one io_context with one thread; destroyed before the io_context. Bounds: a round
// ends after `closing_limit` even if rooms do not close; a player gives up by itself. Errors:
// failure() in words; run() ends then.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>
#include <vector>

#include "lab/race/contestant.hpp"
#include "lab/race/options.hpp"
#include "lab/race/state.hpp"

namespace fixkeep::client_sim {

class Race {
 public:
  // REQUIRES: complete_race_options() of the options.
  Race(boost::asio::io_context& context, const RaceOptions& options,
       std::vector<std::unique_ptr<Contestant>> contestants);

  // Ends when the rounds of the options are over or with a failure.
  [[nodiscard]] boost::asio::awaitable<void> run();

  // Acts on both clusters before it returns.
  void change(const RaceSettings& settings);

  [[nodiscard]] const RaceSettings& settings() const { return settings_; }
  [[nodiscard]] RaceState state() const;
  // The same as JSON after the last sweep or change; empty before run().
  [[nodiscard]] const std::string& state_text() const { return state_text_; }
  [[nodiscard]] const std::string& failure() const { return failure_; }

 private:
  boost::asio::awaitable<void> play_rounds();
  boost::asio::awaitable<void> fill();
  boost::asio::awaitable<void> watch();
  boost::asio::awaitable<void> sleep();
  void send(std::size_t lane);
  void look_for_ended_processes();
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
  bool over_ = false;
};

}  // namespace fixkeep::client_sim
