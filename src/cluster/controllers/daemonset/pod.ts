import type { DaemonSet } from '../../../api/apps/v1.types.ts'
import type { Affinity, NodeSelectorTerm, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../../api/core/v1.types.ts'
import type { ObjectMeta } from '../../../api/meta/object.ts'
import { parseInt64 } from '../../../lib/integer.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { NOT_READY_TAINT } from '../../shared/nodes.ts'
import { REVISION_LABEL } from '../../shared/revision-history.ts'
import { withMembers } from '../../shared/with-members.ts'

const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation'
const GENERATION_LABEL = 'pod-template-generation'
/** Identifies the present template of a daemon set, in the labels of pods. */
export interface TemplateIdentity {
  /** Hash of the revision. */
  readonly hash: string
  /** Optional. Generation by `templateGeneration`. Undefined if there is none. */
  readonly generation?: string | undefined
}

/** Field that the affinity of a pod names its node by. */
const NODE_NAME_FIELD = 'metadata.name'

const tolerated = (key: string, effect: 'NoExecute' | 'NoSchedule'): Toleration => ({ key, operator: 'Exists', effect })

const ADDED: readonly Toleration[] = [
  tolerated(NOT_READY_TAINT, 'NoExecute'),
  tolerated('node.kubernetes.io/unreachable', 'NoExecute'),
  tolerated('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  tolerated('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  tolerated('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  tolerated('node.kubernetes.io/unschedulable', 'NoSchedule'),
]
const ADDED_ON_HOST_NETWORK: readonly Toleration[] = [...ADDED, tolerated('node.kubernetes.io/network-unavailable', 'NoSchedule')]

const isOfSameTaint = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key && a.operator === b.operator && a.effect === b.effect && (a.value ?? '') === (b.value ?? '')

/**
 * Returns the tolerations of the pods of a daemon set: those of its template, and those that every daemon pod has. The
 * latter replace tolerations of the template that differ in their seconds alone.
 */
export function daemonTolerations({ tolerations = [], hostNetwork = false }: Pick<PodSpec, 'tolerations' | 'hostNetwork'>): Toleration[] {
  const added = hostNetwork ? ADDED_ON_HOST_NETWORK : ADDED
  const replaced = tolerations.map(toleration => added.find(each => isOfSameTaint(each, toleration)) ?? toleration)
  return [...replaced, ...added.filter(each => !replaced.includes(each))]
}

/**
 * Returns the affinity that pins a pod to a node. It replaces the required terms of the template; preferred ones
 * remain.
 */
export function affinityToNode(affinity: Affinity | undefined, node: string): Affinity {
  const term: NodeSelectorTerm = { matchFields: [{ key: NODE_NAME_FIELD, operator: 'In', values: [node] }] }
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  }
}

/** Name of the node that a pod runs on, or will run on. Undefined if neither its spec nor its affinity names one. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values = [] } of matchFields)
      if (key === NODE_NAME_FIELD && operator === 'In') return values.length === 1 ? values[0] : undefined
  return undefined
}

/** Returns the template of the pods of a daemon set in a revision. @param hash of the revision. */
export function* daemonPodTemplate({ metadata, spec: { template } }: DaemonSet, hash: string): Steps<PodTemplateSpec> {
  const generation = templateGeneration(metadata)
  const added = {
    ...(generation !== undefined && { [GENERATION_LABEL]: generation }),
    [REVISION_LABEL]: hash,
  }
  const labels = yield* runIfSteps(withMembers(template.metadata.labels, added))
  return { metadata: { ...template.metadata, labels }, spec: { ...template.spec, tolerations: daemonTolerations(template.spec) } }
}

/**
 * Returns the generation of the template that clients of extensions/v1beta1 have set, as pods have it in a label.
 * Undefined if there is none, or it is not a number.
 */
export function templateGeneration({ annotations }: Pick<ObjectMeta, 'annotations'>): string | undefined {
  const generation = parseInt64(annotations?.[GENERATION_ANNOTATION] ?? '')
  return generation === undefined ? undefined : String(generation)
}

/** Whether a pod has the present template: by the hash of the revision, or by the generation of the template. */
export const isUpdated = ({ metadata: { labels } }: Pod, { hash, generation }: TemplateIdentity): boolean =>
  (hash !== '' && labels?.[REVISION_LABEL] === hash) || (generation !== undefined && labels?.[GENERATION_LABEL] === generation)

/** Orders pods: those on a node first, then by creation, equal times by name. */
export function oldestFirst(a: Pod, b: Pod): number {
  const isWaiting = Number(!a.spec.nodeName) - Number(!b.spec.nodeName)
  if (isWaiting !== 0) return isWaiting
  const [from, to] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '']
  const [one, other] = from === to ? [a.metadata.name ?? '', b.metadata.name ?? ''] : [from, to]
  return one < other ? -1 : one > other ? 1 : 0
}

/** Returns the first pod by `oldestFirst`. */
export const oldestOf = (pods: readonly Pod[]): Pod | undefined => (pods.length < 2 ? pods[0] : pods.toSorted(oldestFirst)[0])
