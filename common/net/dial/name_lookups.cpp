#include "common/net/dial/name_lookups.hpp"

#include <netdb.h>
#include <sys/socket.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>
#include <utility>

#include "common/net/steady_clock.hpp"
#include "common/obs/thread_without_signals.hpp"

namespace fixkeep::net {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

error_code meaning_of(int wrong) {
  switch (wrong) {
    case EAI_SYSTEM: return {errno, boost::system::system_category()};
    case EAI_MEMORY: return asio::error::no_memory;
    case EAI_AGAIN: return asio::error::host_not_found_try_again;
    case EAI_FAIL: return asio::error::no_recovery;
    default: return asio::error::host_not_found;
  }
}

LookupAnswer ask_the_system(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int wrong = ::getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (wrong != 0 && name == "localhost") {  // the name needs no entry: RFC 6761, 6.3
    return {{}, {asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()}};
  }
  if (wrong != 0) return {meaning_of(wrong), {}};
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> kept{found, ::freeaddrinfo};
  LookupAnswer answer;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    asio::ip::tcp::endpoint endpoint;
    if (each->ai_addrlen > endpoint.capacity()) continue;
    std::memcpy(endpoint.data(), each->ai_addr, each->ai_addrlen);
    endpoint.resize(each->ai_addrlen);
    answer.addresses.push_back(endpoint.address());
  }
  return answer;
}

}  // namespace

struct NameLookups::Question::Inside {
  std::shared_ptr<State> state;
  std::string name;
  LookupTable::Question number = 0;
  asio::any_io_executor executor;
  Told told;
  bool gone = false;  // used on the executor's thread only
};

struct NameLookups::State {
  State(LookUp given, LookupLimits limits) : look_up(std::move(given)), table(limits) {}

  // post() needs the executor's context, which outlives the Question. The Question still exists
  // here. ask() has just made it; or end() holds the mutex, and the destructor of the Question
  // waits for this mutex.
  static void tell(const std::shared_ptr<Question::Inside>& question, LookupAnswer answer) {
    if (!answer.error && answer.addresses.empty()) answer.error = asio::error::host_not_found;
    asio::post(question->executor, [question, answer = std::move(answer)] {
      if (!question->gone) question->told(answer);
    });
  }

  // REQUIRES: the mutex is held.
  static void start_what_is_due(const std::shared_ptr<State>& self) {
    while (const auto due = self->table.next(steady_now())) {
      try {
        obs::start_without_signals([self, lookup = *due] { run(self, lookup); }).detach();
      } catch (const std::system_error&) {  // the system has no more threads
        self->end(*due, {asio::error::host_not_found_try_again, {}});
      }
    }
  }

  static void run(const std::shared_ptr<State>& self, const LookupTable::Start& lookup) {
    const LookupAnswer answer = self->look_up(lookup.name);
    const std::scoped_lock guard{self->mutex};
    self->end(lookup, answer);
    start_what_is_due(self);
  }

  // REQUIRES: the mutex is held.
  void end(const LookupTable::Start& lookup, const LookupAnswer& answer) {
    for (const auto number : table.answered(lookup, answer, steady_now())) {
      auto waiting = questions.extract(number);
      if (const auto question = waiting.mapped().lock()) tell(question, answer);
    }
  }

  std::mutex mutex;
  const LookUp look_up;
  LookupTable table;
  std::map<LookupTable::Question, std::weak_ptr<Question::Inside>> questions;
  LookupTable::Question last_question = 0;
};

NameLookups::NameLookups(LookUp look_up, LookupLimits limits)
    : state_(std::make_shared<State>(std::move(look_up), limits)) {}

const std::shared_ptr<NameLookups>& NameLookups::of_the_system() {
  // Never destroyed: hanging threads may still use it at the end of the process.
  static const auto* const one =
      new std::shared_ptr<NameLookups>{std::make_shared<NameLookups>(ask_the_system)};
  return *one;
}

std::unique_ptr<NameLookups::Question> NameLookups::ask(const asio::any_io_executor& executor,
                                                        const std::string& name, Told told) {
  std::unique_ptr<Question> question{new Question};
  auto inside = std::make_shared<Question::Inside>();
  question->inside_ = inside;
  inside->state = state_;
  inside->name = name;
  inside->executor = executor;
  inside->told = std::move(told);
  error_code is_a_name;
  const auto address = asio::ip::make_address(name, is_a_name);
  if (!is_a_name) {
    State::tell(inside, {{}, {address}});
    return question;
  }
  const std::scoped_lock guard{state_->mutex};
  inside->number = ++state_->last_question;
  const auto asked = state_->table.ask(name, inside->number, steady_now());
  if (const auto* const known = std::get_if<LookupAnswer>(&asked)) {
    State::tell(inside, *known);
  } else if (std::holds_alternative<LookupTable::Refused>(asked)) {
    State::tell(inside, {asio::error::host_not_found_try_again, {}});
  } else {
    state_->questions.emplace(inside->number, inside);
    State::start_what_is_due(state_);
  }
  return question;
}

NameLookups::Question::~Question() {
  inside_->gone = true;
  const std::scoped_lock guard{inside_->state->mutex};
  inside_->state->table.forget(inside_->name, inside_->number);
  inside_->state->questions.erase(inside_->number);
}

}  // namespace fixkeep::net
