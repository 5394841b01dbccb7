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

type Binding typemeta # Puts a pod on a node; made by schedulers, never stored.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  target 2 ObjectReference # Where the pod is to run.

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

type ComponentStatus typemeta # The health of a part of the control plane, asked when it is read. Deprecated.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  conditions 2 []ComponentCondition? map(type) merge(type) # Whether the component is healthy.

type ComponentStatusList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ComponentStatus

type ConfigMap typemeta # Configuration as keys with text or binary values, for pods to read.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  immutable 4 *bool? # When true, the data can never be changed again, nor this.
  data 2 map[string]string? # Texts by key. A key is in either this or binaryData.
  binaryData 3 map[string]bytes? # Bytes by key, base64-encoded.

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

type Container # A program from an image, with what it needs to run.
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

type ContainerPort # A port that a container listens on.
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

type Endpoints typemeta # The addresses behind a service. Deprecated in favour of EndpointSlice.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  subsets 2 []EndpointSubset? atomic # Groups of addresses with the ports they serve.

type EndpointsList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Endpoints

type EnvFromSource
  prefix 1 string?
  configMapRef 2 *ConfigMapEnvSource?
  secretRef 3 *SecretEnvSource?

type EnvVar # A variable of a container's environment.
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

type Event typemeta # A report of something that happened to an object; kept for a while, then dropped.
  metadata 1 meta.ObjectMeta # Name, labels and all else that every object has.
  involvedObject 2 ObjectReference # What the event is about.
  reason 3 string? # Why, in one word that programs understand.
  message 4 string? # What happened, for people.
  source 5 EventSource? # The component that reports it.
  firstTimestamp 6 Time? # When it was seen first.
  lastTimestamp 7 Time? # When it was seen last.
  count 8 int32? # How often it has been seen.
  type 9 string? # Normal or Warning.
  eventTime 10 MicroTime? # When it was seen first, to the microsecond.
  series 11 *EventSeries? # How often it repeats, if it does.
  action 12 string? # What was done or failed.
  related 13 *ObjectReference? # A second object that takes part.
  reportingComponent 14 string optional # Name of the controller that reports it.
  reportingInstance 15 string optional # Which instance of that controller.

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

type LimitRange typemeta # Defaults and bounds for the resources that each pod, container or claim of a namespace may ask for.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 LimitRangeSpec? # What is wanted.

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
  limits 1 []LimitRangeItem atomic # The limits, one for each type of object.

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

type Namespace typemeta # A space of names: most objects live in one, and go with it when it is deleted.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 NamespaceSpec? # What is wanted.
  status 3 NamespaceStatus? # What is, as last reported; not set by those who want something.

type NamespaceCondition
  type 1 string
  status 2 string
  lastTransitionTime 4 Time?
  reason 5 string?
  message 6 string?

type NamespaceList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Namespace

type NamespaceSpec # What keeps a namespace from being removed.
  finalizers 1 []string? atomic # Who has to clear the namespace before it goes.

type NamespaceStatus # The phase of a namespace, and what holds its deletion.
  phase 1 NamespacePhase? # Active, or Terminating while its content is deleted.
  conditions 2 []NamespaceCondition? map(type) merge(type) # What holds a deletion up.

type Node typemeta # A machine that runs pods.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 NodeSpec? # What is wanted.
  status 3 NodeStatus? # What is, as last reported; not set by those who want something.

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
  path 1 string? # Path to ask for.

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

type NodeSpec # What a node is to be.
  podCIDR 1 string? # Range of the addresses of its pods.
  podCIDRs 7 []string? set merge # The same, one for each family of addresses.
  providerID 3 string? # What the cloud provider calls the machine.
  unschedulable 4 bool? # Whether no new pods are placed here.
  taints 5 []Taint? atomic # What pods have to tolerate to be placed here.
  configSource 6 *NodeConfigSource? deprecated # Where the kubelet's configuration was; without effect now.
  externalID 2 string? deprecated # Not used any more.

