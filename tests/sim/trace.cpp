#include "tests/sim/trace.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "tests/sim/violation.hpp"

namespace fixkeep::sim {
namespace {

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

std::string names(const std::vector<PlayerId>& players) {
  std::string out;
  for (const PlayerId& player : players) out += " " + player.text();
  return out;
}

std::string names(const std::vector<wire::Claim>& claims) {
  std::string out;
  for (const wire::Claim& claim : claims) out += " " + claim.player.text();
  return out;
}

struct DescribeMessage {
  std::string operator()(const wire::WorkerState& m) const {
    return text("WorkerState rooms=", m.rooms.size(), " headroom=", m.headroom,
                " paused=", m.modes.paused.size());
  }
  std::string operator()(const wire::RoomsChanged& m) const {
    std::string out = text("RoomsChanged opened=", m.opened.size());
    if (m.modes) out += text(" paused=", m.modes->paused.size());
    for (const auto& room : m.opened) {
      out +=
          text(" #", room.number.number(), ' ', room.group.text(), " seats=", room.players.size());
    }
    for (const auto& change : m.changed) {
      out += text(" #", change.number.number(), " phase=", static_cast<int>(change.phase), " +",
                  change.seated.size(), " -", change.left.size());
    }
    for (const auto& result : m.results) {
      out += text(" #", result.room.number(), '=', result.value);
    }
    return out;
  }
  std::string operator()(const wire::SeatReply& m) const {
    return text("SeatReply ", m.request, " #", m.room.number(),
                " phase=", static_cast<int>(m.phase), " granted=", m.granted.size(),
                " seated=", m.seated.size());
  }
  std::string operator()(const wire::PrepareReply& m) const {
    return text("PrepareReply ", m.request, ' ', m.group.text(), m.promised ? " yes" : " no",
                " highest=", text_of(m.highest), " rooms=", m.rooms.size());
  }
  std::string operator()(const wire::SpawnReply& m) const {
    return text("SpawnReply ", m.request, " outcome=", static_cast<int>(m.outcome),
                " highest=", text_of(m.highest), " #", m.room.number.number(),
                " granted=", m.granted.size());
  }
  std::string operator()(const wire::SeatsReleased& m) const {
    return text("SeatsReleased ", m.request);
  }
  std::string operator()(const wire::SeatRequest& m) const {
    return text("SeatRequest ", m.request, " #", m.room.number(), names(m.claims));
  }
  std::string operator()(const wire::ReleaseSeats& m) const {
    return text("ReleaseSeats ", m.request, " #", m.room.number(), names(m.players),
                " r=", m.reservation.number(), " own=", m.own_after.number(), "..",
                m.own_up_to.number());
  }
  std::string operator()(const wire::PrepareSpawn& m) const {
    return text("PrepareSpawn ", m.request, ' ', m.group.text(), " token=", text_of(m.token));
  }
  std::string operator()(const wire::SpawnRoom& m) const {
    return text("SpawnRoom ", m.request, ' ', m.group.text(), ' ', to_string(m.creation),
                names(m.claims), m.only_warm ? " only warm" : "");
  }
  std::string operator()(const wire::KeepWarm& m) const {
    return text("KeepWarm pools=", m.pools.size());
  }
  std::string operator()(const wire::CloseWarmRoom& m) const {
    return text("CloseWarmRoom ", m.pool.text(), " #", m.room.number(), ' ', to_string(m.order));
  }
  std::string operator()(const lock::MeshMessage& m) const { return std::visit(*this, m); }
  std::string operator()(const lock::LockMessage& m) const {
    return text("LockMessage ", m.key.text(), " kind=", static_cast<int>(m.kind),
                " round=", m.round, " token=", text_of(m.token));
  }
  std::string operator()(const lock::MasterList& m) const {
    return text("MasterList masters=", m.masters.size());
  }
  std::string operator()(const wire::PoolMessage& m) const { return std::visit(*this, m); }
  std::string operator()(const wire::ModesKnown& m) const { return text("ModesKnown ", m.hash); }
  std::string operator()(const wire::Gather& m) const {
    return text("Gather ", m.pool.text(), " hold=", text_of(m.hold));
  }
  std::string operator()(const wire::ClaimsPart& m) const {
    return text("ClaimsPart ", m.pool.text(), " hold=", text_of(m.hold),
                " claims=", m.claims.size(), m.last ? "" : " and more");
  }
  std::string operator()(const wire::ClaimsSeated& m) const {
    return text("ClaimsSeated ", m.pool.text(), " hold=", text_of(m.hold), ' ', to_string(m.room),
                " claims=", m.claims.size());
  }
  std::string operator()(const wire::CloseLoan& m) const {
    return text("CloseLoan ", m.pool.text(), " hold=", text_of(m.hold), " passed=", m.passed.size(),
                m.again ? " again" : "");
  }
  std::string operator()(const lock::MeshHello& m) const {
    return text("MeshHello outstanding=", m.outstanding.size(), " workers=", m.workers.size());
  }
};

template <class Message>
std::string said(const Message& message) {
  return std::visit(DescribeMessage{}, message);
}

struct DescribeMasterEvent {
  std::string operator()(const master::MatchRequested& e) const {
    return text("MatchRequested t", e.ticket.number(), ' ', e.group.text(), ' ',
                e.claim.player.text(), " seats=", e.claim.seats());
  }
  std::string operator()(const master::RequestCancelled& e) const {
    return text("RequestCancelled t", e.ticket.number());
  }
  std::string operator()(const master::WhyAsked& e) const {
    return text("WhyAsked t", e.ticket.number());
  }
  std::string operator()(const master::SeatsLeft& e) const {
    return text(e.leaves_match ? "MatchLeft " : "SeatsLeft ", to_string(e.room), ' ',
                e.players.front().text());
  }
  std::string operator()(const master::WorkerConnected& e) const {
    return text("WorkerConnected ", e.worker.text());
  }
  std::string operator()(const master::WorkerDisconnected& e) const {
    return text("WorkerDisconnected ", e.worker.text());
  }
  std::string operator()(const master::WorkerSaid& e) const {
    return text(e.worker.text(), " said ", said(e.message));
  }
  std::string operator()(const master::PeerConnected& e) const {
    return text("PeerConnected ", to_string(e.peer));
  }
  std::string operator()(const master::PeerDisconnected& e) const {
    return text("PeerDisconnected ", to_string(e.peer));
  }
  std::string operator()(const master::PeerSaid& e) const {
    return text(to_string(e.peer), " said ", said(e.message));
  }
  std::string operator()(const master::EngineSaid& e) const {
    return text("EngineSaid ", e.group.text());
  }
  std::string operator()(const master::ModesRead& e) const {
    return text("ModesRead ", e.modes.hash);
  }
  std::string operator()(const master::MastersListed& e) const {
    return text("MastersListed others=", e.others.size());
  }
  std::string operator()(const master::EngineReady& e) const {
    return text("EngineReady ", e.ready);
  }
  std::string operator()(const master::TimePassed&) const { return "TimePassed"; }
};

struct DescribeMasterAction {
  std::string operator()(const master::SendToWorker& a) const {
    return text("-> ", a.worker.text(), ' ', said(a.message));
  }
  std::string operator()(const master::SendToPeer& a) const {
    return text("-> ", to_string(a.peer), ' ', said(a.message));
  }
  std::string operator()(const master::CloseWorkerLink& a) const {
    return text("CloseWorkerLink ", a.worker.text());
  }
  std::string operator()(const master::ModesInEffect&) const { return "ModesInEffect"; }
  std::string operator()(const master::LockTaken& a) const {
    return text("LockTaken ", a.group.text(), ' ', text_of(a.token));
  }
  std::string operator()(const master::OrderDone& a) const {
    return text("OrderDone ", to_string(a.creation), " how=", static_cast<int>(a.how));
  }
  std::string operator()(const master::WorkerQuarantined& a) const {
    return text("WorkerQuarantined ", a.stay.worker.text(), ' ', to_string(a.stay.misdeed));
  }
  std::string operator()(const master::Matched& a) const {
    return text("Matched t", a.ticket.number(), a.has_seats ? "" : " no more");
  }
  std::string operator()(const master::ResultHeard& a) const {
    return text("ResultHeard ", to_string(a.room), " ", a.result.value);
  }
  std::string operator()(const master::MatchOver& a) const {
    return text("MatchOver ", to_string(a.room), " ", a.result.value);
  }
  std::string operator()(const master::QuarantineEnded& a) const {
    return text("QuarantineEnded ", a.stay.worker.text());
  }
  std::string operator()(const master::ClosePeerLink& a) const {
    return text("ClosePeerLink ", to_string(a.peer));
  }
  std::string operator()(const master::Seated& a) const {
    return text("Seated t", a.ticket.number(), " in ", to_string(a.room));
  }
  std::string operator()(const master::SeatsGivenBack& a) const {
    return text("SeatsGivenBack t", a.ticket.number());
  }
  std::string operator()(const master::Refused& a) const {
    return text("Refused t", a.ticket.number(), " reason=", static_cast<int>(a.reason));
  }
  std::string operator()(const master::OrderEngine& a) const {
    return text("OrderEngine ", a.key.text());
  }
};

struct DescribeWorkerEvent {
  std::string operator()(const worker::MasterConnected& e) const {
    return text("MasterConnected ", to_string(e.master));
  }
  std::string operator()(const worker::MasterDisconnected& e) const {
    return text("MasterDisconnected ", to_string(e.master));
  }
  std::string operator()(const worker::MasterSaid& e) const {
    return text(to_string(e.master), " said ", said(e.message));
  }
  std::string operator()(const worker::RoomPlaced& e) const {
    return text("RoomPlaced #", e.room.number(), " port=", e.place.port());
  }
  std::string operator()(const worker::PlacesChanged& e) const {
    return text("PlacesChanged ", e.places ? std::to_string(*e.places) : "none", " after #",
                e.started.number());
  }
  std::string operator()(const worker::ProcessBegun& e) const {
    return text("ProcessBegun #", e.room.number());
  }
  std::string operator()(const worker::ProcessReady& e) const {
    return text("ProcessReady #", e.room.number());
  }
  std::string operator()(const worker::ProcessExited& e) const {
    return text("ProcessExited #", e.room.number(), ' ', e.how);
  }
  std::string operator()(const worker::GameHealthy& e) const {
    return text("GameHealthy #", e.room.number());
  }
  std::string operator()(const worker::ShutdownAsked& e) const {
    return text("ShutdownAsked #", e.room.number());
  }
  std::string operator()(const worker::PlayerArrived& e) const {
    return text("PlayerArrived #", e.room.number(), ' ', e.player.text());
  }
  std::string operator()(const worker::PlayerLeft& e) const {
    return text("PlayerLeft #", e.room.number(), ' ', e.player.text());
  }
  std::string operator()(const worker::NewcomersDecided& e) const {
    return text("NewcomersDecided #", e.room.number(), ' ', static_cast<int>(e.word));
  }
  std::string operator()(const worker::ResultSaid& e) const {
    return text("ResultSaid #", e.room.number(), ' ', e.value, " (", e.question, ')');
  }
  std::string operator()(const worker::PlayersCounted& e) const {
    return text("PlayersCounted #", e.room.number(), ' ', e.players);
  }
  std::string operator()(const worker::NotReady& e) const {
    return text("NotReady #", e.room.number(), ' ', e.why);
  }
  std::string operator()(const worker::GameSeen& e) const {
    return text("GameSeen #", e.room.number(), " waited=", e.waited.count());
  }
  std::string operator()(const worker::PlayersUnknown& e) const {
    return text("PlayersUnknown #", e.room.number());
  }
  std::string operator()(const worker::GameUnhealthy& e) const {
    return text("GameUnhealthy #", e.room.number(), ' ', e.why);
  }
  std::string operator()(const worker::DrainAsked& e) const {
    return text("DrainAsked #", e.room.number());
  }
  std::string operator()(const worker::DrainModeAsked& e) const {
    return text("DrainModeAsked ", e.mode.text());
  }
  std::string operator()(const worker::DrainAllAsked&) const { return "DrainAllAsked"; }
  std::string operator()(const worker::Recovered& e) const {
    return text("Recovered ", e.memory.rooms.size(), " rooms", e.complete ? "" : ", incomplete");
  }
  std::string operator()(const worker::ResumeModeAsked& e) const {
    return text("ResumeModeAsked ", e.mode.text());
  }
  std::string operator()(const worker::ResumeAllAsked&) const { return "ResumeAllAsked"; }
  std::string operator()(const worker::ModesChanged& e) const {
    return text("ModesChanged ", e.modes.size());
  }
  std::string operator()(const worker::StopAsked&) const { return "StopAsked"; }
  std::string operator()(const worker::TimePassed&) const { return "TimePassed"; }
  std::string operator()(const worker::BatchEnded&) const { return "BatchEnded"; }
};

struct DescribeWorkerAction {
  std::string operator()(const worker::SendToMaster& a) const {
    return text("-> ", to_string(a.master), ' ', said(a.message));
  }
  std::string operator()(const worker::StartProcess& a) const {
    return text("StartProcess #", a.room.number(), ' ', a.group.text(), ' ', to_string(a.creation));
  }
  std::string operator()(const worker::AdoptProcess& a) const {
    return text("AdoptProcess #", a.as.room.number(), ' ', a.as.group.text());
  }
  std::string operator()(const worker::RoomGiven& a) const {
    return text("RoomGiven #", a.room.number(), ' ', a.group.text(), ' ', to_string(a.creation));
  }
  std::string operator()(const worker::TellMatch& a) const {
    return text("TellMatch #", a.room.number(), " players=", a.match.players.size());
  }
  std::string operator()(const worker::NeverWarm& a) const {
    return text("NeverWarm ", a.mode.text());
  }
  std::string operator()(const worker::GroupRefused& a) const {
    return text("GroupRefused ", a.mode.text(), ' ', a.group.text(), ' ', a.why);
  }
  std::string operator()(const worker::SignalProcess& a) const {
    return text("SignalProcess #", a.room.number());
  }
  std::string operator()(const worker::KillProcess& a) const {
    return text("KillProcess #", a.room.number(), a.silence ? " silent" : "");
  }
  std::string operator()(const worker::LookAtGame& a) const {
    return text("LookAtGame #", a.room.number());
  }
  std::string operator()(const worker::AnswerResult& a) const {
    return text("AnswerResult ", a.question, " ", static_cast<int>(a.answer));
  }
  std::string operator()(const worker::AdmitPlayer& a) const {
    return text("AdmitPlayer ", a.question, a.admitted ? " yes" : " no");
  }
  std::string operator()(const worker::LogPause& a) const {
    return text("LogPause ", a.mode.text(), ' ', a.why);
  }
  std::string operator()(const worker::StoppedEmpty&) const { return "StoppedEmpty"; }
};

}  // namespace

std::string describe(const master::Event& event) {
  return std::visit(DescribeMasterEvent{}, event);
}
std::string describe(const master::Action& action) {
  return std::visit(DescribeMasterAction{}, action);
}
std::string describe(const worker::Event& event) {
  return std::visit(DescribeWorkerEvent{}, event);
}
std::string describe(const worker::Action& action) {
  return std::visit(DescribeWorkerAction{}, action);
}

void Trace::line(SimTime time, const std::string& who, const std::string& what) {
  if (!on()) return;
  const auto us = time.count();
  auto made = fmt::format("{:5}.{:06} {}  {}", us / 1'000'000, us % 1'000'000, who, what);
  if (mode_ == Mode::print) {
    std::puts(made.c_str());
    return;
  }
  lines_.push_back(std::move(made));
  if (lines_.size() > keep_) lines_.pop_front();
}

}  // namespace fixkeep::sim
