import type { Pod, PodResourceClaim } from '../../../api/core/v1.types.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../../api/resource/v1beta2.types.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import { claimReference, isReservedFor, MOST_CONSUMERS } from '../../shared/device-claims.ts'
import { PODS } from '../../shared/kinds.ts'
import { controllerReference, isControlledBy } from '../../shared/owner.ts'
import { isPodTerminal } from '../../shared/pods.ts'
import { withMembers } from '../../shared/with-members.ts'

/** Annotation of a generated claim with the name of the claim in its pod. */
export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name'
/** Longest name of a generated claim without its random suffix. */
const LONGEST_BASE = 57

/** Whether a pod will never use its claims, or no longer does. */
export const isPodDone = (pod: Pod): boolean => isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec.nodeName)

/** Whether an allocated claim is to be reserved for a pod that has a node already, because no scheduler has done it. */
export const isToReserve = (claim: ResourceClaim, pod: Pod): boolean =>
  Boolean(pod.spec.nodeName) &&
  claim.status.allocation !== undefined &&
  (claim.status.reservedFor?.length ?? 0) < MOST_CONSUMERS &&
  !isReservedFor(claim, pod)

/**
 * Reports whether the controller must create or reserve a claim for a pod. Source: podNeedsWork of
 * pkg/controller/resourceclaim.
 */
export function needsWork(pod: Pod, claimOf: (key: string) => ResourceClaim | undefined): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false
  return (pod.spec.resourceClaims ?? []).some(each => {
    const { name, isGenerated, isMissing } = claimReference(pod, each)
    if (isMissing) return true
    if (name === undefined) return false
    const claim = claimOf(`${pod.metadata.namespace ?? ''}/${name}`)
    if (claim === undefined) return isGenerated
    return (!isGenerated || isControlledBy(claim, pod)) && isToReserve(claim, pod)
  })
}

/** Returns the prefix of the name of a generated claim. Long names of pod and claim are both cut. */
export function claimNamePrefix(pod: string, claim: string): string {
  const prefix = `${pod}-${claim}-`
  if (prefix.length <= LONGEST_BASE) return prefix
  const cut = (text: string): string => text.slice(0, Math.floor((text.length * LONGEST_BASE) / prefix.length))
  return `${cut(pod)}-${cut(claim)}`
}

/** Returns the claim that is made of a template for a pod, in steps if it has many annotations. */
export function* generatedClaim(
  pod: Pod,
  { name }: PodResourceClaim,
  { spec }: ResourceClaimTemplate,
  apiVersion: string,
): Steps<ResourceClaim> {
  const { labels, annotations } = spec.metadata ?? {}
  return {
    kind: 'ResourceClaim',
    apiVersion,
    metadata: {
      generateName: claimNamePrefix(pod.metadata.name ?? '', name),
      namespace: pod.metadata.namespace ?? '',
      annotations: yield* runIfSteps(withMembers(annotations, { [POD_CLAIM_NAME]: name })),
      ...(labels && { labels }),
      ownerReferences: [controllerReference(PODS, pod)],
    },
    spec: spec.spec,
    status: {},
  }
}
