package main

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// retrying makes the follower a list and a RetryWatcher from its version. That ends where the version is gone, and then it is listed again.
func retrying(one *follower, config *rest.Config, namespace string) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	maps := client.CoreV1().ConfigMaps(namespace)
	held := &heldObjects{sequence: &one.sequence}
	one.store, one.synced = held.list, held.listed
	one.run = func(ctx context.Context) {
		for ; ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			list, err := maps.List(ctx, metav1.ListOptions{})
			if err != nil {
				continue
			}
			held.replace(list.Items)
			watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{WatchFuncWithContext: maps.Watch})
			if err != nil {
				one.sequence.fault(err.Error())
				return
			}
			for event := range watcher.ResultChan() {
				held.take(event)
			}
			watcher.Stop()
		}
	}
	return nil
}

// heldObjects are kept from events by hand.
type heldObjects struct {
	sequence *sequence
	mutex    sync.Mutex
	objects  map[string]*corev1.ConfigMap
}

func (h *heldObjects) replace(items []corev1.ConfigMap) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	was := h.objects
	h.objects = map[string]*corev1.ConfigMap{}
	for i := range items {
		item := &items[i]
		if known := was[item.Name]; known != nil {
			h.sequence.OnUpdate(known, item)
		} else {
			h.sequence.OnAdd(item, true)
		}
		h.objects[item.Name] = item
	}
	for name, lost := range was {
		if h.objects[name] == nil {
			h.sequence.OnDelete(cache.DeletedFinalStateUnknown{Key: name, Obj: lost})
		}
	}
}

func (h *heldObjects) take(event watch.Event) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	object, ok := event.Object.(*corev1.ConfigMap)
	if !ok {
		return
	}
	switch event.Type {
	case watch.Added:
		h.sequence.OnAdd(object, false)
		h.objects[object.Name] = object
	case watch.Modified:
		// Never the version that is known: only lists repeat one.
		h.sequence.take("updated", object, true, false)
		h.objects[object.Name] = object
	case watch.Deleted:
		h.sequence.OnDelete(object)
		delete(h.objects, object.Name)
	}
}

func (h *heldObjects) list() []any {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	var all []any
	for _, object := range h.objects {
		all = append(all, object)
	}
	return all
}

func (h *heldObjects) listed() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.objects != nil
}
