package main

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// leader makes the follower a controller-runtime manager that is elected by a Lease. What its reconciler has seen last is what it holds; a Lease that is lost is a fault.
func leader(one *follower, config *rest.Config, namespace string) error {
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metrics.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              "following.example.com",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		Cache:                         ctrlcache.Options{DefaultNamespaces: map[string]ctrlcache.Config{namespace: {}}},
	})
	if err != nil {
		return err
	}
	seen := &reconciled{reader: manager.GetClient(), sequence: &one.sequence, objects: map[types.NamespacedName]*corev1.ConfigMap{}}
	if err := ctrl.NewControllerManagedBy(manager).For(&corev1.ConfigMap{}).Complete(seen); err != nil {
		return err
	}
	one.store = seen.list
	one.synced = func() bool {
		select {
		case <-manager.Elected():
			return true
		default:
			return false
		}
	}
	one.run = func(ctx context.Context) {
		if err := manager.Start(ctx); err != nil {
			one.sequence.fault("the manager ended: " + err.Error())
		}
	}
	return nil
}

type reconciled struct {
	reader   client.Reader
	sequence *sequence
	mutex    sync.Mutex
	objects  map[types.NamespacedName]*corev1.ConfigMap
}

func (r *reconciled) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	object := &corev1.ConfigMap{}
	err := r.reader.Get(ctx, request.NamespacedName, object)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	was, known := r.objects[request.NamespacedName]
	switch {
	case apierrors.IsNotFound(err):
		// Versions between two runs are left out, and with them a deletion's own.
		delete(r.objects, request.NamespacedName)
	case err != nil:
		return reconcile.Result{}, err
	case known:
		r.sequence.OnUpdate(was, object)
		r.objects[request.NamespacedName] = object
	default:
		r.sequence.forget(object.Name)
		r.sequence.OnAdd(object, false)
		r.objects[request.NamespacedName] = object
	}
	return reconcile.Result{}, nil
}

func (r *reconciled) list() []any {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var all []any
	for _, object := range r.objects {
		all = append(all, metav1.Object(object))
	}
	return all
}
