package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// A follower is an informer over the ConfigMaps of a namespace.
type follower struct {
	name     string
	requests requests
	sequence sequence
	store    func() []any
	synced   func() bool
	run      func(ctx context.Context)
}

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

// following keeps informers of every sort until it is told to end, and tells what they hold whenever it is asked. It reads a word a line from standard input ("state",
// "end") and answers each with a line of JSON. Whoever asks writes, breaks connections, and compares.
func following(namespace, selector string) error {
	log.SetLogger(logr.Discard())
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.QPS, config.Burst = -1, -1
	gate := &watchListGate{Gates: features.FeatureGates()}
	features.ReplaceFeatureGates(gate)
	before := runtime.NumGoroutine()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var all []*follower
	// Reflectors look at the gate when they begin.
	for _, streamed := range []bool{false, true} {
		gate.watchList = streamed
		some, err := followers(ctx, config, namespace, selector, streamed)
		if err != nil {
			return err
		}
		for _, one := range some {
			go one.run(ctx)
		}
		for _, one := range some {
			if !eventually(one.synced) {
				return fmt.Errorf("the informer %s is not synced", one.name)
			}
		}
		all = append(all, some...)
	}
	answers := json.NewEncoder(os.Stdout)
	_ = answers.Encode(map[string]any{"ready": len(all)})
	for lines := bufio.NewScanner(os.Stdin); lines.Scan() && lines.Text() != "end"; {
		states := map[string]state{}
		for _, one := range all {
			states[one.name] = one.state()
		}
		_ = answers.Encode(states)
	}
	stop()
	left := 0
	eventually(func() bool {
		http.DefaultClient.CloseIdleConnections()
		left = runtime.NumGoroutine() - before
		return left <= sharedGoroutines
	})
	return answers.Encode(map[string]any{"left": max(0, left-sharedGoroutines)})
}

// Connections that idle are kept by the library for the whole process, with a few goroutines.
const sharedGoroutines = 8

func followers(ctx context.Context, base *rest.Config, namespace, selector string, streamed bool) ([]*follower, error) {
	var all []*follower
	var failed error
	selected := func(options *metav1.ListOptions) { options.LabelSelector = selector }
	// add makes a follower with a configuration of its own, so that its requests are counted apart.
	add := func(name, media string, with func(one *follower, config *rest.Config) error) {
		if streamed {
			name += ", streamed"
		}
		one := &follower{name: name}
		config := rest.CopyConfig(base)
		config.ContentType, config.AcceptContentTypes = mediaTypes[media], mediaTypes[media]
		config.Wrap(one.requests.counting)
		if err := with(one, config); err != nil && failed == nil {
			failed = fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, one)
	}
	shared := func(one *follower, informer cache.SharedIndexInformer) error {
		one.store, one.run = informer.GetStore().List, informer.RunWithContext
		handler, err := informer.AddEventHandler(&one.sequence)
		one.synced = func() bool { return handler != nil && handler.HasSynced() }
		return err
	}
	typed := func(options ...informers.SharedInformerOption) func(*follower, *rest.Config) error {
		return func(one *follower, config *rest.Config) error {
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			factory := informers.NewSharedInformerFactoryWithOptions(client, 0, append(options, informers.WithNamespace(namespace))...)
			return shared(one, factory.Core().V1().ConfigMaps().Informer())
		}
	}
	add("JSON", "json", typed())
	add("protobuf", "protobuf", typed())
	add("selected", "protobuf", typed(informers.WithTweakListOptions(selected)))
	add("metadata", "protobuf", func(one *follower, config *rest.Config) error {
		client, err := metadata.NewForConfig(metadata.ConfigFor(config))
		if err != nil {
			return err
		}
		return shared(one, metadatainformer.NewFilteredMetadataInformer(client, configMaps, namespace, 0, cache.Indexers{}, nil).Informer())
	})
	add("dynamic", "json", func(one *follower, config *rest.Config) error {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		return shared(one, dynamicinformer.NewFilteredDynamicInformer(client, configMaps, namespace, 0, cache.Indexers{}, nil).Informer())
	})
	add("reflector", "protobuf", func(one *follower, config *rest.Config) error {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return err
		}
		store := cache.NewStore(cache.MetaNamespaceKeyFunc)
		source := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", namespace, fields.Everything())
		reflector := cache.NewReflector(source, &corev1.ConfigMap{}, store, 0)
		one.store, one.run = store.List, reflector.RunWithContext
		one.synced = func() bool { return reflector.LastSyncResourceVersion() != "" }
		return nil
	})
	add("controller-runtime", "json", func(one *follower, config *rest.Config) error {
		informers, err := ctrlcache.New(config, ctrlcache.Options{Scheme: scheme, DefaultNamespaces: map[string]ctrlcache.Config{namespace: {}}})
		if err != nil {
			return err
		}
		one.run = func(ctx context.Context) { _ = informers.Start(ctx) }
		informer, err := informers.GetInformer(ctx, &corev1.ConfigMap{}, ctrlcache.BlockUntilSynced(false))
		if err != nil {
			return err
		}
		if _, err = informer.AddEventHandler(&one.sequence); err != nil {
			return err
		}
		one.synced = informer.HasSynced
		one.store = func() []any {
			list := &corev1.ConfigMapList{}
			_ = informers.List(ctx, list)
			var objects []any
			for i := range list.Items {
				objects = append(objects, &list.Items[i])
			}
			return objects
		}
		return nil
	})
	if !streamed {
		add("RetryWatcher", "protobuf", func(one *follower, config *rest.Config) error { return retrying(one, config, namespace) })
		add("manager", "json", func(one *follower, config *rest.Config) error { return leader(one, config, namespace) })
	}
	return all, failed
}

// watchListGate is the gate that informers look at, set for those that are begun next.
type watchListGate struct {
	features.Gates
	watchList bool
}

func (g *watchListGate) Enabled(feature features.Feature) bool {
	if feature == features.WatchListClient {
		return g.watchList
	}
	return g.Gates.Enabled(feature)
}

func eventually(is func() bool) bool {
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if is() {
			return true
		}
	}
	return false
}
