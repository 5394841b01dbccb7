/**
 * Cluster roles of controllers, without the prefix `system:controller:`; those for volumes and devices are in
 * `storage-controller-roles.ts`. Each is bound to the service account of that name in kube-system. `read-policy.ts`
 * explains the notation.
 */
export const CONTROLLER_ROLES = `
certificate-controller
  delete,get,list,watch certificates.k8s.io certificatesigningrequests
  update certificates.k8s.io certificatesigningrequests/approval,certificatesigningrequests/status
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
  sign certificates.k8s.io signers kubernetes.io/kube-apiserver-client,kubernetes.io/kube-apiserver-client-kubelet,kubernetes.io/kubelet-serving,kubernetes.io/legacy-unknown
  create authorization.k8s.io subjectaccessreviews
  create,patch,update core,events.k8s.io events
clusterrole-aggregation-controller
  escalate,get,list,patch,update,watch rbac.authorization.k8s.io clusterroles
cronjob-controller
  get,list,update,watch batch cronjobs
  create,delete,get,list,patch,update,watch batch jobs
  update batch cronjobs/status
  update batch cronjobs/finalizers
  delete,list core pods until(1.32)
  delete,list,watch core pods since(1.32)
  create,patch,update core,events.k8s.io events
daemon-set-controller
  get,list,watch apps,extensions daemonsets
  update apps,extensions daemonsets/status
  update apps,extensions daemonsets/finalizers
  list,watch core nodes
  create,delete,list,patch,watch core pods
  create core pods/binding
  create,delete,get,list,patch,update,watch apps controllerrevisions
  create,patch,update core,events.k8s.io events
deployment-controller
  get,list,update,watch apps,extensions deployments
  update apps,extensions deployments/status
  update apps,extensions deployments/finalizers
  create,delete,get,list,patch,update,watch apps,extensions replicasets
  get,list,update,watch core pods
  create,patch,update core,events.k8s.io events
disruption-controller
  get,list,watch apps,extensions deployments
  get,list,watch apps,extensions replicasets
  get,list,watch core replicationcontrollers
  get,list,watch policy poddisruptionbudgets
  get,list,watch apps statefulsets
  update policy poddisruptionbudgets/status
  patch,update core pods/status since(1.27) gate(PodDisruptionConditions)
  get * */scale
  create,patch,update core,events.k8s.io events
  patch core pods/status since(1.26) until(1.27) gate(PodDisruptionConditions)
endpoint-controller
  get,list,watch core pods,services
  create,delete,get,list,update core endpoints until(1.32)
  create,delete,get,list,update,watch core endpoints since(1.32)
  create core endpoints/restricted
  create,patch,update core,events.k8s.io events
endpointslice-controller
  get,list,watch core nodes,pods,services
  update core services/finalizers
  create,delete,get,list,update discovery.k8s.io endpointslices until(1.32)
  create,delete,get,list,update,watch discovery.k8s.io endpointslices since(1.32)
  create,patch,update core,events.k8s.io events
endpointslicemirroring-controller
  get,list,watch core endpoints,services
  update core services/finalizers
  update core endpoints/finalizers
  create,delete,get,list,update discovery.k8s.io endpointslices until(1.32)
  create,delete,get,list,update,watch discovery.k8s.io endpointslices since(1.32)
  create,patch,update core,events.k8s.io events
generic-garbage-collector
  delete,get,list,patch,update,watch * *
  create,patch,update core,events.k8s.io events
horizontal-pod-autoscaler
  get,list,watch autoscaling horizontalpodautoscalers
  update autoscaling horizontalpodautoscalers/status
  get,update * */scale
  list core pods until(1.32)
  get core services/proxy http:heapster:,https:heapster: until(1.27)
  list metrics.k8s.io pods until(1.32)
  get,list custom.metrics.k8s.io * until(1.32)
  get,list external.metrics.k8s.io * until(1.32)
  list,watch core pods since(1.32)
  list,watch metrics.k8s.io pods since(1.32)
  get,list,watch custom.metrics.k8s.io * since(1.32)
  get,list,watch external.metrics.k8s.io * since(1.32)
  create,patch,update core,events.k8s.io events
job-controller
  get,list,patch,update,watch batch jobs
  update batch jobs/status
  update batch jobs/finalizers
  create,delete,list,patch,watch core pods
  create,patch,update core,events.k8s.io events
  create,get,list,watch scheduling.k8s.io podgroups,workloads until(1.37) gate(WorkloadWithJob)
  create,get,list,patch,update,watch scheduling.k8s.io podgroups,workloads since(1.37) gate(WorkloadWithJob)
kube-apiserver-serving-clustertrustbundle-publisher since(1.32) gate(ClusterTrustBundle)
  attest certificates.k8s.io signers kubernetes.io/kube-apiserver-serving
  create,delete,list,update,watch certificates.k8s.io clustertrustbundles
  create,patch,update core,events.k8s.io events
legacy-service-account-token-cleaner gate(LegacyServiceAccountTokenCleanUp)
  get core configmaps kube-apiserver-legacy-service-account-token-tracking
  delete core secrets until(1.29)
  delete,patch core secrets since(1.29)
namespace-controller
  delete,get,list,watch core namespaces
  update core namespaces/finalize,namespaces/status
  delete,deletecollection,get,list * * until(1.32)
  delete,deletecollection,get,list,watch * * since(1.32)
node-controller
  delete,get,list,patch,update core nodes until(1.32)
  delete,get,list,patch,update,watch core nodes since(1.32)
  patch,update core nodes/status
  update core pods/status until(1.26)
  patch,update core pods/status since(1.26)
  delete,list core pods until(1.31)
  create,get,list,update networking.k8s.io clustercidrs since(1.25) until(1.30)
  delete,get,list core pods since(1.31) until(1.32)
  delete,get,list,watch core pods since(1.32)
  get,list,watch coordination.k8s.io leases gate(NodeControllerLeaseCircuitBreaker)
  create,patch,update core,events.k8s.io events
  patch core pods/status until(1.26) gate(PodDisruptionConditions)
  get core pods since(1.26) until(1.31) gate(PodDisruptionConditions)
pod-garbage-collector
  delete,list,watch core pods
  get,list core nodes until(1.32)
  get,list,watch core nodes since(1.32)
  patch core pods/status gate(PodDisruptionConditions)
podcertificaterequestcleaner gate(PodCertificateRequest)
  delete,get,list,watch certificates.k8s.io podcertificaterequests
podgroup-protection-controller gate(GenericWorkload)
  get,list,update,watch scheduling.k8s.io podgroups
  get,list,watch core pods
replicaset-controller
  get,list,update,watch apps,extensions replicasets
  update apps,extensions replicasets/status
  update apps,extensions replicasets/finalizers
  create,delete,list,patch,watch core pods
  create,patch,update core,events.k8s.io events
replication-controller
  get,list,update,watch core replicationcontrollers
  update core replicationcontrollers/status
  update core replicationcontrollers/finalizers
  create,delete,list,patch,watch core pods
  create,patch,update core,events.k8s.io events
resourcequota-controller
  list,watch * *
  update core resourcequotas/status
  create,patch,update core,events.k8s.io events
root-ca-cert-publisher
  create,update core configmaps
  create,patch,update core,events.k8s.io events
route-controller
  list,watch core nodes
  patch core nodes/status
  create,patch,update core,events.k8s.io events
service-account-controller
  create core serviceaccounts
  create,patch,update core,events.k8s.io events
service-cidrs-controller since(1.29) gate(MultiCIDRServiceAllocator)
  get,list,patch,update,watch networking.k8s.io servicecidrs
  patch,update networking.k8s.io servicecidrs/finalizers
  patch,update networking.k8s.io servicecidrs/status
  get,list,watch networking.k8s.io ipaddresses
  create,patch,update core,events.k8s.io events
service-controller
  get,list,watch core services
  patch,update core services/status
  list,watch core nodes
  create,patch,update core,events.k8s.io events
statefulset-controller
  list,watch core pods
  get,list,watch apps statefulsets
  update apps statefulsets/status
  update apps statefulsets/finalizers
  create,delete,get,patch,update core pods
  create,delete,get,list,patch,update,watch apps controllerrevisions
  create,get core persistentvolumeclaims until(1.28)
  create,get,list,watch core persistentvolumeclaims since(1.28)
  create,patch,update core,events.k8s.io events
  update core persistentvolumeclaims until(1.27) gate(StatefulSetAutoDeletePVC)
  delete,update core persistentvolumeclaims since(1.27) gate(StatefulSetAutoDeletePVC)
  update core pods/finalizers since(1.28) gate(StatefulSetAutoDeletePVC)
storage-version-garbage-collector gate(APIServerIdentity) gate(StorageVersionAPI)
  get,list,watch coordination.k8s.io leases
  delete,get,list,patch,update,watch internal.apiserver.k8s.io storageversions
  get,patch,update internal.apiserver.k8s.io storageversions/status
storage-version-migrator-controller gate(StorageVersionMigrator)
  list,patch * * until(1.31)
  create,list,patch * * since(1.31) until(1.32)
  create,list,patch * * since(1.35) until(1.37)
  list,patch * * since(1.37)
  get apiextensions.k8s.io customresourcedefinitions since(1.36)
  patch apiextensions.k8s.io customresourcedefinitions/status since(1.36)
  create,list,patch,watch * * since(1.32) until(1.35)
  update storagemigration.k8s.io storageversionmigrations/status
ttl-after-finished-controller
  delete,get,list,watch batch jobs
  create,patch,update core,events.k8s.io events
ttl-controller
  list,patch,update,watch core nodes
  create,patch,update core,events.k8s.io events
validatingadmissionpolicy-status-controller since(1.28) gate(ValidatingAdmissionPolicy)
  get,list,watch admissionregistration.k8s.io validatingadmissionpolicies
  get,patch,update admissionregistration.k8s.io validatingadmissionpolicies/status
  create,patch,update core,events.k8s.io events
`
