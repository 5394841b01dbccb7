package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// typedClient is a generated client.
type typedClient[T, L runtime.Object, A any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	DeleteCollection(ctx context.Context, options metav1.DeleteOptions, list metav1.ListOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, of types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (T, error)
	Apply(ctx context.Context, configuration A, options metav1.ApplyOptions) (T, error)
}

// statusClient is a generated client of a kind with a status.
type statusClient[T runtime.Object] interface {
	UpdateStatus(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
}

// statusApplier is a generated client that applies configurations to a status.
type statusApplier[T runtime.Object, A any] interface {
	ApplyStatus(ctx context.Context, configuration A, options metav1.ApplyOptions) (T, error)
}

// condition is one that every status of these kinds takes.
func condition(kind string) metav1.Condition {
	return metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: "Tested", Message: "m", LastTransitionTime: metav1.Now().Rfc3339Copy()}
}

const name = "a"

// life takes an object of a kind through create, read, update, status, patches, apply, lists, a watch with initial events, and deletion.
func life[T, L runtime.Object, A any](r *run, kind string, client typedClient[T, L, A], object T, configuration A, setStatus func(T)) {
	watcher, err := client.Watch(r.ctx, metav1.ListOptions{SendInitialEvents: new(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true})
	if !r.noError(err, "%s: watch", kind) {
		return
	}
	defer watcher.Stop()
	created, err := client.Create(r.ctx, object, metav1.CreateOptions{FieldValidation: "Strict"})
	if !r.noError(err, "%s: create", kind) {
		return
	}
	got, err := client.Get(r.ctx, name, metav1.GetOptions{})
	r.noError(err, "%s: get", kind)
	r.expect(equality.Semantic.DeepEqual(created, got), "%s: got %v, created %v", kind, got, created)

	accessor, err := meta.Accessor(got)
	exitOn(err)
	accessor.SetLabels(map[string]string{"a": "b"})
	got, err = client.Update(r.ctx, got, metav1.UpdateOptions{FieldValidation: "Strict"})
	r.noError(err, "%s: update", kind)
	if of, ok := client.(statusClient[T]); ok && setStatus != nil {
		setStatus(got)
		wanted := got.DeepCopyObject()
		got, err = of.UpdateStatus(r.ctx, got, metav1.UpdateOptions{FieldValidation: "Strict"})
		r.noError(err, "%s: update the status", kind)
		for _, each := range []runtime.Object{got, wanted} {
			of, err := meta.Accessor(each)
			exitOn(err)
			of.SetResourceVersion("")
			of.SetManagedFields(nil)
		}
		r.expect(equality.Semantic.DeepEqual(got, wanted), "%s: status %v, wanted %v", kind, got, wanted)
	}
	patched, err := client.Patch(r.ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"c":"d"}}}`), metav1.PatchOptions{})
	r.noError(err, "%s: merge patch", kind)
	_, err = client.Patch(r.ctx, name, types.StrategicMergePatchType, []byte(`{"metadata":{"annotations":{"e":"f"}}}`), metav1.PatchOptions{})
	r.noError(err, "%s: strategic merge patch", kind)
	_, err = client.Patch(r.ctx, name, types.JSONPatchType, []byte(`[{"op":"test","path":"/metadata/annotations/e","value":"f"}]`), metav1.PatchOptions{})
	r.noError(err, "%s: JSON patch", kind)
	if accessor, err = meta.Accessor(patched); err == nil {
		r.expect(accessor.GetAnnotations()["c"] == "d" && accessor.GetLabels()["a"] == "b", "%s: patched %v", kind, patched)
	}
	applied, err := client.Apply(r.ctx, configuration, metav1.ApplyOptions{FieldManager: "tester", Force: true})
	if r.noError(err, "%s: apply", kind) {
		accessor, err = meta.Accessor(applied)
		exitOn(err)
		r.expect(accessor.GetLabels()["applied"] == "yes", "%s: applied %v", kind, applied)
	}
	if of, ok := client.(statusApplier[T, A]); ok && setStatus != nil {
		same, err := of.ApplyStatus(r.ctx, configuration, metav1.ApplyOptions{FieldManager: "status-tester"})
		if r.noError(err, "%s: apply to the status", kind) {
			accessor, err = meta.Accessor(same)
			exitOn(err)
			r.expect(accessor.GetAnnotations()["c"] == "d", "%s: applied to the status %v", kind, same)
		}
	}
	list, err := client.List(r.ctx, metav1.ListOptions{LabelSelector: "applied=yes"})
	r.noError(err, "%s: list", kind)
	r.expect(meta.LenList(list) == 1, "%s: %d listed", kind, meta.LenList(list))

	_, err = client.Create(r.ctx, object, metav1.CreateOptions{})
	r.expect(apierrors.IsAlreadyExists(err), "%s: create again: %v", kind, err)
	r.noError(client.DeleteCollection(r.ctx, metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}, metav1.ListOptions{LabelSelector: "applied=yes"}), "%s: delete the collection", kind)
	_, err = client.Get(r.ctx, name, metav1.GetOptions{})
	r.expect(apierrors.IsNotFound(err), "%s: get after deletion: %v", kind, err)
	problem := follow(watcher)
	r.expect(problem == "", "%s: watched: %s", kind, problem)
}

// follow reads a watch from its initial events to a deletion, and returns what is wrong with it.
func follow(watcher watch.Interface) string {
	marked, added := false, false
	timer := time.AfterFunc(10*time.Second, watcher.Stop)
	defer timer.Stop()
	for event := range watcher.ResultChan() {
		accessor, err := meta.Accessor(event.Object)
		if err != nil {
			return fmt.Sprint(event)
		}
		switch event.Type {
		case watch.Bookmark:
			marked = marked || accessor.GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true"
		case watch.Added:
			added = true
		case watch.Deleted:
			if !marked || !added {
				return fmt.Sprintf("end of the initial events %v, added %v", marked, added)
			}
			return ""
		case watch.Error:
			return fmt.Sprint(event.Object)
		}
	}
	return "ended before the deletion"
}
