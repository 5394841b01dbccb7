package main

import (
	"encoding/base64"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// counter counts what an informer delivers.
type counter struct {
	mutex                   sync.Mutex
	added, updated, deleted int
}

func (c *counter) handler() cache.ResourceEventHandler {
	count := func(of *int) {
		c.mutex.Lock()
		defer c.mutex.Unlock()
		*of++
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: func(any) { count(&c.added) }, UpdateFunc: func(_, _ any) { count(&c.updated) }, DeleteFunc: func(any) { count(&c.deleted) }}
}

func (c *counter) is(added, updated, deleted int) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.added == added && c.updated == updated && c.deleted == deleted
}

// informed follows kinds that 1.37 added, and many objects at once, with informers that begin with a watch list.
func informed(r *run) {
	maps := r.client.CoreV1().ConfigMaps(r.namespace)
	for i := range 300 {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "m-"}, Data: map[string]string{"a": string(rune('a' + i%26))}}
		if _, err := maps.Create(r.ctx, object, metav1.CreateOptions{}); !r.noError(err, "create a config map") {
			return
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(r.client, 0, informers.WithNamespace(r.namespace))
	many := factory.Core().V1().ConfigMaps().Informer()
	rules := factory.Resource().V1().DeviceTaintRules().Informer()
	watched := []cache.SharedIndexInformer{
		many, rules,
		factory.Certificates().V1().ClusterTrustBundles().Informer(),
		factory.Certificates().V1().PodCertificateRequests().Informer(),
		factory.Storagemigration().V1().StorageVersionMigrations().Informer(),
		factory.Scheduling().V1beta1().Workloads().Informer(),
		factory.Scheduling().V1beta1().PodGroups().Informer(),
		factory.Scheduling().V1alpha3().Workloads().Informer(),
		factory.Scheduling().V1alpha3().PodGroups().Informer(),
		factory.Scheduling().V1alpha3().CompositePodGroups().Informer(),
		factory.Storage().V1().CSINodes().Informer(),
		factory.Lifecycle().V1alpha1().EvictionRequests().Informer(),
		factory.Lifecycle().V1alpha1().Evictions().Informer(),
	}
	seen := &counter{}
	_, err := rules.AddEventHandler(seen.handler())
	r.noError(err, "add a handler")
	factory.Start(r.ctx.Done())
	for _, informer := range watched {
		r.expect(cache.WaitForCacheSync(r.ctx.Done(), informer.HasSynced), "an informer does not sync")
	}
	r.expect(len(many.GetStore().List()) >= 300, "%d config maps", len(many.GetStore().List()))

	client := r.client.ResourceV1().DeviceTaintRules()
	rule := &resourcev1.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: "informed"}, Spec: resourcev1.DeviceTaintRuleSpec{
		Taint: resourcev1.DeviceTaint{Key: "a", Effect: resourcev1.DeviceTaintEffectNone}}}
	made, err := client.Create(r.ctx, rule, metav1.CreateOptions{})
	if !r.noError(err, "create a rule") {
		return
	}
	r.within(func() bool { return seen.is(1, 0, 0) }, "added")
	made.Labels = map[string]string{"a": "b"}
	_, err = client.Update(r.ctx, made, metav1.UpdateOptions{})
	r.noError(err, "update the rule")
	r.within(func() bool { return seen.is(1, 1, 0) }, "updated")
	r.noError(client.Delete(r.ctx, "informed", metav1.DeleteOptions{}), "delete the rule")
	r.within(func() bool { return seen.is(1, 1, 1) }, "deleted")
}

// clusterScoped has the new kinds whose objects have no namespace.
var clusterScoped = map[string]bool{"ClusterTrustBundle": true, "DeviceTaintRule": true, "StorageVersionMigration": true}

