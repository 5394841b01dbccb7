/** Default cluster roles for users and for components of the control plane. `read-policy.ts` explains the notation. */
export const CLUSTER_ROLES = `
admin <aggregate-to-admin
cluster-admin
  * * *
  * *
edit <aggregate-to-edit +aggregate-to-admin
system:aggregate-to-admin +aggregate-to-admin
  create authorization.k8s.io localsubjectaccessreviews
  create,delete,deletecollection,get,list,patch,update,watch rbac.authorization.k8s.io rolebindings,roles
system:aggregate-to-edit +aggregate-to-edit
  get,list,watch core pods/attach,pods/exec,pods/portforward,pods/proxy,secrets,services/proxy
  impersonate core serviceaccounts
  create,delete,deletecollection,patch,update core pods,pods/attach,pods/exec,pods/portforward,pods/proxy
  create core pods/eviction
  create,delete,deletecollection,patch,update core configmaps,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy since(1.35)
  create,delete,deletecollection,patch,update core configmaps,events,persistentvolumeclaims,replicationcontrollers,replicationcontrollers/scale,secrets,serviceaccounts,services,services/proxy until(1.35)
  create core serviceaccounts/token
  create,delete,deletecollection,patch,update core,events.k8s.io events since(1.35)
  create,delete,deletecollection,patch,update apps daemonsets,deployments,deployments/rollback,deployments/scale,replicasets,replicasets/scale,statefulsets,statefulsets/scale
  create,delete,deletecollection,patch,update autoscaling horizontalpodautoscalers
  create,delete,deletecollection,patch,update batch cronjobs,jobs
  create,delete,deletecollection,patch,update extensions daemonsets,deployments,deployments/rollback,deployments/scale,ingresses,networkpolicies,replicasets,replicasets/scale,replicationcontrollers/scale
  create,delete,deletecollection,patch,update policy poddisruptionbudgets
  create,delete,deletecollection,patch,update networking.k8s.io ingresses,networkpolicies
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leases since(1.25)
  create,delete,deletecollection,patch,update resource.k8s.io resourceclaims,resourceclaimtemplates since(1.33) gate(DynamicResourceAllocation)
  create,delete,deletecollection,patch,update scheduling.k8s.io podgroups,workloads gate(GenericWorkload)
system:aggregate-to-view +aggregate-to-view
  get,list,watch core configmaps,endpoints,persistentvolumeclaims,persistentvolumeclaims/status,pods,replicationcontrollers,replicationcontrollers/scale,serviceaccounts,services,services/status
  get,list,watch core bindings,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status since(1.35)
  get,list,watch core bindings,events,limitranges,namespaces/status,pods/log,pods/status,replicationcontrollers/status,resourcequotas,resourcequotas/status until(1.35)
  get,list,watch core namespaces
  get,list,watch core,events.k8s.io events since(1.35)
  get,list,watch discovery.k8s.io endpointslices
  get,list,watch apps controllerrevisions,daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,replicasets,replicasets/scale,replicasets/status,statefulsets,statefulsets/scale,statefulsets/status
  get,list,watch autoscaling horizontalpodautoscalers,horizontalpodautoscalers/status
  get,list,watch batch cronjobs,cronjobs/status,jobs,jobs/status
  get,list,watch extensions daemonsets,daemonsets/status,deployments,deployments/scale,deployments/status,ingresses,ingresses/status,networkpolicies,replicasets,replicasets/scale,replicasets/status,replicationcontrollers/scale
  get,list,watch policy poddisruptionbudgets,poddisruptionbudgets/status
  get,list,watch networking.k8s.io ingresses,ingresses/status,networkpolicies
  get,list,watch resource.k8s.io resourceclaims,resourceclaims/status,resourceclaimtemplates since(1.33) gate(DynamicResourceAllocation)
  get,list,watch scheduling.k8s.io podgroups,podgroups/status,workloads gate(GenericWorkload)
system:auth-delegator
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
system:basic-user
  create authorization.k8s.io selfsubjectaccessreviews,selfsubjectrulesreviews
  create authentication.k8s.io selfsubjectreviews gate(APISelfSubjectReview)
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create certificates.k8s.io certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create certificates.k8s.io certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve certificates.k8s.io signers kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve certificates.k8s.io signers kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve certificates.k8s.io signers kubernetes.io/legacy-unknown
system:cluster-trust-bundle-discovery gate(ClusterTrustBundle)
  get,list,watch certificates.k8s.io clustertrustbundles
system:discovery
  get /api,/api/*,/apis,/apis/*,/healthz,/livez,/openapi,/openapi/*,/readyz,/version,/version/
system:heapster
  get,list,watch core events,namespaces,nodes,pods
  get,list,watch extensions deployments
system:kube-aggregator
  get,list,watch core endpoints,services
system:kube-controller-manager
  create,patch,update core,events.k8s.io events
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases kube-controller-manager
  create core endpoints until(1.28)
  get,update core endpoints kube-controller-manager until(1.28)
  create core secrets,serviceaccounts
  delete core secrets
  get core configmaps,namespaces,secrets,serviceaccounts
  update core secrets,serviceaccounts
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  list,watch * *
  create core serviceaccounts/token
system:kube-dns
  list,watch core endpoints,services
system:kube-scheduler
  create,patch,update core,events.k8s.io events
  create coordination.k8s.io leases
  get,update coordination.k8s.io leases kube-scheduler until(1.31)
  create core endpoints until(1.28)
  get,update core endpoints kube-scheduler until(1.28)
  get,list,update,watch coordination.k8s.io leases kube-scheduler since(1.31)
  create,delete,deletecollection,get,list,patch,update,watch coordination.k8s.io leasecandidates since(1.31)
  get,list,watch core nodes
  delete,get,list,watch core pods
  create core bindings,pods/binding
  patch,update core pods/status
  get,list,watch core replicationcontrollers,services
  get,list,watch apps,extensions replicasets
  get,list,watch apps statefulsets
  get,list,watch policy poddisruptionbudgets
  get,list,watch core persistentvolumeclaims,persistentvolumes
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io subjectaccessreviews
  get,list,watch storage.k8s.io csinodes
  get,list,watch storage.k8s.io volumeattachments since(1.29)
  get,list,watch core namespaces
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csistoragecapacities
  get,list,watch resource.k8s.io resourceclaims,resourceclasses until(1.30) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io resourceclasses since(1.30) until(1.31) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io deviceclasses since(1.31) gate(DynamicResourceAllocation)
  get,list,patch,update,watch resource.k8s.io resourceclaims since(1.30) gate(DynamicResourceAllocation)
  get,list,patch,update,watch resource.k8s.io resourceclaims/status gate(DynamicResourceAllocation)
  create,delete,deletecollection,get,list,patch,update,watch resource.k8s.io podschedulings until(1.27) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io podschedulings/status until(1.27) gate(DynamicResourceAllocation)
  create,delete,deletecollection,get,list,patch,update,watch resource.k8s.io podschedulingcontexts since(1.27) until(1.32) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io podschedulingcontexts/status since(1.27) until(1.32) gate(DynamicResourceAllocation)
  update core pods/finalizers since(1.34) gate(DynamicResourceAllocation)
  get,list,patch,update,watch core pods/finalizers since(1.29) until(1.34) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io resourceclaimparameters,resourceclassparameters,resourceslices since(1.30) until(1.31) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io resourceslices since(1.31) gate(DynamicResourceAllocation)
  create,delete resource.k8s.io resourceclaims gate(DRAExtendedResource) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io devicetaintrules since(1.33) until(1.34) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io devicetaintrules since(1.34) until(1.35) gate(DRADeviceTaints) gate(DynamicResourceAllocation)
  get,list,watch resource.k8s.io devicetaintrules since(1.35) gate(DRADeviceTaintRules) gate(DynamicResourceAllocation)
  patch,update resource.k8s.io resourceclaims/binding gate(DRAResourceClaimGranularStatusAuthorization) gate(DynamicResourceAllocation)
  get,list,watch scheduling.k8s.io podgroups gate(GenericWorkload)
  patch,update scheduling.k8s.io podgroups/status gate(GenericWorkload)
  get,list,watch scheduling.k8s.io workloads gate(GenericWorkload)
system:kubelet-api-admin
  get,list,watch core nodes
  proxy core nodes
  * core nodes/log,nodes/metrics,nodes/proxy,nodes/spec,nodes/stats until(1.27)
  * core nodes/log,nodes/metrics,nodes/proxy,nodes/stats since(1.27)
  * core nodes/configz,nodes/healthz,nodes/pods gate(KubeletFineGrainedAuthz)
system:monitoring
  get /healthz,/healthz/*,/livez,/livez/*,/metrics,/readyz,/readyz/* until(1.26)
  get /healthz,/healthz/*,/livez,/livez/*,/metrics,/metrics/slis,/readyz,/readyz/* since(1.26)
  get core nodes/metrics since(1.34)
  get /flagz gate(ComponentFlagz)
  get /statusz gate(ComponentStatusz)
system:node
  create authentication.k8s.io tokenreviews
  create authorization.k8s.io localsubjectaccessreviews,subjectaccessreviews
  get,list,watch core services
  create,get,list,watch core nodes
  patch,update core nodes/status
  patch,update core nodes
  create,patch,update core,events.k8s.io events since(1.35)
  create,patch,update core events until(1.35)
  get,list,watch core pods
  create,delete core pods
  patch,update core pods/status
  create core pods/eviction
  get,list,watch core configmaps,secrets
  get core persistentvolumeclaims,persistentvolumes
  get core endpoints
  create,get,list,watch certificates.k8s.io certificatesigningrequests
  create,delete,get,patch,update coordination.k8s.io leases
  get storage.k8s.io volumeattachments
  create core serviceaccounts/token
  get,patch,update core persistentvolumeclaims/status
  get,list,watch storage.k8s.io csidrivers
  create,delete,get,patch,update storage.k8s.io csinodes
  get,list,watch node.k8s.io runtimeclasses
  get resource.k8s.io resourceclaims gate(DynamicResourceAllocation)
  deletecollection resource.k8s.io resourceslices since(1.31) gate(DynamicResourceAllocation)
  get,list,watch certificates.k8s.io clustertrustbundles gate(ClusterTrustBundle)
  get core serviceaccounts gate(KubeletServiceAccountTokenForCredentialProviders)
  create,get,list,watch certificates.k8s.io podcertificaterequests gate(PodCertificateRequest)
system:node-bootstrapper
  create,get,list,watch certificates.k8s.io certificatesigningrequests
system:node-problem-detector
  get core nodes
  patch core nodes/status
  create,patch,update core,events.k8s.io events
system:node-proxier
  list,watch core endpoints,services
  get,list,watch core nodes
  create,patch,update core,events.k8s.io events
  list,watch networking.k8s.io servicecidrs since(1.30) gate(MultiCIDRServiceAllocator)
  list,watch discovery.k8s.io endpointslices
system:persistent-volume-provisioner
  create,delete,get,list,watch core persistentvolumes
  get,list,update,watch core persistentvolumeclaims
  get,list,watch storage.k8s.io storageclasses
  watch core events
  create,patch,update core,events.k8s.io events
system:public-info-viewer
  get /healthz,/livez,/readyz,/version,/version/
system:service-account-issuer-discovery
  get /.well-known/openid-configuration,/openid/v1/jwks until(1.28)
  get /.well-known/openid-configuration,/.well-known/openid-configuration/,/openid/v1/jwks,/openid/v1/jwks/ since(1.28)
system:volume-scheduler
  get,list,patch,update,watch core persistentvolumes
  get,list,watch storage.k8s.io storageclasses
  get,list,patch,update,watch core persistentvolumeclaims
view <aggregate-to-view +aggregate-to-edit
`

/** Default bindings. `system:node` is bound to no subject. */
export const CLUSTER_ROLE_BINDINGS = `
cluster-admin = cluster-admin: group system:masters
system:basic-user = system:basic-user: group system:authenticated
system:cluster-trust-bundle-discovery = system:cluster-trust-bundle-discovery: group system:serviceaccounts gate(ClusterTrustBundle)
system:discovery = system:discovery: group system:authenticated
system:kube-controller-manager = system:kube-controller-manager: user system:kube-controller-manager
system:kube-dns = system:kube-dns: account kube-system/kube-dns
system:kube-scheduler = system:kube-scheduler: user system:kube-scheduler
system:monitoring = system:monitoring: group system:monitoring
system:node = system:node
system:node-proxier = system:node-proxier: user system:kube-proxy
system:public-info-viewer = system:public-info-viewer: group system:authenticated, group system:unauthenticated
system:service-account-issuer-discovery = system:service-account-issuer-discovery: group system:serviceaccounts
system:volume-scheduler = system:volume-scheduler: user system:kube-scheduler
`
