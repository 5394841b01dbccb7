package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/ptr"
)

// A run is one scenario in one media type, in a namespace of its own.
type run struct {
	ctx       context.Context
	name      string // of the namespace too, and the value of the label "sample"
	namespace string
	media     string
	samples   []sample
	config    *rest.Config
	client    kubernetes.Interface

	mutex            sync.Mutex
	checks, failures int
}

// background is asked for where the kind's default would wait for a garbage collector.
var background = metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}

// stopped is what a failed demand panics with: the scenario can't go on.
type stopped struct{}

var mediaTypes = map[string]string{"json": runtime.ContentTypeJSON, "protobuf": runtime.ContentTypeProtobuf, "cbor": runtime.ContentTypeCBOR}

func newRun(ctx context.Context, name, media, samples string) (*run, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = -1, -1
	config.WarningHandler = rest.NoWarnings{}
	name += "-" + media
	r := &run{ctx: ctx, name: name, namespace: name, media: media, config: speaking(config, media)}
	if r.client, err = kubernetes.NewForConfig(r.config); err != nil {
		return nil, err
	}
	if r.samples, err = readSamples(samples); err != nil {
		return nil, err
	}
	_, err = r.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}}, metav1.CreateOptions{})
	return r, err
}

func (r *run) close() {
	r.noError(r.client.CoreV1().Namespaces().Delete(r.ctx, r.namespace, metav1.DeleteOptions{}), "delete the namespace")
}

// speaking is the configuration for a media type, taken alone: an answer in another type fails.
func speaking(config *rest.Config, media string) *rest.Config {
	of := rest.CopyConfig(config)
	of.WrapTransport = nil
	of.Wrap(func(next http.RoundTripper) http.RoundTripper { return &onlyIn{next, media} })
	of.ContentType = mediaTypes[media]
	of.AcceptContentTypes = mediaTypes[media]
	return of
}

// onlyIn refuses answers in another media type than was asked for: clients would read them all the same.
type onlyIn struct {
	next  http.RoundTripper
	media string
}

func (t *onlyIn) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	if got := response.Header.Get("Content-Type"); strings.Contains(request.Header.Get("Accept"), mediaTypes[t.media]) && !strings.HasPrefix(got, mediaTypes[t.media]) {
		response.Body.Close()
		return nil, fmt.Errorf("%s %s: answered %d in %q, asked for %s", request.Method, request.URL, response.StatusCode, got, t.media)
	}
	return response, nil
}

func (r *run) expect(ok bool, format string, args ...any) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.checks++
	if !ok {
		r.failures++
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
	return ok
}

func (r *run) noError(err error, format string, args ...any) bool {
	return r.expect(err == nil, "%s: %v", fmt.Sprintf(format, args...), err)
}

// isError checks that an error is there and is the wanted one.
func (r *run) isError(err error, is func(error) bool, format string, args ...any) {
	r.expect(err != nil && is(err), "%s: got %v", fmt.Sprintf(format, args...), err)
}

// must is noError for what the rest needs.
func (r *run) must(err error, format string, args ...any) {
	if !r.noError(err, format, args...) {
		panic(stopped{})
	}
}

// guard runs what a failed must ends.
func (r *run) guard(body func()) {
	defer func() {
		if reason := recover(); reason != nil {
			if _, ok := reason.(stopped); !ok {
				panic(reason)
			}
		}
	}()
	body()
}

// within asks every few milliseconds until it is so, for ten seconds at most.
func (r *run) within(is func() bool, format string, args ...any) bool {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if is() {
			return r.expect(true, "")
		}
	}
	return r.expect(false, "%s: not within ten seconds", fmt.Sprintf(format, args...))
}
