// The rule for equal attributes: players with the same text, for example a region, play together.
//
// Thread rule: a free function. Bounds: attribute_bytes per value. Errors: see group_key.hpp.
#pragma once

#include <cstddef>

#include "master/rules/attributes.hpp"
#include "master/rules/group_key.hpp"

namespace fixkeep::master {

inline constexpr std::size_t attribute_bytes = 64;
// If a client sent a wrong value, the answer lists at most this many of the allowed values.
inline constexpr std::size_t values_told = 20;

struct Mode;

// Adds every attribute of the mode (Mode::attributes). Each attribute is required. If Mode::values
// lists values for it, its value must be one of these.
void add_equal_attributes(const Mode& mode, const Attributes& attributes, GroupKeyDraft& draft);

}  // namespace fixkeep::master
