#include "lock/engines/zookeeper/client.hpp"

#include <sys/time.h>
#include <zookeeper/zookeeper.h>

#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "common/net/dial/names_at_once.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/library_socket.hpp"
#include "lock/engines/tcp_bytes.hpp"
#include "lock/engines/zookeeper/request.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds retry_pause{20};

// The frame that zookeeper_close() sends: its length, xid 0, type -11 (close the session).
constexpr std::array<unsigned char, 12> close_frame{0, 0, 0, 8, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xF5};

bool answered_by_server(int code) {
  return code == ZOK ||
         (code <= ZAPIERROR && code != ZSESSIONEXPIRED && code != ZCLOSING && code != ZAUTHFAILED);
}

}  // namespace

struct ZookeeperClient::Impl : std::enable_shared_from_this<Impl> {
  Impl(asio::io_context& given_context, ZookeeperClientOptions given_options,
       EngineStatistics& given_statistics, Handlers given_handlers)
      : context(given_context),
        options(std::move(given_options)),
        statistics(&given_statistics),
        handlers(std::move(given_handlers)),
        socket(context, [this](LibrarySocket::Ready direction) { ready(direction); }),
        timer(context),
        beat(context) {}

  asio::io_context& context;
  ZookeeperClientOptions options;
  EngineStatistics* statistics;  // the engine's, which closes us before it ends
  Handlers handlers;
  std::optional<net::NamesAtOnce> looked_up;
  std::string hosts;
  zhandle_t* handle = nullptr;
  LibrarySocket socket;
  TcpBytes counted;
  asio::steady_timer timer;  // timer of the library
  Clock::time_point timer_at = Clock::time_point::max();
  asio::steady_timer beat;  // timer of heartbeat()
  bool closed = false;
  bool closing = false;
  bool connected = false;
  bool over = false;
  bool started = false;  // the session has been open
  bool drive_posted = false;
  Clock::time_point alive_until;
  ZookeeperRequests requests;
  std::multimap<std::string, std::function<void()>> watches;
  std::vector<std::string> changed;  // paths of watches that fired

  // --- the library

  void look_up() {
    std::vector<std::string> names;
    for (const auto& server : options.servers) names.push_back(server.host);
    looked_up.emplace(context.get_executor(), names,
                      std::chrono::ceil<std::chrono::milliseconds>(options.reply),
                      [self = shared_from_this()](const auto& answers) { self->start(answers); });
  }

