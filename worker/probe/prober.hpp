// Asks one game the questions of its probes with real sockets: drives a Watch.
//
// Usage: make one for each room when its ports are known. Call started() when its process is.
// Destroy it when the room ends.
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
// Whether a port is free before the start: port_is_taken() in socket_owner.hpp. Whether an SDK
// connection comes from the room: connection_is_of() there. Handlers are called from within the
// io_context or from within the calls below. They may destroy the Prober. Destruction ends
// everything under way silently.
// Fault model: as Watch; answers of other processes do not count (socket_owner.hpp).
// Thread rule: the io_context's one thread; no call blocks.
// Bounds: a descriptor and a few hundred bytes for each probe under way. Errors: in words.
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
  boost::asio::ip::address address = boost::asio::ip::address_v4::loopback();  // the game's address
  // All processes of the room that run now: the first one and its descendants wherever they are.
  // Empty: unknown, so every answer counts.
  std::function<Processes()> processes;
  // Runs a command beside the game and calls `done` once at any time after its end. Kills it after
  // the limit. Needed only for command probes.
  RunCommand run;
};

struct ProberHandlers {
  std::function<void()> ready;
  std::function<void(const std::string& reason)> unhealthy;        // once, as the last call
  std::function<void(const PlayerCount&)> players;                 // called after each answer
  std::function<void(const std::string& reason)> players_unknown;  // once, until it is known again
};

class Prober {
 public:
  // REQUIRES: problem_of(options.plan, options.ports) is empty; all handlers.
  Prober(boost::asio::io_context& context, ProberOptions options, ProberHandlers handlers);
  ~Prober();
  Prober(const Prober&) = delete;
  Prober& operator=(const Prober&) = delete;

  void started();  // the process runs; for a game that was ready before:
  void found_ready();
  void said_ready();  // through the SDK
  void line(std::string_view text);

  // Says what readiness still waits for; empty: nothing.
  [[nodiscard]] std::string why_not_ready();

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace fixkeep::probe
