#include "lock/engines/etcd/engine.hpp"

#include <fmt/format.h>

#include "common/obs/log.hpp"
#include "lock/engines/etcd/session.hpp"
#include "lock/engines/etcd/transport.hpp"
#include "lock/engines/etcd/watch.hpp"
#include "lock/engines/etcd/wire.hpp"
#include "lock/engines/queue_shell.hpp"
#include "lock/engines/shell_engine.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;

namespace {

constexpr std::string_view txn_path = "/v3/kv/txn";

struct EtcdKey {
  explicit EtcdKey(MasterId self) : lock(self) {}

  lock::QueueLock lock;
  EtcdEntry entry;
  std::uint64_t ticket = 0;
  std::string ahead;    // the entry that we wait for
  bool unsure = false;  // an enter request is unanswered: the server may make its entry later
};

struct EtcdShell : QueueShell<EtcdKey> {
  EtcdShell(asio::io_context& given_context, const EngineOptions& given_options,
            EngineHandlers given_handlers)
      : QueueShell(given_context, given_options, std::move(given_handlers)),
        names{"fixkeep/" + lock::path_component(options.cluster) + '/'},
        transport(context,
                  {.servers = options.servers,
                   .reply = options.reply,
                   .tls = options.tls,
                   .seed = options.seed},
                  statistics, [this](bool) { check_ready(); }),
        session(context, transport,
                {.ttl = options.ttl, .username = options.username, .password = options.password},
                {.on_opened = [this] { opened(); }, .on_lost = [this] { lost(); }}),
        watch(context, transport, names, options.ttl,
              [this](const GroupKey& group) { moved(group); }) {}

  EtcdNames names;
  std::uint64_t entries = 0;  // entries made in this session
  EtcdTransport transport;
  EtcdSession session;
  EtcdWatch watch;

  // --- readiness

  void check_ready() {
    const auto self = kept();
    reachable(transport.reachable() && session.open());
  }

  // --- asking the server

  void send(const GroupKey& group, EtcdKey& state, lock::QueueRequest request) override {
    switch (request) {
      case lock::QueueRequest::enter:
        if (!state.unsure) {
          state.entry = {fmt::format("{:x}-{}", session.lease(), ++entries), session.lease(),
                         session.record_lease()};
        }
        post(group, request, enter_body(names, group, state.entry));
        return;
      case lock::QueueRequest::look:
        post(group, request, look_body(names, group, state.entry, state.ticket));
        return;
      case lock::QueueRequest::leave:
        if (state.unsure) {
          make_void(group, state, request);
        } else {
          post(group, request,
               leave_body(names, group, state.entry, state.ticket, state.lock.before()));
        }
        return;
      case lock::QueueRequest::release:
        if (state.unsure) {
          make_void(group, state, request);
        } else {
          post(group, request, release_body(names, group, state.entry, state.lock.record()));
        }
        return;
    }
  }

  using Answer = std::function<void(EtcdKey&, const EtcdReply&)>;

  void post(const GroupKey& group, lock::QueueRequest request, std::string body) {
    post(group, request, std::move(body), [this, group, request](auto& state, const auto& reply) {
      answered(group, state, request, reply.body);
    });
  }

  void post(const GroupKey& group, lock::QueueRequest request, std::string body, Answer answer) {
    transport.post(txn_path, std::move(body),
                   [this, owner = weak_from_this(), group, request, number = session.number(),
                    answer = std::move(answer)](Result<EtcdReply> reply) {
                     if (const auto self = owner.lock()) {
                       received(group, request, number, reply, answer);
                     }
                   });
  }

  // Voids the entry, so that an enter request on its way fails. Sends the request `then`
  // afterwards.
  void make_void(const GroupKey& group, EtcdKey& state, lock::QueueRequest then) {
    post(group, then, void_body(names, state.entry), [this, group, then](auto& same, const auto&) {
      same.unsure = false;
      send(group, same, then);
    });
  }

  void received(const GroupKey& group, lock::QueueRequest request, std::uint64_t number,
                const Result<EtcdReply>& reply, const Answer& answer) {
    const auto found = keys.find(group);
    if (closed() || number != session.number() || found == keys.end()) return;
    if (!session.open()) {
      session.lose("no renewal was answered in time");
      return;
    }
    auto& state = found->second;
    if (reply && reply->status == 200) {
      const auto self = kept();
      served();
      if (!closed()) answer(state, *reply);
      return;
    }
    if (!reply) {
      if (request == lock::QueueRequest::enter) state.unsure = true;
      send(group, state, request);  // sent when a server answers again
      return;
    }
    if (says_lease_unknown(reply->body)) {
      session.lose("the lease is unknown");
      return;
    }
    if (wants_another_token(reply->status, reply->body)) session.authenticate_again();
    const auto self = kept();
    complain(*reply);
    if (!closed()) send_later(group, request);
  }

  void complain(const EtcdReply& reply) {
    if (!refused(fmt::format("it refuses a lock: {} {}", reply.status, reply.body))) return;
    obs::log_error("etcd refuses a lock", {{"status", reply.status}, {"answer", reply.body}});
  }

  void answered(const GroupKey& group, EtcdKey& state, lock::QueueRequest request,
                const std::string& body) {
    switch (request) {
      case lock::QueueRequest::enter: {
        const auto read = read_entered(body);
        if (read && read->look_first) {
          state.ticket = read->standing.ticket;
          send(group, state, lock::QueueRequest::look);
        } else {
          stands(group, state, request, read);
        }
        return;
      }
      case lock::QueueRequest::look:
        stands(group, state, request, read_looked(body, state.ticket));
        return;
      case lock::QueueRequest::leave:
      case lock::QueueRequest::release: act(group, state, state.lock.ended()); return;
    }
  }

  void stands(const GroupKey& group, EtcdKey& state, lock::QueueRequest request,
              const std::optional<EtcdStanding>& read) {
    if (!read) {
      const auto self = kept();
      complain({200, "not an answer to our question"});
      if (!closed()) send_later(group, request);
      return;
    }
    state.ticket = read->standing.ticket;
    const auto output = state.lock.placed(read->standing);
    if (!state.lock.waiting()) {
      act(group, state, output);
    } else if (watch.wait(group, read->ahead, read->revision)) {
      state.ahead = read->ahead;
    } else {
      act(group, state, state.lock.moved());
    }
  }

  // --- the session

  void opened() {
    const auto self = kept();
    entries = 0;
    for (auto& [group, key] : keys) key.unsure = false;  // their entries are of an earlier session
    served();
    check_ready();
    session_opened();
  }

  void lost() {
    const auto self = kept();
    check_ready();
    session_lost();
  }

  // --- functions of QueueShell

  bool begin() override {
    watch.set_owner(weak_from_this());
    return true;
  }

  [[nodiscard]] bool session_open() const override { return session.open(); }

  void acted(EtcdKey& state) override {
    if (state.lock.waiting() || state.ahead.empty()) return;
    watch.forget(state.ahead);
    state.ahead.clear();
  }

  void say_goodbye() override {
    session.say_goodbye([self = kept()] { self->close(); });
  }

  void end() override {
    session.close();
    transport.close();
    watch.close();
  }
};

}  // namespace

Result<std::unique_ptr<Engine>> make_etcd_engine(asio::io_context& context,
                                                 const EngineOptions& options,
                                                 EngineHandlers handlers) {
  return make_shell<EtcdShell>(context, options, std::move(handlers));
}

}  // namespace fixkeep::engine
