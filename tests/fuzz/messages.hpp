// Messages of links as a script makes them: of any kind that a core hears of one direction (Said:
// wire::Report, Order or BetweenMasters), with names from small sets so that they meet, and answers
// to what was asked.
//
// Every message comes out of the codec: it is one that decode() lets in.
// Thread rule: free functions, the script is the caller's. Bounds: lists of a few elements; the
// raw form, as long as the script. Errors: no message for bytes that decode() refuses.
#pragma once

#include <optional>

#include "common/wire/messages.hpp"
#include "tests/fuzz/script.hpp"

namespace fixkeep::fuzz {

[[nodiscard]] GroupKey any_group(Script& script);
[[nodiscard]] ModeName any_mode(Script& script);
[[nodiscard]] PlayerId any_player(Script& script);
[[nodiscard]] wire::Claim any_claim(Script& script);
[[nodiscard]] FencingToken any_token(Script& script);

// A frame of the script's own bytes, behind a length of two bytes.
template <class Said>
[[nodiscard]] std::optional<Said> raw_message(Script& script);
template <class Said>
[[nodiscard]] Said any_message(Script& script);
// What somebody may answer who means this message, and lies about the rest.
[[nodiscard]] wire::Report answer_to(const wire::Order& asked, Script& script);
[[nodiscard]] wire::BetweenMasters answer_to(const wire::BetweenMasters& asked, Script& script);

}  // namespace fixkeep::fuzz
