// Command kwok-answers completes the files of test/fixtures/kwok with what the packages of kwok say: results of queries, templates and stages.
//
//	cd hack/kwok-answers && GOFLAGS=-mod=mod go run . ../../test/fixtures/kwok/queries.json
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"sigs.k8s.io/kwok/pkg/apis/internalversion"
	"sigs.k8s.io/kwok/pkg/config"
	"sigs.k8s.io/kwok/pkg/utils/expression"
	"sigs.k8s.io/kwok/pkg/utils/gotpl"
	"sigs.k8s.io/kwok/pkg/utils/lifecycle"
)

// object is a resource that stages apply to.
type object interface {
	metav1.Object
	runtime.Object
}

// file is a fixture: cases with the object that those without one share.
type file struct {
	Data  json.RawMessage   `json:"data,omitempty"`
	Cases []json.RawMessage `json:"cases"`
}

// question is one case. Exactly one of Query, Template and Stages is set.
type question struct {
	Query    *string           `json:"query,omitempty"`
	Template *string           `json:"template,omitempty"`
	Stages   []json.RawMessage `json:"stages,omitempty"`
	Data     json.RawMessage   `json:"data,omitempty"`
	Expect   any               `json:"expect"`
}

// now is the time at which delays are counted.
var now = time.Date(2006, 1, 2, 15, 4, 5, 0, time.UTC)

