// A table of names: the running look-ups, the waiting questions and answers that are still good.
//
// The system's look-up has no limit that we could set. Each one runs on a thread of its own: a slow
// name delays only its own questions. All questions about a name share its look-up. A look-up
// counts as lost after `hangs`. The next question starts a second one beside it. No question starts
// a third. The lost one still counts in `running` because its thread still runs.
//
// An answer is kept for `keep` and serves every question meanwhile. A failure serves the questions
// that waited for it and no later one.
//
// Invariants: 1. answered() answers each question once unless forget() was called before.
//             2. at most `running` look-ups run at a time, at most two of one name.
//             3. the result of an earlier look-up never replaces a later one's.
// Sans-IO. Thread rule: the caller's. Bounds: LookupLimits. Fault model: a look-up answers late or
// never or with anything. Errors: ask() refuses what exceeds the bounds.
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
  std::size_t running = 12;         // each has a socket open: descriptor_budget.hpp
  std::size_t names = 512;          // names that are awaited or remembered
  std::size_t questions = 100'000;  // waiting questions of all names
  Duration keep{std::chrono::seconds{5}};
  Duration hangs{std::chrono::seconds{15}};  // longer than a silent name server takes by default
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

  // REQUIRES: no other question has this number.
  [[nodiscard]] Asked ask(const std::string& name, Question question, TimePoint now);
  void forget(const std::string& name, Question question);
  // The next look-up to run while there is one. REQUIRES: each ends in answered().
  [[nodiscard]] std::optional<Start> next(TimePoint now);
  // Returns the questions that it answers.
  [[nodiscard]] std::vector<Question> answered(const Start& lookup, const LookupAnswer& answer,
                                               TimePoint now);

  [[nodiscard]] std::size_t running() const { return running_; }
  [[nodiscard]] std::size_t names() const { return entries_.size(); }
  [[nodiscard]] std::size_t questions() const { return questions_; }

 private:
  struct Entry {
    std::vector<Question> waiting;
    std::size_t running = 0;
    TimePoint started;  // the last one
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
  std::deque<std::string> queue_;  // names that want a look-up, each once
  std::size_t running_ = 0;
  std::size_t questions_ = 0;
  std::uint64_t last_number_ = 0;
};

}  // namespace fixkeep::net
