// A table of names: active lookups, waiting questions and valid answers.
//
// We cannot limit the time of the system's lookup. Each lookup runs on its own thread, so a slow
// name delays only its own questions. All questions about a name share its lookup. A lookup that
// has run for the time `hangs` counts as lost. Then the next question starts a second lookup of the
// name. A third lookup starts only after one of the two has ended. A lost lookup still counts for
// the limit `running`, because its thread still runs.
//
// An answer is kept for the time `keep` and serves every question during this time. A failed lookup
// answers the questions that waited for it, but no later question.
//
// Invariants: 1. answered() answers each question exactly one time, unless forget() was called
//                before.
//             2. at most LookupLimits::running lookups run at a time, at most two of one name.
//             3. the result of an earlier lookup never replaces the result of a later lookup.
// Sans-IO. Thread rule: one thread at a time. Bounds: LookupLimits. Fault model: a lookup answers
// late, never or wrongly. Errors: ask() refuses a question beyond the bounds.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.hpp"

namespace fixkeep::net {

struct LookupLimits {
  std::size_t running = 12;         // each has an open socket: see descriptor_budget.hpp
  std::size_t names = 512;          // names with a lookup or a kept answer
  std::size_t questions = 100'000;  // waiting questions about all names
  Duration keep{std::chrono::seconds{5}};
  Duration hangs{std::chrono::seconds{15}};  // longer than the resolver waits for a server
};

struct LookupAnswer {
  boost::system::error_code error;
  std::vector<boost::asio::ip::address> addresses;  // empty after an error
};

class LookupTable {
 public:
  using Question = std::uint64_t;
  struct Waits {};
  struct Refused {};
  using Asked = std::variant<Waits, LookupAnswer, Refused>;
  struct Start {
    std::string name;
    std::uint64_t number = 0;
  };

  explicit LookupTable(LookupLimits limits) : limits_(limits) {}

  // REQUIRES: the number of `question` is unique.
  [[nodiscard]] Asked ask(const std::string& name, Question question, TimePoint now);
  void forget(const std::string& name, Question question);
  // Returns the next lookup to run, or no value. REQUIRES: answered() is called for each lookup.
  [[nodiscard]] std::optional<Start> next(TimePoint now);
  // Returns the questions that this lookup answers.
  [[nodiscard]] std::vector<Question> answered(const Start& lookup, const LookupAnswer& answer,
                                               TimePoint now);

  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] std::size_t names() const { return entries_.size(); }
  [[nodiscard]] std::size_t questions() const { return questions_; }

 private:
  struct Entry {
    std::vector<Question> waiting;
    std::size_t running = 0;
    TimePoint started;  // start of the last lookup
    bool queued = false;
    std::uint64_t answered_by = 0;
    LookupAnswer known;
    TimePoint known_until;
  };

  [[nodiscard]] static bool is_known(const Entry& entry, TimePoint now);
  [[nodiscard]] bool wants_one(const Entry& entry, TimePoint now) const;
  void forget_what_is_old(TimePoint now);

  LookupLimits limits_;
  std::map<std::string, Entry> entries_;
  std::deque<std::string> queue_;  // names that need a lookup, without repeats
  std::size_t running_ = 0;
  std::size_t questions_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace fixkeep::net
