// FIXKEEP_ASSERT finds our own bugs in every build.
//
// Use it only for broken invariants and impossible transitions, never for input from a peer or a
// client. A failed assertion prints its expression and `state`, runs the log's flush hook, and
// aborts the process.
#pragma once

#include <string_view>

namespace fixkeep {

// Called one time before the abort to save the last log lines. May be null.
using AssertFlushHook = void (*)() noexcept;
void set_assert_flush_hook(AssertFlushHook hook) noexcept;

[[noreturn]] void assertion_failed(const char* expression, const char* file, int line,
                                   std::string_view state) noexcept;

}  // namespace fixkeep

// `state` is evaluated only when the expression is false: FIXKEEP_ASSERT(n > 0, to_string(room)).
#define FIXKEEP_ASSERT(expression, state)                                    \
  do {                                                                       \
    if (!(expression)) [[unlikely]]                                          \
      ::fixkeep::assertion_failed(#expression, __FILE__, __LINE__, (state)); \
  } while (false)
