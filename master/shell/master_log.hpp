// MasterLog writes the lines and the spans of a master's work beside the match requests themselves:
// locks, orders, the rooms that came of them, and workers that are left out.
//
// What is rare is said at info, each once: a lock granted, a room ordered, an order refused, a room
// opened or failed. The asking for seats is frequent, and said at debug. Lines about an order name
// the request that was its cause.
// Thread rule: the master's thread. Bounds: one entry for each order that has no end yet, up to
// most_orders; 10 lines a second for refusals of one reason. Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/obs/log_limit.hpp"
#include "common/wire/messages.hpp"
#include "master/core/seam/events.hpp"
#include "master/http/match/match_spans.hpp"

namespace fixkeep::master {

class MasterLog {
 public:
  // An order has a span, child of that of its cause, from its sending to the opening of its room.
  explicit MasterLog(SpanOptions spans) : spans_(std::move(spans)), ids_(spans_.seed) {}

  static constexpr std::size_t most_orders = 10'000;  // of one worker; beyond it none is noted

  static void taken(const LockTaken& lock);
  static void lock_server(std::string_view strategy, bool ready);
  void sends(const SendToWorker& action, TimePoint now);
  // Before the core steps it.
  void happened(const Event& event, TimePoint now);

  static void quarantined(const Quarantine::Stay& stay, TimePoint now);
  static void tried_again(const Quarantine::Stay& stay);

 private:
  struct Order {
    GroupKey group;
    CreationId creation;
    wire::RequestContext cause;
    TimePoint since;
    RoomId room;  // once the worker has made it
  };
  struct OfWorker {
    Incarnation incarnation;
    std::map<std::uint64_t, Order> asked;  // by request
    std::map<RoomNumber, Order> starting;
  };

  void ordered(const WorkerId& worker, const wire::SpawnRoom& message, TimePoint now);
  static void asked(const WorkerId& worker, Incarnation run, const wire::SeatRequest& message);
  void said(const WorkerId& worker, const wire::Report& report, TimePoint now);
  void answered(const WorkerId& worker, const wire::SpawnReply& reply, TimePoint now);
  void room_changed(OfWorker& of, RoomNumber room, wire::RoomPhase phase, wire::CloseReason reason,
                    TimePoint now);
  void gone(const WorkerId& worker);
  // `outcome`: "opened", "given", or why there is no room.
  void trace(const Order& order, const WorkerId& worker, std::string_view outcome, bool failed,
             TimePoint now);

  SpanOptions spans_;
  obs::SpanIds ids_;
  std::map<WorkerId, OfWorker> workers_;
  obs::LogLimit refusals_{{.burst = 10}};
};

}  // namespace fixkeep::master
