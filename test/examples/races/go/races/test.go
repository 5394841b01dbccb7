package races

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Test is a test with a running controller.
type Test struct {
	*testing.T
	Client dynamic.Interface
	server rest.Interface
}

// New starts the controller, and restarts it on SIGUSR1. The test is skipped if there is no server.
func New(t *testing.T, start func(ctx context.Context, config *rest.Config) error) *Test {
	file := os.Getenv("KUBECONFIG")
	if os.Getenv("BINNACLE_EXPLORE") == "" || file == "" {
		t.Skip("there is no server: run binnacle explore -- go test ./...")
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		t.Fatal(err)
	}
	config.QPS, config.Burst = -1, -1
	restarts := make(chan os.Signal, 1)
	signal.Notify(restarts, syscall.SIGUSR1)
	over, end := context.WithCancel(context.Background())
	t.Cleanup(func() {
		signal.Stop(restarts)
		end()
	})
	ctx, stop := context.WithCancel(over)
	if err := start(ctx, config); err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			select {
			case <-over.Done():
				stop()
				return
			case <-restarts:
				stop()
				ctx, stop = context.WithCancel(over)
				if err := start(ctx, config); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	return &Test{t, dynamic.NewForConfigOrDie(config), discovery.NewDiscoveryClientForConfigOrDie(config).RESTClient()}
}

// Rest waits until the controller has nothing to do, as far as it has been told.
func (t *Test) Rest() { t.wait("rest") }

// Settled ends all delays and waits until the controller has nothing to do.
func (t *Test) Settled() { t.wait("settled") }

func (t *Test) wait(barrier string) {
	t.Helper()
	if err := t.server.Get().AbsPath("/binnacle/v1/explore/" + barrier).Do(t.Context()).Error(); err != nil {
		t.Fatal(err)
	}
}

// Create creates an object from its fields.
func (t *Test) Create(resource schema.GroupVersionResource, object map[string]any) *unstructured.Unstructured {
	t.Helper()
	made, err := t.Client.Resource(resource).Namespace("default").Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Patch merges the patch into an object or its subresource.
func (t *Test) Patch(resource schema.GroupVersionResource, name, patch string, subresources ...string) {
	t.Helper()
	if _, err := t.Client.Resource(resource).Namespace("default").Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, subresources...); err != nil {
		t.Fatal(err)
	}
}

// Delete deletes an object.
func (t *Test) Delete(resource schema.GroupVersionResource, name string, options metav1.DeleteOptions) {
	t.Helper()
	if err := t.Client.Resource(resource).Namespace("default").Delete(t.Context(), name, options); err != nil {
		t.Fatal(err)
	}
}

// Claim returns a claim as the controller of stateful sets creates it.
func Claim(name, storage string, labels map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "v1",
		"kind":       "PersistentVolumeClaim",
		"metadata":   map[string]any{"name": name, "labels": labels},
		"spec": map[string]any{
			"storageClassName": "standard",
			"accessModes":      []any{"ReadWriteOnce"},
			"resources":        map[string]any{"requests": map[string]any{"storage": storage}},
		},
	}
}

// Set returns a stateful set whose claims have the storage.
func Set(name, storage string) map[string]any {
	return map[string]any{
		"apiVersion": "apps/v1",
		"kind":       "StatefulSet",
		"metadata":   map[string]any{"name": name},
		"spec": map[string]any{
			"serviceName":          name,
			"selector":             map[string]any{"matchLabels": map[string]any{"app": name}},
			"volumeClaimTemplates": []any{Claim("data", storage, nil)},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"app": name}},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "main", "image": "main"}}},
			},
		},
	}
}
