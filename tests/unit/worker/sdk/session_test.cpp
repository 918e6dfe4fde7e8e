// A session and all that it keeps, said by text (session.txt): what a game says, and what comes of
// it for the game, its watchers, the worker and the memory of the room.
#include "worker/sdk/session.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/scripts.hpp"

namespace fixkeep::worker {
namespace {

using std::chrono::seconds;
using support::Words;

// The answer to a command is what it gave back, the state where that is another, "v+1" where the
// version has grown, what the worker heard, and "kept" where the memory of the room is another.
class SessionScript : public support::ScriptDriver {
 public:
  SessionScript() {
    const auto hears = [this](std::string what) { told_.push_back(std::move(what)); };
    handlers_.ready = [hears] { hears("worker: ready"); };
    handlers_.health = [hears] { hears("worker: health"); };
    handlers_.shutdown = [hears] { hears("worker: shutdown"); };
    handlers_.connect = [this](const PlayerId& player, std::function<void(bool)> answer) {
      told_.push_back("worker: connect " + player.text());
      answers_.push_back(std::move(answer));
    };
    handlers_.disconnect = [hears](const PlayerId& player) {
      hears("worker: disconnect " + player.text());
    };
    handlers_.newcomers = [hears](NewcomersWord word) {
      hears(word == NewcomersWord::open ? "worker: newcomers open" : "worker: newcomers closed");
    };
    handlers_.wants = [hears](const Wants& wants) {
      std::string text = "worker: wants";
      for (const Want& want : wants) {
        text += " " + want.team + "/" + want.role + "/" + std::to_string(want.players);
      }
      hears(text);
    };
    handlers_.result = [this](const std::string& value, std::function<void(ResultAnswer)> answer) {
      told_.push_back("worker: result " + value);
      answer(result_.empty() || result_ == value ? result_answer_ : ResultAnswer::differs);
      if (result_answer_ == ResultAnswer::kept && result_.empty()) result_ = value;
    };
    handlers_.changed = [this] { changed_ = true; };
    handlers_.now = [this] { return time_; };
    handlers_.end_reservation_after = [hears](auto after) {
      hears(after ? "timer " + std::to_string(after->count()) : "no timer");
    };
    begin({.room = "w1-1-1",
           .capacity = 2,
           .group = "duel|eu",
           .mode = "duel",
           .labels = {{"map", "dust"}},
           .counters = {{"rooms", {.count = 1, .capacity = 10}},
                        {"high", {.count = 7, .capacity = 5}},
                        {"low", {.count = -1, .capacity = -1}}},
           .lists = {{"maps", {.capacity = 3, .values = {"ann", "bob"}}},
                     {"twice", {.capacity = 2, .values = {"x", "x", "y", "z"}}},
                     {"large", {.capacity = 5000}},
                     {"less", {.capacity = -1, .values = {"x"}}}}});
  }

  std::string run(std::string_view line) override {
    told_.clear();
    changed_ = false;
    const std::string state{session_ ? session_->state() : ""};
    const auto before = session_ ? session_->memory() : SessionMemory{};
    Words words{line};
    const auto what = words.next();
    if (what == "show") return show(words.rest());
    auto text = act(what, words);
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (session_) {
      if (session_->state() != state) add(std::string{session_->state()});
      const auto after = session_->memory();
      const auto grown = after.resource_version - before.resource_version;
      if (grown != 0) add("v+" + std::to_string(grown));
      for (const auto& each : told_) add(each);
      if (what != "next-run") EXPECT_EQ(changed_, !(after == before)) << line;
      if (changed_ && grown == 0) add("kept");
    }
    return text;
  }

 private:
  void begin(const SessionFacts& facts) { session_ = std::make_shared<Session>(facts, handlers_); }

  template <class Result>
  static std::string outcome(const Result& result) {
    if (result) return {};
    const auto message = result.error().message.substr(0, 72);
    return "error " + std::to_string(static_cast<int>(result.error().code)) + ": " +
           message.substr(0, message.find_last_not_of(' ') + 1);
  }

