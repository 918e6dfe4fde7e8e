// SPDX-License-Identifier: MIT
using UnrealBuildTool;

public class FixKeep : ModuleRules
{
  public FixKeep(ReadOnlyTargetRules Target) : base(Target)
  {
    PCHUsage = PCHUsageMode.UseExplicitOrSharedPCHs;
    PublicDependencyModuleNames.AddRange(new[] { "Core", "HTTP", "Json" });
  }
}
