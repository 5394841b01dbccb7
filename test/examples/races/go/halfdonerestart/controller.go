// Package halfdonerestart is a port of rabbitmq/cluster-operator#782: a claim is never resized if the controller stops after it has deleted the stateful set.
package halfdonerestart

import (
	"context"
	"fmt"

	"binnacle.dev/races/races"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

var clusters = races.Custom("rabbitmqclusters")

// Start starts the controller. The mended one compares the claim with the cluster, too.
func Start(ctx context.Context, config *rest.Config, isMended bool) error {
	watched := []schema.GroupVersionResource{clusters}
	return races.Start(ctx, config, watched, func(name string) string { return name }, func(ctx context.Context, world *races.World, name string) error {
		cluster := world.Cached(clusters, name)
		if cluster == nil {
			return nil
		}
		storage, _, _ := unstructured.NestedString(cluster.Object, "spec", "storage")
		sets, claims := world.Resource(races.Sets).Namespace("default"), world.Resource(races.Claims).Namespace("default")
		set, err := sets.Get(ctx, name, metav1.GetOptions{})
		hasSet := err == nil
		if err != nil && !errors.IsNotFound(err) {
			return err
		}
		claim, err := claims.Get(ctx, "data-"+name+"-0", metav1.GetOptions{})
		hasClaim := err == nil
		if err != nil && !errors.IsNotFound(err) {
			return err
		}
		needsExpansion := hasSet && templateStorage(set) != storage
		if isMended && hasClaim && claimStorage(claim.Object) != storage {
			needsExpansion = true
		}
		if needsExpansion {
			if hasSet {
				if err := sets.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
					return err
				}
				hasSet = false
			}
			if hasClaim {
				patch := fmt.Sprintf(`{"spec":{"resources":{"requests":{"storage":%q}}}}`, storage)
				if _, err := claims.Patch(ctx, claim.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
					return err
				}
			}
		}
		if hasSet {
			return nil
		}
		_, err = sets.Create(ctx, &unstructured.Unstructured{Object: races.Set(name, storage)}, metav1.CreateOptions{})
		return err
	})
}

func templateStorage(set *unstructured.Unstructured) string {
	templates, _, _ := unstructured.NestedSlice(set.Object, "spec", "volumeClaimTemplates")
	return claimStorage(templates[0].(map[string]any))
}

func claimStorage(claim map[string]any) string {
	storage, _, _ := unstructured.NestedString(claim, "spec", "resources", "requests", "storage")
	return storage
}
