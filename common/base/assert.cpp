#include "common/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace fixkeep {
namespace {

AssertFlushHook flush_hook = nullptr;

}  // namespace

void set_assert_flush_hook(AssertFlushHook hook) noexcept {
  flush_hook = hook;
}

void assertion_failed(const char* expression, const char* file, int line,
                      std::string_view state) noexcept {
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n  state: %.*s\n", file, line, expression,
               static_cast<int>(state.size()), state.data());
  std::fflush(stderr);
  if (flush_hook != nullptr) flush_hook();
  std::abort();
}

}  // namespace fixkeep