  void start(const std::vector<net::LookupAnswer>& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto& [host, port] = options.servers[i];
      for (const auto& each : answers[i].addresses) {
        hosts += (hosts.empty() ? "" : ",") + each.to_string() + ':' + std::to_string(port);
      }
      if (answers[i].error) {
        obs::log_warning("no address of a ZooKeeper server",
                         {{"host", host}, {"reason", answers[i].error.message()}});
      }
    }
    zoo_set_debug_level(static_cast<ZooLogLevel>(0));
    const auto session_ms = std::chrono::ceil<std::chrono::milliseconds>(options.session).count();
    if (!hosts.empty()) {
      handle = zookeeper_init(hosts.c_str(), &Impl::session_event, static_cast<int>(session_ms),
                              nullptr, this, 0);
    }
    if (handle == nullptr) {
      end("no server has an address");
      return;
    }
    if (!options.username.empty()) {
      const auto secret = options.username + ':' + options.password;
      zoo_add_auth(handle, "digest", secret.data(), static_cast<int>(secret.size()), nullptr,
                   nullptr);
    }
    drive();
  }

  // Lets the library do its due work, and schedules the next call.
  void drive() {
    if (closed || closing || handle == nullptr) return;
    int descriptor = -1;
    int interest = 0;
    timeval wait{};
    const int code = count(zookeeper_interest(handle, &descriptor, &interest, &wait), *statistics);
    Clock::duration pause =
        std::chrono::seconds{wait.tv_sec} + std::chrono::microseconds{wait.tv_usec};
    if (code != ZOK) {
      socket.drop();
      pause = retry_pause;
    } else {
      socket.watch(descriptor, (interest & ZOOKEEPER_READ) != 0, (interest & ZOOKEEPER_WRITE) != 0,
                   weak_from_this());
    }
    call_again(pause);
    tell();
  }

  void call_again(Clock::duration pause) {
    const auto at = Clock::now() + std::max<Clock::duration>(pause, std::chrono::milliseconds{1});
    if (at >= timer_at) return;  // drive() is due earlier anyway, and an early call does no harm
    timer_at = at;
    timer.expires_at(at);
    timer.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->closed) return;
      self->timer_at = Clock::time_point::max();
      self->drive();
    });
  }

  void ready(LibrarySocket::Ready direction) {
    if (closed || closing) return;
    if (direction == LibrarySocket::Ready::write) {
      (void)count(zookeeper_process(handle, ZOOKEEPER_WRITE), *statistics);
    } else {
      // Each call processes one packet. The loop ends at ZNOTHING (no more packets) or at a
      // failure. A failure also changes zoo_state(), which tell() reads.
      while (count(zookeeper_process(handle, ZOOKEEPER_READ), *statistics) == ZOK) {}
    }
    drive();
  }

  // Call this after each request: drive() then watches the socket until the library has sent all
  // bytes.
  void drive_soon() {
    if (std::exchange(drive_posted, true)) return;
    asio::post(context, [self = shared_from_this()] {
      self->drive_posted = false;
      self->drive();
    });
  }

  // --- reports. The library's callbacks only store events, since handlers may even close the
  // client.

  static void session_event(zhandle_t* of, int type, int, const char* path, void*) {
    if (type == ZOO_SESSION_EVENT || path == nullptr) return;
    const auto* self = static_cast<const Impl*>(zoo_get_context(of));
    const_cast<Impl*>(self)->changed.emplace_back(path);
  }

  void tell() {
    const auto self = shared_from_this();
    const int state = zoo_state(handle);
    const bool now_connected = state == ZOO_CONNECTED_STATE;
    if (state == ZOO_EXPIRED_SESSION_STATE || state == ZOO_AUTH_FAILED_STATE) {
      end(why_over(state), Failure::refused);
      return;
    }
    // Ends a session that may be over at the server. A caller may have seen that alive() is false,
    // and must not see it true again.
    if (started && Clock::now() >= alive_until) {
      end("no answer in time", Failure::timeout);
      return;
    }
    const bool was_connected = connected;
    connected = connected && now_connected;  // set before handlers repeat requests
    tell_results();
    if (closed || over || now_connected == was_connected) return;
    connected = now_connected;
    if (connected) {
      started = true;
      if (statistics->replies_received > 0) ++statistics->reconnects;
      // The library needs at most two thirds of the session's time to connect, so at least one
      // third is left. The first answer to a request extends `alive_until` again.
      alive_until = std::max(alive_until, Clock::now() + timeout() / 3);
      heartbeat();
      handlers.on_connected();
    } else {
      ++statistics->connections_lost;
      handlers.on_disconnected();
    }
  }

  void tell_results() {
    while (!closed && !over && !(requests.done.empty() && changed.empty())) {
      for (const auto& path : std::exchange(changed, {})) {
        auto fired = watches.extract(path);
        for (; fired && !closed; fired = watches.extract(path)) fired.mapped()();
      }
      if (requests.done.empty() || closed) continue;
      const auto request = std::move(requests.done.front());
      requests.done.pop_front();
      if (answered_by_server(request->reply.code)) {
        ++statistics->replies_received;
        alive_until = std::max(alive_until, request->sent + timeout());
      }
      if (request->handler) request->handler(request->reply);
    }
  }

  // --- the session

  [[nodiscard]] Clock::duration timeout() const {
    return std::chrono::milliseconds{zoo_recv_timeout(handle)};
  }

  // Sends a small request if none is outstanding. Also detects late answers and a session without
  // answers.
  void heartbeat() {
    if (closed || closing || over) return;
    const auto now = Clock::now();
    if (connected && requests.outstanding.empty()) {
      auto* request = make({});
      submitted(request, zoo_aexists(handle, "/", 0, &ZookeeperRequest::stat_done, request));
    }
    if (requests.oldest() <= now - options.reply) socket.break_connection();
    const auto every = std::min<Clock::duration>(timeout() / 3, options.reply);
    beat.expires_at(std::min(now + every, std::max(alive_until, now)));
    beat.async_wait([self = shared_from_this()](error_code error) {
      if (error || self->closed || self->over) return;
      if (Clock::now() >= self->alive_until) {
        self->end("no answer in time", Failure::timeout);
      } else {
        self->heartbeat();
      }
    });
  }

  void end(std::string_view reason, Failure kind = Failure::unreachable) {
    if (closed || over) return;
    over = true;
    connected = false;
    statistics->failed(kind, {}, reason);
    obs::log_warning("lost the session in ZooKeeper", {{"reason", reason}});
    const auto self = shared_from_this();
    handlers.on_over();
  }

  // --- requests

  ZookeeperRequest* make(Handler handler) {
    ++statistics->requests_sent;
    return requests.make(std::move(handler));
  }

  // `code` says whether the library accepted the request. If not, the library never calls back, so
  // the request ends here.
  void submitted(ZookeeperRequest* request, int code) {
    if (code != ZOK) { request->finish(ZCONNECTIONLOSS); }
    drive_soon();
  }

  [[nodiscard]] const ACL_vector* access() const {
    return options.username.empty() ? &ZOO_OPEN_ACL_UNSAFE : &ZOO_CREATOR_ALL_ACL;
  }

  // --- the end

  void refresh_statistics() {
    const auto now = socket.bytes();
    statistics->bytes_sent += now.sent - counted.sent;
    statistics->bytes_received += now.received - counted.received;
    counted = now;
  }

  void say_goodbye(std::function<void()> tell_done) {
    closing = true;
    timer.cancel();
    beat.cancel();
    std::array<char, close_frame.size()> frame{};
    std::memcpy(frame.data(), close_frame.data(), frame.size());
    if (!connected || !socket.send(frame.data(), frame.size())) {
      asio::post(context, std::move(tell_done));
      return;
    }
    socket.drain([self = shared_from_this(), tell_done = std::move(tell_done)] { tell_done(); });
  }

  void close() {
    if (closed) return;
    refresh_statistics();
    closed = true;
    timer.cancel();
    beat.cancel();
    looked_up.reset();
    if (handle != nullptr) {
      // On a broken connection, zookeeper_close() does not send and does not wait.
      socket.break_connection();
      zookeeper_close(std::exchange(handle, nullptr));
    }
    socket.drop();
    requests.clear();
  }
};

