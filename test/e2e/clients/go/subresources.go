package main

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	autoscalingapply "k8s.io/client-go/applyconfigurations/autoscaling/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
	"k8s.io/utils/ptr"
)

func (r *run) sample(version, kind string) sample {
	for _, sample := range r.samples {
		if sample.gvk == schema.FromAPIVersionAndKind(version, kind) {
			return sample
		}
	}
	panic("no sample of " + kind)
}

func subresources(r *run) {
	for _, part := range []func(*run){scaling, statuses, pods, tokens, approval, finalizing} {
		r.guard(func() { part(r) })
	}
}

func scaling(r *run) {
	deployments := r.client.AppsV1().Deployments(r.namespace)
	made, err := deployments.Create(r.ctx, r.sample("apps/v1", "Deployment").object(r, 0).(*appsv1.Deployment), metav1.CreateOptions{})
	r.must(err, "create a deployment")
	now, err := deployments.GetScale(r.ctx, made.Name, metav1.GetOptions{})
	r.must(err, "get its scale")
	r.expect(now.Spec.Replicas == 2 && now.Status.Selector == "app=web" && now.UID == made.UID, "scale %v", now)
	now.Spec.Replicas = 4
	now, err = deployments.UpdateScale(r.ctx, made.Name, now, metav1.UpdateOptions{})
	r.must(err, "update its scale")
	r.expect(now.Spec.Replicas == 4, "scale %v", now)
	_, err = deployments.ApplyScale(r.ctx, made.Name, autoscalingapply.Scale().WithSpec(autoscalingapply.ScaleSpec().WithReplicas(5)), metav1.ApplyOptions{FieldManager: "scaler"})
	r.isError(err, apierrors.IsConflict, "apply its scale")
	now, err = deployments.ApplyScale(r.ctx, made.Name, autoscalingapply.Scale().WithSpec(autoscalingapply.ScaleSpec().WithReplicas(5)), metav1.ApplyOptions{FieldManager: "scaler", Force: true})
	r.must(err, "apply its scale by force")
	r.expect(now.Spec.Replicas == 5, "scale %v", now)

	// The scale client of the autoscaler finds the scales of all kinds by discovery.
	cached := memory.NewMemCacheClient(r.client.Discovery())
	scales, err := scale.NewForConfig(r.config, restmapper.NewDeferredDiscoveryRESTMapper(cached), dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(cached))
	r.must(err, "scale client")
	for _, kind := range []struct{ version, kind, resource string }{
		{"v1", "ReplicationController", "replicationcontrollers"}, {"apps/v1", "ReplicaSet", "replicasets"}, {"apps/v1", "StatefulSet", "statefulsets"}, {"apps/v1", "Deployment", "deployments"},
	} {
		sample := r.sample(kind.version, kind.kind)
		clients, err := generatedClients(r.config, r.namespace)
		r.must(err, "clients")
		object := sample.object(r, 1)
		_, err = clients[sample.gvk].create(r.ctx, object)
		r.must(err, "create %s", kind.kind)
		resource := sample.gvk.GroupVersion().WithResource(kind.resource)
		found, err := scales.Scales(r.namespace).Get(r.ctx, resource.GroupResource(), accessor(object).GetName(), metav1.GetOptions{})
		r.must(err, "scale of %s", kind.kind)
		found.Spec.Replicas = 0
		found, err = scales.Scales(r.namespace).Update(r.ctx, resource.GroupResource(), found, metav1.UpdateOptions{})
		r.must(err, "update the scale of %s", kind.kind)
		found, err = scales.Scales(r.namespace).Patch(r.ctx, resource, found.Name, types.MergePatchType, []byte(`{"spec":{"replicas":0}}`), metav1.PatchOptions{})
		r.must(err, "patch the scale of %s", kind.kind)
		r.expect(found.Spec.Replicas == 0, "%s: scale %v", kind.kind, found)
	}
}

