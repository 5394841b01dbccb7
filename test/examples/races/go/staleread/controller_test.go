package staleread

import (
	"context"
	"testing"

	"binnacle.dev/races/races"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

func TestBroken(t *testing.T) { recreate(t, false) }
func TestMended(t *testing.T) { recreate(t, true) }

// recreate creates a cluster, deletes it, and creates another one of the same name.
func recreate(test *testing.T, isMended bool) {
	t := races.New(test, func(ctx context.Context, config *rest.Config) error { return Start(ctx, config, isMended) })
	create := func() {
		cluster := t.Create(clusters, map[string]any{"apiVersion": "races.example.dev/v1", "kind": "ZookeeperCluster", "metadata": map[string]any{"name": "zk"}})
		t.Create(races.Claims, races.Claim("data-zk-0", "1Gi", map[string]any{"app": "zk", "uid": string(cluster.GetUID())}))
		t.Settled()
	}
	create()
	t.Delete(clusters, "zk", metav1.DeleteOptions{})
	t.Settled()
	create()
}
