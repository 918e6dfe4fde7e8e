#include "lock/engines/redis/server.hpp"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/base/assert.hpp"
#include "common/obs/log.hpp"

namespace fixkeep::engine {
namespace {

constexpr std::size_t words_before_scripts = 3;  // commands of the greeting

// Returns true if the error concerns the whole server, not one key's content or a script. Such a
// server counts as away and is dialled again: after a failover its name may resolve to another
// server. READONLY is the message of a replica. On older servers, it is in the middle of a script's
// error.
bool refuses_all(std::string_view error) {
  const auto code = error.substr(0, error.find(' '));
  if (error.find("READONLY") != std::string_view::npos) return true;
  return code != "ERR" && code != "WRONGTYPE";
}

// Returns the value from a line "name:value\r\n".
std::string_view field_in(std::string_view info, std::string_view name) {
  while (!info.empty()) {
    const auto end = std::min(info.find("\r\n"), info.size());
    const auto line = info.substr(0, end);
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      return line.substr(name.size() + 1);
    }
    info.remove_prefix(std::min(end + 2, info.size()));
  }
  return {};
}

}  // namespace

std::optional<RedisLife> parse_life(std::string_view info) {
  RedisLife life;
  life.run_id = field_in(info, "run_id");
  const auto uptime = field_in(info, "uptime_in_seconds");
  std::int64_t seconds = -1;
  const auto [rest, error] = std::from_chars(uptime.begin(), uptime.end(), seconds);
  if (life.run_id.empty() || error != std::errc{} || rest != uptime.end() || seconds < 0) return {};
  life.uptime = std::chrono::seconds{seconds};
  return life;
}

Duration restart_delay(std::chrono::seconds uptime, Duration ttl) {
  // A server can report any uptime. Checks this first, because the conversion of a long uptime
  // could overflow.
  if (uptime > std::chrono::ceil<std::chrono::seconds>(ttl)) return Duration::zero();
  const Duration sure = std::max(uptime - std::chrono::seconds{1}, std::chrono::seconds{0});
  return std::max(ttl - sure, Duration::zero());
}

RedisServer::RedisServer(boost::asio::io_context& context, const ServerAddress& address,
                         const EngineOptions& options, EngineStatistics& statistics, Random random,
                         RedisServerHandlers handlers)
    : context_(context),
      address_(address),
      options_(options),
      statistics_(statistics),
      random_(random),
      handlers_(std::move(handlers)),
      timer_(context) {
  dial();
}

RedisServer::~RedisServer() {
  close();
}

void RedisServer::close() {
  alive_.reset();
  timer_.cancel();
  if (connection_) connection_->close();
  connection_.reset();
  asked_.clear();
  up_ = false;
}

// --- dialling and greeting

void RedisServer::dial() {
  greeting_ = 0;
  connection_ = std::make_shared<RedisConnection>(
      context_, options_.reply, statistics_,
      RedisConnectionHandlers{[this] { greet(); },
                              [this](const redisReply& reply) {
                                if (greeting_ < all_redis_scripts.size() + words_before_scripts) {
                                  greeted(reply);
                                } else {
                                  replied(reply);
                                }
                              },
                              [this](Failure kind, const std::string& why) { closed(kind, why); }},
      options_.tls);
  connection_->open(address_);
}

void RedisServer::greet() {
  if (options_.password.empty()) {
    greeting_ = 1;
  } else if (options_.username.empty()) {
    connection_->send({"AUTH", options_.password});
  } else {
    connection_->send({"AUTH", options_.username, options_.password});
  }
  connection_->send({"INFO", "server"});
  connection_->send({"INFO", "replication"});
  for (const auto script : all_redis_scripts) {
    connection_->send({"SCRIPT", "LOAD", text_of(script)});
  }
}

