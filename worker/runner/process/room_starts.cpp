#include "worker/runner/process/room_starts.hpp"

#include <poll.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <thread>
#include <utility>

#include "common/obs/log.hpp"
#include "common/process/proc.hpp"

namespace fixkeep::worker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds next_look_at_all{1};
constexpr std::size_t at_once_per_core = 2;  // one start uses the core while the other start waits
                                             // for a disk

std::size_t at_once_here() {
  return at_once_per_core * std::max(1U, std::thread::hardware_concurrency());
}

bool starter_is_gone(boost::system::error_code error) {
  return error == boost::system::errc::broken_pipe ||
         error == boost::system::errc::connection_reset;
}

}  // namespace

RoomStarts::RoomStarts(boost::asio::io_context& context, std::vector<std::string> folders,
                       std::size_t at_once, Hooks hooks)
    : context_(context),
      hooks_(std::move(hooks)),
      starter_(context, std::move(folders)),
      queue_(at_once == 0 ? at_once_here() : at_once),
      timer_(context) {}

void RoomStarts::add(RoomNumber room) {
  queue_.add(room);
  hand_over_next();
}

bool RoomStarts::take_out(RoomNumber room) {
  if (!queue_.take_out(room)) return false;
  fail(room, "it was closed before its turn came");
  return true;
}

void RoomStarts::placed(RoomNumber room) {
  const auto found = rooms_.find(room);
  if (found != rooms_.end()) found->second.placed = true;
}

void RoomStarts::started(RoomNumber room) {
  queue_.done(room);
  rooms_.erase(room);
  hand_over_next();
}

bool RoomStarts::gone(RoomNumber room, bool again) {
  const auto found = rooms_.find(room);
  if (found == rooms_.end()) return false;
  again = again && found->second.attempts < most_attempts;
  if (again) {
    found->second.link.reset();
    queue_.put_back(room);
  } else {
    queue_.done(room);
    rooms_.erase(found);
  }
  hand_over_next();
  return again;
}

std::vector<pid_t> RoomStarts::processes() const {
  if (starter_.process() == 0) return {};
  std::vector<pid_t> found{starter_.process()};
  const auto below = process::children_of(starter_.process());
  found.insert(found.end(), below.begin(), below.end());
  return found;
}

// --- handing over --------------------------------------------------------------------------------

void RoomStarts::hand_over_next() {
  while (const auto room = queue_.next()) {
    if (!hand_over(*room)) return;
  }
}

bool RoomStarts::hand_over(RoomNumber room) {
  auto found = rooms_.find(room);
  if (found == rooms_.end()) {
    auto prepared = hooks_.prepare(room);
    if (const auto* const problem = std::get_if<std::string>(&prepared)) {
      fail(room, *problem, false);
      return true;
    }
    found = rooms_.emplace(room, OnItsWay{.order = std::get<Order>(std::move(prepared))}).first;
  }
  OnItsWay& started = found->second;
  if (const auto problem = starter_.ready(); !problem.empty()) {
    fail(room, problem);
    return true;
  }
  auto ordered = KeeperLink::order(context_, hooks_.handlers(room));
  if (!ordered) {
    fail(room, "cannot start a keeper: " + ordered.error().message());
    return true;
  }
  const auto given = starter_.hand_over(started.order.plan, {.connection = ordered->other_end.get(),
                                                             .note = started.order.note,
                                                             .listeners = started.order.listeners});
  if (!given) {
    ordered->link->leave();
    return try_again(room, given.error());
  }
  started.link = ordered->link;
  started.looks = 0;
  ++started.attempts;
  hooks_.linked(room, std::move(ordered->link));
  look_later();
  return true;
}

bool RoomStarts::try_again(RoomNumber room, boost::system::error_code error) {
  if (error == boost::system::errc::operation_would_block) {
    queue_.put_back(room);
    starter_.when_it_takes_more([this, alive = std::weak_ptr{alive_}] {
      if (!alive.expired()) hand_over_next();
    });
    return false;
  }
  OnItsWay& started = rooms_.at(room);
  if (starter_is_gone(error) && ++started.attempts < most_attempts) {
    starter_.end();
    queue_.put_back(room);
  } else {
    fail(room, "cannot start a keeper: " + error.message());
  }
  return true;
}

void RoomStarts::fail(RoomNumber room, const std::string& why, bool ours) {
  queue_.done(room);
  rooms_.erase(room);
  boost::asio::post(context_, [this, alive = std::weak_ptr{alive_}, room, why, ours] {
    if (!alive.expired()) hooks_.failed(room, why, ours);
  });
}

// --- hanging starts ------------------------------------------------------------------------------

void RoomStarts::look_later() {
  if (std::exchange(looks_, true)) return;
  timer_.expires_after(next_look_at_all);
  timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
    if (error || alive.expired()) return;
    looks_ = false;
    look();
  });
}

void RoomStarts::look() {
  bool starter_hangs = false;
  std::vector<RoomNumber> looked_at{queue_.on_their_way().begin(), queue_.on_their_way().end()};
  for (const RoomNumber room : looked_at) {
    // Reads the packets that have already arrived: the keeper may be born, or the game started or
    // ended.
    if (const auto found = rooms_.find(room); found != rooms_.end() && found->second.link) {
      const auto link = found->second.link;
      link->hear_now();
    }
    const auto found = rooms_.find(room);
    if (found == rooms_.end() || !found->second.link) continue;
    OnItsWay& started = found->second;
    ++started.looks;
    if (!started.link->born()) {
      starter_hangs = starter_hangs || started.looks > looks_for_a_birth;
    } else if (started.looks > looks_for_a_game) {
      obs::log_warning("a keeper does not get its game started, and is killed",
                       {{"room", room.number()}, {"process", started.link->process()}});
      started.link->kill();
    }
  }
  if (starter_hangs) {
    obs::log_warning("the starter of keepers does nothing, and is killed",
                     {{"process", starter_.process()}});
    starter_.end();  // ends the connections of its unread orders
  }
  if (!rooms_.empty()) look_later();
}

// --- the end -------------------------------------------------------------------------------------

void RoomStarts::leave(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  for (;;) {
    std::vector<pollfd> waited;
    std::vector<std::shared_ptr<KeeperLink>> links;
    for (const auto& [room, started] : rooms_) {
      // The next run can find a placed room, so leave() does not wait for this room. Exception:
      // while rooms are queued, leave() waits until it has started, because a queued room is
      // started next.
      const bool done = started.placed && queue_.waiting() == 0;
      if (done || started.link == nullptr) continue;
      waited.push_back({.fd = started.link->descriptor(), .events = POLLIN, .revents = 0});
      links.push_back(started.link);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (links.empty() || left.count() <= 0) break;
    if (::poll(waited.data(), waited.size(), static_cast<int>(left.count())) < 0) continue;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (waited[i].revents != 0) links[i]->hear_now();
    }
  }
  starter_.leave();
}

void RoomStarts::end() {
  starter_.end();
  timer_.cancel();
}

}  // namespace fixkeep::worker
