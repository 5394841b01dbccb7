// Command cel-answers asks cel-go, in the environment of an admission policy, about every expression in test/fixtures/cel/answers.json, and writes the file anew:
//
//	cd hack/cel-answers && GOFLAGS=-mod=mod go run . ../../test/fixtures/cel/answers.json
//
// To ask about another expression, add it to the file as {"expression": "…"} first.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

type answer struct {
	Expression string `json:"expression"`
	Tree       string `json:"tree,omitempty"`
	Type       string `json:"type,omitempty"`
	Errors     string `json:"errors,omitempty"`
}

type anyResult string

func (e anyResult) GetExpression() string      { return string(e) }
func (e anyResult) ReturnTypes() []*celgo.Type { return []*celgo.Type{celgo.AnyType} }

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	must(err)
	var answers []answer
	must(json.Unmarshal(text, &answers))
	base := environment.MustBaseEnvSet(version.MajorMinor(1, 32), true)
	env, err := base.Env(environment.NewExpressions)
	must(err)
	compiler := cel.NewCompiler(base)
	options := cel.OptionalVariableDeclarations{HasParams: true, HasAuthorizer: true, StrictCost: true, HasPatchTypes: true}
	lines := make([]string, len(answers))
	for i, old := range answers {
		found := answer{Expression: old.Expression}
		if parsed, issues := env.Parse(old.Expression); issues != nil && issues.Err() != nil {
			found.Errors = issues.String()
		} else {
			found.Tree = printTree(parsed.NativeRep().Expr())
			result := compiler.CompileCELExpression(anyResult(old.Expression), options, environment.NewExpressions)
			if result.Error != nil {
				found.Errors = result.Error.Detail
			} else {
				found.Type = result.OutputType.String()
			}
		}
		lines[i] = printJSON(found)
	}
	must(os.WriteFile(os.Args[1], []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644))
}

func printJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.Encode(v)
	return strings.TrimSpace(b.String())
}

func opt(b bool) string {
	if b {
		return "?"
	}
	return ""
}

// The form of test/support/cel-tree.ts.
func printTree(e ast.Expr) string {
	id := e.ID()
	switch e.Kind() {
	case ast.LiteralKind:
		switch v := e.AsLiteral().(type) {
		case types.Int:
			return fmt.Sprintf("%d:%d", id, int64(v))
		case types.Uint:
			return fmt.Sprintf("%d:%du", id, uint64(v))
		case types.Double:
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], math.Float64bits(float64(v)))
			return fmt.Sprintf("%d:d%s", id, hex.EncodeToString(b[:]))
		case types.String:
			return fmt.Sprintf("%d:%s", id, printJSON(string(v)))
		case types.Bytes:
			return fmt.Sprintf("%d:b%s", id, hex.EncodeToString([]byte(v)))
		case types.Bool:
			return fmt.Sprintf("%d:%t", id, bool(v))
		default:
			return fmt.Sprintf("%d:null", id)
		}
	case ast.IdentKind:
		return fmt.Sprintf("%d:%s", id, e.AsIdent())
	case ast.SelectKind:
		s := e.AsSelect()
		k := "."
		if s.IsTestOnly() {
			k = "has "
		}
		return fmt.Sprintf("(%d:%s%s %s)", id, k, s.FieldName(), printTree(s.Operand()))
	case ast.CallKind:
		c := e.AsCall()
		parts := []string{fmt.Sprintf("%d:%s", id, c.FunctionName())}
		if c.IsMemberFunction() {
			parts = append(parts, "@", printTree(c.Target()))
		}
		for _, a := range c.Args() {
			parts = append(parts, printTree(a))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case ast.ListKind:
		l := e.AsList()
		o := map[int32]bool{}
		for _, i := range l.OptionalIndices() {
			o[i] = true
		}
		parts := []string{}
		for i, x := range l.Elements() {
			parts = append(parts, opt(o[int32(i)])+printTree(x))
		}
		return fmt.Sprintf("%d:[%s]", id, strings.Join(parts, " "))
	case ast.MapKind:
		parts := []string{}
		for _, en := range e.AsMap().Entries() {
			m := en.AsMapEntry()
			parts = append(parts, fmt.Sprintf("%s%d:%s=%s", opt(m.IsOptional()), en.ID(), printTree(m.Key()), printTree(m.Value())))
		}
		return fmt.Sprintf("%d:{%s}", id, strings.Join(parts, " "))
	case ast.StructKind:
		parts := []string{}
		for _, en := range e.AsStruct().Fields() {
			m := en.AsStructField()
			parts = append(parts, fmt.Sprintf("%s%d:%s=%s", opt(m.IsOptional()), en.ID(), m.Name(), printTree(m.Value())))
		}
		return fmt.Sprintf("%d:%s{%s}", id, e.AsStruct().TypeName(), strings.Join(parts, " "))
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		v := c.IterVar()
		if c.HasIterVar2() {
			v += "," + c.IterVar2()
		}
		return fmt.Sprintf("(%d:loop %s %s %s %s %s %s %s)", id, v, printTree(c.IterRange()), c.AccuVar(), printTree(c.AccuInit()), printTree(c.LoopCondition()), printTree(c.LoopStep()), printTree(c.Result()))
	}
	return fmt.Sprintf("%d:?", id)
}
