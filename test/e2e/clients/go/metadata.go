package main

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
)

// metadataClient reads and writes objects of which it knows metadata alone.
func metadataClient(r *run) {
	config := speaking(r.config, "protobuf")
	client, err := metadata.NewForConfig(metadata.ConfigFor(config))
	r.must(err, "metadata client")
	clients, err := generatedClients(r.config, r.namespace)
	r.must(err, "clients")
	mapper := r.mapper()
	selected := func(options *metav1.ListOptions) { options.LabelSelector = "sample=" + r.name }
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, "", selected)
	for _, sample := range r.samples {
		r.guard(func() {
			mapping, err := mapper.RESTMapping(sample.gvk.GroupKind(), sample.gvk.Version)
			r.must(err, "map %s", sample.gvk)
			var resource metadata.ResourceInterface = client.Resource(mapping.Resource)
			if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
				resource = client.Resource(mapping.Resource).Namespace(r.namespace)
			}
			informer := factory.ForResource(mapping.Resource).Informer()
			go informer.Run(r.ctx.Done())
			created, err := clients[sample.gvk].create(r.ctx, sample.object(r, 0))
			r.must(err, "create %s", sample.gvk)
			name := accessor(created).GetName()
			got, err := resource.Get(r.ctx, name, metav1.GetOptions{})
			r.must(err, "get %s", sample.gvk)
			r.expect(got.UID == accessor(created).GetUID() && got.Name == name, "%s: read %s %s", sample.gvk, got.Name, got.UID)
			list, err := resource.List(r.ctx, metav1.ListOptions{LabelSelector: "sample=" + r.name})
			r.must(err, "list %s", sample.gvk)
			r.expect(len(list.Items) == 1 && list.Items[0].Name == name, "%s: listed %d", sample.gvk, len(list.Items))
			got, err = resource.Patch(r.ctx, name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{})
			r.must(err, "patch %s", sample.gvk)
			r.expect(got.Annotations["a"] == "b", "%s: not patched", sample.gvk)
			r.within(func() bool {
				objects := informer.GetStore().List()
				return len(objects) == 1 && objects[0].(*metav1.PartialObjectMetadata).Annotations["a"] == "b"
			}, "%s in the informer", sample.gvk)
			r.must(resource.Delete(r.ctx, name, background), "delete %s", sample.gvk)
			r.within(func() bool { return len(informer.GetStore().List()) == 0 }, "%s gone from the informer", sample.gvk)
		})
	}
}
