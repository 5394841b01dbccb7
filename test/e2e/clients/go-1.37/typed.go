package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	certificatesapply "k8s.io/client-go/applyconfigurations/certificates/v1"
	lifecycleapply "k8s.io/client-go/applyconfigurations/lifecycle/v1alpha1"
	resourceapply "k8s.io/client-go/applyconfigurations/resource/v1"
	alpha3apply "k8s.io/client-go/applyconfigurations/scheduling/v1alpha3"
	beta1apply "k8s.io/client-go/applyconfigurations/scheduling/v1beta1"
	storageapply "k8s.io/client-go/applyconfigurations/storage/v1"
	migrationapply "k8s.io/client-go/applyconfigurations/storagemigration/v1"
)

var applied = map[string]string{"applied": "yes"}

const uid = "0f8fad5b-d9cb-469f-a165-70867728950e"

// certificate returns a certificate authority in PEM, and a request for a certificate, with one key.
func certificate() (authority string, request []byte) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	exitOn(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	exitOn(err)
	request, err = x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{}, key)
	exitOn(err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), request
}

// typed uses generated clients and apply configurations of every kind and version that 1.37 added.
func typed(r *run) {
	certificates(r)
	life(r, "DeviceTaintRule", r.client.ResourceV1().DeviceTaintRules(),
		&resourcev1.DeviceTaintRule{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: resourcev1.DeviceTaintRuleSpec{
			DeviceSelector: &resourcev1.DeviceTaintSelector{Driver: new("d.io")}, Taint: resourcev1.DeviceTaint{Key: "a", Effect: resourcev1.DeviceTaintEffectNoSchedule}}},
		resourceapply.DeviceTaintRule(name).WithLabels(applied).WithSpec(resourceapply.DeviceTaintRuleSpec().WithTaint(resourceapply.DeviceTaint().WithValue("v"))),
		func(of *resourcev1.DeviceTaintRule) {
			of.Status.Conditions = []metav1.Condition{condition("EvictionInProgress")}
		})
	life(r, "StorageVersionMigration", r.client.StoragemigrationV1().StorageVersionMigrations(),
		&storagemigrationv1.StorageVersionMigration{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: storagemigrationv1.StorageVersionMigrationSpec{
			Resource: metav1.GroupResource{Group: "apps", Resource: "deployments"}}},
		migrationapply.StorageVersionMigration(name).WithLabels(applied),
		func(of *storagemigrationv1.StorageVersionMigration) {
			of.Status.Conditions = []metav1.Condition{condition("Running")}
			of.Status.ResourceVersion = "1"
		})
	scheduling(r)
	evictions(r)
	life(r, "CSINode", r.client.StorageV1().CSINodes(), &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: name}},
		storageapply.CSINode(name).WithLabels(applied).WithSpec(storageapply.CSINodeSpec()),
		func(of *storagev1.CSINode) {
			of.Status.StorageHealth = []storagev1.StorageHealth{{Name: "d.io"}}
		})
}

func certificates(r *run) {
	authority, request := certificate()
	life(r, "ClusterTrustBundle", r.client.CertificatesV1().ClusterTrustBundles(),
		&certificatesv1.ClusterTrustBundle{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: certificatesv1.ClusterTrustBundleSpec{TrustBundle: authority}},
		certificatesapply.ClusterTrustBundle(name).WithLabels(applied), nil)
	life(r, "PodCertificateRequest", r.client.CertificatesV1().PodCertificateRequests(r.namespace),
		&certificatesv1.PodCertificateRequest{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: r.namespace}, Spec: certificatesv1.PodCertificateRequestSpec{
			SignerName: "d.io/signer", PodName: "p", PodUID: uid, ServiceAccountName: "default", ServiceAccountUID: uid, NodeName: "n", NodeUID: uid,
			StubPKCS10Request: request}},
		certificatesapply.PodCertificateRequest(name, r.namespace).WithLabels(applied),
		func(of *certificatesv1.PodCertificateRequest) {
			of.Status.Conditions = []metav1.Condition{condition(certificatesv1.PodCertificateRequestConditionTypeDenied)}
		})
}

