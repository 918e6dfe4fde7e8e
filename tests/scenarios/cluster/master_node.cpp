#include "tests/scenarios/cluster/master_node.hpp"

#include "tests/scenarios/cluster/words.hpp"

namespace fixkeep::scenarios {
namespace {

master::MasterOptions whole_options(const MasterPlan& plan) {
  const master::MatchmakerOptions& from = plan.options;
  master::MasterOptions options;
  options.self = options.locks.self = from.self;
  options.incarnation = from.incarnation;
  options.locks.strategy = plan.strategy;
  options.locks.peers = plan.peers;
  options.placement = from.placement;
  options.worker_reply = from.worker_reply;
  options.await_workers = from.await_workers;
  options.out_of_sight = from.out_of_sight;
  options.room_start = from.room_start;
  options.spawn_attempts = from.spawn_attempts;
  options.warm = from.warm;
  options.record_events = true;
  return options;
}

struct Tell {
  master::Matchmaker& matchmaker;
  TimePoint now;
  master::Matchmaker::Output out;

  void operator()(master::MatchRequested&& event) const {
    matchmaker.match_requested(std::move(event), now, out);
  }
  void operator()(master::RequestCancelled&& event) const {
    matchmaker.cancelled(event.ticket, now, out);
  }
  void operator()(master::SeatLeft&& event) const {
    matchmaker.seat_left(event.room, event.player, now, out);
  }
  void operator()(master::WorkerConnected&& event) const {
    matchmaker.worker_connected(event.worker, event.incarnation, now, out);
  }
  void operator()(master::WorkerDisconnected&& event) const {
    matchmaker.worker_disconnected(event.worker, now, out);
  }
  void operator()(master::WorkerSaid&& event) const {
    matchmaker.worker_said(event.worker, std::move(event.message), now, out);
  }
  void operator()(master::TimePassed&&) const { matchmaker.time_passed(now, out); }
  template <class OfTheMesh>
  void operator()(OfTheMesh&&) const {
    throw ScenarioError("only masters with locks of their own have peers");
  }
};

}  // namespace

MasterNode::MasterNode(const MasterPlan& plan, TimePoint now)
    : core_(plan.strategy.empty()
                ? std::variant<master::Matchmaker, master::MasterCore>{std::in_place_index<0>,
                                                                       plan.options, now}
                : std::variant<master::Matchmaker, master::MasterCore>{std::in_place_index<1>,
                                                                       whole_options(plan), now}) {
  if (auto* matchmaker = std::get_if<0>(&core_)) matchmaker->set_unjoined({});
}

void MasterNode::step(master::Event&& event, TimePoint now, master::Matchmaker::Output out) {
  if (auto* core = std::get_if<1>(&core_)) {
    core->step(std::move(event), now, out.actions);
    return;
  }
  std::visit([&](auto& each) { Tell{matchmaker(), now, out}(std::move(each)); }, event);
}

void MasterNode::stop(TimePoint now, master::Matchmaker::Output out) {
  if (auto* core = std::get_if<1>(&core_)) {
    core->stop(now, out.actions);
  } else {
    matchmaker().stop(now, out);
  }
}

master::Matchmaker& MasterNode::matchmaker() {
  require(!whole(), "the locks of this master are its own");
  return std::get<0>(core_);
}

events::Happenings MasterNode::take_events() {
  require(whole(), "only masters with locks of their own record events");
  return std::get<1>(core_).take_events();
}

std::size_t MasterNode::groups() const {
  const auto* matchmaker = std::get_if<0>(&core_);
  return matchmaker == nullptr ? 0 : matchmaker->groups();
}

}  // namespace fixkeep::scenarios
