// Program clients drives a server with client-go and controller-runtime, as programs do that are written against kube-apiserver.
//
//	clients -samples DIR [-media json|protobuf|cbor] [-name NAME] SCENARIO
//	clients follow NAMESPACE SELECTOR
//
// The server is the one of $KUBECONFIG. It prints what failed to standard error, a line each, and exits with 1 if anything did.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"time"
)

var scenarios = map[string]func(*run){
	"typed":        typedClients,
	"informers":    informersOfAll,
	"discovery":    discovering,
	"dynamic":      dynamicClient,
	"metadata":     metadataClient,
	"subresources": subresources,
	"reviews":      reviews,
	"apply":        applying,
	"errors":       failing,
	"manager":      managing,
}

func main() {
	samples := flag.String("samples", "", "directory of sample objects")
	media := flag.String("media", "json", "json, protobuf or cbor: what the clients speak")
	name := flag.String("name", "", "name of the run where the scenario and the media type alone would not be unique")
	flag.Parse()
	if flag.Arg(0) == "follow" {
		if err := following(flag.Arg(1), flag.Arg(2)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	scenario, known := scenarios[flag.Arg(0)]
	if !known {
		fmt.Fprintf(os.Stderr, "no scenario %q\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Second)
	defer cancel()
	r, err := newRun(ctx, cmp.Or(*name, flag.Arg(0)), *media, *samples)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	r.guard(func() { scenario(r) })
	r.close()
	fmt.Printf("%d checks, %d failed\n", r.checks, r.failures)
	if r.failures > 0 {
		os.Exit(1)
	}
}