func scheduling(r *run) {
	basic := schedulingv1beta1.PodGroupSchedulingPolicy{Gang: &schedulingv1beta1.GangSchedulingPolicy{MinCount: 2}}
	life(r, "Workload v1beta1", r.client.SchedulingV1beta1().Workloads(r.namespace),
		&schedulingv1beta1.Workload{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: schedulingv1beta1.WorkloadSpec{
			PodGroupTemplates: []schedulingv1beta1.PodGroupTemplate{{Name: "t", SchedulingPolicy: basic}}}},
		beta1apply.Workload(name, r.namespace).WithLabels(applied), nil)
	life(r, "PodGroup v1beta1", r.client.SchedulingV1beta1().PodGroups(r.namespace),
		&schedulingv1beta1.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: basic,
			DisruptionMode: &schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}}},
		beta1apply.PodGroup(name, r.namespace).WithLabels(applied).WithSpec(beta1apply.PodGroupSpec().WithSchedulingPolicy(
			beta1apply.PodGroupSchedulingPolicy().WithGang(beta1apply.GangSchedulingPolicy().WithMinCount(3)))),
		func(of *schedulingv1beta1.PodGroup) {
			of.Status.Conditions = []metav1.Condition{condition("PodGroupInitiallyScheduled")}
		})
	gang := schedulingv1alpha3.PodGroupSchedulingPolicy{Gang: &schedulingv1alpha3.GangSchedulingPolicy{MinCount: 2}}
	life(r, "Workload v1alpha3", r.client.SchedulingV1alpha3().Workloads(r.namespace),
		&schedulingv1alpha3.Workload{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: schedulingv1alpha3.WorkloadSpec{
			PodGroupTemplates: []schedulingv1alpha3.PodGroupTemplate{{Name: "t", SchedulingPolicy: gang}}}},
		alpha3apply.Workload(name, r.namespace).WithLabels(applied), nil)
	life(r, "PodGroup v1alpha3", r.client.SchedulingV1alpha3().PodGroups(r.namespace),
		&schedulingv1alpha3.PodGroup{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: schedulingv1alpha3.PodGroupSpec{SchedulingPolicy: gang}},
		alpha3apply.PodGroup(name, r.namespace).WithLabels(applied),
		func(of *schedulingv1alpha3.PodGroup) {
			of.Status.Conditions = []metav1.Condition{condition("PodGroupInitiallyScheduled")}
		})
	life(r, "CompositePodGroup", r.client.SchedulingV1alpha3().CompositePodGroups(r.namespace),
		&schedulingv1alpha3.CompositePodGroup{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: schedulingv1alpha3.CompositePodGroupSpec{
			WorkloadRef:      &schedulingv1alpha3.WorkloadReference{WorkloadName: "w", TemplateName: "t"},
			SchedulingPolicy: schedulingv1alpha3.CompositePodGroupSchedulingPolicy{Gang: &schedulingv1alpha3.CompositeGangSchedulingPolicy{MinGroupCount: 2}}}},
		alpha3apply.CompositePodGroup(name, r.namespace).WithLabels(applied),
		func(of *schedulingv1alpha3.CompositePodGroup) {
			of.Status.Conditions = []metav1.Condition{condition("CompositePodGroupInitiallyScheduled")}
		})
}

func evictions(r *run) {
	life(r, "EvictionRequest", r.client.LifecycleV1alpha1().EvictionRequests(r.namespace),
		&lifecyclev1alpha1.EvictionRequest{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: lifecyclev1alpha1.EvictionRequestSpec{
			Target: lifecyclev1alpha1.EvictionRequestTarget{Pod: &lifecyclev1alpha1.EvictionRequestPodReference{Name: "p", UID: uid}}, Requester: "example.com/a", Intent: "Eviction"}},
		lifecycleapply.EvictionRequest(name, r.namespace).WithLabels(applied),
		func(of *lifecyclev1alpha1.EvictionRequest) {
			of.Status.Conditions = []metav1.Condition{condition("TargetEvicted")}
			of.Status.ObservedGeneration = new(int64(1))
		})
	life(r, "Eviction", r.client.LifecycleV1alpha1().Evictions(r.namespace),
		&lifecyclev1alpha1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: lifecyclev1alpha1.EvictionSpec{
			Target: lifecyclev1alpha1.EvictionTarget{Pod: &lifecyclev1alpha1.EvictionPodReference{Name: "p", UID: uid}}}},
		lifecycleapply.Eviction(name, r.namespace).WithLabels(applied),
		func(of *lifecyclev1alpha1.Eviction) {
			of.Status.Conditions = []metav1.Condition{condition("TargetEvicted")}
			of.Status.ObservedGeneration = new(int64(1))
		})
}
