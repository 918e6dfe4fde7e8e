// A participant, driven over standard input and output with one JSON object per line.
//
// Input: commands.hpp. Output:
//   {"event":"ready"}                  once: grants are possible, every peer is linked or the join
//                                      grace is over
//   {"event":"peer","peer":2,"up":true}
//   {"event":"granted","key":K,"token":[counter,master],"needs_fence":B,"bytes":B,"uncertain":B,
//    "wait_us":N,"at_us":T}            T: time by CLOCK_MONOTONIC
//   {"event":"lost","key":K,"reason":"wait_timeout"|"lease_timeout"|"engine_failure"}
//   {"answer":"acquire",…}             after each command, before the events that it causes; after
//                                      a measurement at its end
//   {"error":TEXT,"line":N}            instead of an answer: the command was not carried out
// The end of the input acts as "quit". An invalid line gets an error; the lock
// continues.
// Thread rule: the thread of the io_context. Bounds: a line of 64 KiB; the session ends at 64 MiB
// of unread output.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "lock/node/commands.hpp"
#include "lock/node/lines.hpp"
#include "lock/node/loop.hpp"
#include "lock/node/participant.hpp"

namespace fixkeep::lock_node {

class Session {
 public:
  // Owns the descriptors. Call start() before the io_context runs.
  Session(boost::asio::io_context& context, int input, int output);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Errors: see Participant::start().
  [[nodiscard]] Result<> start(NodeOptions options);

 private:
  using Answer = nlohmann::ordered_json;

  void read();
  void take_line(std::string_view line, bool whole);
  void perform(const Request& request);
  // One overload per command. It answers, refuses with a reason, or answers later.
  void run(const Request& request, const AcquireKey& command);
  void run(const Request& request, const AbandonKey& command);
  void run(const Request& request, const ReleaseKey& command);
  void run(const Request& request, const ShowStatus& command);
  void run(const Request& request, const ShowStatistics& command);
  void run(const Request& request, const CutPeer& command);
  void run(const Request& request, const HealPeer& command);
  void run(const Request& request, const MeasureEcho& command);
  void run(const Request& request, const MeasureUncontended& command);
  void run(const Request& request, const Contend& command);
  void run(const Request& request, const Quit& command);

  template <class Measurement, class... Arguments>
  void measure(const Request& request, Arguments&&... arguments);
  void loop_ended(const Request& request, const nlohmann::json& found, const std::string& failure);
  void quit();

  void answer(const Request& request, Answer more = Answer::object());
  void refuse(const nlohmann::json& id, const std::string& why);
  void say(const Answer& line);
  void write();

  ParticipantHandlers participant_handlers();
  void granted(const lock::KeyGranted& grant);
  [[nodiscard]] bool is_peer(MasterId peer) const;

  boost::asio::io_context& context_;
  boost::asio::posix::stream_descriptor input_;
  boost::asio::posix::stream_descriptor output_;
  std::array<char, 16'384> chunk_{};
  Lines lines_;
  std::uint64_t line_number_ = 0;
  std::string pending_;
  std::string in_flight_;
  bool writing_ = false;
  bool ending_ = false;
  std::unique_ptr<Participant> participant_;
  std::map<GroupKey, TimePoint> asked_;  // keys that a command is waiting for
  std::shared_ptr<Loop> loop_;           // the running measurement
};

}  // namespace fixkeep::lock_node
