import type { AdmissionPlugin } from '../../../admission/chain.ts'
import { isAbout, refuse } from '../../../admission/refuse.ts'
import type { Node, Pod, PodSpec } from '../../../api/core/v1.types.ts'
import { asKind } from '../../../catalog/define.ts'
import type { Awaitable } from '../../../lib/awaitable.ts'
import { quote } from '../../../lib/go-quote.ts'
import { runInTurns } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { addQuantity, compareQuantity, quantityMilliValue, quantityValue } from '../../../meta/quantity.ts'
import type { StatusError } from '../../../meta/status.ts'
import type { AdmissionRequest } from '../../../registry/types.ts'
import { PODS } from '../../kinds.ts'
import { podAmounts } from '../pod-spec/pod-amounts.ts'
import { isSidecar } from '../pod-spec/visit.ts'

/** Reads a node. Undefined if it does not exist. */
type FindNode = (name: string) => Awaitable<Node | undefined>

/** A scheduled pod whose spec the request changes. */
interface ChangedPod {
  readonly pod: Pod
  readonly old: Pod
  readonly nodeName: string
}

/** Returns undefined if the request does not change the spec, by its generation, or the pod has no node yet. */
function changedPod({ object, old: before }: AdmissionRequest): ChangedPod | undefined {
  if (!object || !before) return undefined
  const [pod, old] = [asKind(PODS, object), asKind(PODS, before)]
  const { nodeName } = pod.spec
  return nodeName && pod.metadata.generation !== old.metadata.generation ? { pod, old, nodeName } : undefined
}

/** Returns the node. Throws 403 if it does not exist. */
async function findResizeNode(request: AdmissionRequest, name: string, find: FindNode): Promise<Node> {
  const node = await find(name)
  if (!node) throw refuse(request, `node ${quote(name)} not found`)
  return node
}

/**
 * Returns the node features that a change of a pod needs, under the names that nodes declare, in the order of
 * upstream's registry.
 */
function neededFeatures({ pod, old }: ChangedPod, features: Features): string[] {
  const initContainers = pod.spec.initContainers ?? []
  const needs: readonly (readonly [name: string, isNeeded: boolean])[] = [
    [
      'GuaranteedQoSPodCPUResize',
      !isSince(features.release, '1.36') && old.status.qosClass === 'Guaranteed' && changesCpu(pod.spec, old.spec),
    ],
    ['InPlacePodLevelResourcesVerticalScaling', !deepEqual(pod.spec.resources, old.spec.resources)],
    [
      'InPlacePodVerticalScalingInitContainers',
      isSince(features.release, '1.36') &&
        (old.spec.initContainers ?? []).some(
          (container, i) => !isSidecar(container) && !deepEqual(container.resources, initContainers[i]?.resources),
        ),
    ],
  ]
  return needs.filter(([, isNeeded]) => isNeeded).map(([name]) => name)
}

const changesCpu = (next: PodSpec, old: PodSpec): boolean =>
  (old.containers ?? []).some((container, i) => {
    const [before, after] = [container.resources.requests?.cpu ?? '0', next.containers?.[i]?.resources.requests?.cpu ?? '0']
    return compareQuantity(before, after) !== 0
  })

/**
 * NodeDeclaredFeatureValidator rejects changes of a running pod that need features its node does not declare
 * (KEP-5328).
 */
export const nodeDeclaredFeatureValidator = (features: Features, find: FindNode): AdmissionPlugin => ({
  name: 'NodeDeclaredFeatureValidator',
  handles: request =>
    request.operation === 'UPDATE' &&
    features.enabled('NodeDeclaredFeatures') &&
    (isAbout(request, 'pods') || isAbout(request, 'pods', 'resize')),
  validate: async request => {
    const changed = changedPod(request)
    const needed = changed ? neededFeatures(changed, features) : []
    if (!changed || needed.length === 0) return
    const { status } = await findResizeNode(request, changed.nodeName, find)
    const missing = needed.filter(name => !status.declaredFeatures?.includes(name))
    if (missing.length > 0)
      throw refuse(request, `pod update requires features ${missing.join(', ')} which are not available on node ${quote(changed.nodeName)}`)
  },
})

/**
 * PodResizeValidator rejects a resize beyond the allocatable resources of the node, and of pods that do not run on
 * Linux.
 */
export const podResizeValidator = (features: Features, find: FindNode): AdmissionPlugin => ({
  name: 'PodResizeValidator',
  handles: request =>
    request.operation === 'UPDATE' &&
    isSince(features.release, '1.36') &&
    features.enabled('InPlacePodVerticalScaling') &&
    isAbout(request, 'pods', 'resize'),
  validate: async request => {
    const changed = changedPod(request)
    if (!changed) return
    const node = await findResizeNode(request, changed.nodeName, find)
    const system = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux'
    if (system !== 'linux')
      throw refusedFor(
        'UnsupportedPlatform',
        refuse(request, `pod resize is only supported on linux nodes, node ${quote(changed.nodeName)} is ${quote(system)}`),
      )
    const excess = await excessOf(changed.pod.spec, node)
    if (excess.length > 0)
      throw refusedFor('NodeCapacity', refuse(request, `node didn't have enough allocatable resources: ${excess.join('; ')}`))
  },
})

/** Adds the reason as a cause of the error, so that programs can read it. */
function refusedFor(reason: string, error: StatusError): StatusError {
  error.status.details = { ...error.status.details, causes: [{ reason }] }
  return error
}

/**
 * Returns the resources of which the pod requests more than the node's allocatable amount, in kube-apiserver's words.
 */
async function excessOf(spec: PodSpec, { status }: Node): Promise<string[]> {
  const requests = await runInTurns(podAmounts(spec, 'requests'))
  const of = { cpu: quantityMilliValue, memory: quantityValue }
  return (['cpu', 'memory'] as const).flatMap(name => {
    const requested = addQuantity(requests[name], spec.overhead?.[name])
    const allocatable = status.allocatable?.[name]
    return compareQuantity(requested, allocatable) > 0
      ? [`${name}, requested: ${of[name](requested)}, allocatable: ${of[name](allocatable)}`]
      : []
  })
}
