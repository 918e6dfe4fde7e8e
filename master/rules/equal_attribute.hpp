// The rule of equal attributes: players with the same text (a region, say) play together.
//
// Thread rule: a free function. Bounds: attribute_bytes a value. Errors: see group_key.hpp.
#pragma once

#include <cstddef>

#include "master/rules/attributes.hpp"
#include "master/rules/group_key.hpp"

namespace fixkeep::master {

inline constexpr std::size_t attribute_bytes = 64;
// Number of allowed values in the answer to a client that sent another one.
inline constexpr std::size_t values_told = 20;

struct Mode;

// Adds every attribute of the mode (Mode::attributes). Each is required. It has one of its values
// (Mode::values) if there are any.
void add_equal_attributes(const Mode& mode, const Attributes& attributes, GroupKeyDraft& draft);

}  // namespace fixkeep::master