type NodeStatus # What a node is now, as last reported.
  capacity 1 map[string]Quantity? # All resources of the machine.
  allocatable 2 map[string]Quantity? # Those that pods may have.
  phase 3 NodePhase? deprecated # Not used any more.
  conditions 4 []NodeCondition? map(type) merge(type) # Whether it is ready, under pressure and so on.
  addresses 5 []NodeAddress? map(type) merge(type) # Where it is reached.
  daemonEndpoints 6 NodeDaemonEndpoints? # Ports of what runs on it for the cluster.
  nodeInfo 7 NodeSystemInfo? # Versions and identities of the machine and its software.
  images 8 []ContainerImage? atomic # Images that are on the machine.
  volumesInUse 9 []string? atomic # Volumes that pods here use.
  volumesAttached 10 []AttachedVolume? atomic # Volumes that are attached to it.
  config 11 *NodeConfigStatus? # Which configuration the kubelet had; without effect now.
  runtimeHandlers 12 []NodeRuntimeHandler? atomic # Handlers of the container runtime, and what each can do.
  features 13 *NodeFeatures? # What the runtime can do.

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

type PersistentVolume typemeta # A piece of storage of the cluster, with a life of its own apart from the pods that use it.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PersistentVolumeSpec? # What is wanted.
  status 3 PersistentVolumeStatus? # What is, as last reported; not set by those who want something.

type PersistentVolumeClaim typemeta # A request for storage, which a persistent volume is bound to.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PersistentVolumeClaimSpec? # What is wanted.
  status 3 PersistentVolumeClaimStatus? # What is, as last reported; not set by those who want something.

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

type PersistentVolumeClaimSpec # What storage is wanted.
  accessModes 1 []PersistentVolumeAccessMode? atomic # In what ways the volume has to be mountable.
  selector 4 *meta.LabelSelector? # Labels that the volume has to have.
  resources 2 VolumeResourceRequirements? # How much it has to hold.
  volumeName 3 string? # The volume that it is bound to.
  storageClassName 5 *string? # The class the volume has to have; absent for the default one.
  volumeMode 6 *PersistentVolumeMode? # Filesystem or Block.
  dataSource 7 *TypedLocalObjectReference? # What the volume is filled from: a claim or a snapshot.
  dataSourceRef 8 *TypedObjectReference? # The same, of any kind, and of other namespaces where that is enabled.
  volumeAttributesClassName 9 *string? # The class of the volume's attributes that may change.

type PersistentVolumeClaimStatus
  phase 1 PersistentVolumeClaimPhase? # Pending, Bound or Lost.
  accessModes 2 []PersistentVolumeAccessMode? atomic # In what ways its volume can be mounted.
  capacity 3 map[string]Quantity? # How much its volume holds.
  conditions 4 []PersistentVolumeClaimCondition? map(type) merge(type) # Whether it is being resized, and the like.
  allocatedResources 5 map[string]Quantity? # How much a resize is to reach.
  allocatedResourceStatuses 7 map[string]ClaimResourceStatus? granular # How far the resize of each resource is.
  currentVolumeAttributesClassName 8 *string? # The class of attributes that the volume has.
  modifyVolumeStatus 9 *ModifyVolumeStatus? # How far a change of the class of attributes is.

type PersistentVolumeClaimTemplate
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PersistentVolumeClaimSpec # What is wanted.

type PersistentVolumeClaimVolumeSource
  claimName 1 string
  readOnly 2 bool?

type PersistentVolumeList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PersistentVolume

