#include "lock/engines/lease/engine.hpp"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <utility>

#include "common/base/random.hpp"
#include "common/net/kubernetes/watch.hpp"
#include "common/obs/log.hpp"
#include "lock/engines/lease/api.hpp"
#include "lock/engines/lease/object.hpp"
#include "lock/engines/retry_shell.hpp"
#include "lock/engines/shell_engine.hpp"

namespace fixkeep::engine {

namespace asio = boost::asio;
namespace api = kubernetes;
using boost::system::error_code;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::hours unused{2};
constexpr std::size_t most_deletions = 100;  // after a list

struct LeaseKey {
  explicit LeaseKey(MasterId self) : lock(self) {}

  lock::QueueLock lock;
  std::string name;  // empty: no request yet
  bool told = false;
  LeaseObject known;             // the object as we last read or wrote it
  Clock::time_point seen;        // time when we first saw this version
  Clock::time_point last_until;  // while we hold it: the end of the lease
  Clock::time_point renewed;
  bool ours = false;                       // the object names us
  bool renewing = false;                   // a renewal is unanswered
  std::optional<lock::QueueRequest> next;  // request that waits for the renewal
};

struct LeaseShell : RetryShell<LeaseKey> {
  LeaseShell(asio::io_context& given_context, const EngineOptions& given_options,
             EngineHandlers given_handlers)
      : RetryShell(given_context, given_options, std::move(given_handlers)),
        label(lease_label(options.cluster)),
        holder(
            fmt::format("m{}-{:016x}", options.self.number(),
                        Random{options.seed}.next() ^
                            static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()))),
        timer(context) {}

  const std::string label;
  const std::string holder;
  std::shared_ptr<LeaseApi> server;
  std::unique_ptr<api::Watch> watch;
  asio::steady_timer timer;
  std::set<GroupKey> held;
  Clock::time_point asked_for_life;
  bool asking_for_life = false;

  bool begin() override {
    auto made = LeaseApi::make(context, options, statistics,
                               {.on_reachable =
                                    [this](bool now) {
                                      const auto self = kept();
                                      reachable(now);
                                    },
                                .on_served =
                                    [this] {
                                      const auto self = kept();
                                      served();
                                    },
                                .on_refused =
                                    [this](const std::string& why) {
                                      const auto self = kept();
                                      return this->refused(why);
                                    }});
    if (const auto* const why = std::get_if<std::string>(&made)) {
      obs::log_error("no access to the API server of lock.servers", {{"reason", *why}});
      return false;
    }
    server = std::move(std::get<0>(made));
    watch = std::make_unique<api::Watch>(
        context, server->client(),
        api::ReflectorOptions{.resource = server->leases(),
                              .labels = "fixkeep-cluster=" + label,
                              .seed = options.seed},
        api::Watch::Handlers{.listed = [this](const auto& all) { listed(all); },
                             .changed = [this](const api::Json& object) { changed(object); },
                             .removed = [this](const api::Json& object) { changed(object); },
                             .away =
                                 [](const std::string& why) {
                                   obs::log_warning("no watch of Leases", {{"reason", why}});
                                 },
                             .back = [] { obs::log_info("Leases are watched"); }});
    watch->begin();
    beat();
    return true;
  }

  // --- the server

  using Answer = LeaseApi::Answer;

  void ask(api::ApiCall call, Answer answer) {
    server->ask(std::move(call), [this, answer = std::move(answer)](const auto& got, auto problem) {
      const auto self = kept();
      if (!closed()) answer(got, problem);
    });
  }

  void read(const GroupKey& group, lock::QueueRequest request) {
    ask({.target = server->leases().item(keys.at(group).name)},
        [this, group, request](const api::ApiAnswer& got, api::ApiProblem problem) {
          const auto found = keys.find(group);
          if (found == keys.end()) return;
          auto& key = found->second;
          if (problem == api::ApiProblem::not_found) {
            key.known = {.name = key.name};
          } else {
            const auto lease =
                problem == api::ApiProblem::none ? read_lease(api::parsed(got.body)) : std::nullopt;
            if (!lease) return send_later(group, request);
            if (lease->version != key.known.version) key.seen = Clock::now();
            key.known = *lease;
          }
          decide(group, key, request);
        });
  }

  // --- requests

  void send(const GroupKey& group, LeaseKey& key, lock::QueueRequest request) override {
    if (key.renewing) {
      key.next = request;
      return;
    }
    if (request == lock::QueueRequest::enter || request == lock::QueueRequest::look) {
      asks(group, key, lease_name(options.cluster, group));
      return read(group, request);
    }
    held.erase(group);
    if (!key.ours) {
      asio::post(context, [this, self = kept(), group] { end_of(group); });
      return;
    }
    decide(group, key, request);
  }

