import type { TypePackage } from '../../schema/idl.ts'

/** What all versions of resource.k8s.io have alike. */
const COMMON = `
enum DeviceTaintEffect NoExecute NoSchedule
enum DeviceTolerationOperator Equal Exists

type AllocatedDeviceStatus
  driver 1 string
  pool 2 string
  device 3 string
  conditions 4 []meta.Condition optional map(type)
  data 5 *RawExtension?
  networkData 6 *NetworkDeviceData?

type AllocationResult
  devices 1 DeviceAllocationResult?
  nodeSelector 3 *core.NodeSelector?

type CELDeviceSelector
  expression 1 string

type Counter
  value 1 Quantity

type CounterSet
  name 1 string
  counters 2 map[string]Counter omitempty

type DeviceAllocationConfiguration
  source 1 string
  requests 2 []string? atomic
  inline 3 DeviceConfiguration

type DeviceAllocationResult
  results 1 []DeviceRequestAllocationResult? atomic
  config 2 []DeviceAllocationConfiguration? atomic

type DeviceAttribute
  int 2 *int64?
  bool 3 *bool?
  string 4 *string?
  version 5 *string?

type DeviceClaim
  requests 1 []DeviceRequest optional atomic
  constraints 2 []DeviceConstraint? atomic
  config 3 []DeviceClaimConfiguration? atomic

type DeviceClaimConfiguration
  requests 1 []string? atomic
  inline 2 DeviceConfiguration

type DeviceClass typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 DeviceClassSpec

type DeviceClassConfiguration
  inline 1 DeviceConfiguration

type DeviceClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []DeviceClass

type DeviceClassSpec
  selectors 1 []DeviceSelector? atomic
  config 2 []DeviceClassConfiguration? atomic

type DeviceConfiguration
  opaque 1 *OpaqueDeviceConfiguration?

type DeviceConstraint
  requests 1 []string? atomic
  matchAttribute 2 *string?

type DeviceCounterConsumption
  counterSet 1 string
  counters 2 map[string]Counter omitempty

type DeviceRequestAllocationResult
  request 1 string
  driver 2 string
  pool 3 string
  device 4 string
  adminAccess 5 *bool optional
  tolerations 6 []DeviceToleration? atomic

type DeviceSelector
  cel 1 *CELDeviceSelector?

type DeviceTaint
  key 1 string
  value 2 string?
  effect 3 DeviceTaintEffect
  timeAdded 4 *Time?

type DeviceToleration
  key 1 string?
  operator 2 DeviceTolerationOperator? = "Equal"
  value 3 string?
  effect 4 DeviceTaintEffect?
  tolerationSeconds 5 *int64?

type NetworkDeviceData
  interfaceName 1 string?
  ips 2 []string? atomic
  hardwareAddress 3 string?

type OpaqueDeviceConfiguration
  driver 1 string
  parameters 2 RawExtension

type ResourceClaim typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ResourceClaimSpec
  status 3 ResourceClaimStatus?

type ResourceClaimConsumerReference
  apiGroup 1 string?
  resource 3 string
  name 4 string
  uid 5 UID

type ResourceClaimList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceClaim

type ResourceClaimSpec
  devices 1 DeviceClaim optional

type ResourceClaimStatus
  allocation 1 *AllocationResult?
  reservedFor 2 []ResourceClaimConsumerReference? map(uid) merge(uid)
  devices 4 []AllocatedDeviceStatus? map(driver,device,pool)

type ResourceClaimTemplate typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ResourceClaimTemplateSpec

type ResourceClaimTemplateList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceClaimTemplate

type ResourceClaimTemplateSpec
  metadata 1 meta.ObjectMeta?
  spec 2 ResourceClaimSpec

type ResourcePool
  name 1 string
  generation 2 int64
  resourceSliceCount 3 int64

type ResourceSlice typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ResourceSliceSpec

type ResourceSliceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceSlice
`

