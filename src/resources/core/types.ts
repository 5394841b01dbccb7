import type { TypePackage } from '../../schema/idl.ts'

/** The types of core/v1. */
export const coreTypes: TypePackage = {
  id: 'core',
  definition: 'io.k8s.api.core.v1',
  source: `
enum AppArmorProfileType Localhost RuntimeDefault Unconfined
enum AzureDataDiskCachingMode None ReadOnly ReadWrite
enum AzureDataDiskKind Dedicated Managed Shared
enum ClaimResourceStatus ControllerResizeInProgress ControllerResizeInfeasible NodeResizeInProgress NodeResizeInfeasible NodeResizePending
enum DNSPolicy ClusterFirst ClusterFirstWithHostNet Default None
enum HostPathType "" BlockDevice CharDevice Directory DirectoryOrCreate File FileOrCreate Socket
enum IPFamily "" IPv4 IPv6
enum IPFamilyPolicy PreferDualStack RequireDualStack SingleStack
enum MountPropagationMode Bidirectional HostToContainer None
enum NamespacePhase Active Terminating
enum NodeInclusionPolicy Honor Ignore
enum NodePhase Pending Running Terminated
enum NodeSelectorOperator DoesNotExist Exists Gt In Lt NotIn
enum PersistentVolumeAccessMode ReadOnlyMany ReadWriteMany ReadWriteOnce ReadWriteOncePod
enum PersistentVolumeClaimModifyVolumeStatus InProgress Infeasible Pending
enum PersistentVolumeClaimPhase Bound Lost Pending
enum PersistentVolumeMode Block Filesystem
enum PersistentVolumePhase Available Bound Failed Pending Released
enum PersistentVolumeReclaimPolicy Delete Recycle Retain
enum PodFSGroupChangePolicy Always OnRootMismatch
enum PodPhase Failed Pending Running Succeeded Unknown
enum PodQOSClass BestEffort Burstable Guaranteed
enum PreemptionPolicy Never PreemptLowerPriority
enum ProcMountType Default Unmasked
enum Protocol SCTP TCP UDP
enum PullPolicy Always IfNotPresent Never
enum ResourceQuotaScope BestEffort CrossNamespacePodAffinity NotBestEffort NotTerminating PriorityClass Terminating VolumeAttributesClass
enum RestartPolicy Always Never OnFailure
enum ScopeSelectorOperator DoesNotExist Exists In NotIn
enum SeccompProfileType Localhost RuntimeDefault Unconfined
enum ServiceAffinity ClientIP None
enum ServiceExternalTrafficPolicy Cluster Local
enum ServiceInternalTrafficPolicy Cluster Local
enum ServiceType ClusterIP ExternalName LoadBalancer NodePort
enum Signal SIGABRT SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGFPE SIGHUP SIGILL SIGINT SIGIO SIGIOT SIGKILL SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGRTMAX SIGRTMAX-1 SIGRTMAX-10 SIGRTMAX-11 SIGRTMAX-12 SIGRTMAX-13 SIGRTMAX-14 SIGRTMAX-2 SIGRTMAX-3 SIGRTMAX-4 SIGRTMAX-5 SIGRTMAX-6 SIGRTMAX-7 SIGRTMAX-8 SIGRTMAX-9 SIGRTMIN SIGRTMIN+1 SIGRTMIN+10 SIGRTMIN+11 SIGRTMIN+12 SIGRTMIN+13 SIGRTMIN+14 SIGRTMIN+15 SIGRTMIN+2 SIGRTMIN+3 SIGRTMIN+4 SIGRTMIN+5 SIGRTMIN+6 SIGRTMIN+7 SIGRTMIN+8 SIGRTMIN+9 SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ
enum SupplementalGroupsPolicy Merge Strict
enum TaintEffect NoExecute NoSchedule PreferNoSchedule
enum TerminationMessagePolicy FallbackToLogsOnError File
enum TolerationOperator Equal Exists
enum URIScheme HTTP HTTPS
enum UnsatisfiableConstraintAction DoNotSchedule ScheduleAnyway

type AWSElasticBlockStoreVolumeSource
  volumeID 1 string
  fsType 2 string?
  partition 3 int32?
  readOnly 4 bool?

type Affinity
  nodeAffinity 1 *NodeAffinity?
  podAffinity 2 *PodAffinity?
  podAntiAffinity 3 *PodAntiAffinity?

type AppArmorProfile
  type 1 AppArmorProfileType
  localhostProfile 2 *string?

type AttachedVolume
  name 1 string
  devicePath 2 string

type AvoidPods
  preferAvoidPods 1 []PreferAvoidPodsEntry? atomic

type AzureDiskVolumeSource
  diskName 1 string
  diskURI 2 string
  cachingMode 3 *AzureDataDiskCachingMode? = "ReadWrite"
  fsType 4 *string? = "ext4"
  readOnly 5 *bool? = false
  kind 6 *AzureDataDiskKind? = "Shared"

type AzureFilePersistentVolumeSource
  secretName 1 string
  shareName 2 string
  readOnly 3 bool?
  secretNamespace 4 *string optional

type AzureFileVolumeSource
  secretName 1 string
  shareName 2 string
  readOnly 3 bool?

type Binding typemeta
  metadata 1 meta.ObjectMeta?
  target 2 ObjectReference

type CSIPersistentVolumeSource
  driver 1 string
  volumeHandle 2 string
  readOnly 3 bool?
  fsType 4 string?
  volumeAttributes 5 map[string]string?
  controllerPublishSecretRef 6 *SecretReference?
  nodeStageSecretRef 7 *SecretReference?
  nodePublishSecretRef 8 *SecretReference?
  controllerExpandSecretRef 9 *SecretReference?
  nodeExpandSecretRef 10 *SecretReference?

type CSIVolumeSource
  driver 1 string
  readOnly 2 *bool?
  fsType 3 *string?
  volumeAttributes 4 map[string]string?
  nodePublishSecretRef 5 *LocalObjectReference?

type Capabilities
  add 1 []string? atomic
  drop 2 []string? atomic

type CephFSPersistentVolumeSource
  monitors 1 []string atomic
  path 2 string?
  user 3 string?
  secretFile 4 string?
  secretRef 5 *SecretReference?
  readOnly 6 bool?

type CephFSVolumeSource
  monitors 1 []string atomic
  path 2 string?
  user 3 string?
  secretFile 4 string?
  secretRef 5 *LocalObjectReference?
  readOnly 6 bool?

type CinderPersistentVolumeSource
  volumeID 1 string
  fsType 2 string?
  readOnly 3 bool?
  secretRef 4 *SecretReference?

type CinderVolumeSource
  volumeID 1 string
  fsType 2 string?
  readOnly 3 bool?
  secretRef 4 *LocalObjectReference?

type ClientIPConfig
  timeoutSeconds 1 *int32?

type ClusterTrustBundleProjection
  name 1 *string?
  signerName 2 *string?
  labelSelector 3 *meta.LabelSelector?
  optional 5 *bool?
  path 4 string

type ComponentCondition
  type 1 string
  status 2 string
  message 3 string?
  error 4 string?

type ComponentStatus typemeta
  metadata 1 meta.ObjectMeta?
  conditions 2 []ComponentCondition? map(type) merge(type)

type ComponentStatusList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ComponentStatus

type ConfigMap typemeta
  metadata 1 meta.ObjectMeta?
  immutable 4 *bool?
  data 2 map[string]string?
  binaryData 3 map[string]bytes?

type ConfigMapEnvSource
  inline 1 LocalObjectReference
  optional 2 *bool?

type ConfigMapKeySelector atomic
  inline 1 LocalObjectReference
  key 2 string
  optional 3 *bool?

type ConfigMapList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ConfigMap

type ConfigMapNodeConfigSource
  namespace 1 string
  name 2 string
  uid 3 UID?
  resourceVersion 4 string?
  kubeletConfigKey 5 string

type ConfigMapProjection
  inline 1 LocalObjectReference
  items 2 []KeyToPath? atomic
  optional 4 *bool?

type ConfigMapVolumeSource
  inline 1 LocalObjectReference
  items 2 []KeyToPath? atomic
  defaultMode 3 *int32?
  optional 4 *bool?

type Container
  name 1 string
  image 2 string?
  command 3 []string? atomic
  args 4 []string? atomic
  workingDir 5 string?
  ports 6 []ContainerPort? map(containerPort,protocol) merge(containerPort)
  envFrom 19 []EnvFromSource? atomic
  env 7 []EnvVar? map(name) merge(name)
  resources 8 ResourceRequirements?
  resizePolicy 23 []ContainerResizePolicy? atomic
  restartPolicy 24 *string?
  volumeMounts 9 []VolumeMount? map(mountPath) merge(mountPath)
  volumeDevices 21 []VolumeDevice? map(devicePath) merge(devicePath)
  livenessProbe 10 *Probe?
  readinessProbe 11 *Probe?
  startupProbe 22 *Probe?
  lifecycle 12 *Lifecycle?
  terminationMessagePath 13 string?
  terminationMessagePolicy 20 TerminationMessagePolicy?
  imagePullPolicy 14 PullPolicy?
  securityContext 15 *SecurityContext?
  stdin 16 bool?
  stdinOnce 17 bool?
  tty 18 bool?

type ContainerImage
  names 1 []string optional atomic
  sizeBytes 2 int64?

type ContainerPort
  name 1 string?
  hostPort 2 int32?
  containerPort 3 int32
  protocol 4 Protocol? = "TCP"
  hostIP 5 string?

type ContainerResizePolicy
  resourceName 1 string
  restartPolicy 2 string

type ContainerState
  waiting 1 *ContainerStateWaiting?
  running 2 *ContainerStateRunning?
  terminated 3 *ContainerStateTerminated?

type ContainerStateRunning
  startedAt 1 Time?

type ContainerStateTerminated
  exitCode 1 int32
  signal 2 int32?
  reason 3 string?
  message 4 string?
  startedAt 5 Time?
  finishedAt 6 Time?
  containerID 7 string?

type ContainerStateWaiting
  reason 1 string?
  message 2 string?

type ContainerStatus
  name 1 string
  state 2 ContainerState?
  lastState 3 ContainerState?
  ready 4 bool
  restartCount 5 int32
  image 6 string
  imageID 7 string
  containerID 8 string?
  started 9 *bool?
  allocatedResources 10 map[string]Quantity?
  resources 11 *ResourceRequirements?
  volumeMounts 12 []VolumeMountStatus? map(mountPath) merge(mountPath)
  user 13 *ContainerUser?
  allocatedResourcesStatus 14 []ResourceStatus? map(name) merge(name)
  stopSignal 15 *Signal?

type ContainerUser
  linux 1 *LinuxContainerUser?

type DaemonEndpoint
  Port 1 int32

type DownwardAPIProjection
  items 1 []DownwardAPIVolumeFile? atomic

type DownwardAPIVolumeFile
  path 1 string
  fieldRef 2 *ObjectFieldSelector?
  resourceFieldRef 3 *ResourceFieldSelector?
  mode 4 *int32?

type DownwardAPIVolumeSource
  items 1 []DownwardAPIVolumeFile? atomic
  defaultMode 2 *int32?

type EmptyDirVolumeSource
  medium 1 string?
  sizeLimit 2 *Quantity?

type EndpointAddress atomic
  ip 1 string
  hostname 3 string?
  nodeName 4 *string?
  targetRef 2 *ObjectReference?

type EndpointPort atomic
  name 1 string?
  port 2 int32
  protocol 3 Protocol?
  appProtocol 4 *string?

type EndpointSubset
  addresses 1 []EndpointAddress? atomic
  notReadyAddresses 2 []EndpointAddress? atomic
  ports 3 []EndpointPort? atomic

type Endpoints typemeta
  metadata 1 meta.ObjectMeta?
  subsets 2 []EndpointSubset? atomic

type EndpointsList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Endpoints

type EnvFromSource
  prefix 1 string?
  configMapRef 2 *ConfigMapEnvSource?
  secretRef 3 *SecretEnvSource?

type EnvVar
  name 1 string
  value 2 string?
  valueFrom 3 *EnvVarSource?

type EnvVarSource
  fieldRef 1 *ObjectFieldSelector?
  resourceFieldRef 2 *ResourceFieldSelector?
  configMapKeyRef 3 *ConfigMapKeySelector?
  secretKeyRef 4 *SecretKeySelector?

type EphemeralContainer
  inline 1 EphemeralContainerCommon
  targetContainerName 2 string?

type EphemeralContainerCommon
  name 1 string
  image 2 string?
  command 3 []string? atomic
  args 4 []string? atomic
  workingDir 5 string?
  ports 6 []ContainerPort? map(containerPort,protocol) merge(containerPort)
  envFrom 19 []EnvFromSource? atomic
  env 7 []EnvVar? map(name) merge(name)
  resources 8 ResourceRequirements?
  resizePolicy 23 []ContainerResizePolicy? atomic
  restartPolicy 24 *string?
  volumeMounts 9 []VolumeMount? map(mountPath) merge(mountPath)
  volumeDevices 21 []VolumeDevice? map(devicePath) merge(devicePath)
  livenessProbe 10 *Probe?
  readinessProbe 11 *Probe?
  startupProbe 22 *Probe?
  lifecycle 12 *Lifecycle?
  terminationMessagePath 13 string?
  terminationMessagePolicy 20 TerminationMessagePolicy?
  imagePullPolicy 14 PullPolicy?
  securityContext 15 *SecurityContext?
  stdin 16 bool?
  stdinOnce 17 bool?
  tty 18 bool?

type EphemeralVolumeSource
  volumeClaimTemplate 1 *PersistentVolumeClaimTemplate?

type Event typemeta
  metadata 1 meta.ObjectMeta
  involvedObject 2 ObjectReference
  reason 3 string?
  message 4 string?
  source 5 EventSource?
  firstTimestamp 6 Time?
  lastTimestamp 7 Time?
  count 8 int32?
  type 9 string?
  eventTime 10 MicroTime?
  series 11 *EventSeries?
  action 12 string?
  related 13 *ObjectReference?
  reportingComponent 14 string optional
  reportingInstance 15 string optional

type EventList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Event

type EventSeries
  count 1 int32?
  lastObservedTime 2 MicroTime?

type EventSource
  component 1 string?
  host 2 string?

type ExecAction
  command 1 []string? atomic

type FCVolumeSource
  targetWWNs 1 []string? atomic
  lun 2 *int32?
  fsType 3 string?
  readOnly 4 bool?
  wwids 5 []string? atomic

type FlexPersistentVolumeSource
  driver 1 string
  fsType 2 string?
  secretRef 3 *SecretReference?
  readOnly 4 bool?
  options 5 map[string]string?

type FlexVolumeSource
  driver 1 string
  fsType 2 string?
  secretRef 3 *LocalObjectReference?
  readOnly 4 bool?
  options 5 map[string]string?

type FlockerVolumeSource
  datasetName 1 string?
  datasetUUID 2 string?

type GCEPersistentDiskVolumeSource
  pdName 1 string
  fsType 2 string?
  partition 3 int32?
  readOnly 4 bool?

type GRPCAction
  port 1 int32
  service 2 *string optional = ""

type GitRepoVolumeSource
  repository 1 string
  revision 2 string?
  directory 3 string?

type GlusterfsPersistentVolumeSource
  endpoints 1 string
  path 2 string
  readOnly 3 bool?
  endpointsNamespace 4 *string?

type GlusterfsVolumeSource
  endpoints 1 string
  path 2 string
  readOnly 3 bool?

type HTTPGetAction
  path 1 string?
  port 2 IntOrString
  host 3 string?
  scheme 4 URIScheme?
  httpHeaders 5 []HTTPHeader? atomic

type HTTPHeader
  name 1 string
  value 2 string

type HostAlias
  ip 1 string
  hostnames 2 []string? atomic

type HostIP
  ip 1 string

type HostPathVolumeSource
  path 1 string
  type 2 *HostPathType?

type ISCSIPersistentVolumeSource
  targetPortal 1 string
  iqn 2 string
  lun 3 int32
  iscsiInterface 4 string? = "default"
  fsType 5 string?
  readOnly 6 bool?
  portals 7 []string? atomic
  chapAuthDiscovery 8 bool?
  chapAuthSession 11 bool?
  secretRef 10 *SecretReference?
  initiatorName 12 *string?

type ISCSIVolumeSource
  targetPortal 1 string
  iqn 2 string
  lun 3 int32
  iscsiInterface 4 string? = "default"
  fsType 5 string?
  readOnly 6 bool?
  portals 7 []string? atomic
  chapAuthDiscovery 8 bool?
  chapAuthSession 11 bool?
  secretRef 10 *LocalObjectReference?
  initiatorName 12 *string?

type ImageVolumeSource
  reference 1 string?
  pullPolicy 2 PullPolicy?

type KeyToPath
  key 1 string
  path 2 string
  mode 3 *int32?

type Lifecycle
  postStart 1 *LifecycleHandler?
  preStop 2 *LifecycleHandler?
  stopSignal 3 *Signal?

type LifecycleHandler
  exec 1 *ExecAction?
  httpGet 2 *HTTPGetAction?
  tcpSocket 3 *TCPSocketAction? deprecated
  sleep 4 *SleepAction?

type LimitRange typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 LimitRangeSpec?

type LimitRangeItem
  type 1 string
  max 2 map[string]Quantity?
  min 3 map[string]Quantity?
  default 4 map[string]Quantity?
  defaultRequest 5 map[string]Quantity?
  maxLimitRequestRatio 6 map[string]Quantity?

type LimitRangeList typemeta
  metadata 1 meta.ListMeta?
  items 2 []LimitRange

type LimitRangeSpec
  limits 1 []LimitRangeItem atomic

type LinuxContainerUser
  uid 1 int64
  gid 2 int64
  supplementalGroups 3 []int64? atomic

type List typemeta
  metadata 1 meta.ListMeta?
  items 2 []RawExtension

type LoadBalancerIngress
  ip 1 string?
  hostname 2 string?
  ipMode 3 *string?
  ports 4 []PortStatus? atomic

type LoadBalancerStatus
  ingress 1 []LoadBalancerIngress? atomic

type LocalObjectReference atomic
  name 1 string? = ""

type LocalVolumeSource
  path 1 string
  fsType 2 *string?

type ModifyVolumeStatus
  targetVolumeAttributesClassName 1 string?
  status 2 PersistentVolumeClaimModifyVolumeStatus

type NFSVolumeSource
  server 1 string
  path 2 string
  readOnly 3 bool?

type Namespace typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 NamespaceSpec?
  status 3 NamespaceStatus?

type NamespaceCondition
  type 1 string
  status 2 string
  lastTransitionTime 4 Time?
  reason 5 string?
  message 6 string?

type NamespaceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Namespace

type NamespaceSpec
  finalizers 1 []string? atomic

type NamespaceStatus
  phase 1 NamespacePhase?
  conditions 2 []NamespaceCondition? map(type) merge(type)

type Node typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 NodeSpec?
  status 3 NodeStatus?

type NodeAddress
  type 1 string
  address 2 string

type NodeAffinity
  requiredDuringSchedulingIgnoredDuringExecution 1 *NodeSelector?
  preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm? atomic

type NodeCondition
  type 1 string
  status 2 string
  lastHeartbeatTime 3 Time?
  lastTransitionTime 4 Time?
  reason 5 string?
  message 6 string?

type NodeConfigSource
  configMap 2 *ConfigMapNodeConfigSource?

type NodeConfigStatus
  assigned 1 *NodeConfigSource?
  active 2 *NodeConfigSource?
  lastKnownGood 3 *NodeConfigSource?
  error 4 string?

type NodeDaemonEndpoints
  kubeletEndpoint 1 DaemonEndpoint?

type NodeFeatures
  supplementalGroupsPolicy 1 *bool?

type NodeList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Node

type NodeProxyOptions typemeta
  path 1 string?

type NodeRuntimeHandler
  name 1 string optional
  features 2 *NodeRuntimeHandlerFeatures?

type NodeRuntimeHandlerFeatures
  recursiveReadOnlyMounts 1 *bool?
  userNamespaces 2 *bool?

type NodeSelector atomic
  nodeSelectorTerms 1 []NodeSelectorTerm atomic

type NodeSelectorRequirement
  key 1 string
  operator 2 NodeSelectorOperator
  values 3 []string? atomic

type NodeSelectorTerm atomic
  matchExpressions 1 []NodeSelectorRequirement? atomic
  matchFields 2 []NodeSelectorRequirement? atomic

type NodeSpec
  podCIDR 1 string?
  podCIDRs 7 []string? set merge
  providerID 3 string?
  unschedulable 4 bool?
  taints 5 []Taint? atomic
  configSource 6 *NodeConfigSource? deprecated
  externalID 2 string? deprecated

type NodeStatus
  capacity 1 map[string]Quantity?
  allocatable 2 map[string]Quantity?
  phase 3 NodePhase? deprecated
  conditions 4 []NodeCondition? map(type) merge(type)
  addresses 5 []NodeAddress? map(type) merge(type)
  daemonEndpoints 6 NodeDaemonEndpoints?
  nodeInfo 7 NodeSystemInfo?
  images 8 []ContainerImage? atomic
  volumesInUse 9 []string? atomic
  volumesAttached 10 []AttachedVolume? atomic
  config 11 *NodeConfigStatus?
  runtimeHandlers 12 []NodeRuntimeHandler? atomic
  features 13 *NodeFeatures?

type NodeSwapStatus
  capacity 1 *int64?

type NodeSystemInfo
  machineID 1 string
  systemUUID 2 string
  bootID 3 string
  kernelVersion 4 string
  osImage 5 string
  containerRuntimeVersion 6 string
  kubeletVersion 7 string
  kubeProxyVersion 8 string deprecated
  operatingSystem 9 string
  architecture 10 string
  swap 11 *NodeSwapStatus?

type ObjectFieldSelector atomic
  apiVersion 1 string?
  fieldPath 2 string

type ObjectReference atomic
  kind 1 string?
  namespace 2 string?
  name 3 string?
  uid 4 UID?
  apiVersion 5 string?
  resourceVersion 6 string?
  fieldPath 7 string?

type PersistentVolume typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 PersistentVolumeSpec?
  status 3 PersistentVolumeStatus?

type PersistentVolumeClaim typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 PersistentVolumeClaimSpec?
  status 3 PersistentVolumeClaimStatus?

type PersistentVolumeClaimCondition
  type 1 string
  status 2 string
  lastProbeTime 3 Time?
  lastTransitionTime 4 Time?
  reason 5 string?
  message 6 string?

type PersistentVolumeClaimList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PersistentVolumeClaim

type PersistentVolumeClaimSpec
  accessModes 1 []PersistentVolumeAccessMode? atomic
  selector 4 *meta.LabelSelector?
  resources 2 VolumeResourceRequirements?
  volumeName 3 string?
  storageClassName 5 *string?
  volumeMode 6 *PersistentVolumeMode?
  dataSource 7 *TypedLocalObjectReference?
  dataSourceRef 8 *TypedObjectReference?
  volumeAttributesClassName 9 *string?

type PersistentVolumeClaimStatus
  phase 1 PersistentVolumeClaimPhase?
  accessModes 2 []PersistentVolumeAccessMode? atomic
  capacity 3 map[string]Quantity?
  conditions 4 []PersistentVolumeClaimCondition? map(type) merge(type)
  allocatedResources 5 map[string]Quantity?
  allocatedResourceStatuses 7 map[string]ClaimResourceStatus? granular
  currentVolumeAttributesClassName 8 *string?
  modifyVolumeStatus 9 *ModifyVolumeStatus?

type PersistentVolumeClaimTemplate
  metadata 1 meta.ObjectMeta?
  spec 2 PersistentVolumeClaimSpec

type PersistentVolumeClaimVolumeSource
  claimName 1 string
  readOnly 2 bool?

type PersistentVolumeList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PersistentVolume

type PersistentVolumeSource
  gcePersistentDisk 1 *GCEPersistentDiskVolumeSource? deprecated
  awsElasticBlockStore 2 *AWSElasticBlockStoreVolumeSource? deprecated
  hostPath 3 *HostPathVolumeSource?
  glusterfs 4 *GlusterfsPersistentVolumeSource? deprecated
  nfs 5 *NFSVolumeSource?
  rbd 6 *RBDPersistentVolumeSource? deprecated
  iscsi 7 *ISCSIPersistentVolumeSource?
  cinder 8 *CinderPersistentVolumeSource? deprecated
  cephfs 9 *CephFSPersistentVolumeSource? deprecated
  fc 10 *FCVolumeSource?
  flocker 11 *FlockerVolumeSource? deprecated
  flexVolume 12 *FlexPersistentVolumeSource? deprecated
  azureFile 13 *AzureFilePersistentVolumeSource? deprecated
  vsphereVolume 14 *VsphereVirtualDiskVolumeSource? deprecated
  quobyte 15 *QuobyteVolumeSource? deprecated
  azureDisk 16 *AzureDiskVolumeSource? deprecated
  photonPersistentDisk 17 *PhotonPersistentDiskVolumeSource? deprecated
  portworxVolume 18 *PortworxVolumeSource? deprecated
  scaleIO 19 *ScaleIOPersistentVolumeSource? deprecated
  local 20 *LocalVolumeSource?
  storageos 21 *StorageOSPersistentVolumeSource? deprecated
  csi 22 *CSIPersistentVolumeSource?

type PersistentVolumeSpec
  capacity 1 map[string]Quantity?
  inline 2 PersistentVolumeSource
  accessModes 3 []PersistentVolumeAccessMode? atomic
  claimRef 4 *ObjectReference? granular
  persistentVolumeReclaimPolicy 5 PersistentVolumeReclaimPolicy?
  storageClassName 6 string?
  mountOptions 7 []string? atomic
  volumeMode 8 *PersistentVolumeMode?
  nodeAffinity 9 *VolumeNodeAffinity?
  volumeAttributesClassName 10 *string?

type PersistentVolumeStatus
  phase 1 PersistentVolumePhase?
  message 2 string?
  reason 3 string?
  lastPhaseTransitionTime 4 *Time?

type PhotonPersistentDiskVolumeSource
  pdID 1 string
  fsType 2 string?

type Pod typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 PodSpec?
  status 3 PodStatus?

type PodAffinity
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm? atomic
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm? atomic

type PodAffinityTerm
  labelSelector 1 *meta.LabelSelector?
  namespaces 2 []string? atomic
  topologyKey 3 string
  namespaceSelector 4 *meta.LabelSelector?
  matchLabelKeys 5 []string? atomic
  mismatchLabelKeys 6 []string? atomic

type PodAntiAffinity
  requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm? atomic
  preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm? atomic

type PodAttachOptions typemeta
  stdin 1 bool?
  stdout 2 bool?
  stderr 3 bool?
  tty 4 bool?
  container 5 string?

type PodCondition
  type 1 string
  observedGeneration 7 int64?
  status 2 string
  lastProbeTime 3 Time?
  lastTransitionTime 4 Time?
  reason 5 string?
  message 6 string?

type PodDNSConfig
  nameservers 1 []string? atomic
  searches 2 []string? atomic
  options 3 []PodDNSConfigOption? atomic

type PodDNSConfigOption
  name 1 string?
  value 2 *string?

type PodExecOptions typemeta
  stdin 1 bool?
  stdout 2 bool?
  stderr 3 bool?
  tty 4 bool?
  container 5 string?
  command 6 []string atomic

type PodIP
  ip 1 string

type PodList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Pod

type PodLogOptions typemeta
  container 1 string?
  follow 2 bool?
  previous 3 bool?
  sinceSeconds 4 *int64?
  sinceTime 5 *Time?
  timestamps 6 bool?
  tailLines 7 *int64?
  limitBytes 8 *int64?
  insecureSkipTLSVerifyBackend 9 bool?
  stream 10 *string?

type PodOS
  name 1 string

type PodPortForwardOptions typemeta
  ports 1 []int32? atomic

type PodProxyOptions typemeta
  path 1 string?

type PodReadinessGate
  conditionType 1 string

type PodResourceClaim
  name 1 string
  resourceClaimName 3 *string?
  resourceClaimTemplateName 4 *string?

type PodResourceClaimStatus
  name 1 string
  resourceClaimName 2 *string?

type PodSchedulingGate
  name 1 string

type PodSecurityContext
  seLinuxOptions 1 *SELinuxOptions?
  windowsOptions 8 *WindowsSecurityContextOptions?
  runAsUser 2 *int64?
  runAsGroup 6 *int64?
  runAsNonRoot 3 *bool?
  supplementalGroups 4 []int64? atomic
  supplementalGroupsPolicy 12 *SupplementalGroupsPolicy?
  fsGroup 5 *int64?
  sysctls 7 []Sysctl? atomic
  fsGroupChangePolicy 9 *PodFSGroupChangePolicy?
  seccompProfile 10 *SeccompProfile?
  appArmorProfile 11 *AppArmorProfile?
  seLinuxChangePolicy 13 *string?

type PodSignature
  podController 1 *meta.OwnerReference?

type PodSpec
  volumes 1 []Volume? map(name) merge(name) retainKeys
  initContainers 20 []Container? map(name) merge(name)
  containers 2 []Container map(name) merge(name)
  ephemeralContainers 34 []EphemeralContainer? map(name) merge(name)
  restartPolicy 3 RestartPolicy?
  terminationGracePeriodSeconds 4 *int64?
  activeDeadlineSeconds 5 *int64?
  dnsPolicy 6 DNSPolicy?
  nodeSelector 7 map[string]string? atomic
  serviceAccountName 8 string?
  serviceAccount 9 string? deprecated
  automountServiceAccountToken 21 *bool?
  nodeName 10 string?
  hostNetwork 11 bool?
  hostPID 12 bool?
  hostIPC 13 bool?
  shareProcessNamespace 27 *bool?
  securityContext 14 *PodSecurityContext?
  imagePullSecrets 15 []LocalObjectReference? map(name) merge(name)
  hostname 16 string?
  subdomain 17 string?
  affinity 18 *Affinity?
  schedulerName 19 string?
  tolerations 22 []Toleration? atomic
  hostAliases 23 []HostAlias? map(ip) merge(ip)
  priorityClassName 24 string?
  priority 25 *int32?
  dnsConfig 26 *PodDNSConfig?
  readinessGates 28 []PodReadinessGate? atomic
  runtimeClassName 29 *string?
  enableServiceLinks 30 *bool?
  preemptionPolicy 31 *PreemptionPolicy?
  overhead 32 map[string]Quantity?
  topologySpreadConstraints 33 []TopologySpreadConstraint? map(topologyKey,whenUnsatisfiable) merge(topologyKey)
  setHostnameAsFQDN 35 *bool?
  os 36 *PodOS?
  hostUsers 37 *bool?
  schedulingGates 38 []PodSchedulingGate? map(name) merge(name)
  resourceClaims 39 []PodResourceClaim? map(name) merge(name) retainKeys
  resources 40 *ResourceRequirements?

type PodStatus
  observedGeneration 17 int64?
  phase 1 PodPhase?
  conditions 2 []PodCondition? map(type) merge(type)
  message 3 string?
  reason 4 string?
  nominatedNodeName 11 string?
  hostIP 5 string?
  hostIPs 16 []HostIP? atomic merge(ip)
  podIP 6 string?
  podIPs 12 []PodIP? map(ip) merge(ip)
  startTime 7 *Time?
  initContainerStatuses 10 []ContainerStatus? atomic
  containerStatuses 8 []ContainerStatus? atomic
  qosClass 9 PodQOSClass?
  ephemeralContainerStatuses 13 []ContainerStatus? atomic
  resize 14 string? deprecated
  resourceClaimStatuses 15 []PodResourceClaimStatus? map(name) merge(name) retainKeys

type PodStatusResult typemeta
  metadata 1 meta.ObjectMeta?
  status 2 PodStatus?

type PodTemplate typemeta
  metadata 1 meta.ObjectMeta?
  template 2 PodTemplateSpec?

type PodTemplateList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PodTemplate

type PodTemplateSpec
  metadata 1 meta.ObjectMeta?
  spec 2 PodSpec?

type PortStatus
  port 1 int32
  protocol 2 Protocol
  error 3 *string?

type PortworxVolumeSource
  volumeID 1 string
  fsType 2 string?
  readOnly 3 bool?

type Preconditions
  uid 1 *UID?

type PreferAvoidPodsEntry
  podSignature 1 PodSignature
  evictionTime 2 Time?
  reason 3 string?
  message 4 string?

type PreferredSchedulingTerm
  weight 1 int32
  preference 2 NodeSelectorTerm

type Probe
  inline 1 ProbeHandler
  initialDelaySeconds 2 int32?
  timeoutSeconds 3 int32?
  periodSeconds 4 int32?
  successThreshold 5 int32?
  failureThreshold 6 int32?
  terminationGracePeriodSeconds 7 *int64?

type ProbeHandler
  exec 1 *ExecAction?
  httpGet 2 *HTTPGetAction?
  tcpSocket 3 *TCPSocketAction?
  grpc 4 *GRPCAction?

type ProjectedVolumeSource
  sources 1 []VolumeProjection optional atomic
  defaultMode 2 *int32?

type QuobyteVolumeSource
  registry 1 string
  volume 2 string
  readOnly 3 bool?
  user 4 string?
  group 5 string?
  tenant 6 string?

type RBDPersistentVolumeSource
  monitors 1 []string atomic
  image 2 string
  fsType 3 string?
  pool 4 string? = "rbd"
  user 5 string? = "admin"
  keyring 6 string? = "/etc/ceph/keyring"
  secretRef 7 *SecretReference?
  readOnly 8 bool?

type RBDVolumeSource
  monitors 1 []string atomic
  image 2 string
  fsType 3 string?
  pool 4 string? = "rbd"
  user 5 string? = "admin"
  keyring 6 string? = "/etc/ceph/keyring"
  secretRef 7 *LocalObjectReference?
  readOnly 8 bool?

type RangeAllocation typemeta
  metadata 1 meta.ObjectMeta?
  range 2 string
  data 3 bytes

type ReplicationController typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ReplicationControllerSpec?
  status 3 ReplicationControllerStatus?

type ReplicationControllerCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type ReplicationControllerList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ReplicationController

type ReplicationControllerSpec
  replicas 1 *int32? = 1
  minReadySeconds 4 int32? = 0
  selector 2 map[string]string? atomic
  template 3 *PodTemplateSpec?

type ReplicationControllerStatus
  replicas 1 int32
  fullyLabeledReplicas 2 int32?
  readyReplicas 4 int32?
  availableReplicas 5 int32?
  observedGeneration 3 int64?
  conditions 6 []ReplicationControllerCondition? map(type) merge(type)

type ResourceClaim
  name 1 string
  request 2 string?

type ResourceFieldSelector atomic
  containerName 1 string?
  resource 2 string
  divisor 3 Quantity?

type ResourceHealth
  resourceID 1 string
  health 2 string?

type ResourceQuota typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ResourceQuotaSpec?
  status 3 ResourceQuotaStatus?

type ResourceQuotaList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceQuota

type ResourceQuotaSpec
  hard 1 map[string]Quantity?
  scopes 2 []ResourceQuotaScope? atomic
  scopeSelector 3 *ScopeSelector?

type ResourceQuotaStatus
  hard 1 map[string]Quantity?
  used 2 map[string]Quantity?

type ResourceRequirements
  limits 1 map[string]Quantity?
  requests 2 map[string]Quantity?
  claims 3 []ResourceClaim? map(name)

type ResourceStatus
  name 1 string
  resources 2 []ResourceHealth? map(resourceID)

type SELinuxOptions
  user 1 string?
  role 2 string?
  type 3 string?
  level 4 string?

type ScaleIOPersistentVolumeSource
  gateway 1 string
  system 2 string
  secretRef 3 *SecretReference
  sslEnabled 4 bool?
  protectionDomain 5 string?
  storagePool 6 string?
  storageMode 7 string? = "ThinProvisioned"
  volumeName 8 string?
  fsType 9 string? = "xfs"
  readOnly 10 bool?

type ScaleIOVolumeSource
  gateway 1 string
  system 2 string
  secretRef 3 *LocalObjectReference
  sslEnabled 4 bool?
  protectionDomain 5 string?
  storagePool 6 string?
  storageMode 7 string? = "ThinProvisioned"
  volumeName 8 string?
  fsType 9 string? = "xfs"
  readOnly 10 bool?

type ScopeSelector atomic
  matchExpressions 1 []ScopedResourceSelectorRequirement? atomic

type ScopedResourceSelectorRequirement
  scopeName 1 ResourceQuotaScope
  operator 2 ScopeSelectorOperator
  values 3 []string? atomic

type SeccompProfile
  type 1 SeccompProfileType
  localhostProfile 2 *string?

type Secret typemeta
  metadata 1 meta.ObjectMeta?
  immutable 5 *bool?
  data 2 map[string]bytes?
  stringData 4 map[string]string?
  type 3 string?

type SecretEnvSource
  inline 1 LocalObjectReference
  optional 2 *bool?

type SecretKeySelector atomic
  inline 1 LocalObjectReference
  key 2 string
  optional 3 *bool?

type SecretList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Secret

type SecretProjection
  inline 1 LocalObjectReference
  items 2 []KeyToPath? atomic
  optional 4 *bool?

type SecretReference atomic
  name 1 string?
  namespace 2 string?

type SecretVolumeSource
  secretName 1 string?
  items 2 []KeyToPath? atomic
  defaultMode 3 *int32?
  optional 4 *bool?

type SecurityContext
  capabilities 1 *Capabilities?
  privileged 2 *bool?
  seLinuxOptions 3 *SELinuxOptions?
  windowsOptions 10 *WindowsSecurityContextOptions?
  runAsUser 4 *int64?
  runAsGroup 8 *int64?
  runAsNonRoot 5 *bool?
  readOnlyRootFilesystem 6 *bool?
  allowPrivilegeEscalation 7 *bool?
  procMount 9 *ProcMountType?
  seccompProfile 11 *SeccompProfile?
  appArmorProfile 12 *AppArmorProfile?

type SerializedReference typemeta
  reference 1 ObjectReference?

type Service typemeta
  metadata 1 meta.ObjectMeta?
  spec 2 ServiceSpec?
  status 3 ServiceStatus?

type ServiceAccount typemeta
  metadata 1 meta.ObjectMeta?
  secrets 2 []ObjectReference? map(name) merge(name)
  imagePullSecrets 3 []LocalObjectReference? atomic
  automountServiceAccountToken 4 *bool?

type ServiceAccountList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ServiceAccount

type ServiceAccountTokenProjection
  audience 1 string?
  expirationSeconds 2 *int64?
  path 3 string

type ServiceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Service

type ServicePort
  name 1 string?
  protocol 2 Protocol? = "TCP"
  appProtocol 6 *string?
  port 3 int32
  targetPort 4 IntOrString?
  nodePort 5 int32?

type ServiceProxyOptions typemeta
  path 1 string?

type ServiceSpec
  ports 1 []ServicePort? map(port,protocol) merge(port)
  selector 2 map[string]string? atomic
  clusterIP 3 string?
  clusterIPs 18 []string? atomic
  type 4 ServiceType?
  externalIPs 5 []string? atomic
  sessionAffinity 7 ServiceAffinity?
  loadBalancerIP 8 string? deprecated
  loadBalancerSourceRanges 9 []string? atomic
  externalName 10 string?
  externalTrafficPolicy 11 ServiceExternalTrafficPolicy?
  healthCheckNodePort 12 int32?
  publishNotReadyAddresses 13 bool?
  sessionAffinityConfig 14 *SessionAffinityConfig?
  ipFamilies 19 []IPFamily? atomic
  ipFamilyPolicy 17 *IPFamilyPolicy?
  allocateLoadBalancerNodePorts 20 *bool?
  loadBalancerClass 21 *string?
  internalTrafficPolicy 22 *ServiceInternalTrafficPolicy?
  trafficDistribution 23 *string?

type ServiceStatus
  loadBalancer 1 LoadBalancerStatus?
  conditions 2 []meta.Condition? map(type) merge(type)

type SessionAffinityConfig
  clientIP 1 *ClientIPConfig?

type SleepAction
  seconds 1 int64

type StorageOSPersistentVolumeSource
  volumeName 1 string?
  volumeNamespace 2 string?
  fsType 3 string?
  readOnly 4 bool?
  secretRef 5 *ObjectReference?

type StorageOSVolumeSource
  volumeName 1 string?
  volumeNamespace 2 string?
  fsType 3 string?
  readOnly 4 bool?
  secretRef 5 *LocalObjectReference?

type Sysctl
  name 1 string
  value 2 string

type TCPSocketAction
  port 1 IntOrString
  host 2 string?

type Taint
  key 1 string
  value 2 string?
  effect 3 TaintEffect
  timeAdded 4 *Time?

type Toleration
  key 1 string?
  operator 2 TolerationOperator?
  value 3 string?
  effect 4 TaintEffect?
  tolerationSeconds 5 *int64?

type TopologySelectorLabelRequirement
  key 1 string
  values 2 []string atomic

type TopologySelectorTerm atomic
  matchLabelExpressions 1 []TopologySelectorLabelRequirement? atomic

type TopologySpreadConstraint
  maxSkew 1 int32
  topologyKey 2 string
  whenUnsatisfiable 3 UnsatisfiableConstraintAction
  labelSelector 4 *meta.LabelSelector?
  minDomains 5 *int32?
  nodeAffinityPolicy 6 *NodeInclusionPolicy?
  nodeTaintsPolicy 7 *NodeInclusionPolicy?
  matchLabelKeys 8 []string? atomic

type TypedLocalObjectReference atomic
  apiGroup 1 *string optional
  kind 2 string
  name 3 string

type TypedObjectReference
  apiGroup 1 *string optional
  kind 2 string
  name 3 string
  namespace 4 *string?

type Volume
  name 1 string
  inline 2 VolumeSource

type VolumeDevice
  name 1 string
  devicePath 2 string

type VolumeMount
  name 1 string
  readOnly 2 bool?
  recursiveReadOnly 7 *string?
  mountPath 3 string
  subPath 4 string?
  mountPropagation 5 *MountPropagationMode?
  subPathExpr 6 string?

type VolumeMountStatus
  name 1 string
  mountPath 2 string
  readOnly 3 bool?
  recursiveReadOnly 4 *string?

type VolumeNodeAffinity
  required 1 *NodeSelector?

type VolumeProjection
  secret 1 *SecretProjection?
  downwardAPI 2 *DownwardAPIProjection?
  configMap 3 *ConfigMapProjection?
  serviceAccountToken 4 *ServiceAccountTokenProjection?
  clusterTrustBundle 5 *ClusterTrustBundleProjection?

type VolumeResourceRequirements
  limits 1 map[string]Quantity?
  requests 2 map[string]Quantity?

type VolumeSource
  hostPath 1 *HostPathVolumeSource?
  emptyDir 2 *EmptyDirVolumeSource?
  gcePersistentDisk 3 *GCEPersistentDiskVolumeSource? deprecated
  awsElasticBlockStore 4 *AWSElasticBlockStoreVolumeSource? deprecated
  gitRepo 5 *GitRepoVolumeSource? deprecated
  secret 6 *SecretVolumeSource?
  nfs 7 *NFSVolumeSource?
  iscsi 8 *ISCSIVolumeSource?
  glusterfs 9 *GlusterfsVolumeSource? deprecated
  persistentVolumeClaim 10 *PersistentVolumeClaimVolumeSource?
  rbd 11 *RBDVolumeSource? deprecated
  flexVolume 12 *FlexVolumeSource? deprecated
  cinder 13 *CinderVolumeSource? deprecated
  cephfs 14 *CephFSVolumeSource? deprecated
  flocker 15 *FlockerVolumeSource? deprecated
  downwardAPI 16 *DownwardAPIVolumeSource?
  fc 17 *FCVolumeSource?
  azureFile 18 *AzureFileVolumeSource? deprecated
  configMap 19 *ConfigMapVolumeSource?
  vsphereVolume 20 *VsphereVirtualDiskVolumeSource? deprecated
  quobyte 21 *QuobyteVolumeSource? deprecated
  azureDisk 22 *AzureDiskVolumeSource? deprecated
  photonPersistentDisk 23 *PhotonPersistentDiskVolumeSource? deprecated
  projected 26 *ProjectedVolumeSource?
  portworxVolume 24 *PortworxVolumeSource? deprecated
  scaleIO 25 *ScaleIOVolumeSource? deprecated
  storageos 27 *StorageOSVolumeSource? deprecated
  csi 28 *CSIVolumeSource?
  ephemeral 29 *EphemeralVolumeSource?
  image 30 *ImageVolumeSource?

type VsphereVirtualDiskVolumeSource
  volumePath 1 string
  fsType 2 string?
  storagePolicyName 3 string?
  storagePolicyID 4 string?

type WeightedPodAffinityTerm
  weight 1 int32
  podAffinityTerm 2 PodAffinityTerm

type WindowsSecurityContextOptions
  gmsaCredentialSpecName 1 *string?
  gmsaCredentialSpec 2 *string?
  runAsUserName 3 *string?
  hostProcess 4 *bool?
`,
}
