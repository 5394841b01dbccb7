// Package races has what the example controllers share: a queue over informers, and tests that can restart their controller.
package races

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// UserAgent of the controllers. The tests have another one.
const UserAgent = "races-controller"

// Resources of the examples.
var (
	Claims = schema.GroupVersionResource{Version: "v1", Resource: "persistentvolumeclaims"}
	Pods   = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	Sets   = schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "statefulsets"}
)

// Custom returns a resource of the examples' own group.
func Custom(resource string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "races.example.dev", Version: "v1", Resource: resource}
}

// World is what a reconciler reads and writes.
type World struct {
	dynamic.Interface
	stores map[schema.GroupVersionResource]cache.Store
}

// Cached returns the object of the informer's cache, or nil.
func (w *World) Cached(resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	found, exists, _ := w.stores[resource].GetByKey("default/" + name)
	if !exists {
		return nil
	}
	return found.(*unstructured.Unstructured).DeepCopy()
}

// Reconcile changes the world for the object of this name.
type Reconcile func(ctx context.Context, world *World, name string) error

// Start runs a controller until the context ends: every event of the watched resources enqueues the key. It returns when the caches are synced.
func Start(ctx context.Context, config *rest.Config, watched []schema.GroupVersionResource, key func(name string) string, reconcile Reconcile) error {
	config = rest.CopyConfig(config)
	config.UserAgent = UserAgent
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[string](5*time.Millisecond, time.Second))
	add := func(object any) {
		if tombstone, isTombstone := object.(cache.DeletedFinalStateUnknown); isTombstone {
			object = tombstone.Obj
		}
		queue.Add(key(object.(*unstructured.Unstructured).GetName()))
	}
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	world := &World{Interface: client, stores: map[schema.GroupVersionResource]cache.Store{}}
	for _, resource := range watched {
		informer := factory.ForResource(resource).Informer()
		world.stores[resource] = informer.GetStore()
		handler := cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, object any) { add(object) }, DeleteFunc: add}
		if _, err := informer.AddEventHandler(handler); err != nil {
			return err
		}
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	go func() {
		<-ctx.Done()
		queue.ShutDown()
	}()
	go wait.UntilWithContext(ctx, func(ctx context.Context) {
		for {
			name, isOver := queue.Get()
			if isOver {
				return
			}
			if err := reconcile(ctx, world, name); err != nil && ctx.Err() == nil {
				queue.AddRateLimited(name)
			} else {
				queue.Forget(name)
			}
			queue.Done(name)
		}
	}, time.Second)
	return nil
}
