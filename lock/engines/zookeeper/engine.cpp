#include "lock/engines/zookeeper/engine.hpp"

#include <zookeeper/zookeeper.h>

#include <boost/asio/steady_timer.hpp>
#include <set>
#include <utility>

#include "common/base/random.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/queue_shell.hpp"
#include "lock/engines/shell_engine.hpp"
#include "lock/engines/zookeeper/client.hpp"
#include "lock/engines/zookeeper/queue.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr std::chrono::milliseconds refused_entry_pause{200};
constexpr std::chrono::milliseconds longest_entry_pause{10'000};

struct ZookeeperKey {
  explicit ZookeeperKey(MasterId self) : lock(self) {}

  lock::QueueLock lock;
  std::string name;           // name of our entry
  std::uint64_t created = 0;  // czxid of our entry
  bool unsure = false;        // an entry with an earlier name may exist
};

struct ZookeeperShell : QueueShell<ZookeeperKey> {
  ZookeeperShell(asio::io_context& given_context, const EngineOptions& given_options,
                 EngineHandlers given_handlers)
      : QueueShell(given_context, given_options, std::move(given_handlers)),
        names(options.cluster, options.self, Random{options.seed}.next()),
        reopen_timer(context) {}

  ZookeeperNames names;
  std::uint64_t entries = 0;
  std::set<std::string> stale;  // paths to be removed
  bool open = false;            // the session is open
  std::chrono::milliseconds reopen_pause = refused_entry_pause;
  asio::steady_timer reopen_timer;
  std::unique_ptr<ZookeeperClient> client;

  // --- the session

  bool begin() override {
    open = false;
    client = std::make_unique<ZookeeperClient>(
        context,
        ZookeeperClientOptions{.servers = options.servers,
                               .session = options.ttl,
                               .reply = options.reply,
                               .username = options.username,
                               .password = options.password},
        statistics,
        ZookeeperClient::Handlers{.on_connected = [this] { connected(); },
                                  .on_disconnected = [this] { check_ready(); },
                                  .on_over = [this] { session_over(); }});
    return true;
  }

  void refresh_statistics() override { client->refresh_statistics(); }

  void connected() {
    const auto self = kept();
    obs::log_info("ZooKeeper answers");
    check_ready();
    if (closed()) return;
    for (const auto& path : stale) remove_stale(path);
    if (!std::exchange(open, true)) {
      session_opened();
    } else {
      // After a broken connection, the library repeats only the watches that a server had
      // confirmed. All waiting keys look again, which sets the other watches.
      everybody_moved();
      send_again();
    }
  }

  void session_over() {
    const auto self = kept();
    const bool was_open = std::exchange(open, false);
    stale.clear();
    check_ready();
    session_lost();
    if (closed()) return;
    if (stopping()) {
      close();
      return;
    }
    client->close();
    // Opens the new session after a pause. If no server's address is known, a session ends
    // immediately, and this would be an endless loop.
    reopen_pause = was_open ? refused_entry_pause : std::min(2 * reopen_pause, longest_entry_pause);
    reopen_timer.expires_after(reopen_pause);
    reopen_timer.async_wait([this, self](error_code error) {
      if (!error && !closed()) (void)begin();
    });
  }

  [[nodiscard]] bool session_open() const override { return open && client->alive(); }

  void check_ready() {
    const auto self = kept();
    if (!client->connected() && ready()) obs::log_warning("ZooKeeper does not answer");
    reachable(client->connected());
  }

  // --- asking the server

  // Calls `next` with the state if key and session still exist and the answer is usable.
  ZookeeperClient::Handler then(const GroupKey& group, lock::QueueRequest request, auto next) {
    return [this, group, request, next](const ZookeeperReply& reply) {
      const auto self = kept();
      const auto found = keys.find(group);
      if (closed() || found == keys.end()) return;
      if (!session_open()) return;  // on_over will be called
      if (reply.code == ZOK || reply.code == ZNONODE || reply.code == ZNODEEXISTS) {
        // The answer shows that the server serves us. Exception: ZNONODE for enter. Then the
        // group's node is missing, and the server may refuse to make it.
        if (request != lock::QueueRequest::enter || reply.code != ZNONODE) served();
        if (!closed()) next(found->second, reply);
      } else {
        if (reply.code != ZCONNECTIONLOSS && reply.code != ZOPERATIONTIMEOUT) complain(reply.code);
        if (request == lock::QueueRequest::enter) found->second.unsure = true;
        send_later(group, request);
      }
    };
  }

  void send(const GroupKey& group, ZookeeperKey& state, lock::QueueRequest request) override {
    if (!client->connected()) {
      send_later(group, request);
      return;
    }
    switch (request) {
      case lock::QueueRequest::enter: enter(group); return;
      case lock::QueueRequest::look: look(group); return;
      case lock::QueueRequest::leave:
        client->remove(path_of(group, state),
                       then(group, request, [this, group](ZookeeperKey& same, const auto&) {
                         ended(group, same);
                       }));
        return;
      case lock::QueueRequest::release:
        client->write_and_remove(
            names.group(group), lock::encode_record(state.lock.record()), path_of(group, state),
            then(group, request,
                 [this, group](ZookeeperKey& same, const auto&) { ended(group, same); }));
        return;
    }
  }

  [[nodiscard]] std::string path_of(const GroupKey& group, const ZookeeperKey& state) const {
    return names.group(group) + '/' + state.name;
  }

  // Sends three requests together; entered() runs after the third answer. If the group's node is
  // missing, all three fail and are repeated.
  void enter(const GroupKey& group) {
    const auto created = std::make_shared<ZookeeperReply>();
    const auto listed = std::make_shared<ZookeeperReply>();
    client->create_sequential(names.entry(group, ++entries),
                              [created](const auto& reply) { *created = reply; });
    client->list(names.group(group), [listed](const auto& reply) { *listed = reply; });
    client->read(names.group(group), [this, group, created, listed](const ZookeeperReply& read) {
      entered(group, *created, *listed, read);
    });
  }

  void entered(const GroupKey& group, const ZookeeperReply& created, const ZookeeperReply& listed,
               const ZookeeperReply& read) {
    const auto& worst = created.code != ZOK ? created : listed.code != ZOK ? listed : read;
    then(group, lock::QueueRequest::enter,
         [this, group, &created, &listed, &read](ZookeeperKey& state, const auto& reply) {
           if (reply.code == ZNONODE) {
             make_parents(group);
             return;
           }
           state.name = created.text.substr(created.text.rfind('/') + 1);
           state.created = created.created;
           stands(group, state, listed, read);
         })(worst);
  }

  void make_parents(const GroupKey& group) {
    const auto refusal = std::make_shared<int>(ZNONODE);
    const auto note = [refusal](const ZookeeperReply& reply) {
      if (reply.code != ZOK && reply.code != ZNODEEXISTS) *refusal = reply.code;
    };
    using ForWhom = ZookeeperClient::ForWhom;
    client->create_container(names.root, ForWhom::all_clusters, note);
    client->create_container(names.cluster, ForWhom::our_cluster, note);
    client->create_container(names.group(group), ForWhom::our_cluster,
                             then(group, lock::QueueRequest::enter,
                                  [this, group, refusal](ZookeeperKey& state, const auto& reply) {
                                    if (reply.code != ZNONODE) {
                                      return send(group, state, lock::QueueRequest::enter);
                                    }
                                    complain(*refusal);
                                    send_later(group, lock::QueueRequest::enter);
                                  }));
  }

  void look(const GroupKey& group) {
    const auto listed = std::make_shared<ZookeeperReply>();
    client->list(names.group(group), [listed](const auto& reply) { *listed = reply; });
    client->read(names.group(group),
                 then(group, lock::QueueRequest::look,
                      [this, group, listed](ZookeeperKey& state, const ZookeeperReply& read) {
                        stands(group, state, *listed, read);
                      }));
  }

  void stands(const GroupKey& group, ZookeeperKey& state, const ZookeeperReply& listed,
              const ZookeeperReply& read) {
    const auto place = find_place(listed.children, names.owner, state.name);
    for (const auto& name : place.stale) remove_stale(names.group(group) + '/' + name);
    const auto sequence = sequence_of(state.name).value_or(0);
    const lock::QueueStanding standing{.present = place.present,
                                       .oldest = place.ahead.empty(),
                                       .number = state.created,
                                       .ticket = sequence + 1,
                                       .before = sequence,
                                       .record = lock::decode_record(read.text)};
    const auto output = state.lock.placed(standing);
    if (state.lock.waiting()) {
      wait(group, names.group(group) + '/' + place.ahead);
    } else {
      act(group, state, output);
    }
  }

  void wait(const GroupKey& group, const std::string& ahead) {
    const auto gone = [this, group] {
      const auto self = kept();
      moved(group);
    };
    client->watch(
        ahead,
        [gone](const auto& reply) {
          if (reply.code == ZNONODE) gone();
        },
        gone);
  }

  void ended(const GroupKey& group, ZookeeperKey& state) {
    state.name.clear();
    if (std::exchange(state.unsure, false)) {
      // An enter without an answer may have made another entry. The server has processed that enter
      // by now, so the list shows the entry.
      client->list(names.group(group), [this, group](const ZookeeperReply& listed) {
        const auto found = keys.find(group);
        const std::string mine = found == keys.end() ? "" : found->second.name;
        const auto place = find_place(listed.children, names.owner, mine);
        for (const auto& name : place.stale) remove_stale(names.group(group) + '/' + name);
      });
    }
    act(group, state, state.lock.ended());
  }

  void remove_stale(const std::string& path) {
    stale.insert(path);
    if (!client->connected()) return;  // retried after the next connection
    client->remove(path, [this, path](const ZookeeperReply& reply) {
      if (reply.code == ZOK || reply.code == ZNONODE) stale.erase(path);
    });
  }

  // --- later

  void complain(int code) {
    if (!refused(std::string{"it refuses a lock: "} + zerror(code))) return;
    obs::log_error("ZooKeeper refuses a lock", {{"reason", zerror(code)}});
  }

  // --- functions of QueueShell

  void say_goodbye() override {
    client->say_goodbye([self = kept()] { self->close(); });
  }

  void end() override {
    client->close();
    reopen_timer.cancel();
  }
};

}  // namespace

Result<std::unique_ptr<Engine>> make_zookeeper_engine(asio::io_context& context,
                                                      const EngineOptions& options,
                                                      EngineHandlers handlers) {
  return make_shell<ZookeeperShell>(context, options, std::move(handlers));
}

}  // namespace fixkeep::engine
