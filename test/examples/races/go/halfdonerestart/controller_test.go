package halfdonerestart

import (
	"context"
	"testing"

	"binnacle.dev/races/races"
	"k8s.io/client-go/rest"
)

func TestBroken(t *testing.T) { expand(t, false) }
func TestMended(t *testing.T) { expand(t, true) }

// expand creates a cluster and gives it more storage.
func expand(test *testing.T, isMended bool) {
	t := races.New(test, func(ctx context.Context, config *rest.Config) error { return Start(ctx, config, isMended) })
	t.Create(clusters, map[string]any{
		"apiVersion": "races.example.dev/v1",
		"kind":       "RabbitmqCluster",
		"metadata":   map[string]any{"name": "mq"},
		"spec":       map[string]any{"storage": "10Gi"},
	})
	t.Settled()
	t.Create(races.Claims, races.Claim("data-mq-0", "10Gi", nil))
	t.Patch(races.Claims, "data-mq-0", `{"status":{"phase":"Bound","capacity":{"storage":"10Gi"}}}`, "status")
	t.Settled()
	t.Patch(clusters, "mq", `{"spec":{"storage":"15Gi"}}`)
	t.Settled()
}
