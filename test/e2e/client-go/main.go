// Uses a server through client-go in one media type: main KUBECONFIG MEDIA-TYPE. Prints what it sees, a line each; ends with status 2 at the first surprise.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	config := must(clientcmd.BuildConfigFromFlags("", os.Args[1]))
	config.ContentType = os.Args[2]
	config.AcceptContentTypes = os.Args[2]
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	name := fmt.Sprintf("client-go-%d", time.Now().UnixNano())

	configMaps(ctx, client, name)
	workloads(ctx, client, name)
	numbersAndTimes(ctx, client, name)
	informer(ctx, client)
	metadataAlone(ctx, config)
	fmt.Println("discovery", len(must(client.Discovery().ServerPreferredResources())) > 0)
}

func configMaps(ctx context.Context, client kubernetes.Interface, name string) {
	maps := client.CoreV1().ConfigMaps(namespace)
	watcher := must(maps.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name}))
	made := must(maps.Create(ctx, &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"run": name}},
		Data:       map[string]string{"a": "ü"},
		BinaryData: map[string][]byte{"bytes": {0, 1, 255}},
	}, metav1.CreateOptions{}))
	made.Data["b"] = "c"
	must(maps.Update(ctx, made, metav1.UpdateOptions{}))
	must(maps.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"patched":"1"}}`), metav1.PatchOptions{}))
	must(maps.Apply(ctx, applycorev1.ConfigMap(name, namespace).WithData(map[string]string{"applied": "1"}), metav1.ApplyOptions{FieldManager: "me"}))
	list := must(maps.List(ctx, metav1.ListOptions{LabelSelector: "run=" + name}))
	fmt.Println("listed", len(list.Items), list.Items[0].Data, list.Items[0].BinaryData)
	check(maps.Delete(ctx, name, metav1.DeleteOptions{}))
	for range 5 {
		event := <-watcher.ResultChan()
		fmt.Println(event.Type, len(event.Object.(*corev1.ConfigMap).Data))
	}
	_, err := maps.Get(ctx, "nobody", metav1.GetOptions{})
	fmt.Println("error:", err)
}

func workloads(ctx context.Context, client kubernetes.Interface, name string) {
	deployments := client.AppsV1().Deployments(namespace)
	labels := map[string]string{"run": name}
	replicas := int32(2)
	made := must(deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
			},
		},
	}, metav1.CreateOptions{}))
	fmt.Println("deployment", *made.Spec.Replicas, made.Spec.Strategy.Type, made.Spec.Strategy.RollingUpdate.MaxSurge)
	scale := must(deployments.GetScale(ctx, name, metav1.GetOptions{}))
	scale.Spec.Replicas = 5
	fmt.Println("scale", must(deployments.UpdateScale(ctx, name, scale, metav1.UpdateOptions{})).Spec.Replicas)
	check(deployments.Delete(ctx, name, metav1.DeleteOptions{}))
}

func numbersAndTimes(ctx context.Context, client kubernetes.Interface, name string) {
	leases := client.CoordinationV1().Leases(namespace)
	seconds := int32(1<<31 - 1)
	when := metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC))
	made := must(leases.Create(ctx, &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       coordinationv1.LeaseSpec{LeaseDurationSeconds: &seconds, AcquireTime: &when},
	}, metav1.CreateOptions{}))
	fmt.Println("lease", *made.Spec.LeaseDurationSeconds, made.Spec.AcquireTime.Equal(&when))
	check(leases.Delete(ctx, name, metav1.DeleteOptions{}))
}

func informer(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactory(client, 0)
	maps := factory.Core().V1().ConfigMaps().Informer()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	fmt.Println("informer", len(maps.GetStore().List()) > 0)
}

func metadataAlone(ctx context.Context, config *rest.Config) {
	client := metadata.NewForConfigOrDie(config)
	list := must(client.Resource(corev1.SchemeGroupVersion.WithResource("namespaces")).List(ctx, metav1.ListOptions{}))
	for _, item := range list.Items {
		fmt.Println("metadata", item.Name)
	}
}
