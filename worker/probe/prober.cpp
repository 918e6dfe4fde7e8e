#include "worker/probe/prober.hpp"

#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "common/process/proc.hpp"

namespace fixkeep::probe {
namespace {

constexpr std::chrono::milliseconds hardly_late{100};

}  // namespace

class Prober::Impl : public std::enable_shared_from_this<Prober::Impl> {
 public:
  Impl(boost::asio::io_context& context, ProberOptions options, ProberHandlers handlers)
      : context_(context),
        run_(std::move(options.run)),
        handlers_(std::move(handlers)),
        sockets_(std::move(options.room), std::move(options.address), options.ports,
                 options.processes),
        watch_(options.plan, std::move(options.ports)),
        timer_(context),
        processes_(std::move(options.processes)) {}

  // An event that arrives while another event is handled is queued.
  void post(Event event) {
    events_.push_back(std::move(event));
    if (std::exchange(stepping_, true)) return;
    const auto self = shared_from_this();  // a handler may destroy the Prober
    while (!events_.empty() && !closed_) {
      const Event next = std::move(events_.front());
      events_.pop_front();
      step(next);
    }
    stepping_ = false;
    if (!closed_) arm();
  }

  void close() { closed_ = true; }

  std::string why_not_ready() {
    std::string text;
    const auto add = [&](const std::string& reason) {
      text += (text.empty() ? "" : "; ") + reason;
    };
    if (watch_.waits_for_word()) add("the game has not said that it is ready");
    for (const auto& [probe, last, tries] : watch_.missing()) {
      const auto why = explained(probe, last);
      const bool counts =
          why.kind == Failure::Kind::no_answer || why.kind == Failure::Kind::not_accepted;
      add(sentence(watch_.probe(probe), watch_.ports(), why, counts ? tries : 1));
    }
    return text;
  }

 private:
  void step(const Event& event) {
    Actions actions;
    watch_.step(event, net::steady_now(), actions);
    for (const Action& action : actions) {
      if (closed_) return;
      std::visit([this](const auto& what) { perform(what); }, action);
    }
  }

  void arm() {
    const auto next = watch_.next_tick();
    if (next == armed_) return;
    armed_ = next;
    if (next == TimePoint::max()) {
      timer_.cancel();
      return;
    }
    timer_.expires_at(net::to_steady(next));
    timer_.async_wait([impl = weak_from_this(), next](boost::system::error_code error) {
      const auto self = impl.lock();
      if (self == nullptr || error || self->armed_ != next) return;
      self->armed_ = TimePoint::max();
      self->late_ = self->late_ || net::steady_now() - next > hardly_late;
      self->post(TimePassed{});
    });
  }

  // --- actions -----------------------------------------------------------------------------------

  void perform(const BeginTry& action) {
    const Probe& probe = watch_.probe(action.which.probe);
    auto ended = [impl = weak_from_this(), which = action.which](Outcome outcome) {
      if (const auto self = impl.lock()) self->ended(which, std::move(outcome));
    };
    attempts_[action.which.probe] =
        std::visit([&](const auto& target) { return begin(target, probe.limit, std::move(ended)); },
                   probe.target);
  }
  void perform(const AskAgain& action) {
    const auto found = attempts_.find(action.which.probe);
    if (found == attempts_.end()) return;
    const auto attempt = found->second;  // the attempt may end in this call
    attempt->ask_again();
  }
  void perform(const GiveUp& action) {
    const auto found = attempts_.find(action.which.probe);
    FIXKEEP_ASSERT(found != attempts_.end(), std::to_string(action.which.probe));
    ended(action.which, found->second->give_up());
  }
  void perform(const Ready& /*action*/) { handlers_.ready(); }
  void perform(const Unhealthy& action) {
    attempts_.clear();
    handlers_.unhealthy(action.reason);
  }
  void perform(const Players& action) { handlers_.players(action.count); }
  void perform(const PlayersUnknown& action) { handlers_.players_unknown(action.reason); }

