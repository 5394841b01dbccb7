/** Cluster roles of the controllers for volumes and devices, in the form of `controller-roles.ts`. */
export const STORAGE_CONTROLLER_ROLES = `
attachdetach-controller
  list,watch core persistentvolumeclaims,persistentvolumes
  get,list,watch core nodes
  patch,update core nodes/status
  list,watch core pods
  create,patch,update core,events.k8s.io events
  create,delete,get,list,watch storage.k8s.io volumeattachments
  get,list,watch storage.k8s.io csidrivers
  get,list,watch storage.k8s.io csinodes gate(CSIMigration)
device-taint-eviction-controller gate(DRADeviceTaints) gate(DynamicResourceAllocation)
  delete,get,list,watch core pods
  patch,update core pods/status
  get,list,watch resource.k8s.io resourceclaims
  get,list,watch resource.k8s.io resourceslices
  get,list,watch resource.k8s.io deviceclasses
  get,list,watch resource.k8s.io devicetaintrules since(1.33) until(1.35)
  get,list,watch resource.k8s.io devicetaintrules since(1.35) gate(DRADeviceTaintRules) gate(DRADeviceTaints) gate(DynamicResourceAllocation)
  create,patch,update core,events.k8s.io events
  patch,update resource.k8s.io devicetaintrules/status gate(DRADeviceTaintRules) gate(DRADeviceTaints) gate(DynamicResourceAllocation)
ephemeral-volume-controller
  get,list,watch core pods
  update core pods/finalizers
  create,get,list,watch core persistentvolumeclaims
  create,patch,update core,events.k8s.io events
expand-controller
  get,list,patch,update,watch core persistentvolumes
  patch,update core persistentvolumeclaims/status
  get,list,watch core persistentvolumeclaims
  get,list,watch storage.k8s.io storageclasses until(1.32)
  get core endpoints,services until(1.32)
  get core secrets until(1.32)
  create,patch,update core,events.k8s.io events
  get core services since(1.32) until(1.36)
persistent-volume-binder
  create,delete,get,list,update,watch core persistentvolumes
  update core persistentvolumes/status
  get,list,update,watch core persistentvolumeclaims
  update core persistentvolumeclaims/status
  create,delete,get,list,watch core pods
  get,list,watch storage.k8s.io storageclasses
  create,delete,get,update core endpoints until(1.32)
  create,delete,get core services until(1.32)
  get core secrets until(1.32)
  get,list core nodes until(1.32)
  list,watch core nodes since(1.32)
  create,patch,update core,events.k8s.io events
  watch core events
  get core services since(1.32) until(1.36)
pv-protection-controller
  get,list,update,watch core persistentvolumes
  create,patch,update core,events.k8s.io events
pvc-protection-controller
  get,list,update,watch core persistentvolumeclaims
  update core persistentvolumeclaims/status since(1.36)
  get,list,watch core pods
  create,patch,update core,events.k8s.io events
resource-claim-controller gate(DynamicResourceAllocation)
  get,list,watch core pods
  update core pods/finalizers
  create,get,list,watch resource.k8s.io resourceclaims until(1.28)
  create,delete,get,list,watch resource.k8s.io resourceclaims since(1.28)
  create,get,list,patch,update,watch resource.k8s.io podschedulingcontexts since(1.28) until(1.32)
  patch,update resource.k8s.io resourceclaims/status until(1.30)
  patch,update resource.k8s.io resourceclaims,resourceclaims/status since(1.30)
  patch,update core pods/status since(1.28)
  create,patch,update core,events.k8s.io events
  get,list,watch scheduling.k8s.io podgroups gate(DRAWorkloadResourceClaims) gate(DynamicResourceAllocation)
  patch,update scheduling.k8s.io podgroups/status gate(DRAWorkloadResourceClaims) gate(DynamicResourceAllocation)
  patch,update resource.k8s.io resourceclaims/binding gate(DRAResourceClaimGranularStatusAuthorization) gate(DynamicResourceAllocation)
resourcepoolstatusrequest-controller gate(DRAResourcePoolStatus) gate(DynamicResourceAllocation)
  delete,get,list,watch resource.k8s.io resourcepoolstatusrequests
  patch,update resource.k8s.io resourcepoolstatusrequests/status
  get,list,watch resource.k8s.io resourceslices
  get,list,watch resource.k8s.io resourceclaims
  get,list,watch resource.k8s.io devicetaintrules since(1.37)
  create,patch,update core,events.k8s.io events
selinux-warning-controller gate(SELinuxChangePolicy)
  create,patch,update core,events.k8s.io events
  get,list,watch core persistentvolumes
  get,list,watch core persistentvolumeclaims
  get,list,watch core pods
  get,list,watch storage.k8s.io csidrivers
volumeattributesclass-protection-controller since(1.32) gate(VolumeAttributesClass)
  get,list,watch core persistentvolumeclaims
  get,list,watch core persistentvolumes
  get,list,update,watch storage.k8s.io volumeattributesclasses
  create,patch,update core,events.k8s.io events
`
