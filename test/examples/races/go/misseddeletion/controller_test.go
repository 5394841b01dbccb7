package misseddeletion

import (
	"context"
	"testing"

	"binnacle.dev/races/races"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func TestBroken(t *testing.T) { scaleDown(t, false) }
func TestMended(t *testing.T) { scaleDown(t, true) }

// scaleDown creates a data center of two nodes and removes one, as the controller of stateful sets and the kubelet do.
func scaleDown(test *testing.T, isMended bool) {
	t := races.New(test, func(ctx context.Context, config *rest.Config) error { return Start(ctx, config, isMended) })
	t.Create(centers, map[string]any{
		"apiVersion": "races.example.dev/v1",
		"kind":       "CassandraDataCenter",
		"metadata":   map[string]any{"name": "dc"},
		"spec":       map[string]any{"nodes": int64(2)},
	})
	for _, name := range []string{"dc-0", "dc-1"} {
		t.Create(races.Claims, races.Claim("data-"+name, "1Gi", nil))
		t.Create(races.Pods, map[string]any{
			"apiVersion": "v1",
			"kind":       "Pod",
			"metadata":   map[string]any{"name": name},
			"spec":       map[string]any{"nodeName": "node", "containers": []any{map[string]any{"name": "main", "image": "main"}}},
		})
	}
	t.Settled()
	t.Patch(centers, "dc", `{"spec":{"nodes":1}}`)
	t.Delete(races.Pods, "dc-1", metav1.DeleteOptions{})
	t.Rest()
	now := int64(0)
	t.Delete(races.Pods, "dc-1", metav1.DeleteOptions{GracePeriodSeconds: &now})
	t.Settled()
}