type PersistentVolumeSource
  gcePersistentDisk 1 *GCEPersistentDiskVolumeSource? deprecated # A disk of Google's cloud, by the old plugin.
  awsElasticBlockStore 2 *AWSElasticBlockStoreVolumeSource? deprecated # A disk of Amazon's cloud, by the old plugin.
  hostPath 3 *HostPathVolumeSource? # A directory of the node; for single nodes and tests.
  glusterfs 4 *GlusterfsPersistentVolumeSource? deprecated # A GlusterFS volume; the plugin is gone.
  nfs 5 *NFSVolumeSource? # A directory that an NFS server exports.
  rbd 6 *RBDPersistentVolumeSource? deprecated # A Ceph block device; the plugin is gone.
  iscsi 7 *ISCSIPersistentVolumeSource? # An iSCSI disk.
  cinder 8 *CinderPersistentVolumeSource? deprecated # A disk of OpenStack, by the old plugin.
  cephfs 9 *CephFSPersistentVolumeSource? deprecated # A directory of CephFS; the plugin is gone.
  fc 10 *FCVolumeSource? # A Fibre Channel disk.
  flocker 11 *FlockerVolumeSource? deprecated # A Flocker volume; the plugin is gone.
  flexVolume 12 *FlexPersistentVolumeSource? deprecated # A volume that a program on the node mounts; use CSI drivers.
  azureFile 13 *AzureFilePersistentVolumeSource? deprecated # A share of Azure Files, by the old plugin.
  vsphereVolume 14 *VsphereVirtualDiskVolumeSource? deprecated # A disk of vSphere, by the old plugin.
  quobyte 15 *QuobyteVolumeSource? deprecated # A Quobyte volume; the plugin is gone.
  azureDisk 16 *AzureDiskVolumeSource? deprecated # A disk of Azure, by the old plugin.
  photonPersistentDisk 17 *PhotonPersistentDiskVolumeSource? deprecated # A disk of Photon; the plugin is gone.
  portworxVolume 18 *PortworxVolumeSource? deprecated # A Portworx volume, by the old plugin.
  scaleIO 19 *ScaleIOPersistentVolumeSource? deprecated # A ScaleIO volume; the plugin is gone.
  local 20 *LocalVolumeSource? # A disk or directory of one node.
  storageos 21 *StorageOSPersistentVolumeSource? deprecated # A StorageOS volume; the plugin is gone.
  csi 22 *CSIPersistentVolumeSource? # A volume of a CSI driver.

type PersistentVolumeSpec # Where the storage is, and how it may be used.
  capacity 1 map[string]Quantity? # How much it holds.
  inline 2 PersistentVolumeSource
  accessModes 3 []PersistentVolumeAccessMode? atomic # In what ways it can be mounted.
  claimRef 4 *ObjectReference? granular # The claim it is bound to, or kept for.
  persistentVolumeReclaimPolicy 5 PersistentVolumeReclaimPolicy? # What becomes of it when its claim goes: Retain, Delete or Recycle.
  storageClassName 6 string? # The class it belongs to; empty for none.
  mountOptions 7 []string? atomic # Options for mounting it, which nobody checks.
  volumeMode 8 *PersistentVolumeMode? # Filesystem or Block.
  nodeAffinity 9 *VolumeNodeAffinity? # The nodes from which it can be reached.
  volumeAttributesClassName 10 *string? # The class of its attributes that may change.

type PersistentVolumeStatus
  phase 1 PersistentVolumePhase? # Pending, Available, Bound, Released or Failed.
  message 2 string? # Why it is in this phase, for people.
  reason 3 string? # Why, in one word.
  lastPhaseTransitionTime 4 *Time? # When the phase changed last.

type PhotonPersistentDiskVolumeSource
  pdID 1 string
  fsType 2 string?

type Pod typemeta # One or more containers that run together on a node.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PodSpec? # What is wanted.
  status 3 PodStatus? # What is, as last reported; not set by those who want something.

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
  stdin 1 bool? # Whether the client sends standard input.
  stdout 2 bool? # Whether the client gets standard output.
  stderr 3 bool? # Whether the client gets standard error.
  tty 4 bool? # Whether the container gives a terminal; it has to be one that was made with one.
  container 5 string? # The container to join. May be left out where there is only one.

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
  stdin 1 bool? # Whether the client sends standard input.
  stdout 2 bool? # Whether the client gets standard output.
  stderr 3 bool? # Whether the client gets standard error.
  tty 4 bool? # Whether the command gets a terminal.
  container 5 string? # The container to run in. May be left out where there is only one.
  command 6 []string atomic # The command and its arguments, one parameter each. No shell is run.

type PodIP
  ip 1 string

type PodList typemeta
  metadata 1 meta.ListMeta?
  items 2 []Pod

