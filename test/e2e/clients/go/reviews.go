package main

import (
	"slices"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// reviews asks who somebody is and what they may, before and after they are given a right.
func reviews(r *run) {
	config := rest.CopyConfig(r.config)
	config.Impersonate = rest.ImpersonationConfig{UserName: "alice", Groups: []string{"developers"}, Extra: map[string][]string{"scopes": {"some"}}}
	alice, err := kubernetes.NewForConfig(config)
	r.must(err, "client")
	self, err := alice.AuthenticationV1().SelfSubjectReviews().Create(r.ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	r.must(err, "self subject review")
	r.expect(self.Status.UserInfo.Username == "alice" && slices.Contains(self.Status.UserInfo.Groups, "developers") && self.Status.UserInfo.Extra["scopes"][0] == "some", "she is %v", self.Status.UserInfo)
	attributes := &authorizationv1.ResourceAttributes{Namespace: r.namespace, Verb: "list", Resource: "configmaps"}
	may := func() bool {
		own, err := alice.AuthorizationV1().SelfSubjectAccessReviews().Create(r.ctx, &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}, metav1.CreateOptions{})
		r.must(err, "self subject access review")
		of, err := r.client.AuthorizationV1().SubjectAccessReviews().Create(r.ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: "alice", ResourceAttributes: attributes}}, metav1.CreateOptions{})
		r.must(err, "subject access review")
		local, err := r.client.AuthorizationV1().LocalSubjectAccessReviews(r.namespace).Create(r.ctx,
			&authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: r.namespace}, Spec: authorizationv1.SubjectAccessReviewSpec{User: "alice", ResourceAttributes: attributes}}, metav1.CreateOptions{})
		r.must(err, "local subject access review")
		r.expect(own.Status.Allowed == of.Status.Allowed && of.Status.Allowed == local.Status.Allowed, "three reviews: %v %v %v", own.Status, of.Status, local.Status)
		return of.Status.Allowed
	}
	r.expect(!may(), "she may without a role")
	_, err = alice.CoreV1().ConfigMaps(r.namespace).List(r.ctx, metav1.ListOptions{})
	r.isError(err, apierrors.IsForbidden, "list without a role")

	rules := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"}}}
	_, err = r.client.RbacV1().Roles(r.namespace).Create(r.ctx, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "lister"}, Rules: rules}, metav1.CreateOptions{})
	r.must(err, "create a role")
	_, err = r.client.RbacV1().RoleBindings(r.namespace).Create(r.ctx, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "alice"},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "lister"}, Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "alice"}}}, metav1.CreateOptions{})
	r.must(err, "bind it")
	r.within(may, "she may")
	_, err = alice.CoreV1().ConfigMaps(r.namespace).List(r.ctx, metav1.ListOptions{})
	r.noError(err, "list with a role")
	found, err := alice.AuthorizationV1().SelfSubjectRulesReviews().Create(r.ctx, &authorizationv1.SelfSubjectRulesReview{Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: r.namespace}}, metav1.CreateOptions{})
	r.must(err, "rules review")
	r.expect(slices.ContainsFunc(found.Status.ResourceRules, func(rule authorizationv1.ResourceRule) bool { return slices.Contains(rule.Resources, "configmaps") }), "her rules: %v", found.Status)
}