// Replies arrive in the order of greet(): 0 AUTH, 1 and 2 INFO, 3 and more SCRIPT LOAD.
void RedisServer::greeted(const redisReply& reply) {
  if (reply.type == REDIS_REPLY_ERROR) return turned_away(std::string{text_in(reply)});
  const auto index = greeting_++;
  if (index == 0) return;
  const auto text = reply.type == REDIS_REPLY_STRING ? text_in(reply) : std::string_view{};
  if (index == 2) {
    if (field_in(text, "role") == "slave") turned_away("it is a replica, and grants no locks");
    return;
  }
  if (index > 2) {
    digests_[index - words_before_scripts] = text;
    if (greeting_ < all_redis_scripts.size() + words_before_scripts) return;
    // Only the timer's handler calls become_up(), even if there is no restart delay.
    timer_.expires_at(counts_at_);
    timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
      if (!error && !alive.expired() && connection_) become_up();
    });
    return;
  }
  if (const auto life = parse_life(text)) {
    wait_for_life(*life);
  } else {
    turned_away("INFO does not say for how long it has been up");
  }
}

void RedisServer::turned_away(const std::string& why) {
  connection_->close();
  closed(Failure::refused, why);
}

void RedisServer::wait_for_life(const RedisLife& life) {
  if (life.run_id == run_id_) return;
  run_id_ = life.run_id;
  const auto delay = restart_delay(life.uptime, options_.ttl);
  counts_at_ = Clock::now() + delay;
  if (delay == Duration::zero()) return;
  obs::log_info("redis server has started lately and is waited for",
                {{"server", to_string(address_)}, {"wait_ms", delay.count() / 1000}});
}

void RedisServer::become_up() {
  obs::log_info("redis server is up", {{"server", to_string(address_)}});
  up_ = true;
  if (std::exchange(was_up_, true)) ++statistics_.reconnects;
  trouble_.clear();
  handlers_.up(true);
}

void RedisServer::closed(Failure kind, const std::string& why) {
  statistics_.failed(kind, to_string(address_), why);
  // If the connection closes during the restart delay, the timer must not call become_up().
  timer_.cancel();
  connection_.reset();
  asked_.clear();
  if (why != trouble_) {
    obs::log_warning("redis server is away", {{"server", to_string(address_)}, {"why", why}});
    trouble_ = why;
  }
  timer_.expires_after(Duration{random_.between(pause_.count() / 2, pause_.count())});
  timer_.async_wait([this, alive = std::weak_ptr{alive_}](boost::system::error_code error) {
    if (!error && !alive.expired() && !connection_) dial();
  });
  pause_ = std::min<Duration>(pause_ * 2, longest_pause);
  if (!std::exchange(up_, false)) return;
  ++statistics_.connections_lost;
  handlers_.up(false);
}

// --- commands

void RedisServer::send(const GroupKey& key, const lock::RedlockCommand& command) {
  FIXKEEP_ASSERT(up_, to_string(address_));
  ask({key, command.serial, make_call(options_.cluster, key, command, options_.ttl)});
}

void RedisServer::ask(Asked asked) {
  const auto script = asked.call.script;
  std::vector<std::string_view> words;
  words.reserve(asked.call.words.size() + 2);
  words.emplace_back(asked.by_text ? "EVAL" : "EVALSHA");
  words.emplace_back(asked.by_text ? text_of(script) : digests_[static_cast<std::size_t>(script)]);
  words.insert(words.end(), asked.call.words.begin(), asked.call.words.end());
  connection_->send(words);
  asked_.push_back(std::move(asked));
}

void RedisServer::replied(const redisReply& reply) {
  FIXKEEP_ASSERT(!asked_.empty(), to_string(address_));
  auto asked = std::move(asked_.front());
  asked_.pop_front();
  if (reply.type != REDIS_REPLY_ERROR) {
    // Only an acquire proves that the server can write: a release can succeed without a write.
    if (asked.call.script == RedisScript::acquire) pause_ = shortest_pause;
    handlers_.replied(asked.key, asked.serial, read_reply(asked.call.script, reply));
    return;
  }
  if (text_in(reply).starts_with("NOSCRIPT") && !asked.by_text) {
    asked.by_text = true;
    ask(std::move(asked));
    return;
  }
  const auto why = text_in(reply);
  if (refuses_all(why)) return turned_away("it refuses a lock: " + std::string{why});
  statistics_.failed(Failure::refused, to_string(address_), why);
  if (why != std::exchange(key_trouble_, why)) {
    obs::log_warning("redis server refuses", {{"server", to_string(address_)}, {"why", why}});
  }
  handlers_.replied(asked.key, asked.serial, lock::CommandFailed{});
}

}  // namespace fixkeep::engine
