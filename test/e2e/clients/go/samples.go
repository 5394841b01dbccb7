package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/yaml"
)

// A sample is the text of an object with NAME, KIND (of custom resources), NAMESPACE and RUN to be filled in.
type sample struct {
	gvk  schema.GroupVersionKind
	text string
}

var scheme = runtime.NewScheme()
var codecs = serializer.NewCodecFactory(scheme)

func init() {
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
}

func readSamples(directory string) ([]sample, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []sample
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, one := range bytes.Split(text, []byte("\n---\n")) {
			var kind struct{ APIVersion, Kind string }
			if err := yaml.Unmarshal(one, &kind); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, sample{schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind), string(one)})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no samples in %q", directory)
	}
	return all, nil
}

func (s sample) filled(r *run, number int) []byte {
	name := fmt.Sprintf("%s-%d", r.name, number)
	kind := strings.ToUpper(r.name[:1]) + strings.ReplaceAll(r.name[1:], "-", "") + fmt.Sprint(number)
	return []byte(strings.NewReplacer("NAMESPACE", r.namespace, "NAME", name, "KIND", kind, "RUN", r.name).Replace(s.text))
}

// object is the typed object of a sample, the number'th of the run.
func (s sample) object(r *run, number int) runtime.Object {
	object, _, err := codecs.UniversalDeserializer().Decode(s.filled(r, number), nil, nil)
	r.must(err, "decode the sample of %s", s.gvk)
	return object
}

func (s sample) unstructured(r *run, number int) *unstructured.Unstructured {
	object := map[string]any{}
	r.must(yaml.Unmarshal(s.filled(r, number), &object), "decode the sample of %s", s.gvk)
	json, err := runtime.Encode(unstructured.UnstructuredJSONScheme, &unstructured.Unstructured{Object: object})
	r.must(err, "encode the sample of %s", s.gvk)
	back := &unstructured.Unstructured{}
	r.must(back.UnmarshalJSON(json), "decode the sample of %s", s.gvk)
	return back
}

// hasLoop: the server itself writes the status, soon after the creation.
func (s sample) hasLoop() bool {
	return slices.Contains([]string{"FlowSchema", "CustomResourceDefinition", "ValidatingAdmissionPolicy"}, s.gvk.Kind)
}
