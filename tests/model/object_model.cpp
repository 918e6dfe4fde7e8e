#include "tests/model/object_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "worker/runner/container_end.hpp"

namespace fixkeep::model {

using worker::GameEnd;
using worker::engine::Answer;
using worker::engine::Ask;
using worker::engine::Call;
using worker::engine::ObjectLife;
using worker::engine::Sight;

namespace {

constexpr Duration patience = std::chrono::milliseconds{300};
constexpr std::uint8_t most_uids = 4;

enum Kind : Step {
  answer_done,
  answer_lost_before,
  answer_lost_after,
  answer_lost_and_obeyed_late,
  answer_refused,
  answer_busy,
  be_due,
  tell_sight,
  tell_end,
  tell_missing,
  obey_late,
  find_a_node,
  lose_the_node,
  game_starts,
  game_ends,
  others_remove,
  others_take_the_name,
  ask_to_end,
  kill,
  restart_worker,
  kinds,
};
constexpr std::array<std::string_view, kinds> names{
    "the engine obeys and answers",
    "the call is lost",
    "the engine obeys, and its answer is lost",
    "the call is lost on its way, and obeyed later",
    "the engine refuses",
    "the engine is busy",
    "its timer is over",
    "the engine tells what there is",
    "the engine tells that something has changed",
    "a list does not have it",
    "an order that was lost is obeyed",
    "a node has room for it",
    "no node has room for it",
    "its game starts",
    "its game ends",
    "others remove it",
    "others take its name",
    "it is asked to end",
    "it is killed",
    "its worker is killed and goes on",
};

void append(std::string& out, std::int64_t value) {
  out.push_back(static_cast<char>(value));
}

}  // namespace

ObjectModel::ObjectModel(const ObjectBudget& budget) : left_(budget), life_(new_life()) {
  if (budget.adopted) {
    there_ = budget.starts_by_itself ? There::waiting : There::made;
    if (budget.by_hook || budget.of_fleet) there_ = There::running;
    begun_ = budget.by_hook || budget.of_fleet;
    has_record_ = budget.by_hook;
    perform(life_.adopt(now_));
  } else {
    perform(life_.start(now_));
  }
}

ObjectLife ObjectModel::new_life() const {
  return ObjectLife{{.name = "o",
                     .owner = "ours",
                     .look_after_end = std::chrono::milliseconds{200},
                     .most_looks = 1,
                     .node_patience = patience,
                     .start_patience = patience,
                     .gone = left_.by_hook ? "it is not listed any more" : ""}};
}

void ObjectModel::steps(std::vector<Step>& out) const {
  const bool awaits = call_ && (call_->ask == Ask::make || call_->ask == Ask::look);
  const bool no_news = left_.of_fleet && awaits && life_.runs() && there_ == There::running;
  if (call_ && !no_news) {
    out.push_back(answer_done);
    if (left_.of_fleet && call_->ask == Ask::make) out.push_back(answer_refused);
    if (left_.faults > 0) {
      out.push_back(answer_lost_before);
      out.push_back(answer_lost_after);
      if (call_->ask == Ask::make && !is_late_) out.push_back(answer_lost_and_obeyed_late);
      if (call_->ask != Ask::look) out.push_back(answer_refused);
      if (call_->ask == Ask::make && !left_.by_hook) out.push_back(answer_busy);
    }
  }
  if (life_.timer()) out.push_back(be_due);
  if (!gone_ && !left_.by_hook && !left_.of_fleet) {
    for (const Kind each : {tell_sight, tell_end, tell_missing}) out.push_back(each);
  }
  if (life_.runs() && left_.by_hook) out.push_back(tell_sight);
  if (life_.runs() && left_.of_fleet && !awaits && there_ == There::ended) {
    out.push_back(tell_sight);
  }
  if (is_late_ && there_ == There::nothing) out.push_back(obey_late);
  if (there_ == There::waiting) {
    out.push_back(no_node_ ? find_a_node : lose_the_node);
    if (!no_node_) out.push_back(game_starts);
  }
  if (there_ == There::running) out.push_back(game_ends);
  if (left_.strangers > 0 && (is_ours() || !left_.by_hook)) {
    out.push_back(is_ours() ? others_remove : others_take_the_name);
  }
  if (!wants_end_) out.push_back(ask_to_end);
  if (!wants_kill_) out.push_back(kill);
  if (left_.restarts > 0 && !ended_) out.push_back(restart_worker);
}

void ObjectModel::take(Step step) {
  switch (static_cast<Kind>(step)) {
    case answer_done:
    case answer_lost_before:
    case answer_lost_after:
    case answer_lost_and_obeyed_late:
    case answer_refused:
    case answer_busy: return answer(step);
    case be_due: now_ = std::max(now_, life_.timer()->at); return perform(life_.due(now_));
    case tell_sight:
      if (left_.starts_by_itself || left_.by_hook || left_.of_fleet) {
        return perform(life_.shown(sight(), now_));
      }
      return perform(life_.shown({.state = Sight::State::unclear}, now_));
    case tell_end: {
      Sight news{.state = Sight::State::unclear, .uid = life_.sight().uid};
      if (there_ == There::ended) news.end = worker::container_end(0);
      return perform(life_.shown(news, now_));
    }
    case tell_missing: return perform(life_.missing(now_));
    case obey_late:
      is_late_ = false;
      (void)make();
      return;
    case find_a_node: no_node_ = false; return;
    case lose_the_node: no_node_ = true; return;
    case game_starts:
      there_ = There::running;
      was_started_ = true;
      return;
    case game_ends: there_ = left_.by_hook ? There::nothing : There::ended; return;
    case others_remove:
      --left_.strangers;
      there_ = There::nothing;
      return;
    case others_take_the_name:
      --left_.strangers;
      if (there_ == There::nothing) there_ = There::foreign;
      return;
    case ask_to_end: wants_end_ = true; return perform(life_.ask_to_end(now_));
    case Kind::kill: wants_kill_ = true; return perform(life_.kill(now_));
    case restart_worker:
      --left_.restarts;
      life_ = new_life();
      call_.reset();
      was_lost_ = has_failed_ = wants_end_ = wants_kill_ = false;
      has_record_ = left_.by_hook;
      return perform(life_.adopt(now_));
    case kinds: return;
  }
}

// --- the engine ----------------------------------------------------------------------------------

Sight ObjectModel::sight() const {
  using State = Sight::State;
  Sight sight{.owner = there_ == There::foreign ? "another" : "ours"};
  if (left_.starts_by_itself) sight.uid = std::string(1, static_cast<char>('a' + uid_));
  switch (there_) {
    case There::nothing: return {.state = State::none, .uid = sight.uid};
    case There::made: sight.state = State::made; break;
    case There::waiting:
      sight.state = State::waiting;
      sight.no_node = no_node_;
      if (!no_node_) sight.node = "n";
      break;
    case There::foreign:
    case There::running: sight.state = State::running; break;
    case There::ended:
      sight.state = State::ended;
      sight.end = worker::container_end(0);
      break;
  }
  return sight;
}

Answer ObjectModel::make() {
  const auto done = [this] { return Answer{.kind = Answer::Kind::done, .sight = sight()}; };
  if (there_ == There::nothing) {
    check(uid_ < most_uids, "it is made again and again");
    ++uid_;
    there_ = left_.starts_by_itself ? There::waiting : There::made;
    if (left_.by_hook) there_ = There::running;
    no_node_ = false;
    was_started_ = left_.by_hook;
    return done();
  }
  if (there_ != There::made) return {.kind = Answer::Kind::lost};
  check(!was_started_, "a game is started again");
  there_ = There::running;
  was_started_ = true;
  return done();
}

// What is asked of a fleet is answered when there is news of it, or has been done by then.
Answer ObjectModel::obey_fleet(Ask ask) {
  Answer answer{.kind = Answer::Kind::done};
  if (ask == Ask::make) {
    check(uid_++ == 0, "a second server is taken");
    there_ = There::running;
    was_started_ = true;
  }
  if (ask == Ask::make || ask == Ask::look) answer.sight = sight();
  if (ask == Ask::look && there_ == There::nothing) {
    answer.sight = {.state = Sight::State::ended, .end = worker::never_ran("no server", true)};
  }
  if (ask == Ask::remove) answer.sight = Sight{};
  check(ask != Ask::remove || there_ != There::running, "it is removed while it runs");
  return answer;
}

Answer ObjectModel::obey(const Call& call) {
  if (left_.of_fleet) return obey_fleet(call.ask);
  const bool is_recorded = std::exchange(has_record_, false);
  switch (call.ask) {
    case Ask::look:
      if (!is_recorded) return {.kind = Answer::Kind::done, .sight = sight()};
      return {.kind = Answer::Kind::done,
              .sight = Sight{.state = begun_ ? Sight::State::running : Sight::State::broken}};
    case Ask::make: return make();
    case Ask::end:
    case Ask::remove:
      if (left_.by_hook) {
        there_ = There::nothing;  // a list tells it
        return call == Call{Ask::end} ? Answer{.kind = Answer::Kind::done} : Answer{};
      }
      // A pod is ended by its uid; a container by its name, and it is looked at before.
      if (!is_ours()) return {.kind = Answer::Kind::done, .sight = Sight{.uid = sight().uid}};
      if (call.ask == Ask::end) {
        if (there_ != There::running) return {.kind = Answer::Kind::refused};
        there_ = There::ended;  // some time later, perhaps
        return {.kind = Answer::Kind::done};
      }
      there_ = There::nothing;
      return {.kind = Answer::Kind::done, .sight = sight()};
    case Ask::read_log: return {.kind = Answer::Kind::done};
  }
  return {};
}

void ObjectModel::answer(Step how) {
  const Call call = *std::exchange(call_, std::nullopt);
  const bool is_start = call.ask == Ask::make && left_.by_hook;
  const bool may_start = is_start || (call.ask == Ask::make && there_ == There::made);
  Answer lost{.kind = Answer::Kind::lost, .may_run = may_start};
  if (how != answer_done && !left_.of_fleet) --left_.faults;
  Answer answer = lost;
  if (how == answer_done) answer = obey(call);
  if (how == answer_lost_after) (void)obey(call);
  if (how == answer_lost_and_obeyed_late) is_late_ = true;
  if (how == answer_refused) answer.kind = Answer::Kind::refused;
  if (how == answer_refused && left_.of_fleet) answer = obey_fleet(Ask::look);  // no server is free
  if (how == answer_busy) answer = {.kind = Answer::Kind::busy};
  has_failed_ = is_start && answer.kind == Answer::Kind::lost;
  if (has_failed_) answer.kind = Answer::Kind::refused;
  if (is_start && how == answer_refused) answer.may_run = false;
  was_lost_ = answer.kind == Answer::Kind::lost;
  perform(life_.answered(answer, now_));
}

// --- what the life does --------------------------------------------------------------------------

void ObjectModel::perform(const worker::engine::Step& step) {
  if (step.begun) {
    check(!begun_, "it begins twice");
    check(!ended_, "it begins after its end");
    begun_ = true;
  }
  if (step.call) {
    check(!call_, "two calls at a time");
    check(!gone_, "a call after it is gone");
    check(!was_lost_ || step.call->ask == Ask::look || step.call->ask == Ask::remove,
          "no look after an answer that was lost");
    check(!has_failed_ || step.call->ask == Ask::remove, "no stop after a start that failed");
    check(step.call->ask != Ask::end || wants_end_ || wants_kill_, "it is ended, and is wanted");
    call_ = step.call;
  }
  if (step.ended) {
    check(!ended_, "its end is told twice");
    const bool may_run = there_ == There::running && was_started_ && begun_;
    check(!may_run || uid_ > 1, "its end is told while it runs");
    check(there_ != There::running || !left_.by_hook, "its end is told while a list shows it");
    check(!begun_ || step.ended->kind != GameEnd::Kind::not_started,
          "a game that has begun has never run");
    ended_ = true;
  }
  if (step.gone) {
    check(ended_, "it is gone, and its end was not told");
    gone_ = true;
  }
}

// --- what holds ----------------------------------------------------------------------------------

void ObjectModel::check(bool holds, const char* otherwise) {
  if (!holds && wrong_ == nullptr) wrong_ = otherwise;
}

std::optional<std::string> ObjectModel::violation(const std::vector<Step>&) const {
  if (wrong_ != nullptr) return wrong_;
  if (gone_) return life_.timer() ? std::optional{"what is gone has a timer"} : std::nullopt;
  const bool waits = call_ || life_.timer();
  if (wants_kill_ && !waits) return "nothing ends an object that is killed";
  if (ended_ && !waits) return "nothing removes an object whose game has ended";
  if (!begun_ && !waits && !life_.runs()) return "nothing goes on with an object that does not run";
  return std::nullopt;
}

void ObjectModel::append_bytes(std::string& out) const {
  life_.append_bytes(out, now_);
  for (const int count : {left_.faults, left_.strangers, left_.restarts}) append(out, count);
  std::int64_t bits = 0;
  for (const bool is : {wrong_ != nullptr, no_node_, is_late_, was_started_, has_record_, was_lost_,
                        has_failed_, begun_, ended_, gone_, wants_end_, wants_kill_}) {
    bits = 2 * bits + (is ? 1 : 0);
  }
  append(out, bits & 0xFF);
  append(out, bits >> 8);
  append(out, static_cast<std::int64_t>(there_));
  append(out, uid_);
  append(out, call_ ? 2 * static_cast<std::int64_t>(call_->ask) + (call_->hard ? 1 : 0) : -1);
}

std::string ObjectModel::describe(Step step) {
  return std::string{names.at(step)};
}

}  // namespace fixkeep::model
