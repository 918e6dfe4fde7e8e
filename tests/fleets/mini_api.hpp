// A small API server of Kubernetes in memory: objects of any kind in any namespace, which are
// listed, watched, made, replaced, merged and deleted, by version and with finalizers.
//
// It is what tests have where no real one is: what is said to it is said to a real one too
// (tests/fleets). It knows no rights, and no kind but by the path.
// Thread rule: that of the io_context. Bounds: `most_events` that a watch can go back. Errors:
// those of Kubernetes, as a Status.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/net/http/server.hpp"
#include "common/net/kubernetes/core/json.hpp"

namespace fixkeep::test {

class MiniApi {
 public:
  static constexpr std::size_t most_events = 20'000;

  void handle(const net::HttpRequest& request, const net::HttpResponder& responder);

 private:
  using Json = kubernetes::Json;
  using Selector = std::vector<std::pair<std::string, std::string>>;
  struct Event {
    std::uint64_t version = 0;
    std::string collection;
    Json object;  // null: it is gone
    Json before;  // null: it is new
  };
  struct Watcher {
    net::HttpStream stream;
    std::string collection;
    Selector selector;
  };
  struct Path {
    std::string collection;
    std::string name;  // empty: all
    std::map<std::string, std::string> query;
  };

  static Path parse(const std::string& target);
  static Selector selector_of(const std::string& text);
  static bool fits(const Json& object, const Selector& selector);
  static void refuse(const net::HttpResponder& responder, unsigned status,
                     const std::string& reason);
  static void answer(const net::HttpResponder& responder, unsigned status, const Json& object);
  static void tell(const Event& event, const Watcher& watcher);

  void list(const Path& path, const net::HttpResponder& responder);
  void watch(const Path& path, const net::HttpResponder& responder);
  void create(const Path& path, Json object, const net::HttpResponder& responder);
  void replace(const Path& path, Json object, const net::HttpResponder& responder);
  void remove(const Path& path, const Json& options, const net::HttpResponder& responder);
  Json put(const std::string& collection, Json object, const Json& before);
  void happened(Event event);

  std::map<std::string, std::map<std::string, Json>> objects_;  // by collection and name
  std::deque<Event> events_;
  std::vector<Watcher> watchers_;
  std::uint64_t version_ = 1;
};

}  // namespace fixkeep::test
