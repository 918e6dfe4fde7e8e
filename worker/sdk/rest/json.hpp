// Converts messages of the SDK to and from JSON in the form of Agones' gateway.
//
// Output: field names as in the .proto files, 64-bit numbers as decimal text, unset fields with
// their zero value. Input: names in upper or lower case; 64-bit numbers as decimal text or as
// numbers. Unknown fields are ignored. An empty text is an empty object.
// Thread rule: free functions. Bounds: the callers limit the size of a body; a depth of at most
// 100. Errors: SdkCode::invalid_argument.
#pragma once

#include <google/protobuf/message.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "worker/sdk/errors.hpp"

namespace fixkeep::worker {

[[nodiscard]] std::string to_json(const google::protobuf::Message& message);
[[nodiscard]] std::string to_json(const SdkError& error);

// After an error the message must not be used.
[[nodiscard]] SdkResult<> read_json(std::string_view text, google::protobuf::Message& message);

// Counts the objects in a text of consecutive objects: a stream of messages in HTTP.
[[nodiscard]] SdkResult<std::size_t> count_objects(const std::string& text);

// Returns an object's field names, as in the message, for an update without a mask. A name that the
// message does not have is an error. REQUIRES: read_json() accepted the text.
[[nodiscard]] SdkResult<std::vector<std::string>> fields_of(
    std::string_view text, const google::protobuf::Descriptor& message);

}  // namespace fixkeep::worker
