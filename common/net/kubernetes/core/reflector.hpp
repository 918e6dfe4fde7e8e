// Knows all objects of a kind at an API server. Lists them, then watches their changes as long as
// it is asked to.
//
// A watch begins behind the version of the list: no event is missed in between. A watch that is cut
// at any byte begins again behind the last complete event. All is listed again if the server no
// longer has that version (410 as a status or as an event) or its answer makes no sense. Known
// objects that a list lacks are gone. A watch may miss an event with no later one. All is thus
// listed again after a long watch too.
// Source: kubernetes.io/docs/reference/using-api/api-concepts "Efficient detection of changes";
// client-go's tools/cache/reflector.go.
//
// Invariants: 1. one call or one pause is under way and never both.
//             2. `listed` comes before every `changed` and `removed`.
//             3. versions are only handed back and never compared.
// Fault model: the server is away for hours, restarts and answers with an error or with garbage. It
// ends a watch at once or never and repeats events.
// Thread rule: one owner; sans-IO. Bounds: pauses from `shortest_pause` to `longest_pause`. They
// are doubled and drawn between a half and the whole. They start over when a silent server answers
// another question unless it has set the pause. A page has `page` objects and a list `most_pages`;
// an event has `most_event` bytes. Errors: `away` reports them in words once until it is `back`.
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
  std::string labels;  // "a=b,c": only objects that have these; empty: all
  std::uint64_t seed = 1;
};

// The owner is told this in this order.
struct Listed {
  std::vector<Json> objects;  // all there are
};
struct Changed {
  Json object;  // it is new, or has changed
};
struct Removed {
  Json object;  // its last state
};
struct Away {
  std::string why;  // later changes are unknown
};
struct Back {};
using ReflectorNews = std::variant<Listed, Changed, Removed, Away, Back>;

enum class ReflectorAsk : std::uint8_t {
  list,   // its answer goes to answered()
  watch,  // it is opened(), has pieces, and has ended()
};

// The owner does this next.
struct ReflectorStep {
  std::vector<ReflectorNews> news;
  std::optional<ReflectorAsk> ask;
  std::string target;                             // target of the call
  std::optional<std::chrono::milliseconds> ring;  // rang() is to be called after it
  bool drop = false;  // the watch is to be given up; ended() is called as for any other
};

class Reflector {
 public:
  static constexpr std::chrono::milliseconds shortest_pause{100};
  static constexpr std::chrono::milliseconds longest_pause{30'000};
  static constexpr std::chrono::seconds long_watch{5};     // its end is no failure
  static constexpr std::chrono::seconds watch_limit{240};  // the server ends a watch then
  // Interval of other questions to the server for heard().
  static constexpr std::chrono::seconds sign_of_life_every{10};
  static constexpr std::chrono::seconds sign_of_life_while_away{2};
  static constexpr std::size_t page = 500;
  static constexpr std::size_t most_pages = 1000;
  static constexpr std::size_t most_event = 8U << 20U;

  explicit Reflector(ReflectorOptions options);

  [[nodiscard]] ReflectorStep begin();  // comes first, once
  [[nodiscard]] ReflectorStep answered(const ApiAnswer& answer, TimePoint now);
  [[nodiscard]] ReflectorStep opened(TimePoint now);
  [[nodiscard]] ReflectorStep piece(std::string_view bytes);
  // The watch is over. Status: 200 if the server ended it, 0 if it was cut, or the server's refusal
  // of a watch.
  [[nodiscard]] ReflectorStep ended(const ApiAnswer& answer, TimePoint now);
  [[nodiscard]] ReflectorStep rang();

  // Another question to the server was answered or not.
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
  bool whole_ = false;  // pages have expired: all is asked for at once
  std::string line_;    // incomplete line of the watch
  bool opened_ = false;
  TimePoint opened_at_{};
  bool dropping_ = false;
  bool relist_at_once_ = false;
  std::string relist_why_;
  bool pausing_ = false;
  bool must_wait_ = false;  // the server demands the whole pause
  unsigned failures_ = 0;   // failures in a row
  unsigned lists_ = 0;      // lists since an event, or a long watch
  std::string problem_;     // problem of listing and watching, or empty
  std::string silence_;     // silence that others reported, or empty
  bool away_ = false;
};

}  // namespace fixkeep::kubernetes
