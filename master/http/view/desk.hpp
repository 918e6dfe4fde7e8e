// The desk handles read-only requests ("looks") on a second thread and gives their answers back on
// the master's thread.
//
// The desk owns the view of the directory and the second thread, which turns the view into text.
// The master's thread passes the news of each turn to the desk. A look runs on the second thread
// with copies of all other facts (counters, states of locks). These copies are made when the
// request arrives.
//
//   look()  ──▶ held until the view is current ──▶ second thread ──▶ answer, on the master's thread
//
// A look waits for a current view. The page thus never shows less than the master knew at the
// request: for example, a client that has a seat finds its room. The view is nearly always current.
// The view is not current if a reader had the lock, or if a turn had news about more rooms than one
// turn can apply.
//
// Looks of one kind run one after another on the keyed actor (common/sync). A flood of one kind
// fills only the mailbox of this kind; looks of other kinds continue. The master's thread never
// waits: it only tries the view's lock. The mutexes of the two queues are locked for some hundred
// instructions, never while a page is made.
//
// Thread rule: the master's thread. The function of a look runs on the second thread. stop() waits
// until that thread has finished its pages, at most one of each kind.
// Bounds: the mailbox options, and at most `held_most` held looks. Errors: HTTP 503 view-busy or
// stopping.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/net/http/server.hpp"
#include "common/sync/keyed_actor.hpp"
#include "master/http/view/directory_view.hpp"
#include "master/http/view/writer.hpp"

namespace fixkeep::master {

struct ViewDeskOptions {
  sync::MailboxOptions mailboxes{.wait_timeout = std::chrono::seconds{10},
                                 .lease_timeout = std::chrono::seconds{5},
                                 .overrun = std::chrono::seconds{5},
                                 .waiting_per_key = 1000,
                                 .waiting = 4000,
                                 .idle = std::chrono::seconds{60}};
  std::size_t held_most = 4000;
  std::chrono::microseconds retry{500};  // pause before a retry if no turn comes first
};

class ViewDesk : public std::enable_shared_from_this<ViewDesk> {
 public:
  using Look = std::function<net::HttpAnswer(const DirectoryView&)>;
  using Answer = std::function<void(net::HttpAnswer)>;

  [[nodiscard]] static std::shared_ptr<ViewDesk> start(boost::asio::io_context& context,
                                                       ViewDeskOptions options = {});
  ~ViewDesk();  // REQUIRES: stop() was called
  ViewDesk(const ViewDesk&) = delete;
  ViewDesk& operator=(const ViewDesk&) = delete;

  // Call this at the end of each turn, with the turn's changes. `directory` outlives the last turn.
  void turn(DirectoryNews&& news, const Directory& directory);
  // `answer` is called once, later, on the master's thread. `answer` is not called if stop() was
  // called and the io_context does not run again.
  void look(const std::string& kind, Look look, Answer answer);
  void stop();

  [[nodiscard]] const DirectoryView& view() const { return view_; }
  [[nodiscard]] std::uint64_t put_off() const { return writer_.put_off(); }

 private:
  struct Held {
    std::string kind;
    Look look;
    Answer answer;
  };

  ViewDesk(boost::asio::io_context& context, ViewDeskOptions options);
  [[nodiscard]] sync::KeyedActorOptions actor_options();
  void publish();
  void put(Held&& held);
  void reply(Answer&& answer, net::HttpAnswer&& page);
  void arm_publish();
  void arm_tick();

  boost::asio::io_context& context_;
  ViewDeskOptions options_;
  DirectoryView view_;
  ViewWriter writer_{view_};
  const Directory* directory_ = nullptr;
  std::vector<Held> held_;
  boost::asio::steady_timer retry_;
  boost::asio::steady_timer ticker_;
  bool retry_armed_ = false;
  bool tick_armed_ = false;
  bool stopped_ = false;
  boost::asio::io_context looks_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> open_;
  sync::KeyedActor<std::string> actor_;
  std::thread thread_;
};

}  // namespace fixkeep::master
