// What FixKeepAllocator.cs names of Unity's Cloud Code, by Unity's documents, and a program that calls it
// as Unity Matchmaker does: Allocate once, then Poll until the server is there.
//
//   adapter MATCH-ID PLAYER …      environment: MASTERS; prints the address and port
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using FixKeep;
using Unity.Services.CloudCode.Apis;
using Unity.Services.CloudCode.Apis.Matchmaker;
using Unity.Services.CloudCode.Core;

namespace Unity.Services.CloudCode.Core
{
  public interface IExecutionContext { }
  public sealed class CloudCodeFunctionAttribute : Attribute
  {
    public CloudCodeFunctionAttribute(string name) { }
  }
}

namespace Unity.Services.CloudCode.Apis
{
  public sealed class Secret { public string Value; }
  public interface ISecretManager { Task<Secret> GetSecret(IExecutionContext context, string name); }
  public interface IGameApiClient { ISecretManager SecretManager { get; } }
}

namespace Unity.Services.CloudCode.Apis.Matchmaker
{
  public sealed class MatchmakingResults
  {
    public Dictionary<string, object> MatchProperties = new Dictionary<string, object>();
  }
  public sealed class AllocateRequest
  {
    public string MatchId;
    public MatchmakingResults MatchmakingResults = new MatchmakingResults();
  }
  public enum AllocateStatus { Created, Error }
  public sealed class AllocateResponse
  {
    public readonly AllocateStatus Status;
    public string Message = "";
    public Dictionary<string, object> AllocationData;
    public AllocateResponse(AllocateStatus status) { Status = status; }
  }
  public sealed class PollRequest
  {
    public string MatchId;
    public Dictionary<string, object> AllocationData;
  }
  public enum PollStatus { Pending, Allocated, Error }
  public sealed class AssignmentData
  {
    public string Ip;
    public int Port;
    public static AssignmentData IpPort(string ip, int port) =>
      new AssignmentData { Ip = ip, Port = port };
  }
  public sealed class PollResponse
  {
    public readonly PollStatus Status;
    public string Message = "";
    public AssignmentData AssignmentData;
    public PollResponse(PollStatus status) { Status = status; }
  }
  public interface IMatchmakerAllocator
  {
    Task<AllocateResponse> Allocate(IExecutionContext context, AllocateRequest request);
    Task<PollResponse> Poll(IExecutionContext context, PollRequest request);
  }
}

sealed class CloudCode : IExecutionContext, IGameApiClient, ISecretManager
{
  public ISecretManager SecretManager => this;
  public Task<Secret> GetSecret(IExecutionContext context, string name) =>
    Task.FromResult(new Secret { Value = "no-key-is-needed" });

  static async Task<string> Play(string match, IEnumerable<string> players)
  {
    var unity = new CloudCode();
    var allocator = new FixKeepAllocator(unity);
    var request = new AllocateRequest { MatchId = match };
    var ids = string.Join(",", players.Select(each => "\"" + each + "\""));
    request.MatchmakingResults.MatchProperties["Teams"] =
      "[{\"TeamName\":\"red\",\"TeamId\":\"1\",\"PlayerIds\":[" + ids + "]}]";
    var allocated = await allocator.Allocate(unity, request);
    if (allocated.Status == AllocateStatus.Error) return "error: " + allocated.Message;
    var poll = new PollRequest { MatchId = match, AllocationData = allocated.AllocationData };
    for (var i = 0; i < 120; ++i)
    {
      var polled = await allocator.Poll(unity, poll);
      if (polled.Status == PollStatus.Error) return "error: " + polled.Message;
      if (polled.Status == PollStatus.Allocated)
        return polled.AssignmentData.Ip + ":" + polled.AssignmentData.Port;
      Thread.Sleep(250);
    }
    return "error: pending for ever";
  }

  static void Main(string[] arguments)
  {
    FixKeepAllocator.Masters = Environment.GetEnvironmentVariable("MASTERS").Split(',');
    FixKeepAllocator.Attributes =
      (Dictionary<string, object>)Json.Read(Environment.GetEnvironmentVariable("ATTRIBUTES"));
    Console.WriteLine(Play(arguments[0], arguments.Skip(1)).GetAwaiter().GetResult());
  }
}
