package main

import (
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// informersOfAll keeps shared informers over every kind with a sample, and compares their stores with what is written.
func informersOfAll(r *run) {
	clients, err := generatedClients(r.config, r.namespace)
	r.must(err, "clients")
	mapper := r.mapper()
	factory := informers.NewSharedInformerFactoryWithOptions(r.client, 0, informers.WithTweakListOptions(func(options *metav1.ListOptions) {
		options.LabelSelector = "sample=" + r.name
	}))
	stores := map[schema.GroupVersionKind]*events{}
	for _, sample := range r.samples {
		mapping, err := mapper.RESTMapping(sample.gvk.GroupKind(), sample.gvk.Version)
		r.must(err, "map %s", sample.gvk)
		informer, err := factory.ForResource(mapping.Resource)
		if err != nil {
			continue // Kinds of other client sets.
		}
		seen := &events{informer: informer.Informer()}
		_, err = seen.informer.AddEventHandler(seen)
		r.must(err, "handler of %s", sample.gvk)
		stores[sample.gvk] = seen
	}
	stop := make(chan struct{})
	defer close(stop)
	factory.Start(stop)
	for kind, synced := range factory.WaitForCacheSync(r.ctx.Done()) {
		r.expect(synced, "the informer of %s is not synced", kind)
	}
	for _, sample := range r.samples {
		seen := stores[sample.gvk]
		if seen == nil {
			continue
		}
		r.guard(func() {
			client := clients[sample.gvk]
			object, err := client.create(r.ctx, sample.object(r, 0))
			r.must(err, "create %s", sample.gvk)
			name := accessor(object).GetName()
			key, _ := cache.MetaNamespaceKeyFunc(object)
			r.within(func() bool { return seen.has(key) }, "%s in the store", sample.gvk)
			object, err = client.patch(r.ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
			r.must(err, "patch %s", sample.gvk)
			r.within(func() bool { return seen.at(key) == revision(object) || sample.gvk.Kind == "FlowSchema" }, "%s at its revision", sample.gvk)
			r.must(client.delete(r.ctx, name, background), "delete %s", sample.gvk)
			r.within(func() bool { return !seen.has(key) }, "%s gone from the store", sample.gvk)
			// Versions of one kind tell of each other's objects. Handlers run after the store has changed.
			r.within(func() bool {
				added, updated, deleted := seen.counts()
				return added >= 1 && updated >= added && deleted == added
			}, "%s told to handlers", sample.gvk)
		})
	}
}

// events counts what an informer tells.
type events struct {
	informer                cache.SharedIndexInformer
	mutex                   sync.Mutex
	added, updated, deleted int
}

func (e *events) OnAdd(any, bool)   { e.count(&e.added) }
func (e *events) OnUpdate(any, any) { e.count(&e.updated) }
func (e *events) OnDelete(any)      { e.count(&e.deleted) }

func (e *events) count(which *int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	*which++
}

func (e *events) counts() (int, int, int) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	return e.added, e.updated, e.deleted
}

func (e *events) has(key string) bool {
	_, found, _ := e.informer.GetStore().GetByKey(key)
	added, _, deleted := e.counts()
	return found && added > 0 || found && deleted == 0
}

func (e *events) at(key string) string {
	object, found, _ := e.informer.GetStore().GetByKey(key)
	if !found {
		return ""
	}
	read, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return read.GetResourceVersion()
}
