// A Prober runs the probes of one game with real sockets, by driving a Watch.
//
// Usage: make a Prober for each room when the room's ports are known. Call started() when the
// room's process has started. Destroy the Prober when the room ends.
//
//   probe::Prober prober{context,
//                        {.room = "w1-1-7",
//                         .plan = plan,  // problem_of(plan, ports) was empty
//                         .ports = {{"game", 20001}, {"query", 20002}},
//                         .processes = [=] { return keeper.processes(); },
//                         .run = [=](command, limit, done) { keeper.run(command, limit, done); }},
//                        {.ready = …, .unhealthy = …, .players = …, .players_unknown = …}};
//   prober.started();
//   prober.line("Server started");  // what the game prints, as it comes
//   if (boot_timeout_is_over) close_room(prober.why_not_ready());
//
// socket_owner.hpp has further checks: port_is_taken() before the start, and connection_is_of() for
// a connection to the SDK. Handlers are called from within the io_context or from within the calls
// below. Handlers may destroy the Prober. The destructor cancels all tries without further calls.
// Fault model: that of Watch; answers from other processes do not count (socket_owner.hpp).
// Thread rule: the io_context's one thread; no call blocks.
// Bounds: a descriptor and a few hundred bytes for each open try. Errors: as text.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "worker/probe/attempt.hpp"
#include "worker/probe/core/watch.hpp"

namespace fixkeep::probe {

struct ProberOptions {
  std::string room;  // name for the log
  ProbePlan plan;
  Ports ports;
  boost::asio::ip::address address = boost::asio::ip::address_v4::loopback();
  // Returns all running processes of the room: the first process and all its descendants. If the
  // function is empty, the processes are unknown and every answer counts.
  std::function<Processes()> processes;
  // Runs a command beside the game, kills the command at the time limit, and calls `done` one time
  // after the command's end. Needed only for command probes.
  RunCommand run;
};

struct ProberHandlers {
  std::function<void()> ready;
  std::function<void(const std::string& reason)> unhealthy;        // at most once, as the last call
  std::function<void(const PlayerCount&)> players;                 // called after each answer
  std::function<void(const std::string& reason)> players_unknown;  // once until a count succeeds
};

class Prober {
 public:
  // REQUIRES: problem_of(options.plan, options.ports) is empty, and all handlers are set.
  Prober(boost::asio::io_context& context, ProberOptions options, ProberHandlers handlers);
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  void started();      // call it when the process runs
  void found_ready();  // call it instead of started() if the game was ready before
  void said_ready();   // call it when the game reports ready through the SDK
  void line(std::string_view text);

  // Describes the probes that must still succeed before the game is ready; empty: none.
  [[nodiscard]] std::string why_not_ready();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::probe