  std::string act(const std::string& what, Words& words) {
    const auto first = support::bytes_of(words.next());
    const std::map<std::string, std::function<void()>> plain{
        {"ready", [&] { session_->ready(); }},
        {"allocate", [&] { session_->allocate(); }},
        {"shutdown", [&] { session_->shutdown(); }},
        {"health", [&] { session_->health(); }},
        {"unhealthy", [&] { session_->unhealthy(); }},
        {"reservation-ended", [&] { session_->reservation_ended(); }},
        {"reserve", [&] { session_->reserve(seconds{std::stoll(first)}); }},
        {"given", [&] { session_->given(first); }},
        {"player-capacity", [&] { session_->set_player_capacity(std::stoll(first)); }},
        {"pass", [&] { time_ += seconds{std::stoi(first)}; }},
        {"end", [&] { session_.reset(); }},
        {"next-run", [&] { next_run(); }}};
    if (plain.contains(what)) return plain.at(what)(), "";
    if (what == "label")
      return outcome(session_->set_label(first, support::bytes_of(words.rest())));
    if (what == "annotation") {
      return outcome(session_->set_annotation(first, support::bytes_of(words.rest())));
    }
    if (what == "result") return result(first + words.rest());
    if (what == "results-are") {
      result_answer_ = first == "early"   ? ResultAnswer::too_early
                       : first == "stuck" ? ResultAnswer::not_kept
                                          : ResultAnswer::kept;
      return {};
    }
    if (what == "add")
      return outcome(session_->add_list_value(first, support::bytes_of(words.rest())));
    if (what == "remove") return outcome(session_->remove_list_value(first, words.rest()));
    if (what == "counter") return counter(first, words.rest());
    if (what == "list") return list(first, words.rest());
    if (what == "disconnect") return session_->disconnect(PlayerId{first}) ? "true" : "false";
    if (what == "connect") return connect(first, words.next());
    if (what == "admit" || what == "refuse") {
      answers_.at(std::stoul(first))(what == "admit");
      return std::exchange(answered_, {});
    }
    return "no such command";
  }

  std::string result(const std::string& value) {
    std::string answered = "no answer";
    session_->say_result(value, [&](const SdkResult<>& said) { answered = outcome(said); });
    return answered;
  }

  // "connect ann yes": what the game is told, once the worker has decided.
  std::string connect(const std::string& player, const std::string& decision) {
    const auto asked = answers_.size();
    session_->connect(PlayerId{player}, [this](const SdkResult<bool>& is_in) {
      answered_ = !is_in ? outcome(is_in) : *is_in ? "true" : "false";
    });
    if (answers_.size() > asked && !decision.empty()) answers_.back()(decision == "yes");
    return std::exchange(answered_, {});
  }

  std::string counter(const std::string& name, const std::string& line) {
    const auto number = [&](const char* key) -> std::optional<std::int64_t> {
      const auto text = support::named(line, key);
      return text ? std::optional{std::stoll(*text)} : std::nullopt;
    };
    const auto error =
        outcome(session_->update_counter(name, {.capacity = number("capacity"),
                                                .count = number("count"),
                                                .difference = number("difference").value_or(0)}));
    if (!error.empty()) return error;
    const auto found = *session_->game_server().counters.find(name);
    return std::to_string(found.count) + "/" + std::to_string(found.capacity);
  }

  std::string list(const std::string& name, const std::string& line) {
    const auto error = outcome(session_->update_list(
        name, {.capacity = std::stoll(support::named(line, "capacity").value_or("0")),
               .values = support::parts_of(support::named(line, "values").value_or("")),
               .fields = support::parts_of(support::named(line, "fields").value_or(""))}));
    return error.empty() ? of(**session_->game_server().lists.find(name)) : error;
  }
  static std::string of(const ListFacts& list) {
    std::string text = "of " + std::to_string(list.capacity) + ":";
    for (const auto& value : list.values) text += " " + value;
    return text;
  }

  // Another session that goes on with what the first one knows, as bytes.
  void next_run() {
    auto memory = to_session_memory(to_bytes(session_->memory()));
    EXPECT_TRUE(memory);
    begin({.room = "w1-1-1", .capacity = 99});
    session_->go_on_with(std::move(*memory));
  }

