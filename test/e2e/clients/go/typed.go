package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

const copies = 5

// typedClients takes the generated client of every kind through the life of a few objects, and reads each in the other media types.
func typedClients(r *run) {
	clients, err := generatedClients(r.config, r.namespace)
	r.must(err, "clients")
	var others []map[schema.GroupVersionKind]kindClient
	for _, media := range []string{"json", "protobuf"} {
		if media != r.media {
			other, err := generatedClients(speaking(r.config, media), r.namespace)
			r.must(err, "clients")
			others = append(others, other)
		}
	}
	for _, sample := range r.samples {
		client, ok := clients[sample.gvk]
		if !r.expect(ok, "no client for the sample of %s", sample.gvk) {
			continue
		}
		life := life{run: r, sample: sample, client: client}
		for _, other := range others {
			life.others = append(life.others, other[sample.gvk])
		}
		r.guard(life.walk)
	}
}

// A life is that of the copies of one sample.
type life struct {
	*run
	sample sample
	client kindClient
	others []kindClient
	names  []string
}

func (l *life) kind() string { return l.sample.gvk.GroupVersion().String() + " " + l.sample.gvk.Kind }

func (l *life) selected() metav1.ListOptions {
	return metav1.ListOptions{LabelSelector: "sample=" + l.name}
}

func (l *life) walk() {
	before, err := l.client.list(l.ctx, l.selected())
	l.must(err, "list %s", l.kind())
	l.expect(meta.LenList(before) == 0, "%s: there are some already", l.kind())
	from := l.selected()
	from.ResourceVersion = revision(before)
	from.AllowWatchBookmarks = true
	events, err := l.client.watch(l.ctx, from)
	l.must(err, "watch %s", l.kind())
	defer events.Stop()
	for i := range copies {
		l.create(i)
	}
	l.chunks()
	l.initialEvents()
	l.writes(l.names[0])
	l.watched(events)
	for _, name := range l.names {
		l.remove(name)
	}
	l.deletions(events)
}

func (l *life) create(number int) {
	object := l.sample.object(l.run, number)
	created, err := l.client.create(l.ctx, object.DeepCopyObject())
	l.must(err, "create %s", l.kind())
	name := accessor(created).GetName()
	l.names = append(l.names, name)
	l.expect(accessor(created).GetUID() != "" && revision(created) != "", "%s: created without uid or resourceVersion", l.kind())
	if number != 0 {
		return
	}
	// What was asked for is there; the server may add.
	got, err := runtime.DefaultUnstructuredConverter.ToUnstructured(withoutType(created))
	l.must(err, "convert %s", l.kind())
	asked := l.sample.unstructured(l.run, number).Object
	delete(asked, "apiVersion")
	delete(asked, "kind")
	l.expect(lacks(asked, got) == "", "%s: was made other than asked: %s", l.kind(), lacks(asked, got))
	_, err = l.client.create(l.ctx, object.DeepCopyObject())
	l.isError(err, apierrors.IsAlreadyExists, "%s: created twice", l.kind())
	if l.sample.hasLoop() {
		first := revision(created)
		l.within(func() bool {
			before := revision(created)
			time.Sleep(200 * time.Millisecond)
			created, err = l.client.get(l.ctx, name)
			return err == nil && revision(created) != first && revision(created) == before
		}, "%s: its status", l.kind())
	}
	for _, client := range append(l.others, l.client) {
		read, err := client.get(l.ctx, name)
		l.must(err, "get %s", l.kind())
		l.expect(equality.Semantic.DeepEqual(withoutType(created), withoutType(read)), "%s: read other than written: %s", l.kind(), diff.ObjectReflectDiff(created, read))
	}
}

func (l *life) chunks() {
	options := l.selected()
	options.Limit = 2
	var seen []string
	at := ""
	for page := 1; ; page++ {
		list, err := l.client.list(l.ctx, options)
		l.must(err, "list %s", l.kind())
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			seen = append(seen, accessor(item).GetName())
			return nil
		})
		head, err := meta.ListAccessor(list)
		l.must(err, "list of %s", l.kind())
		if at == "" {
			at = head.GetResourceVersion()
		}
		l.expect(head.GetResourceVersion() == at, "%s: chunks at %s and %s", l.kind(), at, head.GetResourceVersion())
		options.Continue = head.GetContinue()
		if options.Continue == "" {
			l.expect(page == 3, "%s: %d chunks", l.kind(), page)
			break
		}
	}
	l.expect(equality.Semantic.DeepEqual(seen, l.names), "%s: listed %v of %v", l.kind(), seen, l.names)
}

// initialEvents checks a watch that begins with the objects there are.
func (l *life) initialEvents() {
	options := l.selected()
	options.AllowWatchBookmarks = true
	options.SendInitialEvents = ptr.To(true)
	options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	events, err := l.client.watch(l.ctx, options)
	l.must(err, "watch %s from its objects", l.kind())
	defer events.Stop()
	for i := range copies {
		event := l.next(events)
		l.expect(event.Type == watch.Added && accessor(event.Object).GetName() == l.names[i], "%s: initial event %d is %s", l.kind(), i, event.Type)
	}
	event := l.next(events)
	l.expect(event.Type == watch.Bookmark && accessor(event.Object).GetAnnotations()[metav1.InitialEventsAnnotationKey] == "true",
		"%s: after the initial events comes %s", l.kind(), event.Type)
}

