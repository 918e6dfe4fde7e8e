#include "tests/fleets/mini_api.hpp"

#include <algorithm>
#include <charconv>

#include "common/base/percent.hpp"

namespace fixkeep::test {
namespace {

using kubernetes::at;
using kubernetes::Json;
using kubernetes::text_at;

std::string text_of(const Json& object, const char* key) {
  return text_at(at(object, "metadata"), key);
}

bool is_other(const Json& wanted, const Json& known, const char* key) {
  const auto text = text_at(wanted, key);
  return !text.empty() && text != text_of(known, key);
}

}  // namespace

void MiniApi::handle(const net::HttpRequest& request, const net::HttpResponder& responder) {
  const std::string target{request.target()};
  if (target == "/version") return answer(responder, 200, {{"major", "1"}});
  const Path path = parse(target);
  if (path.collection.empty())
    return responder.answer({.status = 404, .body = "404 page not found"});
  const Json body = Json::parse(request.body(), nullptr, false);
  const auto method = request.method();
  if (method == net::http::verb::get && path.name.empty()) {
    return path.query.contains("watch") ? watch(path, responder) : list(path, responder);
  }
  if (method == net::http::verb::post) return create(path, body, responder);
  const auto& all = objects_[path.collection];
  const auto found = all.find(path.name);
  if (found == all.end()) return refuse(responder, 404, "NotFound");
  const Json known = found->second;
  if (method == net::http::verb::get) return answer(responder, 200, known);
  if (method == net::http::verb::delete_) return remove(path, body, responder);
  const Json& metadata = at(body, "metadata");
  if (is_other(metadata, known, "resourceVersion") || is_other(metadata, known, "uid")) {
    return refuse(responder, 409, "Conflict");
  }
  Json object = body;
  if (method == net::http::verb::patch) {
    object = known;
    object.merge_patch(body);
  }
  replace(path, std::move(object), responder);
}

// /apis/GROUP/VERSION/namespaces/NAME/PLURAL[/NAME][?QUERY]
MiniApi::Path MiniApi::parse(const std::string& target) {
  Path path;
  const auto mark = std::min(target.find('?'), target.size());
  std::size_t end = 0;
  for (int parts = 0; parts < 6 && end < mark; ++parts) {
    end = std::min(target.find('/', end + 1), mark);
    if (parts == 5) path.collection = target.substr(0, end);
  }
  if (end < mark) path.name = target.substr(end + 1, mark - end - 1);
  std::size_t from = mark + 1;
  while (from < target.size()) {
    const auto until = std::min(target.find('&', from), target.size());
    const std::string pair = target.substr(from, until - from);
    const auto equals = std::min(pair.find('='), pair.size());
    path.query[pair.substr(0, equals)] =
        percent_decoded(pair.substr(std::min(equals + 1, pair.size()))).value_or("");
    from = until + 1;
  }
  return path;
}

MiniApi::Selector MiniApi::selector_of(const std::string& text) {
  Selector selector;
  std::size_t from = 0;
  while (from < text.size()) {
    const auto until = std::min(text.find(',', from), text.size());
    const auto equals = text.find('=', from);
    selector.emplace_back(text.substr(from, equals - from),
                          text.substr(equals + 1, until - equals - 1));
    from = until + 1;
  }
  return selector;
}

bool MiniApi::fits(const Json& object, const Selector& selector) {
  const Json& labels = at(at(object, "metadata"), "labels");
  return object.is_object() && std::all_of(selector.begin(), selector.end(), [&](const auto& each) {
           return text_at(labels, each.first.c_str()) == each.second;
         });
}

void MiniApi::refuse(const net::HttpResponder& responder, unsigned status,
                     const std::string& reason) {
  answer(responder, status,
         {{"kind", "Status"}, {"code", status}, {"reason", reason}, {"message", reason}});
}

void MiniApi::answer(const net::HttpResponder& responder, unsigned status, const Json& object) {
  responder.answer({.status = status, .body = object.dump()});
}

// --- reading -------------------------------------------------------------------------------------

void MiniApi::list(const Path& path, const net::HttpResponder& responder) {
  const auto query = path.query.find("labelSelector");
  const Selector selector = selector_of(query == path.query.end() ? "" : query->second);
  Json items = Json::array();
  for (const auto& [name, object] : objects_[path.collection]) {
    if (fits(object, selector)) items.push_back(object);
  }
  answer(responder, 200,
         {{"kind", "List"},
          {"metadata", {{"resourceVersion", std::to_string(version_)}}},
          {"items", std::move(items)}});
}

void MiniApi::watch(const Path& path, const net::HttpResponder& responder) {
  std::uint64_t since = 0;
  if (const auto from = path.query.find("resourceVersion"); from != path.query.end()) {
    std::from_chars(from->second.data(), from->second.data() + from->second.size(), since);
  }
  if (!events_.empty() && since + 1 < events_.front().version) {
    return refuse(responder, 410, "Expired");
  }
  auto stream = responder.stream("application/json");
  if (!stream) return;
  const auto query = path.query.find("labelSelector");
  Watcher watcher{*stream, path.collection,
                  selector_of(query == path.query.end() ? "" : query->second)};
  for (const Event& each : events_) {
    if (each.version > since) tell(each, watcher);
  }
  watchers_.push_back(std::move(watcher));
}

void MiniApi::tell(const Event& event, const Watcher& watcher) {
  if (event.collection != watcher.collection) return;
  const bool is = fits(event.object, watcher.selector);
  const bool was = fits(event.before, watcher.selector);
  if (!is && !was) return;
  const char* const type = !is ? "DELETED" : was ? "MODIFIED" : "ADDED";
  Json object = event.object.is_null() ? event.before : event.object;
  object["metadata"]["resourceVersion"] = std::to_string(event.version);
  watcher.stream.send(std::make_shared<const std::string>(
      Json{{"type", type}, {"object", std::move(object)}}.dump() + "\n"));
}

// --- writing -------------------------------------------------------------------------------------

void MiniApi::create(const Path& path, Json object, const net::HttpResponder& responder) {
  const std::string name = text_of(object, "name");
  if (name.empty()) return refuse(responder, 422, "Invalid");
  if (objects_[path.collection].contains(name)) return refuse(responder, 409, "AlreadyExists");
  object["metadata"]["uid"] = "uid-" + std::to_string(version_) + "-" + name;
  answer(responder, 201, put(path.collection, std::move(object), nullptr));
}

void MiniApi::replace(const Path& path, Json object, const net::HttpResponder& responder) {
  const Json before = objects_[path.collection].at(path.name);
  object["metadata"]["uid"] = before["metadata"]["uid"];
  answer(responder, 200, put(path.collection, std::move(object), before));
}

void MiniApi::remove(const Path& path, const Json& options, const net::HttpResponder& responder) {
  Json object = objects_[path.collection].at(path.name);
  const Json before = object;
  const Json& wanted = at(options, "preconditions");
  if (is_other(wanted, object, "uid") || is_other(wanted, object, "resourceVersion")) {
    return refuse(responder, 409, "Conflict");
  }
  if (text_of(object, "deletionTimestamp").empty()) {
    object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    object = put(path.collection, object, before);
  }
  answer(responder, 200, object);
}

// What is to be deleted goes with its last finalizer.
Json MiniApi::put(const std::string& collection, Json object, const Json& before) {
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  const std::string name = text_of(object, "name");
  const Json& finalizers = at(at(object, "metadata"), "finalizers");
  const bool goes =
      !text_of(object, "deletionTimestamp").empty() && (finalizers.is_null() || finalizers.empty());
  if (goes) {
    objects_[collection].erase(name);
    happened({version_, collection, nullptr, before});
  } else {
    objects_[collection][name] = object;
    happened({version_, collection, object, before});
  }
  return object;
}

void MiniApi::happened(Event event) {
  std::erase_if(watchers_, [](const Watcher& each) { return !each.stream.is_open(); });
  for (const Watcher& each : watchers_) tell(event, each);
  events_.push_back(std::move(event));
  if (events_.size() > most_events) events_.pop_front();
}

}  // namespace fixkeep::test