  // All that the game is told whose name begins so.
  std::string show(const std::string& what) const {
    const auto& server = session_->game_server();
    std::vector<std::string> all{"facts " + server.facts.room + " of " +
                                 std::to_string(server.facts.capacity)};
    const auto deleted = std::chrono::floor<seconds>(server.deleted.time_since_epoch()).count();
    all.push_back("deleted " + std::to_string(deleted));
    for (const auto& player : server.players.in()) all.push_back("player " + player.text());
    for (const auto& [key, value] : server.metadata.labels()) all.push_back(key + "=" + value);
    for (const auto& [key, value] : server.metadata.annotations()) {
      all.push_back(key + "=" + support::shown(value).substr(0, 40));
    }
    for (const auto& [name, each] : server.counters.all()) {
      all.push_back("counter " + name + " " + std::to_string(each.count) + "/" +
                    std::to_string(each.capacity));
    }
    for (const auto& [name, each] : server.lists.all())
      all.push_back("list " + name + " " + of(each));
    std::string text;
    for (const auto& each : all) {
      if (each.starts_with(what)) text += (text.empty() ? "" : "; ") + each;
    }
    return text.empty() ? "none" : text;
  }

  WallTime time_{seconds{1'700'000'000}};
  bool changed_ = false;
  SessionHandlers handlers_;
  std::vector<std::string> told_;
  std::vector<std::function<void(bool)>> answers_;
  std::string answered_;
  std::string result_;  // what the worker has kept
  ResultAnswer result_answer_ = ResultAnswer::kept;
  std::shared_ptr<Session> session_;
};

const bool session_scripts = support::register_scripts(
    "tests/unit/worker/sdk/session.txt", [] { return std::make_unique<SessionScript>(); });

// "label TEXT", "name TEXT", "player TEXT": what is wrong with it.
const bool names_of_the_sdk =
    support::register_table("tests/unit/worker/sdk/names.txt", [](std::string_view line) {
      Words words{line};
      const auto what = words.next();
      const auto text = support::bytes_of(words.rest());
      if (what == "player") return std::string{parse_player(text) ? "good" : "refused"};
      const auto problem =
          what == "label" ? problem_of_label_value(text) : problem_of_qualified_name(text);
      return std::string{problem.empty() ? "good" : "refused"};
    });

TEST(SessionMemory, of_bytes_that_are_no_memory_knows_nothing) {
  EXPECT_FALSE(to_session_memory("\xff\xff\xff"));
  const Session session{SessionFacts{}, SessionHandlers{}};
  auto memory = session.memory();
  memory.state = static_cast<GameState>(77);
  EXPECT_FALSE(to_session_memory(to_bytes(memory)));
}

TEST(Lists, have_bounds_of_their_bytes) {
  Lists lists{{{"players", {.capacity = 3}}}};
  EXPECT_TRUE(*lists.update("players", {.capacity = 1000, .fields = {"capacity", "values"}}));
  for (int i = 0; i < 256; ++i) {
    const std::string number = std::to_string(1000 + i);
    EXPECT_TRUE(lists.add("players", number + std::string(1024 - number.size(), 'x')));
  }
  EXPECT_EQ(lists.add("players", "y").error().code, SdkCode::resource_exhausted);
  const auto too_many = lists.update("players", {.values = std::vector<std::string>(1001)});
  EXPECT_EQ(too_many.error().code, SdkCode::resource_exhausted);
}

TEST(Metadata, has_64_labels_at_most_and_64_kib_of_annotations) {
  Metadata metadata{{}};
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(metadata.set_label("k" + std::to_string(i), "v"));
  EXPECT_TRUE(metadata.set_label("k0", "w")) << "it is there already";
  const auto one_more = metadata.set_label("k64", "v");
  ASSERT_FALSE(one_more);
  EXPECT_EQ(one_more.error().code, SdkCode::resource_exhausted);

  metadata.set_own("fixkeep/teams", std::string(90'000, 'x'));  // the room's own do not count
  const std::string text(16 * 1024 - 100, 'x');
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(metadata.set_annotation("k" + std::to_string(i), text));
  EXPECT_TRUE(metadata.set_annotation("k0", text + "y")) << "replaced, not added";
  const auto too_much = metadata.set_annotation("k4", text);
  ASSERT_FALSE(too_much);
  EXPECT_EQ(too_much.error().code, SdkCode::resource_exhausted);
}

}  // namespace
}  // namespace fixkeep::worker
