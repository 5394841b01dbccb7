// Command device-selectors asks the compiler of device selectors what it says of every expression in test/fixtures/cel/device-selectors.json, and writes the file anew:
//
//	cd hack/cel-answers && export GOFLAGS=-mod=mod
//	go get k8s.io/dynamic-resource-allocation@v0.33.9
//	go run ./device-selectors ../../test/fixtures/cel/device-selectors.json
package main

import (
	"bytes"
	"encoding/json"
	"os"

	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/dynamic-resource-allocation/cel"
)

// What is said of an expression that is new, and of one that is stored: an error, or the most that it may cost.
type selectorCase struct {
	Expression string `json:"expression"`
	Admitted   any    `json:"admitted"`
	Stored     any    `json:"stored"`
}

func main() {
	read, err := os.ReadFile(os.Args[1])
	must(err)
	var cases []selectorCase
	must(json.Unmarshal(read, &cases))
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, each := range cases {
		each.Admitted = answer(each.Expression, environment.NewExpressions)
		each.Stored = answer(each.Expression, environment.StoredExpressions)
		var line bytes.Buffer
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		must(encoder.Encode(each))
		out.Write(bytes.TrimSpace(line.Bytes()))
		if i < len(cases)-1 {
			out.WriteString(",")
		}
		out.WriteString("\n")
	}
	out.WriteString("]\n")
	must(os.WriteFile(os.Args[1], out.Bytes(), 0o644))
}

func answer(expression string, environment environment.Type) any {
	result := cel.GetCompiler().CompileCELExpression(expression, cel.Options{EnvType: &environment})
	if result.Error != nil {
		return result.Error.Detail
	}
	return result.MaxCost
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
