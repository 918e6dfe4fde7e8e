#include "worker/sdk/session.hpp"

#include <fmt/chrono.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/base/json_bounds.hpp"
#include "common/wire/limits.hpp"

namespace fixkeep::worker {
namespace {

constexpr const char* group_label = "fixkeep/group";

std::optional<NewcomersWord> newcomers_word(std::string_view text) {
  if (text == "open") return NewcomersWord::open;
  if (text == "closed") return NewcomersWord::closed;
  return std::nullopt;
}

// Reads a list such as [{"team":"1","role":"healer","players":2}].
std::optional<Wants> parse_wants(const std::string& text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array() || list.size() > wants_most) return std::nullopt;
  Wants wants;
  for (const auto& each : list) {
    if (!each.is_object() || !each.contains("players")) return std::nullopt;
    Want& want = wants.emplace_back();
    for (const auto& [name, value] : each.items()) {
      if (name == "players" && value.is_number_unsigned() && value > 0U &&
          value <= wire::limits::capacity) {
        want.players = value;
      } else if ((name == "team" || name == "role") && value.is_string() &&
                 value.get_ref<const std::string&>().size() <= wire::limits::id_bytes) {
        (name == "team" ? want.team : want.role) = value;
      } else {
        return std::nullopt;
      }
    }
  }
  return wants;
}

std::optional<SdkError> problem_of_result(const std::string& value) {
  const auto wrong = [](std::string_view rule) {
    return SdkError{SdkCode::invalid_argument,
                    fmt::format("the value of {} must {}", Session::result_annotation, rule)};
  };
  if (value.size() > wire::limits::result_bytes) {
    return wrong(fmt::format("have at most {} bytes", wire::limits::result_bytes));
  }
  if (!nlohmann::json::accept(value)) return wrong("be JSON");
  if (is_within(value, JsonBounds{.deepest = Session::result_levels})) return {};
  return wrong(fmt::format("have at most {} levels", Session::result_levels));
}

SdkError refusal_of(ResultAnswer answer) {
  switch (answer) {
    case ResultAnswer::kept: break;
    case ResultAnswer::differs:
      return {SdkCode::already_exists, "the room has said another result; the first one counts"};
    case ResultAnswer::too_early:
      return {SdkCode::failed_precondition,
              "the room has no result yet: say it after Ready, when the room has players"};
    case ResultAnswer::not_kept:
      return {SdkCode::unavailable, "the worker cannot store the result now; repeat the call"};
  }
  return {};
}

Metadata::Map labels_of(const SessionFacts& facts) {
  Metadata::Map labels = facts.labels;
  labels[group_label] = facts.group;
  labels["fixkeep/mode"] = facts.mode;
  return labels;
}

}  // namespace

std::optional<PlayerId> parse_player(std::string_view text) {
  if (text.empty() || text.size() > wire::limits::id_bytes) return std::nullopt;
  return PlayerId{std::string{text}};
}

std::string_view to_string(GameState state) {
  switch (state) {
    case GameState::scheduled: return "Scheduled";
    case GameState::ready: return "Ready";
    case GameState::reserved: return "Reserved";
    case GameState::allocated: return "Allocated";
    case GameState::shutdown: return "Shutdown";
    case GameState::unhealthy: return "Unhealthy";
  }
  return {};
}

GameServer::GameServer(SessionFacts given_facts)
    : facts(std::move(given_facts)),
      metadata(labels_of(facts)),
      counters(std::move(facts.counters)),
      lists(std::move(facts.lists)),
      players(facts.capacity) {}

Session::Session(SessionFacts facts, SessionHandlers handlers)
    : game_server_(std::move(facts)), handlers_(std::move(handlers)) {}

// --- the worker's next run -----------------------------------------------------------------------

SessionMemory Session::memory() const {
  const GameServer& now = game_server_;
  return {.state = now.state,
          .takes_players = takes_players_,
          .is_given = is_given_,
          .resource_version = now.resource_version,
          .created = now.facts.created,
          .deleted = now.deleted,
          .reserved_until = reserved_until_,
          .labels = now.metadata.labels(),
          .annotations = now.metadata.annotations_to_keep(),
          .counters = now.counters.all(),
          .lists = now.lists.all(),
          .player_capacity = now.players.capacity(),
          .players = now.players.in()};
}

