package main

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
)

func (r *run) resource(client dynamic.Interface, mapping *meta.RESTMapping) dynamic.ResourceInterface {
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return client.Resource(mapping.Resource).Namespace(r.namespace)
	}
	return client.Resource(mapping.Resource)
}

// dynamicClient takes a sample of every kind through its life without its types.
func dynamicClient(r *run) {
	// This client chooses between JSON and CBOR itself.
	config := rest.CopyConfig(r.config)
	config.ContentType, config.AcceptContentTypes = "", ""
	client, err := dynamic.NewForConfig(config)
	r.must(err, "dynamic client")
	mapper := r.mapper()
	selected := func(options *metav1.ListOptions) { options.LabelSelector = "sample=" + r.name }
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "", selected)
	for _, sample := range r.samples {
		r.guard(func() {
			mapping, err := mapper.RESTMapping(sample.gvk.GroupKind(), sample.gvk.Version)
			r.must(err, "map %s", sample.gvk)
			resource := r.resource(client, mapping)
			asked := sample.unstructured(r, 0)
			created, err := resource.Create(r.ctx, asked, metav1.CreateOptions{FieldValidation: "Strict"})
			r.must(err, "create %s", sample.gvk)
			r.expect(lacks(asked.Object, created.Object) == "", "%s: was made other than asked: %s", sample.gvk, lacks(asked.Object, created.Object))
			informer := factory.ForResource(mapping.Resource).Informer()
			go informer.Run(r.ctx.Done())
			list, err := resource.List(r.ctx, metav1.ListOptions{LabelSelector: "sample=" + r.name})
			r.must(err, "list %s", sample.gvk)
			r.expect(len(list.Items) == 1 && list.Items[0].GetUID() == created.GetUID(), "%s: listed %d", sample.gvk, len(list.Items))
			name := created.GetName()
			applied := &unstructured.Unstructured{Object: map[string]any{"apiVersion": sample.gvk.GroupVersion().String(), "kind": sample.gvk.Kind,
				"metadata": map[string]any{"name": name, "annotations": map[string]any{"applied": "1"}}}}
			got, err := resource.Apply(r.ctx, name, applied, metav1.ApplyOptions{FieldManager: "clients"})
			r.must(err, "apply %s", sample.gvk)
			r.expect(got.GetAnnotations()["applied"] == "1", "%s: not applied", sample.gvk)
			got, err = resource.Patch(r.ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"merge":"1"}}}`), metav1.PatchOptions{})
			r.must(err, "patch %s", sample.gvk)
			got.SetLabels(map[string]string{"sample": r.name, "update": "1"})
			_, err = resource.Update(r.ctx, got, metav1.UpdateOptions{})
			r.expect(err == nil || sample.hasLoop() && apierrors.IsConflict(err), "update %s: %v", sample.gvk, err)
			r.within(func() bool { return len(informer.GetStore().List()) == 1 }, "%s in the informer", sample.gvk)
			r.must(resource.Delete(r.ctx, name, background), "delete %s", sample.gvk)
			// A definition goes after its objects.
			r.within(func() bool {
				_, err = resource.Get(r.ctx, name, metav1.GetOptions{})
				return apierrors.IsNotFound(err) || sample.gvk.Kind != "CustomResourceDefinition"
			}, "%s gone", sample.gvk)
			r.isError(err, apierrors.IsNotFound, "get %s after its deletion", sample.gvk)
			r.within(func() bool { return len(informer.GetStore().List()) == 0 }, "%s gone from the informer", sample.gvk)
		})
	}
}
