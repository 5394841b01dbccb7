// Command policy-types asks the type checker of validating admission policies what it says of every case in test/fixtures/cel/policy-types.json, and writes the file anew. The
// definitions of the built-in kinds are those of openapi-gen:
//
//	cd hack/cel-answers && export GOFLAGS=-mod=mod
//	go run k8s.io/kube-openapi/cmd/openapi-gen --output-dir generated --output-pkg cel-answers/generated --output-file openapi.go --go-header-file /dev/null -r /dev/null \
//	  k8s.io/api/{core,coordination,autoscaling,policy}/v1 k8s.io/apimachinery/pkg/{apis/meta/v1,api/resource,runtime,version,util/intstr}
//	go run ./policy-types ../../test/fixtures/cel/policy-types.json
package main

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/kubernetes/scheme"

	"cel-answers/generated"
)

type typesCase struct {
	Spec     v1.ValidatingAdmissionPolicySpec `json:"spec"`
	Warnings []v1.ExpressionWarning           `json:"warnings"`
}

// Names of types end in the time at which they were made.
var madeAt = regexp.MustCompile(`\b([A-Z][A-Za-z]+)\d{3,}`)

func main() {
	kinds := meta.NewDefaultRESTMapper(nil)
	for group, names := range map[string][]string{
		"":                    {"Pod", "Service", "ConfigMap", "Secret", "Event", "PersistentVolumeClaim"},
		"coordination.k8s.io": {"Lease"}, "autoscaling": {"HorizontalPodAutoscaler"}, "policy": {"PodDisruptionBudget"},
	} {
		for _, kind := range names {
			kinds.Add(schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind}, meta.RESTScopeNamespace)
		}
	}
	checker := validating.TypeChecker{SchemaResolver: resolver.NewDefinitionsSchemaResolver(generated.GetOpenAPIDefinitions, scheme.Scheme), RestMapper: kinds}
	read, err := os.ReadFile(os.Args[1])
	must(err)
	var cases []typesCase
	must(json.Unmarshal(read, &cases))
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, each := range cases {
		each.Warnings = checker.Check(&v1.ValidatingAdmissionPolicy{Spec: each.Spec})
		if each.Warnings == nil {
			each.Warnings = []v1.ExpressionWarning{}
		}
		for j := range each.Warnings {
			each.Warnings[j].Warning = madeAt.ReplaceAllString(each.Warnings[j].Warning, "$1")
		}
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		must(encoder.Encode(each))
		out.Write(bytes.TrimRight(line.Bytes(), "\n"))
		if i < len(cases)-1 {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("]\n")
	must(os.WriteFile(os.Args[1], out.Bytes(), 0o644))
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
