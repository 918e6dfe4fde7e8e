// GET /v1/rooms and GET /v1/rooms/{room}: the rooms as this master sees them.
// Thread rule: the same as for ApiCall. Bounds: at most `page_limit` rooms per page. Errors: 400
// invalid-query, 404.
#pragma once

#include "master/http/call.hpp"

namespace fixkeep::master {

void list_rooms(const ApiCall& call);
// Answers 404 to an invalid room id, for every method.
void show_room(const ApiCall& call);

}  // namespace fixkeep::master
