#include "lock/node/session.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "common/net/steady_clock.hpp"

#include "lock/node/contend_loop.hpp"
#include "lock/node/turns_loop.hpp"

namespace fixkeep::lock_node {

namespace {

namespace asio = boost::asio;

constexpr std::size_t most_line = 64U << 10U;
constexpr std::size_t most_output = 64U << 20U;
constexpr std::size_t most_shown_keys = 10'000;

std::string_view name_of(lock::LostReason reason) {
  switch (reason) {
    case lock::LostReason::wait_timeout: return "wait_timeout";
    case lock::LostReason::lease_timeout: return "lease_timeout";
    case lock::LostReason::engine_failure: return "engine_failure";
  }
  return "?";
}

std::string_view name_of(lock::Want want) {
  switch (want) {
    case lock::Want::nothing: return "nothing";
    case lock::Want::waiting: return "waiting";
    case lock::Want::holding: return "holding";
  }
  return "?";
}

nlohmann::json to_json(FencingToken token) {
  return nlohmann::json::array({token.counter, token.master.number()});
}

}  // namespace

Session::Session(asio::io_context& context, int input, int output)
    : context_(context), input_(context, input), output_(context, output), lines_(most_line) {}

Session::~Session() = default;

Result<> Session::start(NodeOptions options) {
  auto participant = Participant::start(context_, std::move(options), participant_handlers());
  if (!participant) return participant.error();
  participant_ = std::move(*participant);
  read();
  return {};
}

ParticipantHandlers Session::participant_handlers() {
  ParticipantHandlers handlers;
  handlers.on_granted = [this](const lock::KeyGranted& grant) { granted(grant); };
  handlers.on_lost = [this](const GroupKey& key, lock::LostReason reason) {
    if (loop_ && loop_->owns(key)) return loop_->lost(key, reason);
    asked_.erase(key);
    say({{"event", "lost"},
         {"key", key.text()},
         {"reason", name_of(reason)},
         {"at_us", net::steady_now().time_since_epoch().count()}});
  };
  handlers.on_peer = [this](MasterId peer, bool up) {
    say({{"event", "peer"}, {"peer", peer.number()}, {"up", up}});
    if (loop_ && !up) loop_->peer_gone(peer);
  };
  handlers.on_echo = [this](MasterId) {
    if (loop_) loop_->echoed();
  };
  handlers.on_ready = [this] { say({{"event", "ready"}}); };
  return handlers;
}

void Session::granted(const lock::KeyGranted& grant) {
  if (loop_ && loop_->owns(grant.key)) return loop_->granted(grant);
  const auto now = net::steady_now();
  const auto asked = asked_.extract(grant.key);
  say({{"event", "granted"},
       {"key", grant.key.text()},
       {"token", to_json(grant.token)},
       {"needs_fence", grant.needs_fence},
       {"bytes", grant.value.bytes},
       {"uncertain", grant.value.uncertain},
       {"wait_us", asked.empty() ? 0 : (now - asked.mapped()).count()},
       {"at_us", now.time_since_epoch().count()}});
}

// --- in

void Session::read() {
  input_.async_read_some(
      asio::buffer(chunk_), [this](boost::system::error_code error, std::size_t bytes) {
        const auto take = [this](std::string_view line, bool whole) { take_line(line, whole); };
        if (error) {
          lines_.finish(take);
          return quit();
        }
        lines_.feed({chunk_.data(), bytes}, take);
        if (!ending_) read();
      });
}

void Session::take_line(std::string_view line, bool whole) {
  ++line_number_;
  if (ending_ || line.empty()) return;
  if (!whole) return refuse({}, "the line is longer than " + std::to_string(most_line) + " bytes");
  const auto parsed = parse_command(line);
  if (const auto* mistake = std::get_if<Mistake>(&parsed)) {
    return refuse(mistake->id, mistake->text);
  }
  perform(std::get<Request>(parsed));
}

void Session::perform(const Request& request) {
  std::visit([&](const auto& command) { run(request, command); }, request.command);
}

void Session::run(const Request& request, const AcquireKey& command) {
  if (participant_->wanted(command.key)) {
    return refuse(request.id, "acquire: the key is wanted or held already");
  }
  answer(request, {{"key", command.key.text()}});
  asked_[command.key] = net::steady_now();
  participant_->acquire(command.key);
}

void Session::run(const Request& request, const AbandonKey& command) {
  if (!asked_.contains(command.key))
    return refuse(request.id, "abandon: the key is not waited for");
  asked_.erase(command.key);
  answer(request, {{"key", command.key.text()}});
  participant_->abandon(command.key);
}

void Session::run(const Request& request, const ReleaseKey& command) {
  if (!participant_->wanted(command.key) || asked_.contains(command.key) ||
      (loop_ && loop_->owns(command.key))) {
    return refuse(request.id, "release: the key is not held");
  }
  answer(request, {{"key", command.key.text()}});
  participant_->release(command.key, command.bytes, command.uncertain);
}

void Session::run(const Request& request, const ShowStatus&) {
  auto peers = Answer::object();
  for (const auto& [peer, address] : participant_->options().peers) {
    peers[std::to_string(peer.number())] = participant_->table().up(peer);
  }
  auto keys = Answer::array();
  for (const auto& key : participant_->table().status(most_shown_keys)) {
    keys.push_back({{"key", key.key.text()},
                    {"want", name_of(key.want)},
                    {"state", key.state},
                    {"token", to_json(key.token)}});
  }
  answer(request, {{"strategy", participant_->options().strategy},
                   {"ready", participant_->ready()},
                   {"peers", std::move(peers)},
                   {"keys", std::move(keys)}});
}

void Session::run(const Request& request, const ShowStatistics&) {
  const auto& table = participant_->table().statistics();
  const auto& links = participant_->links();
  Answer found{{"acquisitions", table.acquisitions},
               {"abandons", table.abandons},
               {"wait_timeouts", table.wait_timeouts},
               {"lease_timeouts", table.lease_timeouts},
               {"engine_failures", table.engine_failures},
               {"messages_sent", table.messages_sent},
               {"bytes_sent", table.bytes_sent},
               {"links",
                {{"frames_sent", links.frames_sent},
                 {"frames_received", links.frames_received},
                 {"bytes_sent", links.bytes_sent},
                 {"bytes_received", links.bytes_received},
                 {"writes", links.writes}}}};
  if (const auto* engine = participant_->engine()) {
    const auto& counted = engine->statistics();
    found["engine"] = {{"requests_sent", counted.requests_sent},
                       {"replies_received", counted.replies_received},
                       {"bytes_sent", counted.bytes_sent},
                       {"bytes_received", counted.bytes_received},
                       {"connections_lost", counted.connections_lost},
                       {"locks_lost", counted.locks_lost}};
  }
  answer(request, std::move(found));
}

bool Session::is_peer(MasterId peer) const {
  return participant_->options().peers.contains(peer);
}

void Session::run(const Request& request, const CutPeer& command) {
  if (!is_peer(command.peer)) return refuse(request.id, "cut: the peer is unknown");
  answer(request, {{"peer", command.peer.number()}});
  participant_->cut(command.peer);
}

void Session::run(const Request& request, const HealPeer& command) {
  if (command.peer && !is_peer(*command.peer)) {
    return refuse(request.id, "heal: the peer is unknown");
  }
  answer(request);
  for (const auto& [peer, address] : participant_->options().peers) {
    if (!command.peer || *command.peer == peer) participant_->heal(peer);
  }
}

// --- measurements

template <class Measurement, class... Arguments>
void Session::measure(const Request& request, Arguments&&... arguments) {
  if (loop_) return refuse(request.id, request.name + ": another measurement runs");
  auto done = [this, request](const nlohmann::json& found, const std::string& failure) {
    loop_ended(request, found, failure);
  };
  loop_ = std::make_shared<Measurement>(std::forward<Arguments>(arguments)..., std::move(done));
  const auto keep = loop_;
  keep->begin();
}

void Session::loop_ended(const Request& request, const nlohmann::json& found,
                         const std::string& failure) {
  // The loop itself has made this call, so it is destroyed only after the call.
  asio::post(context_, [ended = std::move(loop_)] {});
  loop_.reset();
  if (!failure.empty()) return refuse(request.id, request.name + ": " + failure);
  answer(request, Answer(found));
}

void Session::run(const Request& request, const MeasureEcho& command) {
  if (!is_peer(command.peer)) return refuse(request.id, "echo: the peer is unknown");
  measure<TurnsLoop>(request, *participant_, command);
}

void Session::run(const Request& request, const MeasureUncontended& command) {
  if (!is_peer(command.peer)) return refuse(request.id, "uncontended: the peer is unknown");
  measure<TurnsLoop>(request, *participant_, command);
}

void Session::run(const Request& request, const Contend& command) {
  measure<ContendLoop>(request, context_, *participant_, command);
}

// --- the end

void Session::run(const Request& request, const Quit&) {
  answer(request);
  quit();
}

void Session::quit() {
  if (std::exchange(ending_, true)) return;
  if (loop_) loop_->stop();
  boost::system::error_code ignored;
  input_.close(ignored);
  participant_->stop();
}

// --- out

void Session::answer(const Request& request, Answer more) {
  Answer line{{"answer", request.name}};
  if (!request.id.is_null()) line["id"] = request.id;
  line.update(more);
  say(line);
}

void Session::refuse(const nlohmann::json& id, const std::string& why) {
  Answer line{{"error", why}, {"line", line_number_}};
  if (!id.is_null()) line["id"] = id;
  say(line);
}

void Session::say(const Answer& line) {
  // Another node chose the bytes of a lock value, so they may be invalid UTF-8.
  pending_ += line.dump(-1, ' ', false, Answer::error_handler_t::replace) + "\n";
  if (pending_.size() > most_output) return quit();
  if (!writing_) write();
}

void Session::write() {
  if (pending_.empty()) return;
  writing_ = true;
  std::swap(pending_, in_flight_);
  asio::async_write(output_, asio::buffer(in_flight_),
                    [this](boost::system::error_code error, std::size_t) {
                      writing_ = false;
                      in_flight_.clear();
                      if (error) return quit();
                      write();
                    });
}

}  // namespace fixkeep::lock_node
