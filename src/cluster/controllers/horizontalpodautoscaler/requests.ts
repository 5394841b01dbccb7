import type { Container, Pod } from '../../../api/core/v1.types.ts'
import { isLongStepDone, type Steps } from '../../../lib/steps.ts'
import type { Features } from '../../../lifecycle/gates.ts'
import { isSince } from '../../../lifecycle/release.ts'
import { quantityMilliValue } from '../../../meta/quantity.ts'
import { isPodLevel, podRequestsInSteps } from '../../shared/pod-requests.ts'
import { lastingContainers } from '../../shared/pods.ts'

/** Rules that depend on the release. */
export interface PodRequestRules {
  /** Whether requests of a pod as a whole replace those of its containers. */
  readonly podLevel: boolean
  /** Whether a pod without the container whose request counts is an error. */
  readonly needsContainer: boolean
}

/** Returns the rules of a release and its gates. */
export function podRequestRules(features: Features): PodRequestRules {
  const isNew = isSince(features.release, '1.34')
  return { podLevel: isNew && features.enabled('PodLevelResources'), needsContainer: isNew }
}

/**
 * Returns requests of pods in thousandths, by the name of the pod, in steps. Throws an Error with upstream's message if
 * one is missing.
 * @param container name of the only container that counts; empty for all.
 */
export function* requestsOfPods(
  pods: readonly Pod[],
  container: string,
  resource: string,
  rules: PodRequestRules,
): Steps<ReadonlyMap<string, number>> {
  const requests = new Map<string, number>()
  for (const pod of pods) {
    if (isLongStepDone()) yield
    const isWhole = rules.podLevel && container === '' && Object.keys(pod.spec.resources?.requests ?? {}).some(isPodLevel)
    requests.set(pod.metadata.name ?? '', isWhole ? yield* wholeRequest(pod, resource) : containerRequests(pod, container, resource, rules))
  }
  return requests
}

/** Returns the request of a pod as a whole. */
function* wholeRequest(pod: Pod, resource: string): Steps<number> {
  const amount = (yield* podRequestsInSteps(pod, { podLevel: true, inPlace: false })).get(resource)
  if (amount === undefined) throw new Error(`missing pod-level request for ${resource} in Pod ${pod.metadata.name ?? ''}`)
  return resource === 'cpu' ? amount : amount * 1000
}

/** Returns the sum of the requests of the containers that count. */
function containerRequests({ metadata, spec }: Pod, container: string, resource: string, rules: PodRequestRules): number {
  const { name = '' } = metadata
  const counted = lastingContainers(spec).filter(each => container === '' || each.name === container)
  if (counted.length === 0 && container !== '' && rules.needsContainer) throw new Error(`container ${container} not found in Pod ${name}`)
  return counted.reduce((sum, each) => sum + requestOf(each, resource, name), 0)
}

/** Returns the request of a container in thousandths. Throws an Error if it has none. */
function requestOf({ name, resources }: Container, resource: string, pod: string): number {
  const request = resources.requests?.[resource]
  if (request === undefined) throw new Error(`missing request for ${resource} in container ${name} of Pod ${pod}`)
  return Number(quantityMilliValue(request))
}
