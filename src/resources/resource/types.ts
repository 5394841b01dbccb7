import type { TypePackage } from '../../schema/idl.ts'

/** What all versions of resource.k8s.io have alike. */
const COMMON = `
enum DeviceTaintEffect NoExecute NoSchedule
enum DeviceTolerationOperator Equal Exists

type AllocatedDeviceStatus # What the driver of an allocated device reports of it.
  driver 1 string # The driver of the device.
  pool 2 string # The pool of the device.
  device 3 string # Name of the device in its pool.
  conditions 4 []meta.Condition optional map(type) # The present state of the device, by conditions; 8 at most.
  data 5 *RawExtension? # What else the driver has to tell: an object of at most 10 KiB.
  networkData 6 *NetworkDeviceData? # Of a network device: its interface and addresses.

type AllocationResult
  devices 1 DeviceAllocationResult? # What was allocated.
  nodeSelector 3 *core.NodeSelector? # The nodes that have the devices; all of them where it is absent.

type CELDeviceSelector
  expression 1 string # Expression in CEL that gives true for a device that will do; it sees \`device\`. At most 10 KiB.

type Counter
  value 1 Quantity # How much there is, or is taken.

type CounterSet # Counters that devices of a slice share.
  name 1 string # Name of the set.
  counters 2 map[string]Counter omitempty # How much there is of each.

type DeviceAllocationConfiguration
  source 1 string # FromClass or FromClaim.
  requests 2 []string? atomic # The requests that it is for; all where it is empty.
  inline 3 DeviceConfiguration

type DeviceAllocationResult
  results 1 []DeviceRequestAllocationResult? atomic # The devices, each with the request that it is for.
  config 2 []DeviceAllocationConfiguration? atomic # How they are set up, by class and claim.

type DeviceAttribute # A value: of one kind.
  int 2 *int64? # A number.
  bool 3 *bool? # True or false.
  string 4 *string? # A text of at most 64 bytes.
  version 5 *string? # A version by semver.org.

type DeviceClaim
  requests 1 []DeviceRequest optional atomic # What is asked for; 32 at most.
  constraints 2 []DeviceConstraint? atomic # What the devices must have in common.
  config 3 []DeviceClaimConfiguration? atomic # How the devices are set up.

type DeviceClaimConfiguration
  requests 1 []string? atomic # The requests that it is for; all where it is empty.
  inline 2 DeviceConfiguration

type DeviceClass typemeta # A class of devices: what they must be like, and how they are set up. Requests name it.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 DeviceClassSpec # What is wanted.

type DeviceClassConfiguration
  inline 1 DeviceConfiguration

type DeviceClassList typemeta
  metadata 1 meta.ListMeta?
  items 2 []DeviceClass

type DeviceClassSpec
  selectors 1 []DeviceSelector? atomic # What a device of the class must be like: all of them must hold.
  config 2 []DeviceClassConfiguration? atomic # How devices of the class are set up.

type DeviceConfiguration
  opaque 1 *OpaqueDeviceConfiguration? # A setup that only the driver understands.

type DeviceConstraint
  requests 1 []string? atomic # The requests whose devices it is about; all where it is empty.
  matchAttribute 2 *string? # An attribute, with its domain, that all the devices must have with the same value.

type DeviceCounterConsumption
  counterSet 1 string # The set of counters.
  counters 2 map[string]Counter omitempty # How much of each is taken.

type DeviceRequestAllocationResult
  request 1 string # The request, or \`request/subrequest\`.
  driver 2 string # The driver of the device.
  pool 3 string # The pool of the device.
  device 4 string # Name of the device in its pool.
  adminAccess 5 *bool optional # Whether the device is for administration, and may be in use by others.
  tolerations 6 []DeviceToleration? atomic # The tolerations of the request.

type DeviceSelector
  cel 1 *CELDeviceSelector? # An expression in CEL.

type DeviceTaint # What keeps claims from a device.
  key 1 string # Name of the taint.
  value 2 string? # Value of the taint.
  effect 3 DeviceTaintEffect # NoSchedule, or NoExecute: pods that use the device go.
  timeAdded 4 *Time? # Since when; set by the server unless given.

type DeviceToleration # A taint that does not matter.
  key 1 string? # Name of the taint; any where it is empty.
  operator 2 DeviceTolerationOperator? = "Equal" # Equal, or Exists: whatever its value.
  value 3 string? # Value of the taint.
  effect 4 DeviceTaintEffect? # Effect of the taint; any where it is empty.
  tolerationSeconds 5 *int64? # For how long, where the effect is NoExecute; for ever unless said.

type NetworkDeviceData
  interfaceName 1 string? # Name of the interface.
  ips 2 []string? atomic # Its addresses, in CIDR form: \`192.0.2.5/24\`; 16 at most.
  hardwareAddress 3 string? # Its hardware address.

type OpaqueDeviceConfiguration
  driver 1 string # The driver that understands it.
  parameters 2 RawExtension # What it says: an object of at most 10 KiB.

type ResourceClaim typemeta # Asks for devices, which pods then use together.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ResourceClaimSpec # What is wanted.
  status 3 ResourceClaimStatus? # What is, as last reported; not set by those who want something.

type ResourceClaimConsumerReference
  apiGroup 1 string? # API group of the user; empty for the core group.
  resource 3 string # Plural name of the kind of the user: \`pods\`.
  name 4 string # Name of the user.
  uid 5 UID # Uid of the user.

type ResourceClaimList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceClaim

type ResourceClaimSpec
  devices 1 DeviceClaim optional # The devices that are asked for. Cannot be changed.

type ResourceClaimStatus
  allocation 1 *AllocationResult? # What was allocated; absent until it is.
  reservedFor 2 []ResourceClaimConsumerReference? map(uid) merge(uid) # Who uses the claim at present; 256 at most.
  devices 4 []AllocatedDeviceStatus? map(driver,device,pool) # What drivers report of the allocated devices.

type ResourceClaimTemplate typemeta # What claims look like that are made for single pods.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ResourceClaimTemplateSpec # The claim. Cannot be changed.

type ResourceClaimTemplateList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceClaimTemplate

type ResourceClaimTemplateSpec
  metadata 1 meta.ObjectMeta? # Labels and annotations of the claims.
  spec 2 ResourceClaimSpec # The spec of the claims.

type ResourcePool
  name 1 string # Name of the pool: a DNS name, or several with slashes between.
  generation 2 int64 # Which issue of the pool this slice belongs to: only the newest counts.
  resourceSliceCount 3 int64 # How many slices that issue has.

type ResourceSlice typemeta # Devices of a driver, on one node or several: a part of a pool.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ResourceSliceSpec # What is wanted.

type ResourceSliceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceSlice
`

