package main

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"
)

func (r *run) mapper() meta.RESTMapper {
	return restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(r.client.Discovery()))
}

// discovering reads discovery in both its forms, maps kinds by it, and reads the OpenAPI documents.
func discovering(r *run) {
	aggregated, err := discovery.NewDiscoveryClientForConfig(r.config)
	r.must(err, "discovery")
	legacy, err := discovery.NewDiscoveryClientForConfig(r.config)
	r.must(err, "discovery")
	legacy.UseLegacyDiscovery = true

	version, err := aggregated.ServerVersion()
	r.must(err, "version")
	r.expect(version.Major == "1" && version.Minor == "33", "version %s", version)

	groups, lists, err := aggregated.ServerGroupsAndResources()
	r.must(err, "aggregated discovery")
	legacyGroups, legacyLists, err := legacy.ServerGroupsAndResources()
	r.must(err, "discovery")
	r.expect(len(groups) >= 20 && len(groups) == len(legacyGroups), "%d groups aggregated, %d not", len(groups), len(legacyGroups))
	aggregatedVerbs, legacyVerbs := verbs(lists), verbs(legacyLists)
	for resource, of := range legacyVerbs {
		r.expect(aggregatedVerbs[resource] == of, "%s: %q aggregated, %q not", resource, aggregatedVerbs[resource], of)
	}
	r.expect(len(aggregatedVerbs) == len(legacyVerbs), "%d resources aggregated, %d not", len(aggregatedVerbs), len(legacyVerbs))

	preferred, err := aggregated.ServerPreferredResources()
	r.must(err, "preferred resources")
	for _, list := range preferred {
		for _, resource := range list.APIResources {
			r.expect(resource.Name != "horizontalpodautoscalers" || list.GroupVersion == "autoscaling/v2", "%s is preferred in %s", resource.Name, list.GroupVersion)
		}
	}

	clusterScoped := map[string]bool{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			clusterScoped[list.GroupVersion+" "+resource.Kind] = !resource.Namespaced
		}
	}
	mapper := restmapper.NewShortcutExpander(r.mapper(), aggregated, nil)
	for _, sample := range r.samples {
		mapping, err := mapper.RESTMapping(sample.gvk.GroupKind(), sample.gvk.Version)
		if r.noError(err, "map %s", sample.gvk) {
			root := mapping.Scope.Name() == meta.RESTScopeNameRoot
			r.expect(root == clusterScoped[sample.gvk.GroupVersion().String()+" "+sample.gvk.Kind], "%s: scope %s", sample.gvk, mapping.Scope.Name())
		}
	}
	for short, full := range map[string]string{"deploy": "deployments", "pvc": "persistentvolumeclaims", "netpol": "networkpolicies", "crd": "customresourcedefinitions", "pdb": "poddisruptionbudgets"} {
		resource, err := mapper.ResourceFor(schema.GroupVersionResource{Resource: short})
		r.expect(err == nil && resource.Resource == full, "%s is short for %s: %v", short, resource, err)
	}

	document, err := aggregated.OpenAPISchema()
	r.must(err, "OpenAPI v2")
	r.expect(len(document.GetDefinitions().GetAdditionalProperties()) > 400, "%d definitions", len(document.GetDefinitions().GetAdditionalProperties()))
	paths, err := aggregated.OpenAPIV3().Paths()
	r.must(err, "OpenAPI v3")
	for _, sample := range r.samples {
		path := "apis/" + sample.gvk.GroupVersion().String()
		if sample.gvk.Group == "" {
			path = "api/v1"
		}
		if !r.expect(paths[path] != nil, "OpenAPI v3: no %s", path) {
			continue
		}
		text, err := paths[path].Schema("application/json")
		if r.noError(err, "OpenAPI v3 of %s", path) {
			r.expect(strings.Contains(string(text), sample.gvk.Kind), "OpenAPI v3 of %s knows no %s", path, sample.gvk.Kind)
		}
	}
}

func verbs(lists []*metav1.APIResourceList) map[string]string {
	found := map[string]string{}
	for _, list := range lists {
		for _, resource := range list.APIResources {
			found[list.GroupVersion+" "+resource.Name] = fmt.Sprint(resource.Kind, resource.Verbs, resource.ShortNames, resource.Categories, resource.Namespaced)
		}
	}
	return found
}
