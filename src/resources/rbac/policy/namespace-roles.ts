/** Roles and bindings in system namespaces. `read-policy.ts` explains the notation. */
export const NAMESPACE_POLICY: readonly { readonly namespace: string; readonly roles: string; readonly bindings: string }[] = [
  {
    namespace: 'kube-public',
    roles: `
system:controller:bootstrap-signer
  get,list,watch core configmaps
  update core configmaps cluster-info
  create,patch,update core,events.k8s.io events
`,
    bindings: `
system:controller:bootstrap-signer = system:controller:bootstrap-signer: account kube-system/bootstrap-signer
`,
  },
  {
    namespace: 'kube-system',
    roles: `
extension-apiserver-authentication-reader
  get,list,watch core configmaps extension-apiserver-authentication
system::leader-locking-kube-controller-manager
  watch core configmaps until(1.35)
  get,update core configmaps kube-controller-manager until(1.35)
  create,get,list,update,watch coordination.k8s.io leases since(1.31)
  create,get,list,update,watch coordination.k8s.io leasecandidates since(1.31)
system::leader-locking-kube-scheduler
  watch core configmaps until(1.35)
  get,update core configmaps kube-scheduler until(1.35)
  create,get,list,update,watch coordination.k8s.io leases since(1.31)
  create,get,list,update,watch coordination.k8s.io leasecandidates since(1.31)
system:controller:bootstrap-signer
  get,list,watch core secrets
system:controller:cloud-provider
  create,get,list,watch core configmaps
system:controller:token-cleaner
  delete,get,list,watch core secrets
  create,patch,update core,events.k8s.io events
`,
    bindings: `
system::extension-apiserver-authentication-reader = extension-apiserver-authentication-reader: user system:kube-controller-manager, user system:kube-scheduler
system::leader-locking-kube-controller-manager = system::leader-locking-kube-controller-manager: user system:kube-controller-manager, account kube-system/kube-controller-manager until(1.31)
system::leader-locking-kube-controller-manager = system::leader-locking-kube-controller-manager: user system:kube-controller-manager, account kube-system/kube-controller-manager, account kube-system/leader-election-controller since(1.31)
system::leader-locking-kube-scheduler = system::leader-locking-kube-scheduler: user system:kube-scheduler, account kube-system/kube-scheduler
system:controller:bootstrap-signer = system:controller:bootstrap-signer: account kube-system/bootstrap-signer
system:controller:cloud-provider = system:controller:cloud-provider: account kube-system/cloud-provider
system:controller:token-cleaner = system:controller:token-cleaner: account kube-system/token-cleaner
`,
  },
]
