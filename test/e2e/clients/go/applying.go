package main

import (
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	networkingapply "k8s.io/client-go/applyconfigurations/networking/v1"
)

// applying uses the typed builders of apply, and takes its own part out of an object again.
func applying(r *run) {
	deployments := r.client.AppsV1().Deployments(r.namespace)
	labels := map[string]string{"app": "web"}
	mine := appsapply.Deployment("web", r.namespace).WithSpec(appsapply.DeploymentSpec().
		WithReplicas(3).WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
		WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().
			WithContainers(coreapply.Container().WithName("main").WithImage("registry.example/app:v1").
				WithPorts(coreapply.ContainerPort().WithContainerPort(80), coreapply.ContainerPort().WithContainerPort(81).WithProtocol(corev1.ProtocolTCP))))))
	first := metav1.ApplyOptions{FieldManager: "first"}
	made, err := deployments.Apply(r.ctx, mine, first)
	r.must(err, "apply a deployment")
	r.expect(*made.Spec.Replicas == 3 && made.Spec.Strategy.RollingUpdate.MaxSurge.String() == "25%", "applied %v", made.Spec)

	other := appsapply.Deployment("web", r.namespace).WithSpec(appsapply.DeploymentSpec().WithReplicas(5))
	_, err = deployments.Apply(r.ctx, other, metav1.ApplyOptions{FieldManager: "second"})
	r.isError(err, apierrors.IsConflict, "apply what another owns")
	if status, ok := err.(apierrors.APIStatus); r.expect(ok, "no status: %v", err) {
		causes := status.Status().Details.Causes
		r.expect(len(causes) == 1 && causes[0].Type == metav1.CauseTypeFieldManagerConflict && causes[0].Field == ".spec.replicas", "causes %v", causes)
	}
	_, err = deployments.Apply(r.ctx, other, metav1.ApplyOptions{FieldManager: "second", Force: true})
	r.noError(err, "apply by force")

	made, err = deployments.Get(r.ctx, "web", metav1.GetOptions{})
	r.must(err, "get it")
	extracted, err := appsapply.ExtractDeployment(made, "first")
	r.must(err, "extract the first's part")
	r.expect(extracted.Spec.Replicas == nil && len(extracted.Spec.Template.Spec.Containers[0].Ports) == 2, "extracted %v", extracted.Spec)
	extracted.Spec.Template.Spec.Containers[0].Ports = extracted.Spec.Template.Spec.Containers[0].Ports[:1]
	made, err = deployments.Apply(r.ctx, extracted, first)
	r.must(err, "apply less")
	r.expect(len(made.Spec.Template.Spec.Containers[0].Ports) == 1 && *made.Spec.Replicas == 5, "after less: %v", made.Spec)
	_, err = deployments.ApplyStatus(r.ctx, appsapply.Deployment("web", r.namespace).WithStatus(appsapply.DeploymentStatus().WithReplicas(1)), first)
	r.noError(err, "apply its status")

	service, err := r.client.CoreV1().Services(r.namespace).Apply(r.ctx, coreapply.Service("web", r.namespace).WithSpec(coreapply.ServiceSpec().WithSelector(labels).
		WithPorts(coreapply.ServicePort().WithName("http").WithPort(80).WithTargetPort(intstr.FromString("http")))), first)
	r.must(err, "apply a service")
	r.expect(service.Spec.ClusterIP != "" && service.Spec.Ports[0].TargetPort.StrVal == "http", "applied %v", service.Spec)
	ingress, err := r.client.NetworkingV1().Ingresses(r.namespace).Apply(r.ctx, networkingapply.Ingress("web", r.namespace).WithSpec(networkingapply.IngressSpec().
		WithRules(networkingapply.IngressRule().WithHost("a.example.com").WithHTTP(networkingapply.HTTPIngressRuleValue().WithPaths(
			networkingapply.HTTPIngressPath().WithPath("/").WithPathType(networkingv1.PathTypePrefix).WithBackend(networkingapply.IngressBackend().WithService(
				networkingapply.IngressServiceBackend().WithName("web").WithPort(networkingapply.ServiceBackendPort().WithNumber(80)))))))), first)
	r.must(err, "apply an ingress")
	r.expect(len(ingress.Spec.Rules) == 1, "applied %v", ingress.Spec)
	_, err = r.client.CoreV1().ConfigMaps(r.namespace).Apply(r.ctx, coreapply.ConfigMap("settings", r.namespace).WithData(map[string]string{"a": "1"}).WithBinaryData(map[string][]byte{"b": {0, 255}}), first)
	r.noError(err, "apply a config map")
	_, err = r.client.CoreV1().Namespaces().Apply(r.ctx, coreapply.Namespace(r.namespace).WithLabels(map[string]string{"a": "b"}), first)
	r.noError(err, "apply a namespace")
}
