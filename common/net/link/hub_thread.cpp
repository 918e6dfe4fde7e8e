#include "common/net/link/hub_thread.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "common/obs/thread_without_signals.hpp"

namespace fixkeep::net {
namespace {

namespace asio = boost::asio;

// An event of a link, as a function that calls one of the owner's handlers.
using Happening = std::function<void(const LinkHandlers&)>;

struct Order {
  Role role{};
  std::string name;
  LinkNumber link{};
  wire::Message message;
};

}  // namespace

class HubThread::Impl : public std::enable_shared_from_this<HubThread::Impl> {
 public:
  Impl(asio::io_context& owner, LinkHandlers handlers)
      : owner_(owner), handlers_(std::move(handlers)) {}

  Result<> start(LinkOptions options) {
    auto hub = LinkHub::start(context_, std::move(options), arriving());
    if (!hub) return hub.error();
    hub_ = std::move(*hub);
    counters_ = hub_->counters();
    thread_ = obs::start_without_signals([this] { context_.run(); });
    return {};
  }

  // --- the owner's thread

  void on_hub(auto what) {
    flush();
    asio::post(context_, [this, what = std::move(what)]() mutable {
      what(*hub_);
      note_counters();
    });
  }

  void send(Order&& order) {
    orders_.push_back(std::move(order));
    if (std::exchange(flush_posted_, true)) return;
    asio::post(owner_, [known = weak_from_this()] {
      if (const auto self = known.lock()) self->flush();
    });
  }

  void flush() {
    flush_posted_ = false;
    if (orders_.empty()) return;
    asio::post(context_, [this, orders = std::exchange(orders_, {})] {
      for (const Order& order : orders) {
        (void)hub_->send(order.role, order.name, order.link, order.message);
      }
      hub_->flush();
      note_counters();
    });
  }

  void stop(std::chrono::milliseconds limit) {
    on_hub([this, limit](LinkHub& hub) {
      hub.stop(limit);
      guard_.reset();  // the thread ends with the last link
    });
    stopping_ = true;
  }

  void end() {
    handlers_ = {};
    if (!stopping_) {
      on_hub([this](LinkHub&) {
        guard_.reset();
        context_.stop();
      });
    }
    thread_.join();
    hub_.reset();
  }

  [[nodiscard]] LinkCounters counters() const {
    const std::lock_guard lock{mutex_};
    return counters_;
  }

 private:
  // --- the hub's thread

  LinkHandlers arriving() {
    LinkHandlers handlers;
    pass_on(handlers, &LinkHandlers::on_up);
    pass_on_messages(handlers, &LinkHandlers::on_worker_said);
    pass_on_messages(handlers, &LinkHandlers::on_master_said);
    pass_on_messages(handlers, &LinkHandlers::on_peer_said);
    pass_on(handlers, &LinkHandlers::on_down);
    pass_on(handlers, &LinkHandlers::on_refused);
    pass_on(handlers, &LinkHandlers::on_unreachable);
    handlers.on_batch_end = [this] { note_counters(); };
    return handlers;
  }

  template <class... What>
  void pass_on(LinkHandlers& handlers, std::function<void(What...)> LinkHandlers::*handler) {
    handlers.*handler = [this, handler](What... what) {
      arrived([handler, what...](const LinkHandlers& owner) {
        if (owner.*handler) (owner.*handler)(what...);
      });
    };
  }

  template <class Message>
  void pass_on_messages(LinkHandlers& handlers,
                        std::function<void(const Peer&, Message&&)> LinkHandlers::*handler) {
    if (!(handlers_.*handler)) return;
    handlers.*handler = [this, handler](const Peer& peer, Message&& message) {
      auto hear = [handler, peer, message = std::move(message)](const LinkHandlers& owner) mutable {
        if (owner.*handler) (owner.*handler)(peer, std::move(message));
      };
      if (!arrived(std::move(hear), most_arrived)) {
        hub_->close(peer.role, peer.name, peer.link, Errc::inbox_full);
      }
    };
  }

  // Stores an event for the owner's thread. Returns false, and drops the event, if `most` events
  // wait.
  bool arrived(Happening&& happening, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    const std::lock_guard lock{mutex_};
    if (arrived_.size() >= most) return false;
    arrived_.push_back(std::move(happening));
    if (std::exchange(delivery_posted_, true)) return true;
    asio::post(owner_, [known = weak_from_this()] {
      if (const auto self = known.lock()) self->deliver();
    });
    return true;
  }

  void note_counters() {
    const std::lock_guard lock{mutex_};
    counters_ = hub_->counters();
  }

  // --- the owner's thread again

  void deliver() {
    std::vector<Happening> happenings;
    {
      const std::lock_guard lock{mutex_};
      delivery_posted_ = false;
      happenings.swap(arrived_);
    }
    for (const Happening& happening : happenings) happening(handlers_);
    if (handlers_.on_batch_end) handlers_.on_batch_end();
  }

  asio::io_context& owner_;
  LinkHandlers handlers_;
  std::vector<Order> orders_;
  bool flush_posted_ = false;
  bool stopping_ = false;

  mutable std::mutex mutex_;
  std::vector<Happening> arrived_;
  bool delivery_posted_ = false;
  LinkCounters counters_;

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard_{context_.get_executor()};
  std::unique_ptr<LinkHub> hub_;
  std::thread thread_;
};

Result<std::unique_ptr<HubThread>> HubThread::start(asio::io_context& owner, LinkOptions options,
                                                    LinkHandlers handlers) {
  auto impl = std::make_shared<Impl>(owner, std::move(handlers));
  if (const auto started = impl->start(std::move(options)); !started) return started.error();
  return std::unique_ptr<HubThread>{new HubThread{std::move(impl)}};
}

HubThread::HubThread(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
HubThread::~HubThread() {
  impl_->end();
}

void HubThread::dial_only(std::vector<LinkTarget> targets) {
  impl_->on_hub([targets = std::move(targets)](LinkHub& hub) { hub.dial_only(targets); });
}
void HubThread::know(std::vector<std::string> masters) {
  impl_->on_hub(
      [masters = std::move(masters)](LinkHub& hub) mutable { hub.know(std::move(masters)); });
}
void HubThread::send(Role role, const std::string& name, LinkNumber link, wire::Message message) {
  impl_->send({role, name, link, std::move(message)});
}
void HubThread::flush() {
  impl_->flush();
}
void HubThread::close(Role role, const std::string& name, LinkNumber link,
                      boost::system::error_code reason) {
  impl_->on_hub([=](LinkHub& hub) { hub.close(role, name, link, reason); });
}
void HubThread::renew(std::shared_ptr<TlsCredentials> tls) {
  impl_->on_hub([tls = std::move(tls)](LinkHub& hub) { hub.renew(tls); });
}
void HubThread::stop(std::chrono::milliseconds limit) {
  impl_->stop(limit);
}
LinkCounters HubThread::counters() const {
  return impl_->counters();
}

}  // namespace fixkeep::net