  std::shared_ptr<Attempt> begin(const TcpProbe& probe, Duration /*limit*/, Attempt::Ended ended) {
    return begin_tcp(context_, sockets_, probe, std::move(ended));
  }
  std::shared_ptr<Attempt> begin(const UdpProbe& probe, Duration /*limit*/, Attempt::Ended ended) {
    return begin_udp(context_, sockets_, probe.port, UdpDialog{probe}, std::move(ended));
  }
  std::shared_ptr<Attempt> begin(const A2sProbe& probe, Duration /*limit*/, Attempt::Ended ended) {
    return begin_udp(context_, sockets_, probe.port, A2sDialog{probe}, std::move(ended));
  }
  std::shared_ptr<Attempt> begin(const CommandProbe& probe, Duration limit, Attempt::Ended ended) {
    return begin_command(run_, probe, limit, std::move(ended));
  }
  std::shared_ptr<Attempt> begin(const LineProbe& probe, Duration /*limit*/,
                                 const Attempt::Ended& /*ended*/) {
    assertion_failed("nothing is asked for a line", __FILE__, __LINE__, probe.pattern.in_words());
  }
  std::shared_ptr<Attempt> begin(const AliveProbe& probe, Duration /*limit*/,
                                 const Attempt::Ended& /*ended*/) {
    assertion_failed("nothing is asked for time to pass", __FILE__, __LINE__,
                     std::to_string(probe.after.count()));
  }

  std::shared_ptr<Attempt> begin(const ConnectionsProbe& /*probe*/, Duration /*limit*/,
                                 Attempt::Ended ended) {
    return begin_connections(context_, sockets_, std::move(ended));
  }

  // --- answers -----------------------------------------------------------------------------------

  void ended(const Try& which, Outcome outcome) {
    // The caller can be the attempt that is erased here. It keeps itself alive during this call.
    attempts_.erase(which.probe);
    if (auto* const success = std::get_if<Success>(&outcome)) {
      return post(Answered{which, success->players});
    }
    auto& why = std::get<Failure>(outcome);
    // During the boot, failures are frequent and expected, so they are not explained here. If
    // needed, why_not_ready() explains the last failure.
    if (!watch_.ready()) return post(Failed{which, std::move(why)});
    why = explained(which.probe, why);
    post(Failed{which, std::move(why), starved()});
  }

  // Returns whether the worker's timer was late, or the game waited for a processor, since the last
  // failure.
  bool starved() {
    if (!processes_) return std::exchange(late_, false);
    const auto waited = process::waited_for_processor(processes_());
    const bool game = waited - std::exchange(waited_, waited) > hardly_late;
    return std::exchange(late_, false) || game;
  }

  Failure explained(std::size_t probe, const Failure& found) {
    const auto port = asked_port(watch_.probe(probe).target);
    return port ? sockets_.explain(*port, found) : found;
  }

  boost::asio::io_context& context_;
  RunCommand run_;
  ProberHandlers handlers_;
  RoomSockets sockets_;
  Watch watch_;
  boost::asio::steady_timer timer_;
  TimePoint armed_ = TimePoint::max();
  std::function<Processes()> processes_;
  std::map<std::size_t, std::shared_ptr<Attempt>> attempts_;  // open attempts by the probe's number
  std::deque<Event> events_;  // at most one line, and one event for each probe
  std::chrono::nanoseconds waited_{};
  bool late_ = false;
  bool stepping_ = false;
  bool closed_ = false;
};

Prober::Prober(boost::asio::io_context& context, ProberOptions options, ProberHandlers handlers)
    : impl_(std::make_shared<Impl>(context, std::move(options), std::move(handlers))) {}

Prober::~Prober() {
  impl_->close();
}

void Prober::started() {
  impl_->post(GameStarted{});
}
void Prober::found_ready() {
  impl_->post(GameFoundReady{});
}
void Prober::said_ready() {
  impl_->post(SaidReady{});
}
void Prober::line(std::string_view text) {
  impl_->post(LineArrived{std::string{text}});
}
std::string Prober::why_not_ready() {
  return impl_->why_not_ready();
}

}  // namespace fixkeep::probe
