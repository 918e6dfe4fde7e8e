#pragma once

#include <CoreMinimal.h>

// Game thread only: the real one can also be called by other threads.
class FTSTicker {
 public:
  struct FElement {
    double Due;
    float Delay;
    TFunction<bool(float)> Function;
    bool bRemoved = false;
  };
  using FDelegateHandle = TWeakPtr<FElement>;

  static FTSTicker& GetCoreTicker();
  // A function that returns true runs again after Delay; 0 is the next frame.
  FDelegateHandle AddTicker(const TCHAR* Name, float Delay, TFunction<bool(float)> Function);
  static void RemoveTicker(FDelegateHandle Handle);
  void Tick(float Delta);

 private:
  double Now = 0;
  std::vector<std::shared_ptr<FElement>> Elements;
};
