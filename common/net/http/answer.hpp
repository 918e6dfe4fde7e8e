// Answers as bytes. The head of an HTTP/1.1 response is written by hand.
//
// http::response and its serializer cost about a fifth of a small request's time (a node and an
// allocation a field, a buffer sequence a write). A head of six known fields does not need that.
// Thread rule: free functions without state.
#pragma once

#include <string>
#include <string_view>

#include "common/net/http/server.hpp"

namespace fixkeep::net {

struct HttpAnswerForm {
  std::string_view date;    // IMF-fixdate
  bool keep_alive = true;   // the connection serves another request afterwards
  bool old_client = false;  // HTTP/1.0: keeping alive must be said
  bool head_only = false;   // the request was HEAD
  std::string_view fields;  // further lines of the head, each with CRLF before it
};

// Replaces `out` and reuses its memory between answers.
void write_answer(const HttpAnswer& answer, const HttpAnswerForm& form, std::string& out);

// The head of an answer without a length. It ends with its connection. No cache keeps it and no
// proxy waits for more of it (nginx: X-Accel-Buffering).
void write_stream_head(std::string_view content_type, std::string_view date, std::string& out);

// The present time as a Date field has it: "Sun, 06 Nov 1994 08:49:37 GMT".
[[nodiscard]] std::string http_date();

}  // namespace fixkeep::net
