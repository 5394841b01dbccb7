package main

import (
	"fmt"
	"strings"

	openapi_v3 "github.com/google/gnostic-models/openapiv3"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/yaml"
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
	compared := map[string]bool{}
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
			if !compared[path] {
				compared[path] = true
				r.sameInProtobuf(path, paths[path], text)
			}
		}
	}
}

// sameInProtobuf checks that gnostic makes of the JSON document what the protobuf document holds.
func (r *run) sameInProtobuf(path string, group openapi.GroupVersion, text []byte) {
	encoded, err := group.Schema("application/com.github.proto-openapi.spec.v3.v1.0+protobuf")
	r.must(err, "OpenAPI v3 of %s in protobuf", path)
	got := &openapi_v3.Document{}
	r.must(proto.Unmarshal(encoded, got), "OpenAPI v3 of %s in protobuf", path)
	wanted, err := openapi_v3.ParseDocument(text)
	r.must(err, "OpenAPI v3 of %s", path)
	if proto.Equal(got, wanted) {
		r.expect(true, "")
		return
	}
	// The texts show where; a value of any shape may be written in another style of YAML.
	gotText, err := got.YAMLValue("")
	r.must(err, "OpenAPI v3 of %s as YAML", path)
	wantedText, err := wanted.YAMLValue("")
	r.must(err, "OpenAPI v3 of %s as YAML", path)
	var gotValue, wantedValue any
	r.must(yaml.Unmarshal(gotText, &gotValue), "OpenAPI v3 of %s as YAML", path)
	r.must(yaml.Unmarshal(wantedText, &wantedValue), "OpenAPI v3 of %s as YAML", path)
	r.expect(lacks(wantedValue, gotValue) == "" && lacks(gotValue, wantedValue) == "", "OpenAPI v3 of %s in protobuf: %s %s", path, lacks(wantedValue, gotValue), lacks(gotValue, wantedValue))
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
