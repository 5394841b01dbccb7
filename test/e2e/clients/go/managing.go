package main

import (
	"context"
	"sync/atomic"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	metrics "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const finalizer = "example.com/cleanup"

// managing runs a controller-runtime manager that is elected by a Lease and gives each Deployment a ConfigMap of its own and a status.
func managing(r *run) {
	log.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(r.config, ctrl.Options{
		Scheme:                  scheme,
		Metrics:                 metrics.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "clients.example.com",
		LeaderElectionNamespace: r.namespace,
		Cache:                   cache.Options{DefaultNamespaces: map[string]cache.Config{r.namespace: {}}},
	})
	r.must(err, "manager")
	reconciler := &reconciler{Client: manager.GetClient(), events: manager.GetEventRecorderFor("clients")}
	r.must(ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Complete(reconciler), "controller")
	ctx, stop := context.WithCancel(r.ctx)
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	<-manager.Elected()
	lease, err := r.client.CoordinationV1().Leases(r.namespace).Get(r.ctx, "clients.example.com", metav1.GetOptions{})
	r.must(err, "get the lease")
	r.expect(ptr.Deref(lease.Spec.HolderIdentity, "") != "", "nobody holds the lease")

	c := manager.GetClient()
	deployment := r.sample("apps/v1", "Deployment").object(r, 0).(*appsv1.Deployment)
	deployment.Namespace = r.namespace
	r.must(c.Create(r.ctx, deployment), "create a deployment")
	key := client.ObjectKeyFromObject(deployment)
	r.within(func() bool {
		return c.Get(r.ctx, key, deployment) == nil && deployment.Status.ReadyReplicas == 2 && controllerutil.ContainsFinalizer(deployment, finalizer)
	}, "a status and a finalizer")
	owned := &corev1.ConfigMap{}
	r.within(func() bool { return c.Get(r.ctx, key, owned) == nil && owned.Data["replicas"] == "2" }, "a config map")
	r.expect(metav1.IsControlledBy(owned, deployment), "owned by %v", owned.OwnerReferences)
	r.noError(c.Delete(r.ctx, owned), "delete the config map")
	r.within(func() bool { return c.Get(r.ctx, key, owned) == nil && owned.DeletionTimestamp == nil }, "the config map again")
	r.within(func() bool {
		events := &corev1.EventList{}
		return c.List(r.ctx, events, client.InNamespace(r.namespace)) == nil && len(events.Items) > 0
	}, "an event")
	r.noError(c.Patch(r.ctx, deployment, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"replicas":3}}`))), "patch it")
	r.within(func() bool { return c.Get(r.ctx, key, owned) == nil && owned.Data["replicas"] == "3" }, "the config map follows")
	r.noError(c.Delete(r.ctx, deployment), "delete it")
	r.within(func() bool { return apierrors.IsNotFound(manager.GetAPIReader().Get(r.ctx, key, deployment)) }, "gone after its finalizer")
	r.expect(reconciler.cleaned.Load() > 0, "never cleaned up")
	r.expect(reconciler.failed.Load() == "", "reconciling failed: %v", reconciler.failed.Load())
	stop()
	r.noError(<-ended, "the manager's end")
}

type reconciler struct {
	client.Client
	events  record.EventRecorder
	cleaned atomic.Int32
	failed  text
}

// text is the last error that is no conflict.
type text struct{ atomic.Value }

func (t *text) Load() string {
	found, _ := t.Value.Load().(string)
	return found
}

func (r *reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	err := r.reconcile(ctx, request)
	if err != nil && !apierrors.IsConflict(err) {
		r.failed.Store(err.Error())
	}
	return reconcile.Result{}, err
}

func (r *reconciler) reconcile(ctx context.Context, request reconcile.Request) error {
	deployment := &appsv1.Deployment{}
	if err := r.Get(ctx, request.NamespacedName, deployment); err != nil {
		return client.IgnoreNotFound(err)
	}
	if deployment.DeletionTimestamp != nil {
		r.cleaned.Add(1)
		if controllerutil.RemoveFinalizer(deployment, finalizer) {
			return client.IgnoreNotFound(r.Update(ctx, deployment))
		}
		return nil
	}
	if controllerutil.AddFinalizer(deployment, finalizer) {
		return r.Update(ctx, deployment)
	}
	owned := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: deployment.Name, Namespace: deployment.Namespace}}
	owned.Data = map[string]string{"replicas": deploymentReplicas(deployment)}
	if err := controllerutil.SetControllerReference(deployment, owned, r.Scheme()); err != nil {
		return err
	}
	if err := r.Patch(ctx, owned, client.Apply, client.FieldOwner("clients"), client.ForceOwnership); err != nil {
		return err
	}
	r.events.Event(deployment, corev1.EventTypeNormal, "Reconciled", "has its config map")
	base := deployment.DeepCopy()
	deployment.Status.Replicas, deployment.Status.ReadyReplicas = 2, 2
	return client.IgnoreNotFound(r.Status().Patch(ctx, deployment, client.MergeFrom(base)))
}

func deploymentReplicas(deployment *appsv1.Deployment) string {
	return string('0' + rune(*deployment.Spec.Replicas))
}