void Session::go_on_with(SessionMemory&& memory) {
  game_server_.state = memory.state;
  game_server_.resource_version = memory.resource_version;
  game_server_.facts.created = memory.created;
  game_server_.deleted = memory.deleted;
  game_server_.metadata = Metadata{std::move(memory.labels), std::move(memory.annotations)};
  game_server_.counters = Counters{std::move(memory.counters)};
  game_server_.lists = Lists{std::move(memory.lists)};
  game_server_.players = PlayerTracking{memory.player_capacity, std::move(memory.players)};
  takes_players_ = memory.takes_players;
  is_given_ = memory.is_given;
  if (game_server_.state == GameState::shutdown) handlers_.shutdown();
  if (takes_players_ && !is_over()) handlers_.ready();
  const auto& annotations = game_server_.metadata.annotations();
  for (const std::string_view key : {newcomers_annotation, wants_annotation}) {
    const auto said = annotations.find(std::string{Metadata::prefix}.append(key));
    if (said != annotations.end()) decide(key, said->second);
  }
  if (game_server_.state == GameState::reserved && memory.reserved_until) {
    // A reservation that ran out between the two runs ends immediately. If the clock was set back,
    // reservation_most limits the time that is left.
    const auto left = *memory.reserved_until - handlers_.now();
    end_reservation_after(std::clamp(left, WallTime::duration{0}, reservation_most));
  }
  changed();
}

void Session::end_reservation_after(std::optional<std::chrono::seconds> duration) {
  reserved_until_.reset();
  if (duration) reserved_until_ = handlers_.now() + *duration;
  handlers_.end_reservation_after(duration);
}

// --- the game's life -----------------------------------------------------------------------------

void Session::ready() {
  if (enter(GameState::ready)) changed();
  take_players();
  allocate_if_given();
}

void Session::given(const std::string& group) {
  game_server_.metadata.replace_own(group_label, group);
  is_given_ = true;
  changed();
  allocate_if_given();
}

void Session::tell(const Metadata::Map& annotations) {
  for (const auto& [name, text] : annotations) game_server_.metadata.set_own(name, text);
  changed();
}

// If a game has not reported ready yet, it must not become Allocated, because Allocated would count
// as ready.
void Session::allocate_if_given() {
  if (takes_players_ && std::exchange(is_given_, false)) allocate();
}

void Session::allocate() {
  if (is_over()) return;
  enter(GameState::allocated);
  game_server_.metadata.note_allocation(
      fmt::format("{:%Y-%m-%dT%H:%M:%S}Z", fmt::gmtime(handlers_.now())));
  changed();
  take_players();
}

void Session::reserve(std::chrono::seconds duration) {
  if (is_over()) return;
  const bool different = enter(GameState::reserved);
  if (duration.count() > 0) {
    end_reservation_after(std::min(duration, reservation_most));
  } else if (!different) {
    end_reservation_after(std::nullopt);
  }
  if (different) {
    changed();
  } else {
    handlers_.changed();
  }
}

void Session::reservation_ended() {
  if (game_server_.state == GameState::reserved) ready();
}

void Session::shutdown() {
  if (!enter(GameState::shutdown)) return;
  game_server_.deleted = handlers_.now();
  changed();
  handlers_.shutdown();
}

void Session::unhealthy() {
  if (enter(GameState::unhealthy)) changed();
}

void Session::health() {
  handlers_.health();
}

bool Session::is_over() const {
  return game_server_.state == GameState::shutdown || game_server_.state == GameState::unhealthy;
}

bool Session::enter(GameState state) {
  if (is_over() || game_server_.state == state) return false;
  if (game_server_.state == GameState::reserved) end_reservation_after(std::nullopt);
  game_server_.state = state;
  return true;
}

void Session::take_players() {
  if (is_over() || std::exchange(takes_players_, true)) return;
  handlers_.ready();
}

void Session::changed() {
  ++game_server_.resource_version;
  watchers_.changed();
  handlers_.changed();
}

SdkResult<> Session::changed_if(const SdkResult<bool>& different) {
  if (!different) return different.error();
  if (*different) changed();
  return {};
}

