// Package misseddeletion is a port of instaclustr/cassandra-operator#398: a claim is left because the controller never sees that its pod is being deleted.
package misseddeletion

import (
	"context"
	"strconv"
	"strings"

	"binnacle.dev/races/races"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

var centers = races.Custom("cassandradatacenters")

// Start starts the controller. The mended one compares the claims with the size of the data center.
func Start(ctx context.Context, config *rest.Config, isMended bool) error {
	watched := []schema.GroupVersionResource{centers, races.Pods}
	return races.Start(ctx, config, watched, func(string) string { return "dc" }, func(ctx context.Context, world *races.World, name string) error {
		center := world.Cached(centers, name)
		if center == nil {
			return nil
		}
		nodes, _, _ := unstructured.NestedInt64(center.Object, "spec", "nodes")
		claims := world.Resource(races.Claims).Namespace("default")
		found, err := claims.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, claim := range found.Items {
			pod := world.Cached(races.Pods, strings.TrimPrefix(claim.GetName(), "data-"))
			isLeft := pod != nil && pod.GetDeletionTimestamp() != nil
			if isMended {
				isLeft = ordinal(claim.GetName()) >= nodes
			}
			if !isLeft || claim.GetDeletionTimestamp() != nil {
				continue
			}
			if err := claims.Delete(ctx, claim.GetName(), metav1.DeleteOptions{}); err != nil && !errors.IsNotFound(err) {
				return err
			}
		}
		return nil
	})
}

func ordinal(name string) int64 {
	number, _ := strconv.ParseInt(name[strings.LastIndex(name, "-")+1:], 10, 64)
	return number
}
