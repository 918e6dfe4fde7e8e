// A message whatever its direction is: for tests of the codec, which hear everything.
//
// Thread rule: free functions. Errors: as decode().
#pragma once

#include <string_view>
#include <utility>

#include "common/wire/codec.hpp"

namespace fixkeep::test {

[[nodiscard]] inline Result<wire::Message> decode_any(std::string_view payload) {
  if (auto said = wire::decode<wire::FromWorker>(payload)) return wire::Message{std::move(*said)};
  if (auto said = wire::decode<wire::ToWorker>(payload)) return wire::Message{std::move(*said)};
  auto said = wire::decode<wire::BetweenMasters>(payload);
  if (!said) return said.error();
  return wire::Message{std::move(*said)};
}

}  // namespace fixkeep::test
