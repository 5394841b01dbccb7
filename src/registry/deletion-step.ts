import type { KubeObject } from '../api/meta/object.ts'
import type { Preconditions } from '../api/meta/v1.types.ts'
import type { HookContext, Strategy } from '../catalog/strategy.ts'
import type { Steps } from '../lib/steps.ts'
import { formatTime } from '../meta/time.ts'
import { cloneInSteps } from '../meta/whole-floats.ts'

/** Propagation policies, in the order in which errors list them. */
export const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'] as const
/**
 * How the garbage collector treats the dependents of a deleted object.
 * https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion
 */
export type PropagationPolicy = (typeof PROPAGATION_POLICIES)[number]

/** Returns the policy with the name; undefined if there is none. */
export const propagationPolicyOf = (name: string): PropagationPolicy | undefined => PROPAGATION_POLICIES.find(each => each === name)

/** The members of metav1.DeleteOptions that the registry uses. */
export interface DeletionOptions {
  /** Optional. Grace period in seconds. Defaults to the kind's grace period. Negative values mean 1, as upstream. */
  readonly gracePeriodSeconds?: number
  /** Omitted members match every object. */
  readonly preconditions?: Preconditions
  readonly propagationPolicy?: PropagationPolicy
  /** Deprecated in favour of `propagationPolicy`, over which it takes precedence. */
  readonly orphanDependents?: boolean
}

/**
 * One step of a deletion: write the next state, and remove the object afterwards if that is the last one; remove the
 * object; or change nothing because a deletion is pending.
 */
export type DeletionStep = { readonly next: KubeObject; readonly last: boolean } | 'remove' | 'pending'

/** Finalizers that the garbage collector removes after it has orphaned the dependents, or deleted them. */
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/**
 * Decides the next step of a deletion, as BeforeDelete in k8s.io/apiserver. Starts a deletion, or shortens the grace
 * period of one that is pending; a longer grace period changes nothing. The step is `remove` if neither a grace period
 * nor finalizers nor the kind hold the object.
 */
export function* deletionStep(strategy: Strategy, options: DeletionOptions, old: KubeObject, hooks: HookContext): Steps<DeletionStep> {
  const requested = options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds
  const meta = old.metadata
  const { generation = 0, deletionGracePeriodSeconds = 0 } = meta
  let graceSeconds: number | undefined
  let deletesAt = hooks.now
  if (strategy.gracePeriod) {
    if (meta.deletionTimestamp === undefined) {
      graceSeconds = strategy.gracePeriod(old, requested, hooks)
      if (graceSeconds !== undefined) deletesAt += graceSeconds * 1000
    } else if (deletionGracePeriodSeconds !== 0) {
      const running = Math.max(deletionGracePeriodSeconds, 1)
      if (requested === undefined || requested >= running) return 'pending'
      graceSeconds = requested
      deletesAt = Date.parse(meta.deletionTimestamp) - running * 1000 + requested * 1000
      if (deletesAt < hooks.now) {
        deletesAt = hooks.now
        if (graceSeconds !== 0) graceSeconds = 1
      }
    }
  }
  const finalizers = collectorFinalizers(strategy, options, meta.finalizers ?? [])
  const held = finalizers.length > 0 || strategy.holdsDeletion?.(old) === true
  if (!held && graceSeconds === undefined) return 'remove'
  const next = yield* cloneInSteps(old)
  if (finalizers.length > 0) next.metadata.finalizers = finalizers
  else delete next.metadata.finalizers
  if (meta.deletionTimestamp === undefined && generation > 0) next.metadata.generation = generation + 1
  if (graceSeconds !== undefined) {
    next.metadata.deletionTimestamp = formatTime(deletesAt)
    next.metadata.deletionGracePeriodSeconds = graceSeconds
  } else {
    if (meta.deletionTimestamp === undefined || Date.parse(meta.deletionTimestamp) > hooks.now)
      next.metadata.deletionTimestamp = formatTime(hooks.now)
    next.metadata.deletionGracePeriodSeconds = 0
  }
  strategy.markDeleting?.(next)
  return { next, last: !held && graceSeconds === 0 }
}

/**
 * Returns the finalizers with those of the garbage collector set by the options, the object's own finalizer or the
 * kind's default, in this order of precedence.
 */
function collectorFinalizers(strategy: Strategy, options: DeletionOptions, finalizers: readonly string[]): string[] {
  if (strategy.defaultPropagation === 'none') return [...finalizers]
  const standing = finalizers.find(f => f === ORPHAN || f === FOREGROUND)
  let wanted: string | undefined
  if (options.orphanDependents !== undefined) wanted = options.orphanDependents ? ORPHAN : undefined
  else if (options.propagationPolicy !== undefined)
    wanted = options.propagationPolicy === 'Orphan' ? ORPHAN : options.propagationPolicy === 'Foreground' ? FOREGROUND : undefined
  else if (standing !== undefined) wanted = standing
  else if (strategy.defaultPropagation === 'orphan') wanted = ORPHAN
  // Finalizers of other controllers are kept.
  const kept = finalizers.filter(f => f !== ORPHAN && f !== FOREGROUND)
  if (wanted === undefined) return kept
  return finalizers.includes(wanted) && !finalizers.includes(wanted === ORPHAN ? FOREGROUND : ORPHAN) ? [...finalizers] : [...kept, wanted]
}
