// Command clients drives a server that emulates 1.37 with client-go 0.37: generated clients of the kinds that 1.37 added, in JSON and in protobuf, apply
// configurations, the dynamic client, and informers with WatchList.
//
//	KUBECONFIG=… clients json|protobuf|dynamic|informers
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// A run is one scenario in a namespace of its own.
type run struct {
	ctx       context.Context
	namespace string
	config    *rest.Config
	client    kubernetes.Interface
	failures  int
}

var scenarios = map[string]func(*run){
	"json":      func(r *run) { typed(r) },
	"protobuf":  func(r *run) { typed(r) },
	"dynamic":   untyped,
	"informers": informed,
}

func main() {
	if len(os.Args) != 2 || scenarios[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: clients json|protobuf|dynamic|informers")
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	scenario := os.Args[1]
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	exitOn(err)
	config.QPS, config.Burst = -1, -1
	config.WarningHandler = rest.NoWarnings{}
	if scenario != "protobuf" {
		config.ContentType, config.AcceptContentTypes = "application/json", "application/json"
	} else {
		config.ContentType, config.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"
	}
	client, err := kubernetes.NewForConfig(config)
	exitOn(err)
	r := &run{ctx: ctx, namespace: "clients-" + scenario, config: config, client: client}
	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: r.namespace}}, metav1.CreateOptions{})
	exitOn(err)
	scenarios[scenario](r)
	r.noError(client.CoreV1().Namespaces().Delete(ctx, r.namespace, metav1.DeleteOptions{}), "delete the namespace")
	if r.failures > 0 {
		os.Exit(1)
	}
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (r *run) expect(ok bool, format string, args ...any) bool {
	if !ok {
		r.failures++
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
	return ok
}

func (r *run) noError(err error, format string, args ...any) bool {
	return r.expect(err == nil, "%s: %v", fmt.Sprintf(format, args...), err)
}

// within asks every few milliseconds, for ten seconds at most.
func (r *run) within(is func() bool, format string, args ...any) {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if is() {
			return
		}
	}
	r.expect(false, "%s: not within ten seconds", fmt.Sprintf(format, args...))
}