func (l *life) writes(name string) {
	old, err := l.client.get(l.ctx, name)
	l.must(err, "get %s", l.kind())
	next := old.DeepCopyObject()
	label(next, "update", "1")
	updated, err := l.client.update(l.ctx, next)
	l.must(err, "update %s", l.kind())
	l.expect(accessor(updated).GetLabels()["update"] == "1" && revision(updated) != revision(old), "%s: not updated", l.kind())
	stale := old.DeepCopyObject()
	label(stale, "update", "2")
	_, err = l.client.update(l.ctx, stale)
	l.isError(err, apierrors.IsConflict, "%s: updated from an old version", l.kind())

	for kind, patch := range map[types.PatchType]string{
		types.MergePatchType:          `{"metadata":{"labels":{"merge":"1"}}}`,
		types.StrategicMergePatchType: `{"metadata":{"labels":{"strategic":"1"}}}`,
		types.JSONPatchType:           `[{"op":"add","path":"/metadata/labels/json","value":"1"}]`,
	} {
		_, err := l.client.patch(l.ctx, name, kind, []byte(patch), metav1.PatchOptions{})
		l.noError(err, "patch %s by %s", l.kind(), kind)
	}
	apply, _ := json.Marshal(map[string]any{
		"apiVersion": l.sample.gvk.GroupVersion().String(), "kind": l.sample.gvk.Kind,
		"metadata": map[string]any{"name": name, "labels": map[string]string{"applied": "1"}},
	})
	applied, err := l.client.patch(l.ctx, name, types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: "clients", Force: ptr.To(true)})
	if l.noError(err, "apply %s", l.kind()) {
		for _, key := range []string{"update", "merge", "strategic", "json", "applied"} {
			l.expect(accessor(applied).GetLabels()[key] == "1", "%s: the label %s is lost", l.kind(), key)
		}
		owned := false
		for _, entry := range accessor(applied).GetManagedFields() {
			owned = owned || (entry.Manager == "clients" && entry.Operation == metav1.ManagedFieldsOperationApply)
		}
		l.expect(owned, "%s: nothing is owned by who applied", l.kind())
	}
}

// watched checks the events of the creations and of the first object's writes.
func (l *life) watched(events watch.Interface) {
	next := func(of ...string) watch.Event {
		event := l.next(events)
		for l.sample.hasLoop() && event.Type == watch.Modified && !slices.Contains(of, accessor(event.Object).GetName()) {
			event = l.next(events)
		}
		return event
	}
	for _, name := range l.names {
		event := next()
		l.expect(event.Type == watch.Added && accessor(event.Object).GetName() == name, "%s: watched %s, not the creation of %s", l.kind(), event.Type, name)
	}
	for range 5 {
		event := next(l.names[0])
		l.expect(event.Type == watch.Modified && accessor(event.Object).GetName() == l.names[0], "%s: watched %s, not a modification", l.kind(), event.Type)
	}
}

func (l *life) remove(name string) {
	err := l.client.delete(l.ctx, name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("another"))}})
	l.isError(err, apierrors.IsConflict, "%s: deleted with another uid", l.kind())
	l.must(l.client.delete(l.ctx, name, background), "delete %s", l.kind())
	l.within(func() bool {
		_, err := l.client.get(l.ctx, name)
		return apierrors.IsNotFound(err)
	}, "%s: gone", l.kind())
}

func (l *life) deletions(events watch.Interface) {
	for gone := 0; gone < copies; {
		event := l.next(events)
		if event.Type == watch.Deleted {
			gone++
		}
	}
}

// next skips bookmarks that are not the end of initial events.
func (l *life) next(events watch.Interface) watch.Event {
	for {
		select {
		case event, open := <-events.ResultChan():
			if !open {
				l.must(fmt.Errorf("closed"), "watch of %s", l.kind())
			}
			if event.Type == watch.Error {
				l.must(apierrors.FromObject(event.Object), "watch of %s", l.kind())
			}
			if event.Type == watch.Bookmark && len(accessor(event.Object).GetAnnotations()) == 0 {
				continue
			}
			return event
		case <-time.After(5 * time.Second):
			l.must(fmt.Errorf("no event in five seconds"), "watch of %s", l.kind())
		}
	}
}

func accessor(object runtime.Object) metav1.Object {
	found, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	return found
}

func revision(object runtime.Object) string {
	found, err := meta.CommonAccessor(object)
	if err != nil {
		panic(err)
	}
	return found.GetResourceVersion()
}

func label(object runtime.Object, key, value string) {
	labels := accessor(object).GetLabels()
	labels[key] = value
	accessor(object).SetLabels(labels)
}

// withoutType drops kind and apiVersion, which clients keep in some media types only.
func withoutType(object runtime.Object) runtime.Object {
	same := object.DeepCopyObject()
	if set, ok := same.(*appsv1.StatefulSet); ok {
		for i := range set.Spec.VolumeClaimTemplates {
			set.Spec.VolumeClaimTemplates[i].TypeMeta = metav1.TypeMeta{}
		}
	}
	same.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return same
}
