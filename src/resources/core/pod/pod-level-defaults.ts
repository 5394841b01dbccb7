import type { Pod, PodSpec } from '../../../api/core/v1.types.ts'
import type { Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { deepEqual } from '../../../meta/equal.ts'
import { type Amounts, containerAmounts, isPodLevelResource, mostOf } from '../pod-spec/pod-amounts.ts'
import { isHugePages } from '../pod-spec/resources.ts'
import { allContainers } from '../pod-spec/visit.ts'

/**
 * Whether pod-level resources get their defaults when a pod is created or resized. Otherwise each decoded pod gets
 * them, also one that was stored without.
 */
export const defaultsPodLevelOnWrite = (features: Features): boolean =>
  features.enabled('PodLevelResources') && features.enabled('PodLevelResourcesFixDefaulting')

/** Whether a resize sets or changes pod-level resources, so that those that it leaves out get defaults. */
export const resizesPodLevel = (next: Pod, old: Pod): boolean =>
  next.spec.resources !== undefined && !deepEqual(next.spec.resources, old.spec.resources)

/**
 * Fills in pod-level resources if the pod has any, in place and after admission: limits of huge pages default to those
 * of the containers, requests to those of the containers or else to the limit, and limits to those of the containers,
 * but at least to the request, if every container has a limit. Ephemeral containers count as containers without limits,
 * so no limit defaults in a pod that has one. Source: DefaultPodLevelResources in pkg/api/pod in k8s.io/kubernetes,
 * since 1.37 (kubernetes/kubernetes#140514).
 */
export function* defaultPodLevelResources(spec: PodSpec): Steps<void> {
  const { resources } = spec
  if (!resources) return
  const { limits = {}, requests = {} } = resources
  if (Object.keys(limits).length === 0 && Object.keys(requests).length === 0) return
  const limitsOfContainers = yield* containerAmounts(spec, 'limits')
  const requestsOfContainers = yield* containerAmounts(spec, 'requests')
  addMissing(limits, limitsOfContainers, name => isHugePages(name) && !Object.hasOwn(requests, name))
  addMissing(requests, requestsOfContainers, name => isPodLevelResource(name) && !isHugePages(name))
  addMissing(requests, limits, isPodLevelResource)
  const limited = yield* limitedEverywhere(spec, Object.keys(limitsOfContainers).filter(isPodLevelResource))
  addMissing(limits, mostOf(limitsOfContainers, requests), name => limited.includes(name))
  if (Object.keys(limits).length > 0) resources.limits = limits
  if (Object.keys(requests).length > 0) resources.requests = requests
}

function addMissing(to: Record<string, string>, from: Amounts, applies: (name: string) => boolean): void {
  for (const [name, amount] of Object.entries(from)) if (applies(name) && !Object.hasOwn(to, name)) to[name] = amount
}

/** Returns those of the resources for which every container has a limit. */
function* limitedEverywhere(spec: PodSpec, names: readonly string[]): Steps<readonly string[]> {
  let left = names
  for (const { resources } of allContainers(spec)) {
    yield
    if (left.length === 0) break
    left = left.filter(name => Object.hasOwn(resources?.limits ?? {}, name))
  }
  return left
}