/** What v1beta1 and v1alpha3 have alike, where v1beta2 is different. */
const OLDER = `
type Device
  name 1 string
  basic 2 *BasicDevice?

type DeviceRequest
  name 1 string
  deviceClassName 2 string optional
  selectors 3 []DeviceSelector? atomic
  allocationMode 4 string?
  count 5 int64?
  adminAccess 6 *bool?
  firstAvailable 7 []DeviceSubRequest? atomic
  tolerations 8 []DeviceToleration? atomic

type DeviceSubRequest
  name 1 string
  deviceClassName 2 string
  selectors 3 []DeviceSelector? atomic
  allocationMode 4 string?
  count 5 int64?
  tolerations 7 []DeviceToleration? atomic

type ResourceSliceSpec
  driver 1 string
  pool 2 ResourcePool
  nodeName 3 string?
  nodeSelector 4 *core.NodeSelector?
  allNodes 5 bool?
  devices 6 []Device optional atomic
  perDeviceNodeSelection 7 *bool?
  sharedCounters 8 []CounterSet? atomic
`

/** The types of resource.k8s.io/v1beta2. */
export const resourceTypes: TypePackage = {
  id: 'resource',
  definition: 'io.k8s.api.resource.v1beta2',
  source: `
type Device
  name 1 string
  attributes 2 map[string]DeviceAttribute?
  capacity 3 map[string]DeviceCapacity?
  consumesCounters 4 []DeviceCounterConsumption? atomic
  nodeName 5 *string?
  nodeSelector 6 *core.NodeSelector?
  allNodes 7 *bool?
  taints 8 []DeviceTaint? atomic

type DeviceCapacity
  value 1 Quantity

type DeviceRequest
  name 1 string
  exactly 2 *ExactDeviceRequest?
  firstAvailable 3 []DeviceSubRequest? atomic

type DeviceSubRequest
  name 1 string
  deviceClassName 2 string
  selectors 3 []DeviceSelector? atomic
  allocationMode 4 string?
  count 5 int64?
  tolerations 6 []DeviceToleration? atomic

type ExactDeviceRequest
  deviceClassName 1 string
  selectors 2 []DeviceSelector? atomic
  allocationMode 3 string?
  count 4 int64?
  adminAccess 5 *bool?
  tolerations 6 []DeviceToleration? atomic

type ResourceSliceSpec
  driver 1 string
  pool 2 ResourcePool
  nodeName 3 *string?
  nodeSelector 4 *core.NodeSelector?
  allNodes 5 *bool?
  devices 6 []Device optional atomic
  perDeviceNodeSelection 7 *bool?
  sharedCounters 8 []CounterSet? atomic
${COMMON}`,
}

export const resourceV1beta1Types: TypePackage = {
  id: 'resourceV1beta1',
  definition: 'io.k8s.api.resource.v1beta1',
  source: `
type BasicDevice
  attributes 1 map[string]DeviceAttribute?
  capacity 2 map[string]DeviceCapacity?
  consumesCounters 3 []DeviceCounterConsumption? atomic
  nodeName 4 *string?
  nodeSelector 5 *core.NodeSelector?
  allNodes 6 *bool?
  taints 7 []DeviceTaint? atomic

type DeviceCapacity
  value 1 Quantity
${OLDER}
${COMMON}`,
}

export const resourceV1alpha3Types: TypePackage = {
  id: 'resourceV1alpha3',
  definition: 'io.k8s.api.resource.v1alpha3',
  source: `
type BasicDevice like resourceV1beta1.BasicDevice
  capacity 2 map[string]Quantity?

type DeviceTaintRule typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 DeviceTaintRuleSpec

type DeviceTaintRuleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []DeviceTaintRule

type DeviceTaintRuleSpec
  deviceSelector 1 *DeviceTaintSelector?
  taint 2 DeviceTaint omitempty

type DeviceTaintSelector
  deviceClassName 1 *string?
  driver 2 *string?
  pool 3 *string?
  device 4 *string?
  selectors 5 []DeviceSelector? atomic
${OLDER}
${COMMON}`,
}