ZookeeperClient::ZookeeperClient(asio::io_context& context, ZookeeperClientOptions options,
                                 EngineStatistics& statistics, Handlers handlers)
    : impl_(std::make_shared<Impl>(context, std::move(options), statistics, std::move(handlers))) {
  impl_->look_up();
}
ZookeeperClient::~ZookeeperClient() {
  close();
}

void ZookeeperClient::create_sequential(const std::string& path, Handler handler) {
  auto* request = impl_->make(std::move(handler));
  impl_->submitted(request,
                   zoo_acreate2(impl_->handle, path.c_str(), nullptr, -1, impl_->access(),
                                ZOO_EPHEMERAL_SEQUENTIAL, &ZookeeperRequest::create_done, request));
}

void ZookeeperClient::create_container(const std::string& path, ForWhom whom, Handler handler) {
  ACL anyone{ZOO_PERM_READ | ZOO_PERM_CREATE, ZOO_ANYONE_ID_UNSAFE};
  const ACL_vector all{1, &anyone};
  auto* request = impl_->make(std::move(handler));
  impl_->submitted(request, zoo_acreate2(impl_->handle, path.c_str(), nullptr, -1,
                                         whom == ForWhom::our_cluster ? impl_->access() : &all,
                                         ZOO_CONTAINER, &ZookeeperRequest::create_done, request));
}

void ZookeeperClient::list(const std::string& path, Handler handler) {
  auto* request = impl_->make(std::move(handler));
  impl_->submitted(request, zoo_aget_children(impl_->handle, path.c_str(), 0,
                                              &ZookeeperRequest::list_done, request));
}

void ZookeeperClient::read(const std::string& path, Handler handler) {
  auto* request = impl_->make(std::move(handler));
  impl_->submitted(request,
                   zoo_aget(impl_->handle, path.c_str(), 0, &ZookeeperRequest::data_done, request));
}

// Sets the watch with a read. A watch that is set with an existence request would remain even if
// the node is missing.
void ZookeeperClient::watch(const std::string& path, Handler handler,
                            std::function<void()> on_gone) {
  impl_->watches.emplace(path, std::move(on_gone));
  auto* request = impl_->make(
      [impl = impl_.get(), path, handler = std::move(handler)](const ZookeeperReply& reply) {
        if (reply.code != ZOK) impl->watches.erase(path);
        handler(reply);
      });
  impl_->submitted(request, zoo_awget(impl_->handle, path.c_str(), &Impl::session_event, nullptr,
                                      &ZookeeperRequest::data_done, request));
}

void ZookeeperClient::remove(const std::string& path, Handler handler) {
  auto* request = impl_->make(std::move(handler));
  impl_->submitted(
      request, zoo_adelete(impl_->handle, path.c_str(), -1, &ZookeeperRequest::void_done, request));
}

void ZookeeperClient::write_and_remove(const std::string& write_path, const std::string& data,
                                       const std::string& remove_path, Handler handler) {
  auto* request = impl_->make(std::move(handler));
  std::array<zoo_op_t, 2> steps{};
  zoo_set_op_init(&steps[0], write_path.c_str(), data.data(), static_cast<int>(data.size()), -1,
                  &request->stat);
  zoo_delete_op_init(&steps[1], remove_path.c_str(), -1);
  impl_->submitted(request, zoo_amulti(impl_->handle, 2, steps.data(), request->results.data(),
                                       &ZookeeperRequest::void_done, request));
}

bool ZookeeperClient::connected() const {
  return impl_->connected && !impl_->closed && !impl_->over;
}
bool ZookeeperClient::alive() const {
  return !impl_->over && !impl_->closed && Clock::now() < impl_->alive_until;
}
void ZookeeperClient::refresh_statistics() {
  impl_->refresh_statistics();
}
void ZookeeperClient::say_goodbye(std::function<void()> done) {
  impl_->say_goodbye(std::move(done));
}
void ZookeeperClient::close() {
  impl_->close();
}

}  // namespace fixkeep::engine
