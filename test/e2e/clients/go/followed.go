package main

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// A state is what a follower holds and what it has asked so far.
type state struct {
	Objects map[string]string `json:"objects"` // resourceVersions by name
	Lists   int               `json:"lists"`   // lists, and watches that begin with the objects there are
	Watches int               `json:"watches"`
	Refused map[string]int    `json:"refused"` // answers by their status
	Faults  []string          `json:"faults"`  // what handlers were told out of order
}

func (f *follower) state() state {
	told := state{Objects: map[string]string{}, Refused: map[string]int{}}
	for _, object := range f.store() {
		named := object.(metav1.Object)
		told.Objects[named.GetName()] = named.GetResourceVersion()
	}
	f.requests.tell(&told)
	told.Faults = f.sequence.told()
	return told
}

// requests counts what one follower asks.
type requests struct {
	mutex          sync.Mutex
	lists, watches int
	refused        map[string]int
}

type countingTransport struct {
	*requests
	next http.RoundTripper
}

func (r *requests) counting(next http.RoundTripper) http.RoundTripper {
	return &countingTransport{r, next}
}

func (t *countingTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	t.mutex.Lock()
	defer t.mutex.Unlock()
	query := request.URL.Query()
	switch {
	case err != nil:
		t.refuse("no answer")
	case response.StatusCode >= 400:
		t.refuse(strconv.Itoa(response.StatusCode))
	case !strings.HasSuffix(request.URL.Path, "/configmaps"):
	case query.Get("watch") == "" || query.Get("sendInitialEvents") == "true":
		t.lists++
	default:
		t.watches++
	}
	return response, err
}

func (r *requests) refuse(with string) {
	if r.refused == nil {
		r.refused = map[string]int{}
	}
	r.refused[with]++
}

func (r *requests) tell(to *state) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	to.Lists, to.Watches = r.lists, r.watches
	for status, count := range r.refused {
		to.Refused[status] = count
	}
}

// A sequence checks that handlers are told of each object's versions in their order.
type sequence struct {
	mutex   sync.Mutex
	last    map[string]uint64
	present map[string]bool
	faults  []string
}

func (s *sequence) OnAdd(object any, _ bool) { s.take("added", object, false, false) }

func (s *sequence) OnUpdate(old, next any) {
	// A list tells of what is known already.
	s.take("updated", next, true, old.(metav1.Object).GetResourceVersion() == next.(metav1.Object).GetResourceVersion())
}

func (s *sequence) OnDelete(object any) {
	if lost, ok := object.(cache.DeletedFinalStateUnknown); ok {
		s.take("deleted", lost.Obj, true, true)
	} else {
		s.take("deleted", object, true, false)
	}
}

func (s *sequence) take(what string, object any, wasPresent, same bool) {
	named := object.(metav1.Object)
	name := named.GetName()
	version, _ := strconv.ParseUint(named.GetResourceVersion(), 10, 64)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.last == nil {
		s.last, s.present = map[string]uint64{}, map[string]bool{}
	}
	last := s.last[name]
	if s.present[name] != wasPresent || version < last || (version == last && !same) {
		s.faults = append(s.faults, fmt.Sprintf("%s %s at %d after %d, present: %t", what, name, version, last, s.present[name]))
	}
	s.last[name] = version
	s.present[name] = what != "deleted"
}

// forget takes an object that was present for gone.
func (s *sequence) forget(name string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.present, name)
}

func (s *sequence) fault(what string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.faults = append(s.faults, what)
}

func (s *sequence) told() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]string{}, s.faults...)
}