// untyped takes objects of the new kinds through their life with the dynamic client, and follows them with its informers.
func untyped(r *run) {
	client, err := dynamic.NewForConfig(r.config)
	exitOn(err)
	factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	authority, request := certificate()
	pod := map[string]any{"pod": map[string]any{"name": "p", "uid": uid}}
	for _, each := range []struct {
		resource schema.GroupVersionResource
		kind     string
		spec     map[string]any
	}{
		{schema.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1", Resource: "clustertrustbundles"}, "ClusterTrustBundle", map[string]any{"trustBundle": authority}},
		{schema.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1", Resource: "podcertificaterequests"}, "PodCertificateRequest", map[string]any{
			"signerName": "d.io/signer", "podName": "p", "podUID": uid, "serviceAccountName": "default", "serviceAccountUID": uid, "nodeName": "n", "nodeUID": uid,
			"stubPKCS10Request": base64.StdEncoding.EncodeToString(request)}},
		{schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "devicetaintrules"}, "DeviceTaintRule", map[string]any{"taint": map[string]any{"key": "a", "effect": "None"}}},
		{schema.GroupVersionResource{Group: "storagemigration.k8s.io", Version: "v1", Resource: "storageversionmigrations"}, "StorageVersionMigration", map[string]any{
			"resource": map[string]any{"group": "apps", "resource": "deployments"}}},
		{schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1beta1", Resource: "workloads"}, "Workload", map[string]any{"podGroupTemplates": []any{
			map[string]any{"name": "t", "schedulingPolicy": map[string]any{"basic": map[string]any{}}}}}},
		{schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1alpha3", Resource: "compositepodgroups"}, "CompositePodGroup", map[string]any{
			"workloadRef": map[string]any{"workloadName": "w", "templateName": "t"}, "schedulingPolicy": map[string]any{"gang": map[string]any{"minGroupCount": int64(2)}}}},
		{schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1beta1", Resource: "podgroups"}, "PodGroup", map[string]any{"schedulingPolicy": map[string]any{"basic": map[string]any{}}}},
		{schema.GroupVersionResource{Group: "lifecycle.k8s.io", Version: "v1alpha1", Resource: "evictionrequests"}, "EvictionRequest", map[string]any{"target": pod, "requester": "example.com/a", "intent": "Eviction"}},
		{schema.GroupVersionResource{Group: "lifecycle.k8s.io", Version: "v1alpha1", Resource: "evictions"}, "Eviction", map[string]any{"target": pod}},
	} {
		seen := &counter{}
		informer := factory.ForResource(each.resource).Informer()
		_, err := informer.AddEventHandler(seen.handler())
		r.noError(err, "add a handler")
		factory.Start(r.ctx.Done())
		r.expect(cache.WaitForCacheSync(r.ctx.Done(), informer.HasSynced), "%s: does not sync", each.kind)
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": each.resource.GroupVersion().String(), "kind": each.kind, "metadata": map[string]any{"name": name}, "spec": each.spec}}
		var objects dynamic.ResourceInterface = client.Resource(each.resource).Namespace(r.namespace)
		if clusterScoped[each.kind] {
			objects = client.Resource(each.resource)
		}
		if _, err := objects.Apply(r.ctx, name, object, metav1.ApplyOptions{FieldManager: "tester"}); !r.noError(err, "%s: apply", each.kind) {
			continue
		}
		r.within(func() bool { return seen.is(1, 0, 0) }, "%s: added", each.kind)
		object.SetLabels(applied)
		_, err = objects.Apply(r.ctx, name, object, metav1.ApplyOptions{FieldManager: "tester"})
		r.noError(err, "%s: apply again", each.kind)
		r.within(func() bool { return seen.is(1, 1, 0) }, "%s: updated", each.kind)
		list, err := objects.List(r.ctx, metav1.ListOptions{LabelSelector: "applied=yes"})
		if r.noError(err, "%s: list", each.kind) {
			r.expect(len(list.Items) == 1, "%s: %d listed", each.kind, len(list.Items))
		}
		r.noError(objects.Delete(r.ctx, name, metav1.DeleteOptions{}), "%s: delete", each.kind)
		r.within(func() bool { return seen.is(1, 1, 1) }, "%s: deleted", each.kind)
	}
}