func statuses(r *run) {
	deployments := r.client.AppsV1().Deployments(r.namespace)
	made, err := deployments.Create(r.ctx, r.sample("apps/v1", "Deployment").object(r, 2).(*appsv1.Deployment), metav1.CreateOptions{})
	r.must(err, "create a deployment")
	made.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 2, ReadyReplicas: 1, Conditions: []appsv1.DeploymentCondition{
		{Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue, Reason: "Enough", LastUpdateTime: metav1.NewTime(time.Unix(1700000000, 0)), LastTransitionTime: metav1.NewTime(time.Unix(1700000000, 0))}}}
	made.Spec.Replicas = ptr.To[int32](9)
	got, err := deployments.UpdateStatus(r.ctx, made, metav1.UpdateOptions{})
	r.must(err, "update its status")
	r.expect(*got.Spec.Replicas == 2 && got.Status.ReadyReplicas == 1 && len(got.Status.Conditions) == 1 && got.Generation == 1, "status %v", got.Status)
	got, err = deployments.Patch(r.ctx, made.Name, types.StrategicMergePatchType, []byte(`{"status":{"conditions":[{"type":"Progressing","status":"False"}]}}`), metav1.PatchOptions{}, "status")
	r.must(err, "patch its status")
	r.expect(len(got.Status.Conditions) == 2, "status %v", got.Status)
}

func pods(r *run) {
	pods := r.client.CoreV1().Pods(r.namespace)
	sample := r.sample("v1", "Pod").object(r, 0).(*corev1.Pod)
	sample.Spec.TerminationGracePeriodSeconds = nil
	pod, err := pods.Create(r.ctx, sample, metav1.CreateOptions{})
	r.must(err, "create a pod")
	r.must(pods.Bind(r.ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: "some"}}, metav1.CreateOptions{}), "bind it")
	pod, err = pods.Get(r.ctx, pod.Name, metav1.GetOptions{})
	r.must(err, "get it")
	r.expect(pod.Spec.NodeName == "some", "bound to %q", pod.Spec.NodeName)
	selected, err := pods.List(r.ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=some,status.phase=Pending"})
	r.must(err, "list by fields")
	r.expect(len(selected.Items) == 1, "%d pods by fields", len(selected.Items))

	pod.Spec.EphemeralContainers = append(pod.Spec.EphemeralContainers, corev1.EphemeralContainer{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debug", Image: "registry.example/debug:v1"}})
	pod, err = pods.UpdateEphemeralContainers(r.ctx, pod.Name, pod, metav1.UpdateOptions{})
	r.must(err, "add an ephemeral container")
	r.expect(len(pod.Spec.EphemeralContainers) == 1, "%d ephemeral containers", len(pod.Spec.EphemeralContainers))

	pod.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("300m")
	pod, err = pods.UpdateResize(r.ctx, pod.Name, pod, metav1.UpdateOptions{})
	r.must(err, "resize it")
	r.expect(pod.Spec.Containers[0].Resources.Requests.Cpu().String() == "300m", "resized to %s", pod.Spec.Containers[0].Resources.Requests.Cpu())

	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	pod, err = pods.UpdateStatus(r.ctx, pod, metav1.UpdateOptions{})
	r.must(err, "set it running")
	budgets := r.client.PolicyV1().PodDisruptionBudgets(r.namespace)
	budget, err := budgets.Create(r.ctx, r.sample("policy/v1", "PodDisruptionBudget").object(r, 0).(*policyv1.PodDisruptionBudget), metav1.CreateOptions{})
	r.must(err, "create a budget")
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, ExpectedPods: 2, CurrentHealthy: 1, DesiredHealthy: 1}
	budget, err = budgets.UpdateStatus(r.ctx, budget, metav1.UpdateOptions{})
	r.must(err, "set the budget's status")
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name}}
	err = pods.EvictV1(r.ctx, eviction)
	r.isError(err, apierrors.IsTooManyRequests, "evict against the budget")
	r.expect(apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause), "evict against the budget: no cause in %v", err)
	budget.Status.DisruptionsAllowed = 1
	_, err = budgets.UpdateStatus(r.ctx, budget, metav1.UpdateOptions{})
	r.must(err, "allow a disruption")
	r.must(pods.EvictV1(r.ctx, eviction), "evict")
	pod, err = pods.Get(r.ctx, pod.Name, metav1.GetOptions{})
	r.must(err, "get the evicted pod")
	r.expect(pod.DeletionTimestamp != nil && *pod.DeletionGracePeriodSeconds == 30, "evicted: %v", pod.DeletionTimestamp)
	r.must(pods.Delete(r.ctx, pod.Name, *metav1.NewDeleteOptions(0)), "delete it at once")
	_, err = pods.GetLogs("none", &corev1.PodLogOptions{}).DoRaw(r.ctx)
	r.isError(err, apierrors.IsNotFound, "logs of no pod")
}