  // Writes the object as the request needs it. If another master has the key, writes nothing, and
  // reports what was read.
  void decide(const GroupKey& group, LeaseKey& key, lock::QueueRequest request) {
    const bool taking = request == lock::QueueRequest::enter || request == lock::QueueRequest::look;
    auto lease = key.known;
    if (!taking) {
      if (lease.holder != holder) return end_of(group);
      lease.holder.clear();
      if (request == lock::QueueRequest::release) lease.record = key.lock.record();
      return write(group, key, std::move(lease), request);
    }
    const bool over = Clock::now() >= key.seen + lease.duration + lease.duration / 8;
    if (!lease.holder.empty() && lease.holder != holder && !over) { return stands(group, key, {}); }
    lease.holder = holder;
    lease.duration =
        std::max(std::chrono::seconds{1}, std::chrono::ceil<std::chrono::seconds>(options.ttl));
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    lease.epoch =
        lease.version.empty()
            ? static_cast<std::uint64_t>(std::chrono::floor<std::chrono::milliseconds>(now).count())
            : lease.epoch + 1;
    write(group, key, std::move(lease), request);
  }

  void put(const LeaseObject& lease, Answer answer) {
    const bool make = lease.version.empty();
    ask({.method = make ? "POST" : "PUT",
         .target = make ? server->leases().collection() : server->leases().item(lease.name),
         .body = write_lease(lease, label, std::chrono::system_clock::now())},
        std::move(answer));
  }

  void write(const GroupKey& group, LeaseKey& key, LeaseObject lease, lock::QueueRequest request) {
    const auto before = key.known;
    key.ours = key.ours || !lease.holder.empty();  // even if the answer is lost
    put(lease, [this, group, request, before, sent = Clock::now()](const api::ApiAnswer& got,
                                                                   api::ApiProblem problem) {
      const auto found = keys.find(group);
      if (found == keys.end()) return;
      auto& state = found->second;
      const auto written =
          problem == api::ApiProblem::none ? read_lease(api::parsed(got.body)) : std::nullopt;
      if (!written) {
        const bool changed =
            problem == api::ApiProblem::conflict || problem == api::ApiProblem::already_exists;
        return changed ? read(group, request) : read_later(group, request);
      }
      state.known = *written;
      state.seen = Clock::now();
      if (written->holder.empty()) return end_of(group);
      granted(group, state, before, sent);
    });
  }

  // Reads the object again after a pause. Call it if the outcome of a write is unknown or the
  // server refused the write.
  void read_later(const GroupKey& group, lock::QueueRequest request) {
    const auto again =
        std::make_shared<asio::steady_timer>(context, std::chrono::milliseconds{200});
    again->async_wait([this, self = kept(), again, group, request](error_code) {
      if (!closed() && keys.contains(group)) read(group, request);
    });
  }

  void granted(const GroupKey& group, LeaseKey& key, const LeaseObject& before,
               Clock::time_point sent) {
    key.last_until = sent + options.ttl;
    key.renewed = sent;
    if (Clock::now() >= key.last_until) return enter_again(group, key);
    held.insert(group);
    stands(group, key,
           {.oldest = true,
            .number = key.known.epoch,
            .ticket = key.known.epoch,
            .before = before.epoch,
            .record = before.record});
  }

  void end_of(const GroupKey& group) {
    const auto found = keys.find(group);
    if (found == keys.end() || closed()) return;
    found->second.ours = false;
    act(group, found->second, found->second.lock.ended());
  }

  // --- holding

  // Our lease has ended before we released it, or before the server's answer granted it to us.
  // Reports the loss of a held key; a waiting master enters again.
  void enter_again(const GroupKey& group, LeaseKey& key) {
    held.erase(group);
    key.next.reset();
    if (key.lock.holding()) {
      ++statistics.locks_lost;
      obs::log_warning("a Lease is over", {{"group", group.text()}});
    }
    act(group, key, key.lock.session_lost());
    const auto found = keys.find(group);
    if (!closed() && found != keys.end()) {
      act(group, found->second, found->second.lock.session_opened());
    }
  }

