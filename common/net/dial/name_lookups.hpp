// Looks up names for the whole process. Each has a thread of its own.
//
// An address is its own answer without a thread. lookup_table.hpp has the rules (one look-up a
// name, hanging ones, kept answers). A hanging thread is left alone: it holds what it needs and the
// process ends without it. Asio's resolver does not help because all look-ups of an io_context
// share one thread.
//
// Thread rule: any thread. Lifetime: a look-up that hangs outlives everything else. `told` is
// called from the executor. It is never called from within ask() nor after the end of its Question.
// A Question ends on the executor's thread and before the executor's context. Bounds: LookupLimits.
// Fault model: a look-up answers late or never or with anything. Errors: those of getaddrinfo();
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
  using LookUp = std::function<LookupAnswer(const std::string& name)>;  // blocks; on any thread
  using Told = std::function<void(const LookupAnswer&)>;

  explicit NameLookups(LookUp look_up, LookupLimits limits = {});
  // With getaddrinfo(): one for the whole process. It lasts as long as that.
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
