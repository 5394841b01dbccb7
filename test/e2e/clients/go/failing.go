package main

import (
	"errors"
	"net/http"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// failing meets each kind of error, as a client tells them apart.
func failing(r *run) {
	maps := r.client.CoreV1().ConfigMaps(r.namespace)
	_, err := maps.Get(r.ctx, "none", metav1.GetOptions{})
	r.isError(err, apierrors.IsNotFound, "get what is not there")
	r.expect(err.Error() == `configmaps "none" not found`, "not found: %v", err)
	_, err = maps.Create(r.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Bad Name"}, Data: map[string]string{"bad key": ""}}, metav1.CreateOptions{})
	r.isError(err, apierrors.IsInvalid, "an invalid name")
	if status, ok := err.(apierrors.APIStatus); r.expect(ok, "no status: %v", err) {
		details := status.Status().Details
		r.expect(status.Status().Code == http.StatusUnprocessableEntity && details.Kind == "ConfigMap" && len(details.Causes) == 2 &&
			details.Causes[0].Field == "metadata.name" && details.Causes[0].Type == metav1.CauseTypeFieldValueInvalid, "details %v", details)
	}
	_, err = maps.Update(r.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "none"}}, metav1.UpdateOptions{})
	r.isError(err, apierrors.IsNotFound, "update what is not there")
	_, err = maps.List(r.ctx, metav1.ListOptions{LabelSelector: "a in ("})
	r.isError(err, apierrors.IsBadRequest, "a broken selector")
	_, err = maps.List(r.ctx, metav1.ListOptions{Continue: "nonsense", Limit: 1})
	r.isError(err, apierrors.IsBadRequest, "a broken continue token")
	_, err = maps.Patch(r.ctx, "none", types.MergePatchType, []byte(`{}`), metav1.PatchOptions{})
	r.isError(err, apierrors.IsNotFound, "patch what is not there")
	err = r.client.CoreV1().RESTClient().Get().Namespace(r.namespace).Resource("configmaps").Param("resourceVersion", "99999999").MaxRetries(0).Do(r.ctx).Error()
	r.isError(err, apierrors.IsTimeout, "list at a version to come")
	_, err = r.client.CoreV1().ConfigMaps("nowhere").Create(r.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
	r.isError(err, apierrors.IsNotFound, "create in no namespace")
	err = r.client.CoreV1().RESTClient().Get().AbsPath("/apis/example.com/v1/widgets").Do(r.ctx).Error()
	r.isError(err, apierrors.IsNotFound, "a group that is not there")
	err = r.client.CoreV1().RESTClient().Post().AbsPath("/api/v1/namespaces/" + r.namespace + "/configmaps/a").Body([]byte(`{}`)).Do(r.ctx).Error()
	r.isError(err, apierrors.IsMethodNotSupported, "a verb that is not there")

	immutable, err := maps.Create(r.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "a-"}, Immutable: ptr.To(true)}, metav1.CreateOptions{})
	r.must(err, "create with a generated name")
	r.expect(strings.HasPrefix(immutable.Name, "a-") && len(immutable.Name) == 7, "generated %q", immutable.Name)
	immutable.Data = map[string]string{"a": "b"}
	_, err = maps.Update(r.ctx, immutable, metav1.UpdateOptions{})
	r.isError(err, apierrors.IsInvalid, "change what is immutable")
	dry, err := maps.Create(r.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	r.must(err, "create for show")
	_, err = maps.Get(r.ctx, dry.Name, metav1.GetOptions{})
	r.isError(err, apierrors.IsNotFound, "what was made for show")
	gone, err := maps.Watch(r.ctx, metav1.ListOptions{ResourceVersion: "not a version"})
	if err == nil {
		gone.Stop()
	}
	r.expect(err != nil, "a watch from no version")

	config := rest.CopyConfig(r.config)
	warnings := &heard{}
	config.WarningHandler = warnings
	warned, err := kubernetes.NewForConfig(config)
	r.must(err, "client")
	_, err = warned.CoreV1().Endpoints(r.namespace).List(r.ctx, metav1.ListOptions{})
	r.must(err, "list endpoints")
	r.expect(len(warnings.texts) == 1 && strings.Contains(warnings.texts[0], "deprecated"), "warnings %q", warnings.texts)
	broken := r.sample("apps/v1", "Deployment").object(r, 0).(*appsv1.Deployment)
	broken.Spec.Selector.MatchLabels["app"] = "other"
	_, err = r.client.AppsV1().Deployments(r.namespace).Create(r.ctx, broken, metav1.CreateOptions{})
	r.isError(err, apierrors.IsInvalid, "a selector that matches nothing")
	var unexpected *apierrors.UnexpectedObjectError
	r.expect(!errors.As(err, &unexpected), "an unexpected object: %v", err)

	anonymous, err := kubernetes.NewForConfig(rest.AnonymousClientConfig(r.config))
	r.must(err, "client")
	_, err = anonymous.CoreV1().Nodes().List(r.ctx, metav1.ListOptions{})
	r.isError(err, apierrors.IsForbidden, "nobody lists nodes")
	config = rest.AnonymousClientConfig(r.config)
	config.BearerToken = "nonsense"
	stranger, err := kubernetes.NewForConfig(config)
	r.must(err, "client")
	_, err = stranger.CoreV1().Nodes().List(r.ctx, metav1.ListOptions{})
	r.isError(err, apierrors.IsUnauthorized, "a stranger lists nodes")
}

type heard struct{ texts []string }

func (h *heard) HandleWarningHeader(code int, agent, text string) { h.texts = append(h.texts, text) }
