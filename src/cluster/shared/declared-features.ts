import type { Container, PodSpec, Probe } from '../../api/core/v1.types.ts'
import type { GateName } from '../../lifecycle/feature-gates.ts'
import type { Features } from '../../lifecycle/gates.ts'

/** A feature that kubelets declare in `status.declaredFeatures` of their nodes. */
interface NodeFeature {
  readonly name: string
  /** Whether the kubelets of a server with these features have it. */
  readonly isAvailable: (features: Features) => boolean
  /** Omitted if only changes of running pods need it. Reports whether a pod runs only on nodes that declare it. */
  readonly isRequired?: (spec: PodSpec) => boolean
}

/** Returns a feature of the same name as its gate. */
const gated = (name: GateName, isRequired?: (spec: PodSpec) => boolean): NodeFeature => ({
  name,
  isAvailable: ({ enabled }) => enabled(name),
  ...(isRequired && { isRequired }),
})

const someContainer = ({ containers, initContainers }: PodSpec, test: (container: Container) => boolean | undefined): boolean =>
  (containers?.some(test) || initContainers?.some(test)) ?? false

const usesHttp2 = (probe: Probe | undefined): boolean => probe?.httpGet?.protocol === 'HTTP2'

/**
 * Features by name. A simulated node has every one whose gate is on, as no container runtime limits it. Source:
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/5328-node-declared-features, and the features of
 * staging/src/k8s.io/component-helpers/nodedeclaredfeatures.
 */
const NODE_FEATURES: readonly NodeFeature[] = [
  gated('DRANodeAllocatableResources'),
  gated('DRAOptionalNodeOperations'),
  gated('ExtendWebSocketsToKubelet'),
  { name: 'GuaranteedQoSPodCPUResize', isAvailable: ({ release }) => release === '1.35' },
  gated('H2CContainerProbe', spec =>
    someContainer(spec, ({ livenessProbe, readinessProbe, startupProbe }) => [livenessProbe, readinessProbe, startupProbe].some(usesHttp2)),
  ),
  gated('InPlacePodLevelResourcesVerticalScaling'),
  gated('InPlacePodVerticalScalingInitContainers'),
  gated('InPlacePodVerticalScalingMemoryBackedVolumes'),
  gated('RestartAllContainersOnContainerExits', spec =>
    someContainer(spec, ({ restartPolicyRules }) => restartPolicyRules?.some(({ action }) => action === 'RestartAllContainers')),
  ),
  gated('UserNamespacesHostNetworkSupport', ({ hostNetwork, hostUsers }) => hostNetwork === true && hostUsers === false),
  gated('VolumeBindMountOptions', spec =>
    someContainer(spec, ({ volumeMounts }) => volumeMounts?.some(({ bindMountOptions }) => bindMountOptions?.length)),
  ),
]

/** Returns the names of the features that kubelets declare, sorted. None if the gate NodeDeclaredFeatures is off. */
export const declaredFeatures = (features: Features): string[] =>
  features.enabled('NodeDeclaredFeatures') ? NODE_FEATURES.filter(({ isAvailable }) => isAvailable(features)).map(({ name }) => name) : []

/** Returns the names of the features that a node must declare to run a pod, sorted. */
export const requiredFeatures = (spec: PodSpec): string[] =>
  NODE_FEATURES.filter(({ isRequired }) => isRequired?.(spec)).map(({ name }) => name)
