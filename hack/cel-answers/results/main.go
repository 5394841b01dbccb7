// Command results asks cel-go, and the rules of custom resource definitions, for the value and the costs of every expression in test/fixtures/cel/results.json, or protobuf.json beside it, and writes the file anew:
//
//	cd hack/cel-answers && GOFLAGS=-mod=mod go run ./results ../../test/fixtures/cel/results.json
//
// To ask about another expression, add it to a group of the file as {"expression": "…"} first. With -bench N each expression is run for N milliseconds, and evaluations per second
// are printed instead.
package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"sort"
	"strconv"
	"strings"
	"time"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiext "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	schemacel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type result struct {
	Expression string  `json:"expression"`
	Value      *string `json:"value,omitempty"`
	Error      *string `json:"error,omitempty"`
	Cost       *uint64 `json:"cost,omitempty"`
	// Decimal texts: they may be beyond what a double holds.
	Min   string `json:"min,omitempty"`
	Max   string `json:"max,omitempty"`
	Fault string `json:"fault,omitempty"`
}

type group struct {
	Schema  json.RawMessage `json:"schema"`
	Self    json.RawMessage `json:"self"`
	OldSelf json.RawMessage `json:"oldSelf,omitempty"`
	Results []result        `json:"results"`
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	bench := flag.Int("bench", 0, "milliseconds for each expression")
	flag.Parse()
	text, err := os.ReadFile(flag.Arg(0))
	must(err)
	var groups []group
	must(json.Unmarshal(text, &groups))
	parts := make([]string, len(groups))
	for i := range groups {
		parts[i] = answer(&groups[i], *bench)
	}
	if *bench > 0 {
		return
	}
	must(os.WriteFile(flag.Arg(0), []byte("[\n"+strings.Join(parts, ",\n")+"\n]\n"), 0o644))
}

func answer(g *group, bench int) string {
	var v1 apiextv1.JSONSchemaProps
	must(json.Unmarshal(g.Schema, &v1))
	var internal apiext.JSONSchemaProps
	must(apiextv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &internal, nil))
	structural, err := schema.NewStructural(&internal)
	must(err)
	decl := model.SchemaDeclType(structural, false).MaybeAssignTypeName("selfType")
	env, err := environment.MustBaseEnvSet(version.MajorMinor(1, 33), true).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []celgo.EnvOption{celgo.Variable("self", decl.CelType()), celgo.Variable("oldSelf", decl.CelType())},
		DeclTypes:         []*apiservercel.DeclType{decl},
	})
	must(err)
	activation := map[string]any{"self": value(g.Self, structural)}
	if g.OldSelf != nil {
		activation["oldSelf"] = value(g.OldSelf, structural)
	}
	estimator := &library.CostEstimator{SizeEstimator: &sizeEstimator{decl}}
	lines := make([]string, len(g.Results))
	for i := range g.Results {
		expression := g.Results[i].Expression
		if bench > 0 {
			measure(env.StoredExpressionsEnv(), expression, estimator, activation, bench)
			continue
		}
		lines[i] = printJSON(evaluate(env.StoredExpressionsEnv(), expression, estimator, activation))
	}
	old := ""
	if g.OldSelf != nil {
		old = fmt.Sprintf("\"oldSelf\":%s,\n", compact(g.OldSelf))
	}
	return fmt.Sprintf("{\"schema\":%s,\n\"self\":%s,\n%s\"results\":[\n%s\n]}", compact(g.Schema), compact(g.Self), old, strings.Join(lines, ",\n"))
}

func compact(raw json.RawMessage) string {
	return strings.TrimSpace(string(raw))
}

func value(raw json.RawMessage, s *schema.Structural) ref.Val {
	var v any
	must(k8sjson.Unmarshal(raw, &v))
	return schemacel.UnstructuredToVal(v, s)
}

func program(env *celgo.Env, expression string, estimator *library.CostEstimator) (_ *celgo.Ast, _ celgo.Program, fault string) {
	defer func() {
		if r := recover(); r != nil {
			fault = fmt.Sprintf("panic: %v", r)
		}
	}()
	ast, issues := env.Compile(expression)
	if issues != nil {
		return nil, nil, "compilation failed: " + issues.String()
	}
	prog, err := env.Program(ast, celgo.CostLimit(celconfig.PerCallLimit), celgo.CostTracking(estimator), celgo.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return nil, nil, "program instantiation failed: " + err.Error()
	}
	return ast, prog, ""
}

func evaluate(env *celgo.Env, expression string, estimator *library.CostEstimator, activation map[string]any) result {
	r := result{Expression: expression}
	ast, prog, fault := program(env, expression, estimator)
	if fault != "" {
		r.Fault = fault
		return r
	}
	estimate, err := env.EstimateCost(ast, estimator)
	must(err)
	r.Min, r.Max = strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)
	out, details, err := prog.ContextEval(context.Background(), activation)
	if err != nil {
		message := err.Error()
		r.Error = &message
	} else {
		text := printValue(out)
		r.Value = &text
	}
	if details != nil {
		r.Cost = details.ActualCost()
	}
	return r
}

func measure(env *celgo.Env, expression string, estimator *library.CostEstimator, activation map[string]any, millis int) {
	_, prog, fault := program(env, expression, estimator)
	if fault != "" {
		fmt.Println(fault)
		return
	}
	count := 0
	start := time.Now()
	for time.Since(start) < time.Duration(millis)*time.Millisecond {
		for i := 0; i < 10; i++ {
			prog.ContextEval(context.Background(), activation)
		}
		count += 10
	}
	fmt.Printf("%.0f\t%s\n", float64(count)/time.Since(start).Seconds(), expression)
}

func printJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	must(enc.Encode(v))
	return strings.TrimSpace(b.String())
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
		return printJSON(string(v))
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
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "some " + printValue(v.GetValue())
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
	case *types.Type:
		return "type " + v.TypeName()
	case apiservercel.Quantity:
		return "quantity " + v.Quantity.String()
	case *apiservercel.Quantity:
		return "quantity " + v.Quantity.String()
	case apiservercel.IP:
		return "ip " + v.Addr.String()
	case apiservercel.CIDR:
		return "cidr " + v.Prefix.String()
	default:
		return v.Type().TypeName()
	}
}

// As the definitions of custom resources estimate sizes.
type sizeEstimator struct {
	root *apiservercel.DeclType
}

func (c *sizeEstimator) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	node := c.root
	for _, name := range element.Path()[1:] {
		switch name {
		case "@items", "@values":
			node = node.ElemType
		case "@keys":
			node = node.KeyType
		default:
			field, ok := node.Fields[name]
			if !ok {
				return nil
			}
			node = field.Type
		}
		if node == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(node.MaxElements)}
}

func (c *sizeEstimator) EstimateCallCost(function, overloadID string, target *checker.AstNode, args []checker.AstNode) *checker.CallEstimate {
	return nil
}