// --- statements about itself ---------------------------------------------------------------------

SdkResult<> Session::set_label(const std::string& key, const std::string& value) {
  return changed_if(game_server_.metadata.set_label(key, value));
}

SdkResult<> Session::set_annotation(const std::string& key, const std::string& value) {
  if (key == wants_annotation && !parse_wants(value)) {
    return SdkError{SdkCode::invalid_argument,
                    fmt::format("the value of {} must be a JSON list of at most {} objects with "
                                "\"players\" (1 to {}) and perhaps the names \"team\" and \"role\"",
                                key, wants_most, wire::limits::capacity)};
  }
  if (key == newcomers_annotation && !newcomers_word(value)) {
    return SdkError{SdkCode::invalid_argument,
                    "the value of " + key + R"( must be "open" or "closed")"};
  }
  const bool known = key == wants_annotation || key == newcomers_annotation;
  if (!known && key.starts_with(Metadata::own_prefix)) {
    return SdkError{
        SdkCode::invalid_argument,
        fmt::format("a game cannot set {}: of the keys with {} it can set {}, {} and {}", key,
                    Metadata::own_prefix, newcomers_annotation, wants_annotation,
                    result_annotation)};
  }
  const auto set = changed_if(game_server_.metadata.set_annotation(key, value));
  if (set) decide(key, value);
  return set;
}

void Session::say_result(const std::string& value, std::function<void(SdkResult<>)> answer) {
  if (auto problem = problem_of_result(value)) return answer(*std::move(problem));
  handlers_.result(
      value, [self = weak_from_this(), value, answer = std::move(answer)](ResultAnswer how) {
        if (how != ResultAnswer::kept) return answer(refusal_of(how));
        if (const auto session = self.lock()) {
          // Only a copy for GetGameServer: the result counts even if the game has too many
          // annotations.
          const auto shown =
              session->game_server_.metadata.set_annotation(std::string{result_annotation}, value);
          if (shown && *shown) session->changed();
        }
        answer({});
      });
}

void Session::decide(std::string_view key, const std::string& value) {
  const auto word = key == newcomers_annotation ? newcomers_word(value) : std::nullopt;
  if (word) handlers_.newcomers(*word);
  auto wants = key == wants_annotation ? parse_wants(value) : std::nullopt;
  if (wants) handlers_.wants(*std::move(wants));
}

SdkResult<> Session::update_counter(const std::string& name, const CounterUpdate& update) {
  return changed_if(game_server_.counters.update(name, update));
}

SdkResult<> Session::update_list(const std::string& name, const ListUpdate& update) {
  return changed_if(game_server_.lists.update(name, update));
}

SdkResult<> Session::add_list_value(const std::string& name, const std::string& value) {
  auto added = game_server_.lists.add(name, value);
  if (added) changed();
  return added;
}

SdkResult<> Session::remove_list_value(const std::string& name, const std::string& value) {
  auto removed = game_server_.lists.remove(name, value);
  if (removed) changed();
  return removed;
}

// --- players -------------------------------------------------------------------------------------

void Session::connect(const PlayerId& player, std::function<void(SdkResult<bool>)> answer) {
  const auto question = game_server_.players.arrives(player);
  if (!question) {
    answer(question.error());
    return;
  }
  if (*question == PlayerTracking::none) {
    handlers_.connect(player, [](bool) {});
    answer(false);
    return;
  }
  handlers_.connect(player, [self = weak_from_this(), player, question = *question,
                             answer = std::move(answer)](bool admitted) {
    const auto session = self.lock();
    if (session == nullptr) {
      answer(admitted);
      return;
    }
    PlayerTracking& players = session->game_server_.players;
    if (!admitted) players.refused(player, question);
    const bool is_in = admitted && players.admitted(player, question);
    if (is_in) session->changed();
    answer(is_in);
  });
}

bool Session::disconnect(const PlayerId& player) {
  const bool was_in = game_server_.players.leaves(player);
  if (was_in) changed();
  handlers_.disconnect(player);
  return was_in;
}

void Session::set_player_capacity(std::int64_t capacity) {
  if (game_server_.players.capacity() == capacity) return;
  game_server_.players.set_capacity(capacity);
  changed();
}

}  // namespace fixkeep::worker
