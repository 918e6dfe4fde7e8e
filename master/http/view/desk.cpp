#include "master/http/view/desk.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "master/http/problem_member.hpp"

namespace fixkeep::master {
namespace {

net::HttpAnswer refusal(boost::system::error_code error) {
  if (error == Errc::actor_work_threw || error == Errc::actor_work_abandoned) {
    return net::problem(500, "internal", "The page was not made", error.message());
  }
  const bool stopping = error == Errc::stopping;
  return retry_in(1, stopping ? net::problem(503, "stopping", "This master is shutting down",
                                             "ask another master")
                              : net::problem(503, "view-busy", "Too much is being looked at",
                                             error.message() + "; retry, or ask another master"));
}

}  // namespace

std::shared_ptr<ViewDesk> ViewDesk::start(boost::asio::io_context& context,
                                          ViewDeskOptions options) {
  std::shared_ptr<ViewDesk> desk{new ViewDesk{context, options}};
  desk->thread_ = std::thread{[looks = &desk->looks_] { looks->run(); }};
  return desk;
}

ViewDesk::ViewDesk(boost::asio::io_context& context, ViewDeskOptions options)
    : context_(context),
      options_(options),
      retry_(context),
      ticker_(context),
      open_(looks_.get_executor()),
      actor_(actor_options()) {}

ViewDesk::~ViewDesk() {
  FIXKEEP_ASSERT(!thread_.joinable(), "stop() comes before the end");
}

sync::KeyedActorOptions ViewDesk::actor_options() {
  sync::KeyedActorOptions options;
  options.mailboxes = options_.mailboxes;
  options.now = net::steady_now;
  options.executor = [this](std::function<void()> work) {
    boost::asio::post(looks_, std::move(work));
  };
  return options;
}

void ViewDesk::turn(DirectoryNews&& news, const Directory& directory) {
  directory_ = &directory;
  writer_.note(std::move(news), directory);
  publish();
}

void ViewDesk::publish() {
  if (stopped_ || directory_ == nullptr) return;
  DirectoryView::Trash trash;
  writer_.publish(*directory_, trash);
  if (!trash.empty()) {
    // The second thread deletes the old rows: for a worker with 10 000 rooms this takes a
    // millisecond.
    boost::asio::post(looks_, [trash = std::move(trash)]() mutable { trash = {}; });
  }
  if (!writer_.current()) return arm_publish();
  for (auto& held : std::exchange(held_, {})) put(std::move(held));
}

void ViewDesk::look(const std::string& kind, Look look, Answer answer) {
  if (stopped_) return reply(std::move(answer), refusal(Errc::stopping));
  if (writer_.current()) return put({kind, std::move(look), std::move(answer)});
  if (held_.size() >= options_.held_most) {
    return reply(std::move(answer), refusal(Errc::all_mailboxes_full));
  }
  held_.push_back({kind, std::move(look), std::move(answer)});
}

void ViewDesk::put(Held&& held) {
  // The first function below makes the page, on the second thread. The second function sends the
  // page or a refusal, on the thread that ended the work. Both share this Job. If the actor refuses
  // the job, neither runs.
  struct Job {
    Look look;
    Answer answer;
    net::HttpAnswer page;
  };
  const auto job = std::make_shared<Job>(Job{std::move(held.look), std::move(held.answer), {}});
  const auto asked = actor_.run(
      held.kind,
      [this, job](const sync::WorkToken& token) {
        job->page = job->look(view_);
        token.complete();
      },
      [this, job](const sync::WorkOutcome& outcome) {
        reply(std::move(job->answer),
              outcome.error ? refusal(outcome.error) : std::move(job->page));
      });
  if (!asked) return reply(std::move(job->answer), refusal(asked.error()));
  arm_tick();
}

// Call this from either thread. stop() ends the second thread, so `this` outlives that thread.
void ViewDesk::reply(Answer&& answer, net::HttpAnswer&& page) {
  boost::asio::post(context_, [answer = std::move(answer), page = std::move(page)]() mutable {
    answer(std::move(page));
  });
}

void ViewDesk::arm_publish() {
  if (retry_armed_) return;
  retry_armed_ = true;
  retry_.expires_after(options_.retry);
  retry_.async_wait([self = shared_from_this()](boost::system::error_code) {
    self->retry_armed_ = false;
    self->publish();
  });
}

// The actor's time limits are several seconds, so one tick a second is enough. The tick stops when
// the actor has no mailbox any more.
void ViewDesk::arm_tick() {
  if (tick_armed_) return;
  tick_armed_ = true;
  ticker_.expires_after(std::chrono::seconds{1});
  ticker_.async_wait([self = shared_from_this()](boost::system::error_code) {
    self->tick_armed_ = false;
    if (self->stopped_) return;
    self->actor_.tick();
    if (self->actor_.mailboxes() > 0) self->arm_tick();
  });
}

void ViewDesk::stop() {
  if (std::exchange(stopped_, true)) return;
  retry_.cancel();
  ticker_.cancel();
  for (auto& held : std::exchange(held_, {})) {
    reply(std::move(held.answer), refusal(Errc::stopping));
  }
  actor_.stop();
  open_.reset();
  thread_.join();
}

}  // namespace fixkeep::master
