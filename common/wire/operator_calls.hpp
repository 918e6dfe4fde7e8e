// An operator's call that a master forwards to a worker. The worker answers as at its own
// operators' listener, or refuses if its admin.through_masters is false.
//
// Masters forward calls and answers unchanged: only the worker checks them. Thread rule: values.
// Bounds: limits.hpp. Errors: none here; the codec checks all bounds.
#pragma once

#include <cstdint>
#include <string>

namespace fixkeep::wire {

// A message from a master to a worker.
struct OperatorCall {
  std::uint64_t request = 0;
  bool changes = false;  // true: POST; false: GET
  std::string target;    // "/v1/rooms/w1-5f3a9c0211d2e4b7-12/drain"
  std::string body;

  friend bool operator==(const OperatorCall&, const OperatorCall&) = default;
};

enum class AnswerForm : std::uint8_t { json, problem, text };
inline constexpr AnswerForm last_answer_form = AnswerForm::text;

// A message from a worker to a master.
struct OperatorAnswer {
  std::uint64_t request = 0;
  std::uint32_t status = 0;  // HTTP status
  AnswerForm form = AnswerForm::json;
  std::string body;

  friend bool operator==(const OperatorAnswer&, const OperatorAnswer&) = default;
};

}  // namespace fixkeep::wire
