// Package runtime has the part of Nakama's runtime package that fleet.go names, by Nakama's documents:
// that package is not to be had where the tests run.
package runtime

import "context"

type NakamaModule interface{}

type InstanceInfo struct {
	Id             string
	ConnectionInfo *ConnectionInfo
	PlayerCount    int
	Status         string
	Metadata       map[string]any
}

type ConnectionInfo struct {
	IpAddress string
	DnsName   string
	Port      int
}

type JoinInfo struct {
	InstanceInfo *InstanceInfo
	SessionInfo  []*SessionInfo
}

type SessionInfo struct {
	UserId    string
	SessionId string
}

type FleetUserLatencies struct {
	UserId                string
	LatencyInMilliseconds float32
	RegionIdentifier      string
}

type FmCreateStatus int

const (
	CreateSuccess FmCreateStatus = iota
	CreateTimeout
	CreateError
)

type FmCreateCallbackFn func(status FmCreateStatus, instanceInfo *InstanceInfo, sessionInfo []*SessionInfo, metadata map[string]any, err error)

type FmCallbackHandler interface {
	GenerateCallbackId() string
	SetCallback(callbackId string, fn FmCreateCallbackFn)
	InvokeCallback(callbackId string, status FmCreateStatus, instanceInfo *InstanceInfo, sessionInfo []*SessionInfo, metadata map[string]any, err error)
}

type FleetManager interface {
	Get(ctx context.Context, id string) (instance *InstanceInfo, err error)
	List(ctx context.Context, query string, limit int, previousCursor string) (list []*InstanceInfo, nextCursor string, err error)
	Create(ctx context.Context, maxPlayers int, userIds []string, latencies []FleetUserLatencies, metadata map[string]any, callback FmCreateCallbackFn) (err error)
	Join(ctx context.Context, id string, userIds []string, metadata map[string]string) (joinInfo *JoinInfo, err error)
}

type FleetManagerInitializer interface {
	FleetManager
	Init(nk NakamaModule, callbackHandler FmCallbackHandler) error
	Update(ctx context.Context, id string, playerCount int, metadata map[string]any) error
	Delete(ctx context.Context, id string) error
}
