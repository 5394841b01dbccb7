import type { ContainerPort, Pod, PodAffinityTerm, WeightedPodAffinityTerm } from '../../api/core/v1.types.ts'
import { isLongStepDone, runAtOnce, type Steps } from '../../lib/steps.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { hostPorts } from '../shared/host-ports.ts'
import {
  assumedPodRequestsInSteps,
  podRequestsInSteps,
  type RequestRules,
  type ResourceAmounts,
  shareAmounts,
} from '../shared/pod-requests.ts'
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
  /** Whether labels and spec have very many values: texts of them would take milliseconds. */
  readonly isLarge: boolean
}

/** Derives what plugins need of a pod. Throws an Error if a selector or quantity is invalid. */
export const podInfo = (pod: Pod, rules: RequestRules): PodInfo => runAtOnce(podInfoInSteps(pod, rules))

/**
 * `podInfo` in steps, for a pod that may have thousands of terms or containers.
 * @param like Optional. Another pod, whose amounts are shared if they are the same.
 */
export function* podInfoInSteps(pod: Pod, rules: RequestRules, like?: PodInfo): Steps<PodInfo> {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {}
  return {
    pod,
    requests: shareAmounts(like?.requests, yield* podRequestsInSteps(pod, rules)),
    assumedRequests: shareAmounts(like?.assumedRequests, yield* assumedPodRequestsInSteps(pod, rules)),
    hostPorts: hostPorts(pod),
    requiredAffinity: yield* requiredTerms(pod, podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: yield* requiredTerms(pod, podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: yield* preferredTerms(pod, podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: yield* preferredTerms(pod, podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    isLarge: !hasFewValues(pod.spec) || !hasFewValues(pod.metadata.labels),
  }
}

const NO_TERMS: readonly AffinityTerm[] = []

function* requiredTerms(pod: Pod, terms: readonly PodAffinityTerm[] | undefined): Steps<readonly AffinityTerm[]> {
  if (!terms?.length) return NO_TERMS
  const prepared: AffinityTerm[] = []
  for (const term of terms) {
    prepared.push(yield* affinityTerm(pod, term))
    if (isLongStepDone()) yield
  }
  return prepared
}

function* preferredTerms(pod: Pod, terms: readonly WeightedPodAffinityTerm[] | undefined): Steps<readonly AffinityTerm[]> {
  if (!terms?.length) return NO_TERMS
  const prepared: AffinityTerm[] = []
  for (const { weight, podAffinityTerm } of terms) {
    prepared.push(yield* affinityTerm(pod, podAffinityTerm, weight))
    if (isLongStepDone()) yield
  }
  return prepared
}
