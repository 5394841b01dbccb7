import type { Pod } from '../../../api/core/v1.types.ts'
import type { TypedObject } from '../../../api/meta/object.ts'
import type { ResourceClaim, ResourceClaimTemplate } from '../../../api/resource/v1beta2.types.ts'
import type { ResourceKind } from '../../../clients/api-client.ts'
import { runIfSteps, type Steps } from '../../../lib/steps.ts'
import {
  type ClaimEntry,
  type ClaimRules,
  type ClaimUser,
  claimReference,
  foreignResourceClaim,
  isReservedFor,
  MOST_CONSUMERS,
} from '../../shared/device-claims.ts'
import type { PodGroupObject } from '../../shared/group-kinds.ts'
import { controllerReference } from '../../shared/owner.ts'
import { isPodTerminal } from '../../shared/pods.ts'
import { withMembers } from '../../shared/with-members.ts'

/** Annotations of a generated claim with the name of the claim in its pod, or in its group of pods. */
export const POD_CLAIM_NAME = 'resource.kubernetes.io/pod-claim-name'
export const GROUP_CLAIM_NAME = 'resource.kubernetes.io/podgroup-claim-name'
/** Longest name of a generated claim without its random suffix. */
const LONGEST_BASE = 57

/** Whether a pod will never use its claims, or no longer does. */
export const isPodDone = (pod: Pod): boolean => isPodTerminal(pod) || (pod.metadata.deletionTimestamp !== undefined && !pod.spec.nodeName)

/** Whether an allocated claim is to be reserved for a pod that has a node already, because no scheduler has done it. */
export const isToReserve = (claim: ResourceClaim, pod: Pod, rules: ClaimRules): boolean =>
  Boolean(pod.spec.nodeName) &&
  claim.status.allocation !== undefined &&
  (claim.status.reservedFor?.length ?? 0) < MOST_CONSUMERS &&
  !isReservedFor(claim, pod, rules)

/** Returns the claim of a key `namespace/name`. Undefined if it does not exist. */
type ClaimReader = (key: string) => ResourceClaim | undefined

/**
 * Reports whether the controller must create or reserve a claim for a pod. Source: podNeedsWork of
 * pkg/controller/resourceclaim.
 */
export function needsWork(pod: Pod, claimOf: ClaimReader, rules: ClaimRules): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false
  return (pod.spec.resourceClaims ?? []).some(each => {
    const { name, isGenerated, isMissing } = claimReference(pod, each)
    if (isMissing) return true
    if (name === undefined) return false
    const claim = claimOf(`${pod.metadata.namespace ?? ''}/${name}`)
    if (claim === undefined) return isGenerated
    return (!isGenerated || foreignResourceClaim(pod, claim, rules) === undefined) && isToReserve(claim, pod, rules)
  })
}

/** Reports whether the controller must create a claim for a group of pods. */
export function groupNeedsWork(group: PodGroupObject, claimOf: ClaimReader): boolean {
  if (group.metadata.deletionTimestamp !== undefined) return false
  return (group.spec.resourceClaims ?? []).some(each => {
    const { name, isGenerated, isMissing } = claimReference(group, each)
    return isMissing || (isGenerated && name !== undefined && claimOf(`${group.metadata.namespace ?? ''}/${name}`) === undefined)
  })
}

/** Returns the prefix of the name of a generated claim. Long names of owner and claim are both cut. */
export function claimNamePrefix(owner: string, claim: string): string {
  const prefix = `${owner}-${claim}-`
  if (prefix.length <= LONGEST_BASE) return prefix
  const cut = (text: string): string => text.slice(0, Math.floor((text.length * LONGEST_BASE) / prefix.length))
  return `${cut(owner)}-${cut(claim)}`
}

/** A pod, or a group of pods, for which claims are made of templates. */
export interface ClaimOwner {
  readonly kind: ResourceKind<TypedObject>
  readonly object: TypedObject & ClaimUser
  /** Annotation of the claims with their name in the object. */
  readonly annotation: typeof POD_CLAIM_NAME | typeof GROUP_CLAIM_NAME
}

/** Returns the claim that is made of a template for a pod or a group, in steps if it has many annotations. */
export function* generatedClaim(
  { kind, object, annotation }: ClaimOwner,
  { name }: ClaimEntry,
  { spec }: ResourceClaimTemplate,
  apiVersion: string,
): Steps<ResourceClaim> {
  const { labels, annotations } = spec.metadata ?? {}
  return {
    kind: 'ResourceClaim',
    apiVersion,
    metadata: {
      generateName: claimNamePrefix(object.metadata.name ?? '', name),
      namespace: object.metadata.namespace ?? '',
      annotations: yield* runIfSteps(withMembers(annotations, { [annotation]: name })),
      ...(labels && { labels }),
      ownerReferences: [controllerReference(kind, object)],
    },
    spec: spec.spec,
    status: {},
  }
}