func tokens(r *run) {
	accounts := r.client.CoreV1().ServiceAccounts(r.namespace)
	r.within(func() bool { _, err := accounts.Get(r.ctx, "default", metav1.GetOptions{}); return err == nil }, "the default service account")
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](900)}}
	token, err := accounts.CreateToken(r.ctx, "default", request, metav1.CreateOptions{})
	r.must(err, "create a token")
	left := time.Until(token.Status.ExpirationTimestamp.Time)
	r.expect(left > 14*time.Minute && left < 16*time.Minute, "it lives for %s", left)
	config := rest.AnonymousClientConfig(r.config)
	config.BearerToken = token.Status.Token
	bearer, err := kubernetes.NewForConfig(config)
	r.must(err, "client with the token")
	self, err := bearer.AuthenticationV1().SelfSubjectReviews().Create(r.ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	r.must(err, "ask who it is")
	r.expect(self.Status.UserInfo.Username == "system:serviceaccount:"+r.namespace+":default", "it is %q", self.Status.UserInfo.Username)
	_, err = bearer.CoreV1().Secrets(r.namespace).List(r.ctx, metav1.ListOptions{})
	r.isError(err, apierrors.IsForbidden, "list secrets with the token")
	review, err := r.client.AuthenticationV1().TokenReviews().Create(r.ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
	r.must(err, "review the token")
	r.expect(review.Status.Authenticated && review.Status.User.Username == self.Status.UserInfo.Username, "reviewed %v", review.Status)
}

func approval(r *run) {
	requests := r.client.CertificatesV1().CertificateSigningRequests()
	request, err := requests.Create(r.ctx, r.sample("certificates.k8s.io/v1", "CertificateSigningRequest").object(r, 0).(*certificatesv1.CertificateSigningRequest), metav1.CreateOptions{})
	r.must(err, "create a signing request")
	defer func() { r.noError(requests.Delete(r.ctx, request.Name, metav1.DeleteOptions{}), "delete it") }()
	request.Status.Conditions = []certificatesv1.CertificateSigningRequestCondition{{Type: certificatesv1.CertificateApproved, Status: corev1.ConditionTrue, Reason: "Fine", Message: "by clients"}}
	request, err = requests.UpdateApproval(r.ctx, request.Name, request, metav1.UpdateOptions{})
	r.must(err, "approve it")
	r.expect(len(request.Status.Conditions) == 1 && !request.Status.Conditions[0].LastUpdateTime.IsZero(), "approved: %v", request.Status.Conditions)
	request.Status.Certificate = []byte("no certificate")
	_, err = requests.UpdateStatus(r.ctx, request, metav1.UpdateOptions{})
	r.isError(err, apierrors.IsInvalid, "issue what is no certificate")
}

func finalizing(r *run) {
	namespaces := r.client.CoreV1().Namespaces()
	name := r.name + "-held"
	namespace, err := namespaces.Create(r.ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{"example.com/hold"}}}, metav1.CreateOptions{})
	r.must(err, "create a namespace")
	r.must(namespaces.Delete(r.ctx, name, metav1.DeleteOptions{}), "delete it")
	r.within(func() bool {
		namespace, err = namespaces.Get(r.ctx, name, metav1.GetOptions{})
		return err == nil && namespace.Status.Phase == corev1.NamespaceTerminating && len(namespace.Spec.Finalizers) == 1
	}, "held by its own finalizer")
	namespace.Spec.Finalizers = nil
	_, err = namespaces.Finalize(r.ctx, namespace, metav1.UpdateOptions{})
	r.must(err, "finalize it")
	r.within(func() bool {
		_, err = namespaces.Get(r.ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}, "gone")
}