  void renew(const GroupKey& group, LeaseKey& key) {
    key.renewing = true;
    const auto sent = Clock::now();
    put(key.known, [this, group, sent](const api::ApiAnswer& got, api::ApiProblem problem) {
      const auto found = keys.find(group);
      if (found == keys.end()) return;
      auto& state = found->second;
      state.renewing = false;
      const auto written =
          problem == api::ApiProblem::none ? read_lease(api::parsed(got.body)) : std::nullopt;
      if (written) {
        state.known = *written;
        state.renewed = sent;
        state.last_until = std::max(state.last_until, sent + options.ttl);
      } else if (state.lock.holding() &&
                 (problem == api::ApiProblem::conflict || problem == api::ApiProblem::not_found)) {
        return reread(group, state);
      }
      go_on(group, state);
    });
  }

  // Reads the object after a refused renewal. Either an earlier renewal has succeeded although its
  // answer was lost, or another master has the key.
  void reread(const GroupKey& group, LeaseKey& key) {
    key.renewing = true;
    ask({.target = server->leases().item(key.name)},
        [this, group](const api::ApiAnswer& got, api::ApiProblem problem) {
          const auto found = keys.find(group);
          if (found == keys.end()) return;
          auto& state = found->second;
          state.renewing = false;
          const auto lease =
              problem == api::ApiProblem::none ? read_lease(api::parsed(got.body)) : std::nullopt;
          if (lease && lease->holder == holder && lease->epoch == state.known.epoch) {
            state.known = *lease;
          } else if (lease || problem == api::ApiProblem::not_found) {
            return enter_again(group, state);
          }
          go_on(group, state);
        });
  }

  void go_on(const GroupKey& group, LeaseKey& key) {
    if (const auto next = std::exchange(key.next, {})) send(group, key, *next);
  }

  void beat() {
    if (closed()) return;
    const auto self = kept();
    const auto now = Clock::now();
    for (const auto& group : std::vector<GroupKey>{held.begin(), held.end()}) {
      const auto found = keys.find(group);
      if (found == keys.end()) {
        held.erase(group);
      } else if (now >= found->second.last_until) {
        enter_again(group, found->second);
      } else if (!found->second.renewing && now >= found->second.renewed + options.ttl / 3) {
        found->second.renewed = now;
        renew(group, found->second);
      }
      if (closed()) return;
    }
    if (!server->away()) poll(now);
    if (closed()) return;
    const auto quiet = server->away() ? options.reply / 2 : options.ttl / 4;
    if (!asking_for_life && now >= std::max(server->heard(), asked_for_life) + quiet) {
      asking_for_life = true;
      asked_for_life = now;
      ask({.target = server->leases().collection() + "?limit=1"},
          [this](const auto&, auto) { asking_for_life = false; });
    }
    timer.expires_after(std::clamp<Duration>(options.ttl / 64, std::chrono::milliseconds{5},
                                             std::chrono::milliseconds{100}));
    timer.async_wait([this, self](error_code error) {
      if (!error) beat();
    });
  }

  // --- the watch

  void changed(const api::Json& object) {
    const auto lease = read_lease(object);
    if (lease && lease->holder.empty()) released(lease->name);
  }

  // Handles a list, which shows the changes that the watch may have missed. Deletes unused Leases.
  void listed(const std::vector<api::Json>& all) {
    const auto self = kept();
    const auto old = lease_time(std::chrono::system_clock::now() - unused);
    std::size_t deleted = 0;
    for (const auto& object : all) {
      if (closed()) return;
      changed(object);
      const auto lease = read_lease(object);
      if (!lease || !lease->holder.empty() || lease->renewed >= old) continue;
      if (asked_for(lease->name) || ++deleted > most_deletions) continue;
      ask({.method = "DELETE",
           .target = server->leases().item(lease->name),
           .body = api::Json{{"preconditions", {{"resourceVersion", lease->version}}}}.dump()},
          [](const auto&, auto) {});
    }
  }

  // --- functions of QueueShell

  [[nodiscard]] bool session_open() const override { return true; }

  void say_goodbye() override {
    auto left = std::make_shared<std::size_t>(1);
    const auto done = [self = kept(), left](const auto&, auto) {
      if (--*left == 0) self->close();
    };
    for (const auto& group : held) {
      const auto found = keys.find(group);
      if (found == keys.end()) continue;
      auto free = found->second.known;
      free.holder.clear();
      ++*left;
      put(free, done);
    }
    asio::post(context, [done] { done(api::ApiAnswer{}, api::ApiProblem::none); });
  }

  void end() override {
    timer.cancel();
    watch.reset();
    if (server) server->close();
  }
};

}  // namespace

Result<std::unique_ptr<Engine>> make_lease_engine(asio::io_context& context,
                                                  const EngineOptions& options,
                                                  EngineHandlers handlers) {
  return make_shell<LeaseShell>(context, options, std::move(handlers));
}

}  // namespace fixkeep::engine
