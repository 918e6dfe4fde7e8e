#include "common/net/kubernetes/core/reflector.hpp"

#include <algorithm>
#include <utility>

namespace fixkeep::kubernetes {
namespace {

using std::chrono::milliseconds;

constexpr unsigned most_doublings = 9;
constexpr unsigned failures_of_one_away = 2;  // a restarting server causes one failure

}  // namespace

Reflector::Reflector(ReflectorOptions options)
    : options_(std::move(options)), random_(options_.seed) {}

// --- what is asked -------------------------------------------------------------------------------

ReflectorStep Reflector::begin() {
  return ask_list();
}

ReflectorStep Reflector::ask_list() {
  std::vector<std::pair<std::string, std::string>> fields;
  if (!options_.labels.empty()) fields.emplace_back("labelSelector", options_.labels);
  if (!whole_) fields.emplace_back("limit", std::to_string(page));
  if (!continue_.empty()) fields.emplace_back("continue", continue_);
  next_ = Next::list;
  ReflectorStep step;
  step.ask = ReflectorAsk::list;
  step.target = options_.resource.collection() + query(fields);
  return step;
}

ReflectorStep Reflector::ask_watch() {
  // A random time, so that the watches of a cluster do not all end together.
  const auto most = std::chrono::seconds{watch_limit}.count();
  std::vector<std::pair<std::string, std::string>> fields;
  if (!options_.labels.empty()) fields.emplace_back("labelSelector", options_.labels);
  fields.emplace_back("watch", "true");
  fields.emplace_back("allowWatchBookmarks", "true");
  fields.emplace_back("resourceVersion", version_);
  fields.emplace_back("timeoutSeconds", std::to_string(random_.between(most / 2, most)));
  next_ = Next::watch;
  opened_ = false;
  line_.clear();
  ReflectorStep step;
  step.ask = ReflectorAsk::watch;
  step.target = options_.resource.collection() + query(fields);
  return step;
}

ReflectorStep Reflector::rang() {
  if (!std::exchange(pausing_, false)) return {};
  return next_ == Next::list ? ask_list() : ask_watch();
}

// --- the list ------------------------------------------------------------------------------------

ReflectorStep Reflector::answered(const ApiAnswer& answer, TimePoint) {
  const Verdict verdict = judge(call({}), answer);
  if (verdict.problem == ApiProblem::gone && !continue_.empty()) {
    whole_ = true;  // pages expire faster than we read them
    continue_.clear();
    objects_.clear();
    pages_ = 0;
    return ask_list();
  }
  const bool good = verdict.problem == ApiProblem::none;
  if (!good || !take_page(answer.body)) {
    continue_.clear();
    objects_.clear();
    pages_ = 0;
    return failed(Next::list, good ? "it does not answer with a list" : verdict.words,
                  verdict.pause);
  }
  if (!continue_.empty()) return ask_list();
  whole_ = false;
  pages_ = 0;
  ++lists_;
  ReflectorStep step = ask_watch();
  works(step);
  step.news.emplace_back(Listed{std::exchange(objects_, {})});
  return step;
}

bool Reflector::take_page(const std::string& body) {
  Json list = parsed(body);
  const Json& metadata = at(list, "metadata");
  version_ = text_at(metadata, "resourceVersion");
  continue_ = text_at(metadata, "continue");
  if (version_.empty() || ++pages_ > most_pages) return false;
  const auto items = list.find("items");
  if (items == list.end() || items->is_null()) return true;
  if (!items->is_array()) return false;
  for (Json& item : *items) objects_.push_back(std::move(item));
  return true;
}

// --- the watch -----------------------------------------------------------------------------------

ReflectorStep Reflector::opened(TimePoint now) {
  opened_ = true;
  opened_at_ = now;
  ReflectorStep step;
  problem_.clear();
  judge_away(step);
  return step;
}

ReflectorStep Reflector::piece(std::string_view bytes) {
  ReflectorStep step;
  while (!bytes.empty() && !dropping_) {
    const auto end = bytes.find('\n');
    line_ += bytes.substr(0, end);
    if (line_.size() > most_event) {
      list_again("it tells an event that is too long", false, step);
      break;
    }
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    const std::string line = std::exchange(line_, {});
    if (!line.empty()) take_event(line, step);
  }
  return step;
}

void Reflector::take_event(std::string_view line, ReflectorStep& step) {
  Json event = parsed(line);
  const std::string type = text_at(event, "type");
  if (type == "ERROR") {
    const Json& status = at(event, "object");
    const bool gone = number_at(status, "code") == 410;
    return list_again(text_at(status, "message"), gone, step);
  }
  const Json& metadata = at(at(event, "object"), "metadata");
  const std::string version = text_at(metadata, "resourceVersion");
  const bool is_change = type == "ADDED" || type == "MODIFIED";
  if (version.empty() || !(is_change || type == "DELETED" || type == "BOOKMARK")) {
    return list_again("it sent an unknown event", false, step);
  }
  version_ = version;
  lists_ = 0;
  works(step);
  if (is_change) step.news.emplace_back(Changed{std::move(event["object"])});
  if (type == "DELETED") step.news.emplace_back(Removed{std::move(event["object"])});
}

void Reflector::list_again(const std::string& why, bool at_once, ReflectorStep& step) {
  dropping_ = true;
  relist_at_once_ = at_once;
  relist_why_ = why;
  line_.clear();
  step.drop = true;
}

ReflectorStep Reflector::ended(const ApiAnswer& answer, TimePoint now) {
  const bool was_long = opened_ && now - opened_at_ >= long_watch;
  if (was_long) failures_ = lists_ = 0;
  const Verdict verdict = judge(call("?watch="), answer);
  const bool must_list = std::exchange(dropping_, false);
  if (must_list || verdict.problem == ApiProblem::gone) {
    // If the server no longer has our version (410), lists immediately, unless calls have failed or
    // no event has followed the last two lists. Otherwise the list waits for a pause, and the
    // pauses grow.
    if ((relist_at_once_ || !must_list) && failures_ == 0 && lists_ < 2) return ask_list();
    return failed(Next::list, must_list ? relist_why_ : verdict.words, verdict.pause);
  }
  if (was_long) return verdict.problem == ApiProblem::none ? ask_list() : ask_watch();
  return failed(Next::watch, verdict.words, verdict.pause);
}

// --- what works and what does not ----------------------------------------------------------------

ReflectorStep Reflector::heard(bool answers, const std::string& why) {
  ReflectorStep step;
  if (answers && !silence_.empty() && pausing_ && !must_wait_) {
    failures_ = 0;
    step.ring = draw_pause();
  }
  silence_ = answers ? std::string{} : why.empty() ? "it does not answer" : why;
  judge_away(step);
  return step;
}

ReflectorStep Reflector::failed(Next next, const std::string& why, milliseconds at_least) {
  next_ = next;
  pausing_ = true;
  must_wait_ = at_least > milliseconds{0};
  ReflectorStep step;
  step.ring = std::max(draw_pause(), at_least);
  ++failures_;
  // If the failed watch was open, the server has answered, and does not count as away.
  if (failures_ >= failures_of_one_away && !(next == Next::watch && opened_)) problem_ = why;
  judge_away(step);
  return step;
}

void Reflector::works(ReflectorStep& step) {
  failures_ = 0;
  problem_.clear();
  silence_.clear();
  judge_away(step);
}

void Reflector::judge_away(ReflectorStep& step) {
  const std::string& why = problem_.empty() ? silence_ : problem_;
  if (std::exchange(away_, !why.empty()) == away_) return;
  if (away_) {
    step.news.emplace_back(Away{why});
  } else {
    step.news.emplace_back(Back{});
  }
}

ApiCall Reflector::call(std::string target) const {
  ApiCall made;
  made.target = options_.resource.collection() + std::move(target);
  return made;
}

milliseconds Reflector::draw_pause() {
  const unsigned doublings = std::min(std::max(failures_, lists_), most_doublings);
  const auto whole = std::min(longest_pause, shortest_pause * (1U << doublings));
  return milliseconds{random_.between(whole.count() / 2, whole.count())};
}

}  // namespace fixkeep::kubernetes
