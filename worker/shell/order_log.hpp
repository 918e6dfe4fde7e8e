// OrderLog writes the lines of a worker's log about the orders of masters: an order that is
// refused, at info, and each claim that asks for seats, with what became of it, at debug. A room
// that an order makes is RoomLog's to tell of. Lines name the request as its master knows it.
//
// A core answers what it was asked without saying again what that was, so the names wait here for
// the answer. Of seats they do so only while debug is logged.
// Thread rule: the shell's thread. Bounds: the questions of the batch that has arrived; 10 lines a
// second for refusals of one reason. Errors: none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/ids.hpp"
#include "common/base/time.hpp"
#include "common/obs/log_limit.hpp"
#include "common/wire/messages.hpp"

namespace fixkeep::worker {

class OrderLog {
 public:
  void asked(MasterId master, const wire::Order& order);
  // The core's answers. REQUIRES: called in their order, whether they can be sent or not.
  void answers(MasterId master, const wire::Report& report, TimePoint now);
  void gone(MasterId master) { questions_.erase(master); }

 private:
  struct Asked {
    wire::RequestContext context;
    std::uint32_t players = 0;
  };
  struct Question {
    GroupKey group;  // this and the next one of an order
    CreationId creation;
    std::vector<Asked> claims;
  };

  void refused(const Question& order, wire::SpawnOutcome outcome, TimePoint now);

  std::map<MasterId, std::map<std::uint64_t, Question>> questions_;  // by request
  obs::LogLimit refusals_{{.burst = 10}};
};

}  // namespace fixkeep::worker