type PodLogOptions typemeta
  container 1 string? # The container whose log is read. May be left out where there is only one.
  follow 2 bool? # Whether to wait for what is written later.
  previous 3 bool? # Whether to read the log of the container that ran before.
  sinceSeconds 4 *int64? # Only what was written in so many seconds before now. Not together with sinceTime.
  sinceTime 5 *Time? # Only what was written since this time. Not together with sinceSeconds.
  timestamps 6 bool? # Whether each line begins with the time of its writing.
  tailLines 7 *int64? # The most lines to read, counted from the end.
  limitBytes 8 *int64? # The most bytes to answer with.
  insecureSkipTLSVerifyBackend 9 bool? # Whether the certificate of the node's kubelet goes unchecked: what is read may then come from somebody else.
  stream 10 *string? # The stream to read: All, Stdout or Stderr.

type PodOS
  name 1 string

type PodPortForwardOptions typemeta
  ports 1 []int32? atomic # Ports of the pod to connect to, where the client speaks WebSocket.

type PodProxyOptions typemeta
  path 1 string? # Path to ask for.

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

type PodSpec # What a pod is to be.
  volumes 1 []Volume? map(name) merge(name) retainKeys # What containers can mount.
  initContainers 20 []Container? map(name) merge(name) # Containers that end, one after another, before the others start; those with restartPolicy Always go on beside them.
  containers 2 []Container map(name) merge(name) # What runs in the pod; at least one.
  ephemeralContainers 34 []EphemeralContainer? map(name) merge(name) # Containers that were added to look into a running pod, through their own subresource.
  restartPolicy 3 RestartPolicy? # When containers start again: Always, OnFailure or Never.
  terminationGracePeriodSeconds 4 *int64? # How long processes have to end when the pod is deleted; 30 unless given.
  activeDeadlineSeconds 5 *int64? # How long the pod may run before it is failed.
  dnsPolicy 6 DNSPolicy? # Where names are resolved: ClusterFirst unless given.
  nodeSelector 7 map[string]string? atomic # Labels that the node has to have.
  serviceAccountName 8 string? # The service account as which its processes ask the API server.
  serviceAccount 9 string? deprecated # The same under its old name.
  automountServiceAccountToken 21 *bool? # Whether its containers find a token of the service account.
  nodeName 10 string? # The node it runs on; set by the scheduler.
  hostNetwork 11 bool? # Whether it uses the node's network.
  hostPID 12 bool? # Whether it sees the node's processes.
  hostIPC 13 bool? # Whether it uses the node's inter-process communication.
  shareProcessNamespace 27 *bool? # Whether its containers see each other's processes.
  securityContext 14 *PodSecurityContext? # What holds for all its containers: users, groups, profiles.
  imagePullSecrets 15 []LocalObjectReference? map(name) merge(name) # Secrets with which its images are pulled.
  hostname 16 string? # The name that it sees itself under; that of the pod unless given.
  subdomain 17 string? # Makes its full name HOSTNAME.SUBDOMAIN.NAMESPACE.svc and the cluster's domain.
  affinity 18 *Affinity? # Near which nodes and pods it wants to be, or away from which.
  schedulerName 19 string? # The scheduler that places it.
  tolerations 22 []Toleration? atomic # Taints of nodes that it puts up with.
  hostAliases 23 []HostAlias? map(ip) merge(ip) # Lines for its hosts file.
  priorityClassName 24 string? # Name of the PriorityClass that decides what priority it has.
  priority 25 *int32? # How important it is; set from its class.
  dnsConfig 26 *PodDNSConfig? # What is added to its resolver configuration.
  readinessGates 28 []PodReadinessGate? atomic # Conditions, beside those of its containers, that must hold before it is ready.
  runtimeClassName 29 *string? # The RuntimeClass that runs it.
  enableServiceLinks 30 *bool? # Whether services of the namespace are told in its environment.
  preemptionPolicy 31 *PreemptionPolicy? # Whether others may be evicted to make room for it.
  overhead 32 map[string]Quantity? # What running it costs beside its containers; set from its RuntimeClass.
  topologySpreadConstraints 33 []TopologySpreadConstraint? map(topologyKey,whenUnsatisfiable) merge(topologyKey) # How pods like it are spread over zones and nodes.
  setHostnameAsFQDN 35 *bool? # Whether its host name is the full one.
  os 36 *PodOS? # The operating system it needs.
  hostUsers 37 *bool? # Whether it uses the node's user namespace.
  schedulingGates 38 []PodSchedulingGate? map(name) merge(name) # What must be taken away before it is scheduled.
  resourceClaims 39 []PodResourceClaim? map(name) merge(name) retainKeys # Claims of devices that its containers may use.
  resources 40 *ResourceRequirements? # Resources of all its containers together, where that is enabled.

