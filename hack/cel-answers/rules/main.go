// Command rules asks the validation rules of custom resources what they make of every case in test/fixtures/cel/rules.json, and writes the file anew:
//
//	cd hack/cel-answers && GOFLAGS=-mod=mod go run ./rules ../../test/fixtures/cel/rules.json
package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"regexp"
	"sort"
	"strings"

	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"
)

type rulesCase struct {
	Name    string          `json:"name"`
	Schema  json.RawMessage `json:"schema"`
	Whole   bool            `json:"whole,omitempty"`
	Value   json.RawMessage `json:"value"`
	Old     json.RawMessage `json:"old,omitempty"`
	Ratchet bool            `json:"ratchet,omitempty"`
	Budget  int64           `json:"budget,omitempty"`
	// Sorted, since upstream goes through maps in no order.
	Errors    []string `json:"errors"`
	Warnings  []string `json:"warnings"`
	Remaining int64    `json:"remaining"`
}

// Upstream makes up a name for the type of a rule's values.
var selfType = regexp.MustCompile(`selfType\d+`)

type recorder struct{ texts []string }

func (r *recorder) AddWarning(agent, text string) { r.texts = append(r.texts, text) }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func decode(raw json.RawMessage) (v any) {
	if raw != nil {
		must(k8sjson.Unmarshal(raw, &v))
	}
	return v
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	must(err)
	var cases []rulesCase
	must(json.Unmarshal(text, &cases))
	lines := make([]string, len(cases))
	for i := range cases {
		answer(&cases[i])
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		must(enc.Encode(cases[i]))
		lines[i] = strings.TrimSpace(b.String())
	}
	must(os.WriteFile(os.Args[1], []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644))
}

func answer(c *rulesCase) {
	var v1 apiextv1.JSONSchemaProps
	must(json.Unmarshal(c.Schema, &v1))
	var internal apiext.JSONSchemaProps
	must(apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil))
	structural, err := schema.NewStructural(&internal)
	must(err)
	validator := cel.NewValidator(structural, c.Whole, celconfig.PerCallLimit)
	value, old := decode(c.Value), decode(c.Old)
	options := []cel.Option{}
	if c.Ratchet {
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(value, old, &model.Structural{Structural: structural})))
	}
	budget := c.Budget
	if budget == 0 {
		budget = celconfig.RuntimeCELCostBudget
	}
	warnings := &recorder{texts: []string{}}
	var path *field.Path
	errs, remaining := validator.Validate(warning.WithWarningRecorder(context.Background(), warnings), path, structural, value, old, budget, options...)
	c.Errors = []string{}
	for _, e := range errs {
		c.Errors = append(c.Errors, selfType.ReplaceAllString(e.Error(), "selfType"))
	}
	sort.Strings(c.Errors)
	c.Warnings = warnings.texts
	sort.Strings(c.Warnings)
	c.Remaining = int64(math.Max(float64(remaining), -1))
}
