import type { StatefulSet } from '../../../api/apps/v1.types.ts'
import type { Pod } from '../../../api/core/v1.types.ts'
import type { IntOrString } from '../../../api/meta/object.ts'
import { runAtOnce, type Steps } from '../../../lib/steps.ts'
import { isPodTerminal, isPodTerminating } from '../../shared/pods.ts'
import { scaledValue } from '../../shared/scaled-value.ts'
import { type HealthRules, isAvailable, isCreated, isDown, isRunningAndReady } from './health.ts'
import { isInRange, ordinalOf, replicasOf, startOrdinal } from './ordinals.ts'
import { hasIdentity, hasStorage, newPod, revisionOf, type SetRevisions } from './pod.ts'

/**
 * Pods of a set: those that it should have, in the order of their ordinals, and those that are too many, from the last
 * to the first.
 */
export interface SetPods {
  /** Pods without a phase are only planned. */
  readonly replicas: readonly Pod[]
  readonly condemned: readonly Pod[]
  /** Whether more pods are missing than are planned in one pass. */
  readonly isPartial: boolean
}

/**
 * Largest number of missing pods that are planned in one pass. A set may ask for 2^31 - 1. An ordered set creates one
 * at a time.
 */
const MAX_PLANNED = 500

export const isOrdered = ({ spec: { podManagementPolicy } }: StatefulSet): boolean => podManagementPolicy !== 'Parallel'

/** Groups the pods of a set, and plans those that are missing, in steps: a template may have very many labels. */
export function* podsOfSetInSteps(
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: SetRevisions,
  { release }: Pick<HealthRules, 'release'>,
): Steps<SetPods> {
  const present = new Map(pods.map(pod => [ordinalOf(pod), pod]))
  const replicas: Pod[] = []
  const end = startOrdinal(set) + replicasOf(set)
  let ordinal = startOrdinal(set)
  for (let left = isOrdered(set) ? 1 : MAX_PLANNED; ordinal < end && left > 0; ordinal++) {
    const pod = present.get(ordinal)
    replicas.push(pod ?? (yield* newPod(set, revisions, ordinal, release)))
    if (!pod) left--
    yield
  }
  const others = pods.filter(pod => ordinalOf(pod) >= ordinal && ordinalOf(pod) < end).toSorted((a, b) => ordinalOf(a) - ordinalOf(b))
  const condemned = pods.filter(pod => ordinalOf(pod) >= 0 && !isInRange(set, ordinalOf(pod)))
  return {
    replicas: [...replicas, ...others],
    condemned: condemned.toSorted((a, b) => ordinalOf(b) - ordinalOf(a)),
    isPartial: end - ordinal > others.length,
  }
}

/** `podsOfSetInSteps` in one call. */
export const podsOfSet = (...args: Parameters<typeof podsOfSetInSteps>): SetPods => runAtOnce(podsOfSetInSteps(...args))

/** Write that a pass makes for a pod. */
export interface PodStep {
  readonly pod: Pod
  /**
   * `create`: with its claims. `claims`: creates missing claims. `repair`: restores labels, volumes and owners of
   * claims. `retain`: sets the owners of the claims.
   */
  readonly action: 'create' | 'delete' | 'claims' | 'repair' | 'retain'
}

/** State of claims that decisions depend on. */
export interface ClaimState {
  /** Whether a claim of the pod is about to be removed with an earlier pod of its name. */
  isStale(pod: Pod): boolean
  /** Whether the owners of the pod's claims are those of the retention policy. */
  isRetained(pod: Pod): boolean
}

/**
 * Writes of a pass. The groups follow one another; the writes of a group are independent of each other if the set is
 * not ordered.
 */
export interface Plan {
  readonly groups: readonly (readonly PodStep[])[]
  /** Whether the pass ends after the groups, before the update of pods. */
  readonly isBlocked: boolean
}

/** Steps for one pod, and whether an ordered set waits for it. */
interface PodPlan {
  readonly steps: readonly PodStep[]
  readonly waits: boolean
}

/**
 * Plans how a set gets its number of pods. An ordered set creates the next pod when all earlier ones are available, and
 * then deletes the last one that is too many. Otherwise all are created and deleted at once. Corresponds to
 * processReplica and processCondemned.
 */
