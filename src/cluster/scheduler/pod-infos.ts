import type { Pod } from '../../api/core/v1.types.ts'
import { runAtOnce, type Steps } from '../../lib/steps.ts'
import { deepEqual, deepEqualBySize } from '../../meta/equal.ts'
import { keepSelectorMembers } from '../shared/node-affinity.ts'
import type { RequestRules } from '../shared/pod-requests.ts'
import { type PodInfo, podInfoInSteps } from './pod-info.ts'

/**
 * Derived facts of pods, by uid. They are kept while the pod's labels, its spec apart from its node, and the resources
 * of its containers and devices stay the same.
 */
export class PodInfos {
  readonly #rules: RequestRules
  readonly #infos = new Map<string, PodInfo>()
  /** The result that was computed last. Many pods are of one template, and request the same. */
  #latest: PodInfo | undefined

  constructor(rules: RequestRules) {
    this.#rules = rules
  }

  /** Returns what plugins need of the pod. Throws an Error if a selector or quantity is invalid. */
  of(pod: Pod): PodInfo {
    const known = this.known(pod)
    return known?.pod === pod ? known : runAtOnce(this.prepare(pod))
  }

  /** Computes in steps what `of` returns, for a large pod. */
  *prepare(pod: Pod): Steps<PodInfo> {
    const known = this.known(pod)
    if (known?.pod === pod) return known
    yield* keepSelectorMembers(pod)
    const info = known && (yield* this.#isSame(known.pod, pod)) ? { ...known, pod } : yield* podInfoInSteps(pod, this.#rules, this.#latest)
    this.#latest = info
    this.#infos.set(pod.metadata.uid ?? '', info)
    return info
  }

  /** Returns what was derived last of a pod, perhaps of an earlier state. */
  known({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): PodInfo | undefined {
    return this.#infos.get(uid)
  }

  forget({ metadata: { uid = '' } }: Pick<Pod, 'metadata'>): void {
    this.#infos.delete(uid)
  }

  *#isSame(old: Pod, pod: Pod): Steps<boolean> {
    const { inPlace, ofDevices } = this.#rules
    return (
      (yield* isSameExceptNode(old.spec, pod.spec)) &&
      isSameLabels(old, pod) &&
      (!inPlace || isSameSize(old, pod)) &&
      (!ofDevices || isSameOfDevices(old, pod))
    )
  }
}

export const isSameLabels = (old: Pod, pod: Pod): boolean => deepEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {})

/** Compares specs, of which one may be that of the pod before it was bound. */
function* isSameExceptNode({ nodeName: _, ...old }: Pod['spec'], { nodeName: __, ...spec }: Pod['spec']): Steps<boolean> {
  return yield* deepEqualBySize(old, spec)
}

/** Compares what a resize in progress changes. */
function isSameSize({ status: old }: Pod, { status }: Pod): boolean {
  const sizes = ({
    containerStatuses = [],
    initContainerStatuses = [],
    conditions = [],
    resources: ofPod,
    allocatedResources: byPod,
  }: Pod['status']) => [
    { ofPod, byPod },
    ...[...containerStatuses, ...initContainerStatuses].flatMap(({ name, resources, allocatedResources }) =>
      resources ? [{ name, resources, allocatedResources }] : [],
    ),
    ...conditions.filter(({ type }) => type === 'PodResizePending'),
  ]
  return deepEqual(sizes(old), sizes(status))
}

const isSameOfDevices = ({ status: old }: Pod, { status }: Pod): boolean =>
  deepEqual(old.nodeAllocatableResourceClaimStatuses ?? [], status.nodeAllocatableResourceClaimStatuses ?? [])

/** Reports whether a change of a pod leaves everything that plugins read as it was. */
export const isSameToPlugins = (pod: Pod, old: Pod): boolean =>
  deepEqual(pod.spec, old.spec) &&
  isSameLabels(old, pod) &&
  deepEqual(pod.metadata.annotations ?? {}, old.metadata.annotations ?? {}) &&
  deepEqual(pod.status.resourceClaimStatuses ?? [], old.status.resourceClaimStatuses ?? []) &&
  isSameOfDevices(old, pod)