/** What v1beta1 and v1alpha3 have alike, where v1beta2 is different. */
const OLDER = `
type Device # A device that a driver offers.
  name 1 string # Name of the device in its pool.
  basic 2 *BasicDevice? # What the device is like.

type DeviceRequest # Something that is asked for: one kind of devices, or the first of several.
  name 1 string # Name of the request.
  deviceClassName 2 string optional # The class of the devices.
  selectors 3 []DeviceSelector? atomic # What a device must be like besides: all of them must hold.
  allocationMode 4 string? # ExactCount, or All that there are.
  count 5 int64? # How many; 1 unless said.
  adminAccess 6 *bool? # Whether the devices are for administration, and may be in use by others.
  firstAvailable 7 []DeviceSubRequest? atomic # Alternatives, of which the first that can be had is taken; 8 at most.
  tolerations 8 []DeviceToleration? atomic # Taints that do not matter.

type DeviceSubRequest
  name 1 string # Name of the alternative.
  deviceClassName 2 string # The class of the devices.
  selectors 3 []DeviceSelector? atomic # What a device must be like besides: all of them must hold.
  allocationMode 4 string? # ExactCount, or All that there are.
  count 5 int64? # How many; 1 unless said.
  tolerations 7 []DeviceToleration? atomic # Taints that do not matter.

type ResourceSliceSpec
  driver 1 string # The driver that offers the devices. Cannot be changed.
  pool 2 ResourcePool # The pool that the slice is a part of.
  nodeName 3 string? # The node that has the devices. Cannot be changed.
  nodeSelector 4 *core.NodeSelector? # The nodes that have the devices.
  allNodes 5 bool? # Whether all nodes have the devices.
  devices 6 []Device optional atomic # The devices; 128 at most.
  perDeviceNodeSelection 7 *bool? # Whether each device says for itself what nodes have it.
  sharedCounters 8 []CounterSet? atomic # Counters that the devices share.
`

