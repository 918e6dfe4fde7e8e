// The entry point of libFuzzer, for the target FIXKEEP_FUZZ_TARGET.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fixkeep::fuzz::FIXKEEP_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
