// Package staleread is a port of pravega/zookeeper-operator#312: claims of a cluster are deleted because the controller reads an earlier cluster of the same name.
package staleread

import (
	"context"
	"fmt"
	"slices"

	"binnacle.dev/races/races"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

var clusters = races.Custom("zookeeperclusters")

const finalizer = "races.example.dev/cleanup"

// Start starts the controller. The mended one selects claims by the uid of their cluster.
func Start(ctx context.Context, config *rest.Config, isMended bool) error {
	selector := func(cluster *unstructured.Unstructured) string {
		if isMended {
			return fmt.Sprintf("app=%s,uid=%s", cluster.GetName(), cluster.GetUID())
		}
		return "app=" + cluster.GetName()
	}
	watched := []schema.GroupVersionResource{clusters}
	return races.Start(ctx, config, watched, func(name string) string { return name }, func(ctx context.Context, world *races.World, name string) error {
		cluster := world.Cached(clusters, name)
		if cluster == nil {
			return nil
		}
		api := world.Resource(clusters).Namespace("default")
		if cluster.GetDeletionTimestamp() != nil {
			if !slices.Contains(cluster.GetFinalizers(), finalizer) {
				return nil
			}
			claims := world.Resource(races.Claims).Namespace("default")
			found, err := claims.List(ctx, metav1.ListOptions{LabelSelector: selector(cluster)})
			if err != nil {
				return err
			}
			for _, claim := range found.Items {
				if err := claims.Delete(ctx, claim.GetName(), metav1.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
					return err
				}
			}
			cluster.SetFinalizers(nil)
			_, err = api.Update(ctx, cluster, metav1.UpdateOptions{})
			if errors.IsNotFound(err) {
				return nil
			}
			return err
		}
		if !slices.Contains(cluster.GetFinalizers(), finalizer) {
			cluster.SetFinalizers([]string{finalizer})
			_, err := api.Update(ctx, cluster, metav1.UpdateOptions{})
			return err
		}
		return nil
	})
}