export function scalePlan(set: StatefulSet, pods: SetPods, claims: ClaimState, rules: HealthRules): Plan {
  const { replicas, condemned, isPartial } = pods
  const ordered = isOrdered(set)
  const living: PodStep[] = []
  for (const pod of replicas) {
    const { steps, waits } = replicaPlan(set, pod, claims, rules)
    living.push(...steps)
    if (waits && ordered) return { groups: [living], isBlocked: true }
  }
  const retained = condemned.filter(pod => !claims.isRetained(pod)).map((pod): PodStep => ({ pod, action: 'retain' }))
  const firstDown = [...replicas, ...condemned.toReversed()].find(pod => isDown(pod, rules))
  const ended: PodStep[] = []
  for (const pod of condemned) {
    if (isPodTerminating(pod)) {
      if (ordered) return { groups: [living, retained], isBlocked: true }
      continue
    }
    const isUp = isRunningAndReady(pod) && isAvailable(pod, rules)
    if (ordered && !isUp && pod !== firstDown) return { groups: [living, retained], isBlocked: true }
    ended.push({ pod, action: 'delete' })
    if (ordered) return { groups: [living, retained, ended], isBlocked: true }
  }
  return { groups: [living, retained, ended], isBlocked: isPartial }
}

function replicaPlan(set: StatefulSet, pod: Pod, claims: ClaimState, rules: HealthRules): PodPlan {
  if (isPodTerminal(pod)) return { steps: isPodTerminating(pod) ? [] : [{ pod, action: 'delete' }], waits: true }
  if (!isCreated(pod)) return { steps: claims.isStale(pod) ? [] : [{ pod, action: 'create' }], waits: true }
  const missing: PodStep[] = pod.status.phase === 'Pending' ? [{ pod, action: 'claims' }] : []
  const waits = isPodTerminating(pod) || !isRunningAndReady(pod) || !isAvailable(pod, rules)
  if (waits && isOrdered(set)) return { steps: missing, waits }
  const isSound = hasIdentity(set, pod) && hasStorage(set, pod) && claims.isRetained(pod)
  return { steps: isSound ? missing : [...missing, { pod, action: 'repair' }], waits: false }
}

/** Number of pods that may be down during an update: at least one. Throws a RangeError for an invalid percentage. */
export const maxUnavailableOf = (value: IntOrString | undefined, replicas: number): number =>
  Math.max(1, scaledValue(value ?? 1, replicas, 'down'))

/** Limits of an update. */
export interface UpdateRules extends HealthRules {
  /**
   * Number of pods that may be down during the update. Undefined if the release has no such number: the update then
   * waits for each pod.
   */
  readonly maxUnavailable: number | undefined
}

/**
 * Returns the pods of older revisions that a set with the strategy Recreate deletes before any pod is created.
 * Undefined if there is no pod of an older revision left.
 */
export function podsToRecreate(pods: readonly Pod[], revision: string): Pod[] | undefined {
  const outdated = pods.filter(pod => revisionOf(pod) !== revision)
  return outdated.length === 0 ? undefined : outdated.filter(pod => !isPodTerminating(pod))
}

/** Returns the pods that an update deletes in this pass, from the last ordinal down to the partition. */
export function podsToReplace(set: StatefulSet, replicas: readonly Pod[], revision: string, rules: UpdateRules): Pod[] {
  const { type, rollingUpdate } = set.spec.updateStrategy
  if (type === 'OnDelete') return []
  const first = startOrdinal(set) + (rollingUpdate?.partition ?? 0)
  const candidates = replicas.filter(pod => ordinalOf(pod) >= first).toReversed()
  const isOutdated = (pod: Pod): boolean => revisionOf(pod) !== revision && !isPodTerminating(pod)
  if (rules.maxUnavailable !== undefined) {
    const down = replicas.filter(pod => isDown(pod, rules)).length
    return candidates.filter(isOutdated).slice(0, Math.max(0, rules.maxUnavailable - down))
  }
  for (const pod of candidates) {
    if (isOutdated(pod)) return [pod]
    if (isDown(pod, rules)) return []
  }
  return []
}
