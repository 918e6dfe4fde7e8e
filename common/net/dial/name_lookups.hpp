// Looks up names for the whole process. Each lookup has its own thread.
//
// If a name is an address, this address is the answer, and no thread is needed. lookup_table.hpp
// has the rules (one lookup a name, hanging lookups, kept answers). No caller waits for a thread
// that hangs. Such a thread owns everything that it uses, and the process can end before the
// thread. Asio's resolver cannot be used: it runs all lookups of an io_context on one thread.
//
// Thread rule: any thread. Lifetime: a hanging lookup outlives everything else. The executor calls
// `told`, never from within ask(), and never after the end of the Question. A Question must be
// destroyed on the executor's thread, and before the executor's context. Bounds: LookupLimits.
// Fault model: a lookup answers late, never or wrongly. Errors: those of getaddrinfo();
// host_not_found_try_again beyond the bounds.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "common/net/dial/lookup_table.hpp"

namespace fixkeep::net {

class NameLookups {
 public:
  using LookUp = std::function<LookupAnswer(const std::string& name)>;  // blocks; from any thread
  using Told = std::function<void(const LookupAnswer&)>;

  explicit NameLookups(LookUp look_up, LookupLimits limits = {});
  // Lookups with getaddrinfo(): one object, which exists until the process ends.
  [[nodiscard]] static const std::shared_ptr<NameLookups>& of_the_system();

  class Question {
   public:
    ~Question();
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

   private:
    friend class NameLookups;
    Question() = default;
    struct Inside;
    std::shared_ptr<Inside> inside_;
  };
  [[nodiscard]] std::unique_ptr<Question> ask(const boost::asio::any_io_executor& executor,
                                              const std::string& name, Told told);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace fixkeep::net
