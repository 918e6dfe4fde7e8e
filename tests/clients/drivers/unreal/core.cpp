// FString, its conversions, FMath, FPlatformTime and FTSTicker of CoreMinimal.h and Ticker.h.
#include <chrono>
#include <random>

#include <Containers/Ticker.h>
#include <CoreMinimal.h>

namespace {

TCHAR Lower(TCHAR C) {
  return C >= 'A' && C <= 'Z' ? static_cast<TCHAR>(C + ('a' - 'A')) : C;
}

// The code point at Place, which it moves on; '?' for a byte that is no UTF-8.
char32_t Next(const std::string& From, std::size_t& Place) {
  const auto Byte = [&](std::size_t I) { return static_cast<unsigned char>(From[I]); };
  const auto First = Byte(Place++);
  if (First < 0x80) return First;
  const int More = First >= 0xf0 ? 3 : First >= 0xe0 ? 2 : 1;
  if (First < 0xc2 || First > 0xf4 || Place + static_cast<std::size_t>(More) > From.size())
    return '?';
  char32_t Code = First & (0x3fU >> More);
  for (int I = 0; I < More; ++I) {
    if ((Byte(Place + static_cast<std::size_t>(I)) & 0xc0) != 0x80) return '?';
    Code = (Code << 6U) | (Byte(Place + static_cast<std::size_t>(I)) & 0x3fU);
  }
  constexpr char32_t Least[] = {0, 0x80, 0x800, 0x10000};
  if (Code < Least[More] || Code > 0x10ffff || (Code >= 0xd800 && Code < 0xe000)) return '?';
  Place += static_cast<std::size_t>(More);
  return Code;
}

std::string Encoded(char32_t Code) {
  const auto Tail = [Code](unsigned Shift) {
    return static_cast<char>(0x80U | ((Code >> Shift) & 0x3fU));
  };
  if (Code < 0x80) return {static_cast<char>(Code)};
  if (Code < 0x800) return {static_cast<char>(0xc0U | (Code >> 6U)), Tail(0)};
  if (Code < 0x10000) return {static_cast<char>(0xe0U | (Code >> 12U)), Tail(6), Tail(0)};
  return {static_cast<char>(0xf0U | (Code >> 18U)), Tail(12), Tail(6), Tail(0)};
}

}  // namespace

int FString::Compare(const FString& Other) const {
  for (std::size_t I = 0; I < Held.size() && I < Other.Held.size(); ++I) {
    const int Difference = Lower(Held[I]) - Lower(Other.Held[I]);
    if (Difference != 0) return Difference;
  }
  return Len() - Other.Len();
}

bool FString::FindChar(TCHAR Sought, int32& Index) const {
  const auto Place = Held.find(Sought);
  Index = Place == std::u16string::npos ? -1 : static_cast<int32>(Place);
  return Index >= 0;
}

bool FString::RemoveFromStart(const FString& Prefix) {
  FString Start;
  Start.Held = Held.substr(0, Prefix.Held.size());
  if (Prefix.IsEmpty() || Start != Prefix) return false;
  Held.erase(0, Prefix.Held.size());
  return true;
}

bool FString::RemoveFromEnd(const FString& Suffix) {
  if (Suffix.IsEmpty() || Suffix.Len() > Len()) return false;
  FString Tail;
  Tail.Held = Held.substr(Held.size() - Suffix.Held.size());
  if (Tail != Suffix) return false;
  Held.resize(Held.size() - Suffix.Held.size());
  return true;
}

FString FString::Fill(const TCHAR* Format, const std::vector<FString>& Pieces) {
  FString Made;
  std::size_t Used = 0;
  for (; *Format != 0; ++Format) {
    if (*Format == '%') {
      ++Format;
      Made = Made + Pieces.at(Used++);
    } else {
      Made.Held += *Format;
    }
  }
  return Made;
}

FString FString::Piece(int32 Value) {
  FString Made;
  for (const char Digit : std::to_string(Value)) Made.Held += static_cast<TCHAR>(Digit);
  return Made;
}

FUTF8ToTCHAR::FUTF8ToTCHAR(const ANSICHAR* From, int32 Count) {
  const std::string Bytes(From, static_cast<std::size_t>(Count));
  for (std::size_t Place = 0; Place < Bytes.size();) {
    const char32_t Code = Next(Bytes, Place);
    if (Code >= 0x10000) {
      Held += static_cast<TCHAR>(0xd7c0 + (Code >> 10U));
      Held += static_cast<TCHAR>(0xdc00 + (Code & 0x3ffU));
    } else {
      Held += static_cast<TCHAR>(Code);
    }
  }
}

FTCHARToUTF8::FTCHARToUTF8(const TCHAR* From, int32 Count) {
  for (int32 I = 0; I < Count; ++I) {
    char32_t Code = From[I];
    const bool bPair = Code >= 0xd800 && Code < 0xdc00 && I + 1 < Count && From[I + 1] >= 0xdc00 &&
                       From[I + 1] < 0xe000;
    if (bPair) {
      Code = 0x10000 + ((Code - 0xd800) << 10U) + (From[++I] - 0xdc00U);
    } else if (Code >= 0xd800 && Code < 0xe000) {
      Code = '?';
    }
    Held += Encoded(Code);
  }
}

int32 FCString::Atoi(const TCHAR* Text) {
  int32 Value = 0;
  for (; *Text >= '0' && *Text <= '9'; ++Text) Value = 10 * Value + (*Text - '0');
  return Value;
}

float FMath::FRand() {
  static std::mt19937 Generator{std::random_device{}()};
  return std::uniform_real_distribution<float>{}(Generator);
}

double FPlatformTime::Seconds() {
  const auto Now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(Now).count();
}

FTSTicker& FTSTicker::GetCoreTicker() {
  static FTSTicker Ticker;
  return Ticker;
}

FTSTicker::FDelegateHandle FTSTicker::AddTicker(const TCHAR*, float Delay,
                                                TFunction<bool(float)> Function) {
  const FElement Made{Now + static_cast<double>(Delay), Delay, std::move(Function)};
  Elements.push_back(std::make_shared<FElement>(Made));
  return Elements.back();
}

void FTSTicker::RemoveTicker(FDelegateHandle Handle) {
  if (const auto Element = Handle.Share()) Element->bRemoved = true;
}

void FTSTicker::Tick(float Delta) {
  Now += static_cast<double>(Delta);
  for (const auto& Element : std::vector(Elements)) {
    if (Element->bRemoved || Element->Due > Now) continue;
    Element->bRemoved = !Element->Function(Delta) || Element->bRemoved;
    Element->Due = Now + static_cast<double>(Element->Delay);
  }
  std::erase_if(Elements, [](const auto& Element) { return Element->bRemoved; });
}