type PodStatus # What a pod is now, as last reported.
  observedGeneration 17 int64? # The generation of the spec that this was reported of.
  phase 1 PodPhase? # Pending, Running, Succeeded, Failed or Unknown.
  conditions 2 []PodCondition? map(type) merge(type) # Whether it is scheduled, initialised, ready and so on.
  message 3 string? # Why it is in this phase, for people.
  reason 4 string? # Why, in one word, such as Evicted.
  nominatedNodeName 11 string? # Where it is to run once others that are evicted have gone.
  hostIP 5 string? # Address of its node.
  hostIPs 16 []HostIP? atomic merge(ip) # Addresses of its node, one for each family.
  podIP 6 string? # Its own address.
  podIPs 12 []PodIP? map(ip) merge(ip) # Its own addresses, one for each family.
  startTime 7 *Time? # When the kubelet took note of it.
  initContainerStatuses 10 []ContainerStatus? atomic # How its init containers are.
  containerStatuses 8 []ContainerStatus? atomic # How its containers are.
  qosClass 9 PodQOSClass? # Guaranteed, Burstable or BestEffort: who goes last when memory runs short.
  ephemeralContainerStatuses 13 []ContainerStatus? atomic # How its ephemeral containers are.
  resize 14 string? deprecated # How far a resize is; conditions tell it now.
  resourceClaimStatuses 15 []PodResourceClaimStatus? map(name) merge(name) retainKeys # Which claims were made for its templates of claims.

type PodStatusResult typemeta
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  status 2 PodStatus? # What is, as last reported; not set by those who want something.

type PodTemplate typemeta # A pattern to make pods from.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  template 2 PodTemplateSpec? # The pods that are made from it.

type PodTemplateList typemeta
  metadata 1 meta.ListMeta?
  items 2 []PodTemplate

type PodTemplateSpec # Metadata and spec of the pods that are made.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 PodSpec? # What is wanted.

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

type Probe # How the kubelet finds out whether a container is well.
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

type RangeAllocation typemeta # A range of addresses or ports with those that are taken; of the server itself.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  range 2 string # The range from which is allocated.
  data 3 bytes # What is allocated, one bit each, base64-encoded.

type ReplicationController typemeta # Keeps a number of equal pods running. Deployments and replica sets have taken its place.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ReplicationControllerSpec? # What is wanted.
  status 3 ReplicationControllerStatus? # What is, as last reported; not set by those who want something.

type ReplicationControllerCondition
  type 1 string
  status 2 string
  lastTransitionTime 3 Time?
  reason 4 string?
  message 5 string?

type ReplicationControllerList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ReplicationController

type ReplicationControllerSpec # How many pods of which template.
  replicas 1 *int32? = 1 # How many pods are wanted; 1 unless given.
  minReadySeconds 4 int32? = 0 # How long a pod has to be ready before it counts as available.
  selector 2 map[string]string? atomic # Labels of the pods that it counts; those of the template unless given.
  template 3 *PodTemplateSpec? # The pods that it makes.

type ReplicationControllerStatus
  replicas 1 int32 # How many pods there are.
  fullyLabeledReplicas 2 int32? # How many of them have all labels of the template.
  readyReplicas 4 int32? # How many are ready.
  availableReplicas 5 int32? # How many have been ready for long enough.
  observedGeneration 3 int64? # The generation of the spec that this was reported of.
  conditions 6 []ReplicationControllerCondition? map(type) merge(type) # What keeps it from making or deleting pods.

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

type ResourceQuota typemeta # Bounds what all objects of a namespace may use together.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ResourceQuotaSpec? # What is wanted.
  status 3 ResourceQuotaStatus? # What is, as last reported; not set by those who want something.

type ResourceQuotaList typemeta
  metadata 1 meta.ListMeta?
  items 2 []ResourceQuota

