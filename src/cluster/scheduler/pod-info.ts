import type { ContainerPort, Pod } from '../../api/core/v1.types.ts'
import { hostPorts } from '../shared/host-ports.ts'
import { assumedPodRequests, podRequests, type RequestRules, type ResourceAmounts } from '../shared/pod-requests.ts'
import { type AffinityTerm, affinityTerm } from './affinity-term.ts'

/** A pod with what plugins derive from its spec. */
export interface PodInfo {
  /** Shared with the informer, must not be changed. */
  readonly pod: Pod
  /** Requests of the whole pod, by resource. */
  readonly requests: ResourceAmounts
  /** Requests as scores count them. */
  readonly assumedRequests: ResourceAmounts
  /** Ports with a host port. */
  readonly hostPorts: readonly ContainerPort[]
  readonly requiredAffinity: readonly AffinityTerm[]
  readonly requiredAntiAffinity: readonly AffinityTerm[]
  /** Terms with their weights. */
  readonly preferredAffinity: readonly AffinityTerm[]
  readonly preferredAntiAffinity: readonly AffinityTerm[]
}

/** Derives what plugins need of a pod. Throws an Error if a selector or quantity is invalid. */
export function podInfo(pod: Pod, rules: RequestRules): PodInfo {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  return {
    pod,
    requests: podRequests(pod, rules),
    assumedRequests: assumedPodRequests(pod, rules),
    hostPorts: hostPorts(pod),
    requiredAffinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term => affinityTerm(pod, term)),
    requiredAntiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term => affinityTerm(pod, term)),
    preferredAffinity: preferredTerms(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: preferredTerms(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  }
}

/** Preferred terms as the API has them, of either kind. */
type PreferredTerms = NonNullable<NonNullable<Pod['spec']['affinity']>['podAffinity']>['preferredDuringSchedulingIgnoredDuringExecution']

const preferredTerms = (pod: Pod, terms: PreferredTerms = []): AffinityTerm[] =>
  terms.map(({ weight, podAffinityTerm }) => affinityTerm(pod, podAffinityTerm, weight))