func main() {
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		check(err)
		var f file
		check(json.Unmarshal(text, &f))
		var out bytes.Buffer
		out.WriteString("{\n")
		if f.Data != nil {
			fmt.Fprintf(&out, "\"data\": %s,\n", f.Data)
		}
		out.WriteString("\"cases\": [\n")
		for i, raw := range f.Cases {
			var q question
			check(json.Unmarshal(raw, &q))
			q.Expect = answer(q, f.Data)
			line, err := json.Marshal(q)
			check(err)
			out.Write(line)
			if i < len(f.Cases)-1 {
				out.WriteString(",")
			}
			out.WriteString("\n")
		}
		out.WriteString("]\n}\n")
		check(os.WriteFile(path, out.Bytes(), 0o644))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// answer returns the result of a case, or its error.
func answer(q question, shared json.RawMessage) (result map[string]any) {
	defer func() {
		if p := recover(); p != nil {
			result = map[string]any{"error": fmt.Sprint(p)}
		}
	}()
	var err error
	switch {
	case q.Query != nil:
		result, err = query(*q.Query, shared)
	case q.Template != nil:
		result, err = template(*q.Template, shared)
	default:
		result, err = stages(q.Stages, q.Data)
	}
	if err != nil {
		// The renderer appends what it has rendered, with zero bytes before.
		message, _, _ := strings.Cut(err.Error(), ": \x00")
		return map[string]any{"error": message}
	}
	return result
}

// marked wraps integers, which JSON does not distinguish from floats.
func marked(v any) any {
	switch t := v.(type) {
	case int:
		return map[string]any{"int": t}
	case []any:
		out := []any{}
		for _, e := range t {
			out = append(out, marked(e))
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range t {
			out[k] = marked(e)
		}
		return out
	}
	return v
}

func query(text string, raw json.RawMessage) (map[string]any, error) {
	q, err := expression.NewQuery(text)
	if err != nil {
		return nil, err
	}
	var data any
	check(json.Unmarshal(raw, &data))
	values, err := q.Execute(context.Background(), data)
	if err != nil {
		return nil, err
	}
	if values == nil {
		return map[string]any{"failed": true}, nil
	}
	return map[string]any{"values": marked(values)}, nil
}

// placeholders returns functions of time and address that return their own call.
func placeholders() gotpl.FuncMap {
	functions := gotpl.FuncMap{}
	for _, name := range []string{"NodeIP", "NodeName", "NodePort", "PodIP", "NodeIPWith", "PodIPWith", "Now", "Version"} {
		functions[name] = func(args ...any) any { return "<" + call(name, args) + ">" }
	}
	for _, name := range []string{"NodeIPsWith", "PodIPsWith"} {
		functions[name] = func(args ...any) any {
			return []any{"<0 of " + call(name, args) + ">", "<1 of " + call(name, args) + ">"}
		}
	}
	return functions
}

func call(name string, args []any) string {
	if len(args) == 0 {
		return name
	}
	printed := []string{}
	for _, arg := range args {
		printed = append(printed, fmt.Sprintf("%#v", arg))
	}
	return name + "(" + strings.Join(printed, ", ") + ")"
}

func template(text string, raw json.RawMessage) (map[string]any, error) {
	var data any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	check(decoder.Decode(&data))
	rendered, err := gotpl.NewRenderer(placeholders()).ToText(text, data)
	if err != nil {
		return nil, err
	}
	return map[string]any{"text": string(rendered)}, nil
}

// stages returns every stage that may be chosen for an object, as kwok's own test of its stages does.
func stages(texts []json.RawMessage, data json.RawMessage) (map[string]any, error) {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "kwok-answers")
	check(err)
	defer os.RemoveAll(dir)
	files := []string{}
	for i, text := range texts {
		path := filepath.Join(dir, fmt.Sprintf("stage%d.yaml", i))
		check(os.WriteFile(path, text, 0o600))
		files = append(files, path)
	}
	path := filepath.Join(dir, "object.yaml")
	check(os.WriteFile(path, data, 0o600))
	objects, err := config.LoadUnstructured(path)
	if err != nil {
		return nil, err
	}
	loaded, err := config.Load(ctx, files...)
	if err != nil {
		return nil, err
	}
	target := objects[0].(object)
	gvk := target.GetObjectKind().GroupVersionKind()
	want := internalversion.StageResourceRef{APIGroup: gvk.GroupVersion().String(), Kind: gvk.Kind}
	own := []*internalversion.Stage{}
	for _, stage := range config.FilterWithType[*internalversion.Stage](loaded) {
		if stage.Spec.ResourceRef == want {
			own = append(own, stage)
		}
	}
	all, err := lifecycle.NewLifecycle(own)
	if err != nil {
		return nil, err
	}
	event := &lifecycle.Event{Labels: target.GetLabels(), Annotations: target.GetAnnotations(), Data: target}
	possible, err := all.ListAllPossible(ctx, event)
	if err != nil {
		return nil, err
	}
	results := []any{}
	for _, stage := range possible {
		one, err := result(ctx, target, event, stage)
		if err != nil {
			return nil, err
		}
		results = append(results, one)
	}
	out := map[string]any{"apiGroup": want.APIGroup, "kind": want.Kind, "name": target.GetName(), "stages": results}
	if namespace := target.GetNamespace(); namespace != "" {
		out["namespace"] = namespace
	}
	return out, nil
}

func result(ctx context.Context, target object, event *lifecycle.Event, stage *lifecycle.Stage) (map[string]any, error) {
	out := map[string]any{"stage": stage.Name()}
	delay, ok, err := stage.DelayRangePossible(ctx, event, now)
	if err != nil {
		return nil, err
	}
	if ok {
		out["delay"] = delay
	}
	weight, ok, err := stage.Weight(ctx, event)
	if err != nil {
		return nil, err
	}
	if ok {
		out["weight"] = weight
	}
	next := []any{}
	add := func(step map[string]any) error {
		next = append(next, step)
		return nil
	}
	_, err = stage.DoSteps(0, target.GetFinalizers(), target, gotpl.NewRenderer(placeholders()),
		func(e *internalversion.StageEvent) error {
			return add(map[string]any{"kind": "event", "type": e.Type, "reason": e.Reason, "message": e.Message})
		},
		func() error { return add(map[string]any{"kind": "delete"}) },
		func(p *lifecycle.Patch) error {
			return add(written("patch", string(p.Type), p.Data, p.Subresource, p.Impersonation))
		},
		func(a *lifecycle.Apply) error {
			return add(written("apply", string(a.Type), a.Data, a.Subresource, a.Impersonation))
		},
	)
	if err != nil {
		return nil, err
	}
	if stage.ImmediateNextStage() {
		next = append(next, map[string]any{"kind": "immediate"})
	}
	out["next"] = next
	return out, nil
}

func written(kind, mediaType string, data []byte, subresource string, impersonation *internalversion.ImpersonationConfig) map[string]any {
	out := map[string]any{"kind": kind, "type": mediaType, "data": json.RawMessage(data)}
	if subresource != "" {
		out["subresource"] = subresource
	}
	if impersonation != nil {
		out["impersonation"] = impersonation.Username
	}
	return out
}