type ResourceQuotaSpec
  hard 1 map[string]Quantity? # The most that may be used, by resource.
  scopes 2 []ResourceQuotaScope? atomic # Which objects are counted; all unless given.
  scopeSelector 3 *ScopeSelector? # The same, by conditions.

type ResourceQuotaStatus
  hard 1 map[string]Quantity? # The most that may be used, as it is enforced.
  used 2 map[string]Quantity? # What is used.

type ResourceRequirements # What a container needs of each resource, and how much it may use.
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

type Secret typemeta # Confidential data as keys with values, for pods to use.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  immutable 5 *bool? # When true, the data can never be changed again, nor this.
  data 2 map[string]bytes? # Bytes by key, base64-encoded.
  stringData 4 map[string]string? # Texts to be put into data, by key. It is never answered.
  type 3 string? # What the data is for, which decides what keys it must have.

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

type Service typemeta # A stable address and name for a set of pods.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  spec 2 ServiceSpec? # What is wanted.
  status 3 ServiceStatus? # What is, as last reported; not set by those who want something.

type ServiceAccount typemeta # An identity for what runs in pods.
  metadata 1 meta.ObjectMeta? # Name, labels and all else that every object has.
  secrets 2 []ObjectReference? map(name) merge(name) # Secrets that pods of the account may use, where that is enforced.
  imagePullSecrets 3 []LocalObjectReference? atomic # Secrets with which the images of the account's pods are pulled.
  automountServiceAccountToken 4 *bool? # Whether pods of the account find a token in a volume, unless they say otherwise.

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

type ServicePort # A port of a service and the port of its pods behind it.
  name 1 string?
  protocol 2 Protocol? = "TCP"
  appProtocol 6 *string?
  port 3 int32
  targetPort 4 IntOrString?
  nodePort 5 int32?

type ServiceProxyOptions typemeta
  path 1 string? # Path to ask for.

type ServiceSpec # How a service is reached, and which pods are behind it.
  ports 1 []ServicePort? map(port,protocol) merge(port) # The ports that it serves.
  selector 2 map[string]string? atomic # Labels of the pods that requests go to; without one somebody else writes the endpoints.
  clusterIP 3 string? # Its address in the cluster; None for no address but names of its pods.
  clusterIPs 18 []string? atomic # Its addresses, one for each family.
  type 4 ServiceType? # Where it is reached: ClusterIP, NodePort, LoadBalancer, or ExternalName for another name.
  externalIPs 5 []string? atomic # Addresses of nodes that take requests for it as well.
  sessionAffinity 7 ServiceAffinity? # Whether requests of a client go to the same pod: ClientIP or None.
  loadBalancerIP 8 string? deprecated # The address asked of the load balancer; providers understand it differently.
  loadBalancerSourceRanges 9 []string? atomic # Who may reach it through the load balancer.
  externalName 10 string? # The name that it stands for, with the type ExternalName.
  externalTrafficPolicy 11 ServiceExternalTrafficPolicy? # Whether requests from outside go to pods of the node alone: Local or Cluster.
  healthCheckNodePort 12 int32? # Port on which load balancers ask a node whether it has pods of the service.
  publishNotReadyAddresses 13 bool? # Whether pods that are not ready are told as well.
  sessionAffinityConfig 14 *SessionAffinityConfig? # How long a client stays with its pod.
  ipFamilies 19 []IPFamily? atomic # The families of its addresses, IPv4 and IPv6.
  ipFamilyPolicy 17 *IPFamilyPolicy? # SingleStack, PreferDualStack or RequireDualStack.
  allocateLoadBalancerNodePorts 20 *bool? # Whether a load balancer needs ports of nodes.
  loadBalancerClass 21 *string? # Which implementation of load balancers is to serve it.
  internalTrafficPolicy 22 *ServiceInternalTrafficPolicy? # Whether requests from inside go to pods of the node alone: Local or Cluster.
  trafficDistribution 23 *string? # Which pods are preferred, such as those of the same zone.

type ServiceStatus # What load balancers report of a service.
  loadBalancer 1 LoadBalancerStatus? # Where its load balancer is.
  conditions 2 []meta.Condition? map(type) merge(type) # What is known of it.

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

type Volume # Storage that the containers of a pod can mount.
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
