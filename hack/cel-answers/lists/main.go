// Renews test/fixtures/cel/lists.json: what cel-go makes of the expressions in it, which call the functions of lists that Kubernetes has since 1.34. The module beside this file is of the version
// of cel-go that these releases use.
//
//	cd hack/cel-answers/lists && go mod tidy && go run . ../../../test/fixtures/cel/lists.json
package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

type result struct {
	Expression string  `json:"expression"`
	Value      string  `json:"value,omitempty"`
	Error      string  `json:"error,omitempty"`
	Cost       *uint64 `json:"cost,omitempty"`
	Min        string  `json:"min,omitempty"`
	Max        string  `json:"max,omitempty"`
	Fault      string  `json:"fault,omitempty"`
}

type unknownSizes struct{}

func (unknownSizes) EstimateSize(checker.AstNode) *checker.SizeEstimate { return nil }
func (unknownSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

type noCosts struct{}

func (noCosts) CallCost(string, string, []ref.Val, ref.Val) *uint64 { return nil }

func main() {
	env, err := cel.NewEnv(cel.HomogeneousAggregateLiterals(), cel.EagerlyValidateDeclarations(true), cel.DefaultUTCTimeZone(true), cel.CrossTypeNumericComparisons(true),
		cel.OptionalTypes(), ext.Lists(ext.ListsVersion(3)), cel.CostEstimatorOptions(checker.PresenceTestHasCost(false)))
	must(err)
	data, err := os.ReadFile(os.Args[1])
	must(err)
	var results []*result
	must(json.Unmarshal(data, &results))
	var lines []string
	for _, r := range results {
		*r = result{Expression: r.Expression}
		r.answer(env)
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		must(enc.Encode(r))
		lines = append(lines, strings.TrimSpace(line.String()))
	}
	must(os.WriteFile(os.Args[1], []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644))
}

func (r *result) answer(env *cel.Env) {
	ast, issues := env.Compile(r.Expression)
	if issues.Err() != nil {
		r.Fault = "compilation failed: " + issues.Err().Error()
		return
	}
	estimate, err := env.EstimateCost(ast, unknownSizes{})
	must(err)
	r.Min, r.Max = strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)
	program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost), cel.CostTracking(noCosts{}), cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)))
	must(err)
	value, details, err := program.Eval(map[string]any{})
	if err != nil {
		r.Error = err.Error()
	} else {
		r.Value = printValue(value)
	}
	if details != nil {
		r.Cost = details.ActualCost()
	}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// The form of test/support/cel-results.ts.
func printValue(v ref.Val) string {
	switch v := v.(type) {
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		if math.IsNaN(float64(v)) {
			return "nan"
		}
		return fmt.Sprintf("%016x", math.Float64bits(float64(v)))
	case types.String:
		return strconv.Quote(string(v))
	case types.Bytes:
		return "b" + hex.EncodeToString([]byte(v))
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Null:
		return "null"
	case types.Timestamp:
		return "time " + v.Format(time.RFC3339Nano)
	case types.Duration:
		return fmt.Sprintf("duration %d", int64(v.Duration))
	case traits.Lister:
		parts := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			parts = append(parts, printValue(it.Next()))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case traits.Mapper:
		parts := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			parts = append(parts, printValue(k)+"="+printValue(v.Get(k)))
		}
		sort.Strings(parts)
		return "{" + strings.Join(parts, " ") + "}"
	}
	panic(fmt.Sprintf("%T", v))
}
