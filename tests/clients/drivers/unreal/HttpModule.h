#pragma once

#include <Interfaces/IHttpRequest.h>

class FHttpManager {
 public:
  void Tick(float Delta);
};

// Requests by libcurl, as on most platforms of the engine, with the engine's defaults: it follows
// redirects, keeps connections, and gives 30 s to connect. The real one runs libcurl in a thread.
class FHttpModule {
 public:
  static FHttpModule& Get();
  FHttpRequestRef CreateRequest();
  FHttpManager& GetHttpManager() { return Manager; }

 private:
  FHttpManager Manager;
};
