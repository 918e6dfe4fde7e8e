// Knows all objects of one kind at an API server. The reflector lists these objects, then watches
// their changes.
//
// A watch begins with the first event after the version of the list, so no event is missed between
// list and watch. If a watch is cut at any byte, the next watch begins after the last complete
// event. All objects are listed again if the server no longer has that version (410 as a status or
// as an event), or if its answer makes no sense. Known objects that a list does not contain are
// gone. If a watch misses an event, perhaps no later event shows this. Therefore all objects are
// also listed again after a long watch. Source: kubernetes.io/docs/reference/using-api/api-concepts
// "Efficient detection of changes"; client-go's tools/cache/reflector.go.
//
// Invariants: 1. at any time there is either one call or one pause.
//             2. `listed` comes before every `changed` and `removed`.
//             3. versions are sent back as received and never compared.
// Fault model: the server is away for hours, restarts, and answers with errors or garbage. It ends
// a watch immediately or never, and repeats events. Thread rule: one owner; sans-IO. Bounds: pauses
// from `shortest_pause` to `longest_pause`, doubled each time. The real wait is random, between
// half of the pause and the whole pause. If a silent server answers a request for a sign of life,
// the pauses start again with the shortest pause, unless the server has set the pause. A page has
// at most `page` objects, a list `most_pages` pages, an event `most_event` bytes. Errors: `away`
// reports errors in words, only one time before the next `back`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "common/base/random.hpp"
#include "common/base/time.hpp"
#include "common/net/kubernetes/core/api_call.hpp"
#include "common/net/kubernetes/core/json.hpp"

namespace fixkeep::kubernetes {

struct ReflectorOptions {
  Resource resource;
  std::string labels;  // "a=b,c": only objects with these labels; empty: all
  std::uint64_t seed = 1;
};

// The kinds of news for the owner. ReflectorStep::news has the news in order.
struct Listed {
  std::vector<Json> objects;  // all existing objects
};
struct Changed {
  Json object;  // the new or changed object
};
struct Removed {
  Json object;  // its last state
};
struct Away {
  std::string why;  // the reason; changes from now on are unknown
};
struct Back {};
using ReflectorNews = std::variant<Listed, Changed, Removed, Away, Back>;

enum class ReflectorAsk : std::uint8_t {
  list,   // the owner passes its answer to answered()
  watch,  // the owner calls opened(), piece() and ended()
};

// The owner's next steps.
struct ReflectorStep {
  std::vector<ReflectorNews> news;
  std::optional<ReflectorAsk> ask;
  std::string target;                             // target of the call
  std::optional<std::chrono::milliseconds> ring;  // time until the owner calls rang()
  bool drop = false;                              // the owner must end the watch and call ended()
};

class Reflector {
 public:
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{30'000};
  static constexpr std::chrono::seconds long_watch{5};     // a watch this long has not failed
  static constexpr std::chrono::seconds watch_limit{240};  // longest watch that we request
  // Interval of the requests for a sign of life. The owner sends these requests and passes the
  // results to heard().
  static constexpr std::chrono::seconds sign_of_life_every{10};
  static constexpr std::chrono::seconds sign_of_life_while_away{2};
  static constexpr std::size_t page = 500;
  static constexpr std::size_t most_pages = 1000;
  static constexpr std::size_t most_event = 8U << 20U;

  explicit Reflector(ReflectorOptions options);

  [[nodiscard]] ReflectorStep begin();  // call first, exactly one time
  [[nodiscard]] ReflectorStep answered(const ApiAnswer& answer, TimePoint now);
  [[nodiscard]] ReflectorStep opened(TimePoint now);
  [[nodiscard]] ReflectorStep piece(std::string_view bytes);
  // Reports the end of the watch. The status is 200 if the server ended the watch, 0 if the watch
  // was cut, otherwise the server's refusal.
  [[nodiscard]] ReflectorStep ended(const ApiAnswer& answer, TimePoint now);
  [[nodiscard]] ReflectorStep rang();

  // Reports whether the server has answered a request for a sign of life.
  [[nodiscard]] ReflectorStep heard(bool answers, const std::string& why);

  [[nodiscard]] std::chrono::seconds next_sign_of_life() const {
    return away_ ? sign_of_life_while_away : sign_of_life_every;
  }

 private:
  enum class Next : std::uint8_t { list, watch };

  [[nodiscard]] ReflectorStep ask_list();
  [[nodiscard]] ReflectorStep ask_watch();
  [[nodiscard]] ReflectorStep failed(Next next, const std::string& why,
                                     std::chrono::milliseconds at_least);
  [[nodiscard]] bool take_page(const std::string& body);
  void take_event(std::string_view line, ReflectorStep& step);
  void list_again(const std::string& why, bool at_once, ReflectorStep& step);
  void works(ReflectorStep& step);
  void judge_away(ReflectorStep& step);
  [[nodiscard]] ApiCall call(std::string target) const;
  [[nodiscard]] std::chrono::milliseconds draw_pause();

  ReflectorOptions options_;
  Random random_;
  Next next_ = Next::list;
  std::string version_;
  std::vector<Json> objects_;  // objects of the pages so far
  std::string continue_;       // token of the next page; empty: the first page
  std::size_t pages_ = 0;
  bool whole_ = false;  // pages have expired: the list is requested in one piece
  std::string line_;    // incomplete line of the watch
  bool opened_ = false;
  TimePoint opened_at_{};
  bool dropping_ = false;
  bool relist_at_once_ = false;
  std::string relist_why_;
  bool pausing_ = false;
  bool must_wait_ = false;  // the server has set the pause: never shorten it
  unsigned failures_ = 0;   // failures in a row
  unsigned lists_ = 0;      // lists since the last event or the last long watch
  std::string problem_;     // problem of listing or watching; empty: none
  std::string silence_;     // silence reported to heard(); empty: none
  bool away_ = false;
};

}  // namespace fixkeep::kubernetes
