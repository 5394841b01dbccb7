import type { Node, Pod, Taint } from '../../../api/core/v1.types.ts'
import { isSince, type Release } from '../../../lifecycle/release.ts'
import { requiredFeatures } from '../../shared/declared-features.ts'
import { hostPorts, type UsedPorts } from '../../shared/host-ports.ts'
import { matchesRequiredAffinity } from '../../shared/node-affinity.ts'
import { type Insufficient, lackingResources, type NodeRoom } from '../../shared/node-room.ts'
import type { ResourceAmounts } from '../../shared/pod-requests.ts'
import { tolerates, untoleratedTaint } from '../../shared/tolerations.ts'
import { deviceShortage, isExtended } from './device-shortage.ts'

/** Why a kubelet does not run a pod. The message is without the prefix that statuses have. */
export interface Rejection {
  /** Reason in the status of the pod. */
  readonly reason: string
  /** Message as the admit handler gives it. */
  readonly message: string
}

/** A node, with what the admitted pods use of it. */
export interface AdmittingNode {
  /** Node with its conditions, labels and taints. */
  readonly node: Node
  /** Resources of the node. Pods that were admitted count immediately. */
  readonly room: NodeRoom
  /** Returns the host ports that admitted pods use. */
  readonly ports: () => UsedPorts
  /** Features that the node declares. Undefined if they are not checked. */
  readonly features: readonly string[] | undefined
  /** Release whose messages and rules apply. */
  readonly release: Release
}

/** Result of a check: a rejection, or resources that are lacking, which a critical pod may take from others. */
export type CheckResult = { readonly rejection?: Rejection; readonly lacking?: readonly Insufficient[] }

/** Result for a pod that is admitted. */
const FITS: CheckResult = {}
/** Least priority of critical pods. Source: SystemCriticalPriority of pkg/apis/scheduling/types.go. */
const CRITICAL_PRIORITY = 2_000_000_000
/** Annotation of mirror pods, which stand for static pods and are critical. */
const MIRROR = 'kubernetes.io/config.mirror'
/** Taint that a pod without requests must tolerate if memory is short. */
const MEMORY_PRESSURE: Taint = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }
/** Conditions of a node under pressure. */
const PRESSURES: readonly string[] = ['MemoryPressure', 'DiskPressure', 'PIDPressure']

/** Reports whether a kubelet makes room for a pod by evicting others. Source: IsCriticalPod of pkg/kubelet/types. */
export const isCritical = ({ metadata, spec }: Pod): boolean =>
  (spec.priority ?? 0) >= CRITICAL_PRIORITY || metadata.annotations?.[MIRROR] !== undefined

/**
 * Checks whether a kubelet admits a pod, in the order of its admit handlers: pressure, features, devices, then the
 * predicates that it shares with the scheduler. Source: pkg/kubelet/eviction/eviction_manager.go,
 * pkg/kubelet/cm/devicemanager/manager.go, pkg/kubelet/lifecycle/predicate.go.
 * @param requests what the pod requests of a node
 */
export function checkAdmission(pod: Pod, requests: ResourceAmounts, on: AdmittingNode): CheckResult {
  const rejection =
    pressureRejection(pod, on.node) ?? featureRejection(pod, on) ?? deviceRejection(pod, on) ?? systemRejection(pod, on.node)
  if (rejection) return { rejection }
  const lacking = lackingResources(requests, on.room, name => !isExtended(name) || on.room.allocatable.has(name))
  const mismatch = mismatchRejection(pod, on)
  if (lacking.length === 0) return mismatch ? { rejection: mismatch } : FITS
  // Room does not help a critical pod that the node would reject for another reason.
  if (isCritical(pod) && mismatch) return { rejection: mismatch }
  return { lacking }
}

/** Returns the rejection for the first resource that a node lacks. */
export function shortageRejection({ resourceName, requested, used, capacity }: Insufficient): Rejection {
  const amounts = `requested: ${requested}, used: ${used}, capacity: ${capacity}`
  return { reason: `OutOf${resourceName}`, message: `Node didn't have enough resource: ${resourceName}, ${amounts}` }
}

/** A node under pressure takes critical pods only, and for want of memory also pods that request some. */
function pressureRejection(pod: Pod, { status: { conditions = [] } }: Node): Rejection | undefined {
  const pressures = PRESSURES.filter(name => conditions.some(({ type, status }) => type === name && status === 'True'))
  if (pressures.length === 0 || isCritical(pod)) return undefined
  if (pressures.length === 1 && pressures[0] === 'MemoryPressure') {
    if (pod.status.qosClass !== 'BestEffort' || pod.spec.tolerations?.some(toleration => tolerates(toleration, MEMORY_PRESSURE)))
      return undefined
  }
  return { reason: 'Evicted', message: `The node had condition: [${pressures.join(' ')}]. ` }
}

/** Returns the rejection of a pod that requires features which the node does not declare. */
function featureRejection({ spec }: Pod, { features }: AdmittingNode): Rejection | undefined {
  const missing = features ? requiredFeatures(spec).filter(name => !features.includes(name)) : []
  return missing.length === 0
    ? undefined
    : { reason: 'PodFeatureUnsupported', message: `Pod requires node features that are not available: ${missing.join(', ')}` }
}

/** Returns the rejection of a pod that requests more devices than are free. */
function deviceRejection(pod: Pod, { room }: AdmittingNode): Rejection | undefined {
  const shortage = deviceShortage(pod, room)
  return shortage === undefined
    ? undefined
    : { reason: 'UnexpectedAdmissionError', message: `Allocate failed due to ${shortage}, which is unexpected` }
}

/** Compares the operating system of the pod, by label or field, with that of the node. */
function systemRejection({ metadata, spec }: Pod, node: Node): Rejection | undefined {
  const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux'
  const labelled = metadata.labels?.['kubernetes.io/os']
  if (labelled !== undefined && labelled !== system)
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    }
  if (spec.os && spec.os.name !== system)
    return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" }
  return undefined
}

/** Returns the first predicate that fails for a reason other than resources. */
function mismatchRejection(pod: Pod, { node, ports, release }: AdmittingNode): Rejection | undefined {
  const failed = failedPredicate(pod, node, ports)
  if (failed === undefined) return undefined
  const [name, description] = failed
  return { reason: name, message: `Predicate ${name} failed${isSince(release, '1.31') ? `: ${description}` : ''}` }
}

/** Returns the first predicate that fails, in the order of the kubelet. */
function failedPredicate(pod: Pod, node: Node, ports: () => UsedPorts): readonly [name: string, description: string] | undefined {
  if (!matchesRequiredAffinity(pod, node)) return ['NodeAffinity', "node(s) didn't match Pod's node affinity/selector"]
  const wanted = hostPorts(pod)
  const used = wanted.length > 0 ? ports() : undefined
  if (used && wanted.some(port => used.conflictsWith(port)))
    return ['NodePorts', "node(s) didn't have free ports for the requested pod ports"]
  const taint = untoleratedTaint(node.spec.taints, pod.spec.tolerations, ({ effect }) => effect === 'NoExecute')
  return taint ? ['TaintToleration', "node(s) had taints that the pod didn't tolerate"] : undefined
}