/** The types of resource.k8s.io/v1beta2. */
export const resourceTypes: TypePackage = {
  id: 'resource',
  definition: 'io.k8s.api.resource.v1beta2',
  source: `
type Device # A device that a driver offers.
  name 1 string # Name of the device in its pool.
  attributes 2 map[string]DeviceAttribute? # What the device is like, by names that may have a domain before a slash; with capacity, 32 at most.
  capacity 3 map[string]DeviceCapacity? # How much the device has, by names that may have a domain before a slash.
  consumesCounters 4 []DeviceCounterConsumption? atomic # What the device takes of the counters that it shares with others.
  nodeName 5 *string? # The node that has the device, where devices of the slice say so each for itself.
  nodeSelector 6 *core.NodeSelector? # The nodes that have the device, likewise.
  allNodes 7 *bool? # Whether all nodes have the device, likewise.
  taints 8 []DeviceTaint? atomic # What keeps claims from the device that do not tolerate it; 4 at most.

type DeviceCapacity
  value 1 Quantity # How much there is.

type DeviceRequest # Something that is asked for: one kind of devices, or the first of several.
  name 1 string # Name of the request.
  exactly 2 *ExactDeviceRequest? # What it must be.
  firstAvailable 3 []DeviceSubRequest? atomic # Alternatives, of which the first that can be had is taken; 8 at most.

type DeviceSubRequest
  name 1 string # Name of the alternative.
  deviceClassName 2 string # The class of the devices.
  selectors 3 []DeviceSelector? atomic # What a device must be like besides: all of them must hold.
  allocationMode 4 string? # ExactCount, or All that there are.
  count 5 int64? # How many; 1 unless said.
  tolerations 6 []DeviceToleration? atomic # Taints that do not matter.

type ExactDeviceRequest
  deviceClassName 1 string # The class of the devices.
  selectors 2 []DeviceSelector? atomic # What a device must be like besides: all of them must hold.
  allocationMode 3 string? # ExactCount, or All that there are.
  count 4 int64? # How many; 1 unless said.
  adminAccess 5 *bool? # Whether the devices are for administration, and may be in use by others.
  tolerations 6 []DeviceToleration? atomic # Taints that do not matter.

type ResourceSliceSpec
  driver 1 string # The driver that offers the devices. Cannot be changed.
  pool 2 ResourcePool # The pool that the slice is a part of.
  nodeName 3 *string? # The node that has the devices. Cannot be changed.
  nodeSelector 4 *core.NodeSelector? # The nodes that have the devices.
  allNodes 5 *bool? # Whether all nodes have the devices.
  devices 6 []Device optional atomic # The devices; 128 at most.
  perDeviceNodeSelection 7 *bool? # Whether each device says for itself what nodes have it.
  sharedCounters 8 []CounterSet? atomic # Counters that the devices share.
${COMMON}`,
}

export const resourceV1beta1Types: TypePackage = {
  id: 'resourceV1beta1',
  definition: 'io.k8s.api.resource.v1beta1',
  source: `
type BasicDevice
  attributes 1 map[string]DeviceAttribute? # What the device is like, by names that may have a domain before a slash; with capacity, 32 at most.
  capacity 2 map[string]DeviceCapacity? # How much the device has, by names that may have a domain before a slash.
  consumesCounters 3 []DeviceCounterConsumption? atomic # What the device takes of the counters that it shares with others.
  nodeName 4 *string? # The node that has the device, where devices of the slice say so each for itself.
  nodeSelector 5 *core.NodeSelector? # The nodes that have the device, likewise.
  allNodes 6 *bool? # Whether all nodes have the device, likewise.
  taints 7 []DeviceTaint? atomic # What keeps claims from the device that do not tolerate it; 4 at most.

type DeviceCapacity
  value 1 Quantity # How much there is.
${OLDER}
${COMMON}`,
}

export const resourceV1alpha3Types: TypePackage = {
  id: 'resourceV1alpha3',
  definition: 'io.k8s.api.resource.v1alpha3',
  source: `
type BasicDevice like resourceV1beta1.BasicDevice
  capacity 2 map[string]Quantity? # How much the device has, by names that may have a domain before a slash.

type DeviceTaintRule typemeta # Taints devices that match, as if their drivers had done so.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 DeviceTaintRuleSpec # What is wanted.

type DeviceTaintRuleList typemeta
  metadata 1 meta.ListMeta?
  items 2 []DeviceTaintRule

type DeviceTaintRuleSpec
  deviceSelector 1 *DeviceTaintSelector? # The devices: all of its parts must match. None where it is absent.
  taint 2 DeviceTaint omitempty # The taint.

type DeviceTaintSelector
  deviceClassName 1 *string? # Only devices of this class.
  driver 2 *string? # Only devices of this driver.
  pool 3 *string? # Only devices of this pool.
  device 4 *string? # Only devices of this name.
  selectors 5 []DeviceSelector? atomic # Only devices for which all of these hold.
${OLDER}
${COMMON}`,
}
