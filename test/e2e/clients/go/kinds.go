package main

import (
	"context"

	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	aggregatorclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
)

// typed is what every generated client has in common: T is the pointer to a kind, L to its list.
type typed[T, L any] interface {
	Create(ctx context.Context, object T, options metav1.CreateOptions) (T, error)
	Update(ctx context.Context, object T, options metav1.UpdateOptions) (T, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
	Get(ctx context.Context, name string, options metav1.GetOptions) (T, error)
	List(ctx context.Context, options metav1.ListOptions) (L, error)
	Watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (T, error)
}

// A kindClient is a generated client with its types taken off.
type kindClient struct {
	create func(ctx context.Context, object runtime.Object) (runtime.Object, error)
	update func(ctx context.Context, object runtime.Object) (runtime.Object, error)
	delete func(ctx context.Context, name string, options metav1.DeleteOptions) error
	get    func(ctx context.Context, name string) (runtime.Object, error)
	list   func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error)
	watch  func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error)
	patch  func(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions) (runtime.Object, error)
}

func of[T, L runtime.Object](c typed[T, L]) kindClient {
	return kindClient{
		create: func(ctx context.Context, object runtime.Object) (runtime.Object, error) {
			return c.Create(ctx, object.(T), metav1.CreateOptions{FieldValidation: "Strict"})
		},
		update: func(ctx context.Context, object runtime.Object) (runtime.Object, error) {
			return c.Update(ctx, object.(T), metav1.UpdateOptions{})
		},
		delete: c.Delete,
		get: func(ctx context.Context, name string) (runtime.Object, error) {
			return c.Get(ctx, name, metav1.GetOptions{})
		},
		list: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return c.List(ctx, options)
		},
		watch: c.Watch,
		patch: func(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions) (runtime.Object, error) {
			return c.Patch(ctx, name, kind, data, options)
		},
	}
}

// generatedClients are those of every kind that has a sample.
func generatedClients(config *rest.Config, ns string) (map[schema.GroupVersionKind]kindClient, error) {
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	extensions, err := apiextensionsclient.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	aggregator, err := aggregatorclient.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	byVersion := map[string]map[string]kindClient{
		"v1": {
			"ConfigMap":             of(c.CoreV1().ConfigMaps(ns)),
			"Endpoints":             of(c.CoreV1().Endpoints(ns)),
			"Event":                 of(c.CoreV1().Events(ns)),
			"LimitRange":            of(c.CoreV1().LimitRanges(ns)),
			"Node":                  of(c.CoreV1().Nodes()),
			"PersistentVolume":      of(c.CoreV1().PersistentVolumes()),
			"PersistentVolumeClaim": of(c.CoreV1().PersistentVolumeClaims(ns)),
			"Pod":                   of(c.CoreV1().Pods(ns)),
			"PodTemplate":           of(c.CoreV1().PodTemplates(ns)),
			"ReplicationController": of(c.CoreV1().ReplicationControllers(ns)),
			"ResourceQuota":         of(c.CoreV1().ResourceQuotas(ns)),
			"Secret":                of(c.CoreV1().Secrets(ns)),
			"Service":               of(c.CoreV1().Services(ns)),
			"ServiceAccount":        of(c.CoreV1().ServiceAccounts(ns)),
		},
		"apps/v1": {
			"ControllerRevision": of(c.AppsV1().ControllerRevisions(ns)),
			"DaemonSet":          of(c.AppsV1().DaemonSets(ns)),
			"Deployment":         of(c.AppsV1().Deployments(ns)),
			"ReplicaSet":         of(c.AppsV1().ReplicaSets(ns)),
			"StatefulSet":        of(c.AppsV1().StatefulSets(ns)),
		},
		"batch/v1":             {"CronJob": of(c.BatchV1().CronJobs(ns)), "Job": of(c.BatchV1().Jobs(ns))},
		"autoscaling/v1":       {"HorizontalPodAutoscaler": of(c.AutoscalingV1().HorizontalPodAutoscalers(ns))},
		"autoscaling/v2":       {"HorizontalPodAutoscaler": of(c.AutoscalingV2().HorizontalPodAutoscalers(ns))},
		"policy/v1":            {"PodDisruptionBudget": of(c.PolicyV1().PodDisruptionBudgets(ns))},
		"scheduling.k8s.io/v1": {"PriorityClass": of(c.SchedulingV1().PriorityClasses())},
		"node.k8s.io/v1":       {"RuntimeClass": of(c.NodeV1().RuntimeClasses())},
		"networking.k8s.io/v1": {
			"Ingress":       of(c.NetworkingV1().Ingresses(ns)),
			"IngressClass":  of(c.NetworkingV1().IngressClasses()),
			"NetworkPolicy": of(c.NetworkingV1().NetworkPolicies(ns)),
		},
		"discovery.k8s.io/v1":    {"EndpointSlice": of(c.DiscoveryV1().EndpointSlices(ns))},
		"coordination.k8s.io/v1": {"Lease": of(c.CoordinationV1().Leases(ns))},
		"events.k8s.io/v1":       {"Event": of(c.EventsV1().Events(ns))},
		"rbac.authorization.k8s.io/v1": {
			"ClusterRole":        of(c.RbacV1().ClusterRoles()),
			"ClusterRoleBinding": of(c.RbacV1().ClusterRoleBindings()),
			"Role":               of(c.RbacV1().Roles(ns)),
			"RoleBinding":        of(c.RbacV1().RoleBindings(ns)),
		},
		"certificates.k8s.io/v1": {"CertificateSigningRequest": of(c.CertificatesV1().CertificateSigningRequests())},
		"flowcontrol.apiserver.k8s.io/v1": {
			"FlowSchema":                 of(c.FlowcontrolV1().FlowSchemas()),
			"PriorityLevelConfiguration": of(c.FlowcontrolV1().PriorityLevelConfigurations()),
		},
		"storage.k8s.io/v1": {
			"CSIDriver":          of(c.StorageV1().CSIDrivers()),
			"CSINode":            of(c.StorageV1().CSINodes()),
			"CSIStorageCapacity": of(c.StorageV1().CSIStorageCapacities(ns)),
			"StorageClass":       of(c.StorageV1().StorageClasses()),
			"VolumeAttachment":   of(c.StorageV1().VolumeAttachments()),
		},
		"admissionregistration.k8s.io/v1": {
			"MutatingWebhookConfiguration":     of(c.AdmissionregistrationV1().MutatingWebhookConfigurations()),
			"ValidatingAdmissionPolicy":        of(c.AdmissionregistrationV1().ValidatingAdmissionPolicies()),
			"ValidatingAdmissionPolicyBinding": of(c.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings()),
			"ValidatingWebhookConfiguration":   of(c.AdmissionregistrationV1().ValidatingWebhookConfigurations()),
		},
		"apiextensions.k8s.io/v1":   {"CustomResourceDefinition": of(extensions.ApiextensionsV1().CustomResourceDefinitions())},
		"apiregistration.k8s.io/v1": {"APIService": of(aggregator.ApiregistrationV1().APIServices())},
	}
	clients := map[schema.GroupVersionKind]kindClient{}
	for version, kinds := range byVersion {
		for kind, client := range kinds {
			clients[schema.FromAPIVersionAndKind(version, kind)] = client
		}
	}
	return clients, nil
}
