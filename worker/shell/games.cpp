#include "worker/shell/games.hpp"

#include <boost/asio/post.hpp>
#include <utility>

#include "common/auth/seat_token.hpp"
#include "common/base/assert.hpp"
#include "common/net/steady_clock.hpp"
#include "common/obs/log.hpp"
#include "worker/runner/object_name.hpp"
#include "worker/sdk/token.hpp"
#include "worker/shell/game_match.hpp"
#include "worker/shell/game_probes.hpp"

namespace fixkeep::worker {
namespace {

constexpr std::size_t most_missed_output = 1U << 20U;

std::vector<int> descriptors_of(const RoomListeners& listeners) {
  std::vector<int> descriptors;
  for (const Listeners& endpoint : listeners) {
    for (const process::Descriptor& socket : endpoint.sockets) descriptors.push_back(socket.get());
  }
  return descriptors;
}

}  // namespace

Games::Games(boost::asio::io_context& context, Settings& settings,
             std::shared_ptr<GameRunner> runner, Post post)
    : context_(context),
      settings_(settings),
      post_(std::move(post)),
      runner_(std::move(runner)),
      ports_(context, settings.first_port, settings.last_port, post_),
      log_(settings.core) {}

Games::~Games() = default;

bool Games::open(node::StartFailure& failure) {
  auto sdk = TransportHost::start(context_);
  if (!sdk) {
    failure = {"cannot start gRPC for the SDK of the rooms", sdk.error()};
    return false;
  }
  sdk_.emplace(std::move(*sdk));
  if (!open_door(failure)) return false;
  tell_about_programs();
  const auto tell_places = [this] { ports_.limit(runner_->places(), runner_->why_no_places()); };
  runner_->on_places_changed(tell_places);
  tell_places();
  if (runner_->traits().wants_ports) ports_.count_for(settings_.games);
  return true;
}

void Games::tell_about_programs() const {
  for (const GameDescription& game : settings_.games) {
    const std::string program =
        game.launch.game.command.empty() ? "" : game.launch.game.command.front();
    if (program.find('{') != std::string::npos) continue;  // the program is not known yet
    const auto problem = runner_->problem_of(game.launch.game.command);
    if (problem.empty()) continue;
    // This is not fatal: other modes may work, and a person may copy the program to this machine
    // later.
    obs::log_error("no room of this mode can start: its program cannot be executed",
                   {{"mode", game.mode.text()}, {"program", program}, {"reason", problem}});
  }
  const RoomOutputs* const outputs = runner_->traits().outputs;
  const auto folder = outputs == nullptr ? std::string{} : outputs->folder();
  if (!folder.empty()) obs::log_info("output of games is kept", {{"folder", folder}});
}

// --- actions of the core ------------------------------------------------------------------------

void Games::perform(const StartProcess& action) {
  const bool wants_ports = runner_->traits().wants_ports;
  const auto* const taken =
      wants_ports ? ports_.take(action.room, description_of(action.mode)) : nullptr;
  if (wants_ports && taken == nullptr) { return cannot_start(action.room, ports_.why_too_few()); }
  const wire::RoomPlace place = taken == nullptr ? wire::RoomPlace{} : *taken;
  auto listeners = new_listeners(description_of(action.mode), place);
  if (!listeners) {
    return cannot_start(action.room, "cannot listen for its SDK: " + listeners.error().message());
  }
  Launch launch = prepare(action, place, std::move(*listeners));
  // The keeper writes the first note, so that a start does not wait here for a disk.
  if (settings_.outlive_worker > std::chrono::milliseconds{0}) {
    launch.note = to_bytes(games_[action.room].sdk->session().memory());
  }
  log_.starting(action, place);
  Game& game = games_[action.room];
  if (action.match) perform(TellMatch{action.room, action.group, *action.match});
  if (wants_ports) {
    game.place = place;
    ask(game, false);
  } else {
    game.unplaced = true;
    ports_.started(action.room);
  }
  runner_->start(action.room, launch, runner_handlers(action.room));
}

// A room without a game is adopted too. It ends immediately, with its reason if known.
void Games::perform(const AdoptProcess& action) {
  const StartProcess& order = action.as;
  const RoomId id{settings_.core.self, settings_.core.incarnation, order.room};
  const auto* const claimed =
      runner_->traits().wants_ports ? ports_.claim(action, description_of(order.mode)) : nullptr;
  auto listeners = listeners_of(id, order, claimed);
  // The place of a game is unknown if the earlier run had not noted it yet.
  const bool runs = listeners.has_value() && (claimed != nullptr || !runner_->traits().wants_ports);
  const wire::RoomPlace place = claimed == nullptr ? wire::RoomPlace{} : *claimed;
  Launch launch =
      runs ? prepare(order, place, std::move(*listeners)) : Launch{.name = to_string(id)};
  if (!runner_->traits().wants_ports) launch.place = action.place.value_or(wire::RoomPlace{});
  if (runs) games_[order.room].was_open = action.open;
  log_.adopted(action, runs);
  const RoomNotes* const notes = runner_->traits().notes;
  const auto note = notes == nullptr ? std::nullopt : notes->note_of(launch.name);
  if (runs && !runner_->traits().wants_ports) {
    games_[order.room].unplaced = true;
    games_[order.room].begun = true;
  }
  runner_->adopt(order.room, launch, runner_handlers(order.room));
  if (!runs) return runner_->kill(order.room);
  if (!runner_->traits().wants_ports) {  // the game is probed at the place that it reports
    if (notes != nullptr) go_on_with_note(order.room, note);
    if (order.match) perform(TellMatch{order.room, order.group, *order.match});
    return;
  }
  games_[order.room].place = place;
  ask(games_[order.room], action.open);
  if (!action.open) games_[order.room].prober->started();
  go_on_with_note(order.room, note);
  if (order.match) perform(TellMatch{order.room, order.group, *order.match});
  const probe::ProbePlan& probes = description_of(order.mode).probes;
  RoomOutputs* const outputs = runner_->traits().outputs;
  if (outputs == nullptr) return;
  if (!(action.open ? reads_lines_for_good(probes) : launch.follow)) return;
  outputs->follow(order.room, true);
  if (action.open) return;
  // The game may have printed that it is ready while no worker read its output. So the prober gets
  // the last output too.
  const auto written = outputs->output_of(launch.name, most_missed_output);
  if (written) games_[order.room].prober->wrote(*written);
}

Launch Games::prepare(const StartProcess& action, const wire::RoomPlace& at,
                      RoomListeners listeners) {
  StartProcess order = action;
  const auto match = std::exchange(order.match, std::nullopt);
  if (match) order.group = match->told;
  const RoomId id{settings_.core.self, settings_.core.incarnation, order.room};
  const auto descriptors = descriptors_of(listeners);
  std::vector<std::uint16_t> inside;  // ports that have no listener yet
  for (const Listeners& endpoint : listeners) {
    if (endpoint.sockets.empty()) inside.push_back(endpoint.port);
  }
  SessionFacts facts = facts_of(id, order, at);
  facts.token_needed = listeners.front().host != loopback_name;
  Game& game = games_[order.room];
  game.order = order;
  game.sdk = std::make_unique<RoomSdk>(*sdk_, std::move(facts), room_handlers(order.room),
                                       std::move(listeners), from_the_room(order.room));
  auto sdk = game.sdk->variables();
  sdk[token_variable] = game.sdk->session().game_server().facts.token;
  const LocalRooms* const local = runner_->traits().local;
  const GamePlace place{
      .room = id,
      .zone = settings_.core.zone.text(),
      .address = settings_.core.address,
      .at = at,
      .folder = local == nullptr ? std::string{} : local->folder_of(to_string(id)),
      .seat_key = auth::to_text(auth::derive_room_key(settings_.core.seat_root, id)),
      .sdk = std::move(sdk)};
  const GameDescription& description = description_of(order.mode);
  game.values = values_of(description, order, place);
  Launch launch = launch_of(description, order, place);
  if (match) add_match(action.group, *match, launch);
  game.match_data = description.match_data;
  if (match && game.match_data == MatchData::flexmatch) {
    launch.game.files.push_back(
        {"matchmaker-data.json", matchmaker_data(action.group, *match, id, order.mode)});
  }
  launch.object = object_name(settings_.links.cluster, id);
  launch.creation = order.creation;
  launch.place = at;
  launch.follow = reads_lines_while_booting(description.probes);
  launch.listeners = descriptors;
  launch.listen_inside = std::move(inside);
  launch.alone = settings_.outlive_worker;
  using std::chrono::milliseconds;
  launch.grace = std::chrono::ceil<milliseconds>(options_of(order.mode).stop_grace);
  launch.boot_timeout = std::chrono::ceil<milliseconds>(options_of(order.mode).boot_timeout);
  return launch;
}

void Games::ask(Game& game, bool is_ready) {
  const GameDescription& description = description_of(game.order.mode);
  const RoomNumber room = game.order.room;
  game.prober = std::make_unique<RoomProber>(
      context_, runner_, description,
      RoomProber::Room{room, game.values, ports_of(description, *game.place), game.address},
      prober_handlers(room, description));
  if (is_ready) game.prober->found_ready();
}

void Games::perform(const RoomGiven& action) {
  log_.given(action);
  const auto game = games_.find(action.room);
  if (game == games_.end()) return;
  Session& session = game->second.sdk->session();
  if (action.match) perform(TellMatch{action.room, action.group, *action.match});
  session.given((action.match ? action.match->told : action.group).text());
}

void Games::perform(const TellMatch& action) {
  const auto game = games_.find(action.room);
  if (game == games_.end()) return;
  auto told = annotations_of(action.group, action.match);
  if (game->second.match_data == MatchData::flexmatch) {
    const RoomId id{settings_.core.self, settings_.core.incarnation, action.room};
    told["fixkeep/matchmaker-data"] =
        matchmaker_data(action.group, action.match, id, game->second.order.mode);
  }
  game->second.sdk->session().tell(told);
}

void Games::perform(const NeverWarm& action) {
  RoomLog::never_warm(action.mode);
}

void Games::perform(const GroupRefused& action) {
  log_.refused(action, net::steady_now());
}

void Games::perform(const SignalProcess& action) {
  log_.closing(action.room, action.reason, action.why);
  stop_asking(action.room);
  runner_->ask_to_end(action.room);
}

void Games::perform(const KillProcess& action) {
  if (action.silence) {
    log_.silent(action.room, *action.silence);
    const auto silent = games_.find(action.room);
    if (silent != games_.end()) silent->second.sdk->session().unhealthy();
  }
  log_.killed(action.room, action.reason, why_not_ready(action.room));
  stop_asking(action.room);
  runner_->kill(action.room);
}

void Games::perform(const AdmitPlayer& action) {
  const auto question = questions_.extract(action.question);
  if (!question.empty()) question.mapped()(action.admitted);
}

void Games::perform(const AnswerResult& action) {
  const auto question = results_.extract(action.question);
  if (!question.empty()) question.mapped()(action.answer);
}

void Games::perform(const LogPause& action) {
  log_.paused(action, net::steady_now());
}

void Games::take_over(Settings&& read) {
  settings_.core.modes = std::move(read.core.modes);
  settings_.games = std::move(read.games);
  log_.set_modes(settings_.core.modes);
  tell_about_programs();
  if (runner_->traits().wants_ports) ports_.count_for(settings_.games);
}

void Games::cannot_start(RoomNumber room, const std::string& why) {
  obs::log_warning("room cannot start", {{"room", room.number()}, {"reason", why}});
  ports_.give_back(room);
  post_(ProcessExited{.room = room, .how = why, .blameless = true});
}

void Games::kill_all() {
  for (const auto& [room, game] : games_) runner_->kill(room);
}

void Games::stop() {
  ports_.fall_silent();
  door_.reset();
  runner_->stop();
}

void Games::leave() {
  ports_.fall_silent();
  note_changed();
  door_.reset();
  runner_->leave();
  games_.clear();  // cancels all probes and SDK calls
}

// --- events of games ----------------------------------------------------------------------------

const GameDescription& Games::description_of(const ModeName& mode) const {
  for (const GameDescription& game : settings_.games) {
    if (game.mode == mode) return game;
  }
  assertion_failed("a game for every mode", __FILE__, __LINE__, mode.text());
}

const ModeOptions& Games::options_of(const ModeName& mode) const {
  for (const ModeOptions& options : settings_.core.modes) {
    if (options.name == mode) return options;
  }
  assertion_failed("options for every mode", __FILE__, __LINE__, mode.text());
}

std::string Games::why_not_told(const ModeName& mode, const GroupKey& group) const {
  for (const GameDescription& game : settings_.games) {
    if (game.mode == mode) return worker::why_not_told(game, group);
  }
  return {};
}

std::string Games::why_not_ready(RoomNumber room) {
  RoomProber* const prober = prober_of(room);
  return prober == nullptr ? std::string{} : prober->why_not_ready();
}

RoomProber* Games::prober_of(RoomNumber room) {
  const auto found = games_.find(room);
  return found == games_.end() ? nullptr : found->second.prober.get();
}

void Games::stop_asking(RoomNumber room) {
  const auto found = games_.find(room);
  if (found == games_.end()) return;
  found->second.prober.reset();
  found->second.unplaced = false;
}

probe::ProberHandlers Games::prober_handlers(RoomNumber number, const GameDescription& game) {
  return {.ready =
              [this, number, mode = game.mode, goes_on = reads_lines_for_good(game.probes)] {
                log_.ready(number);
                look_whether_players_reach(number, mode);
                RoomOutputs* const outputs = runner_->traits().outputs;
                if (!goes_on && outputs != nullptr) outputs->follow(number, false);
                post_(ProcessReady{number});
              },
          .unhealthy =
              [this, number](const std::string& why) {
                post_(GameUnhealthy{number, why});
              },
          .players =
              [this, number](const probe::PlayerCount& count) {
                post_(PlayersCounted{number, count.players});
              },
          .players_unknown =
              [this, number](const std::string& why) {
                log_.players_unknown(number, why);
                post_(PlayersUnknown{number});
              }};
}

}  // namespace fixkeep::worker
