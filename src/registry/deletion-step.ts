import type { HookContext, Strategy } from '../catalog/definition.ts'
import { clone } from '../meta/equal.ts'
import type { KubeObject } from '../meta/object.ts'
import { formatTime } from '../meta/time.ts'

/** In the order in which an error lists them. */
export const PROPAGATION_POLICIES = ['Foreground', 'Background', 'Orphan'] as const
/** What becomes of the dependents of what is deleted. https://kubernetes.io/docs/concepts/architecture/garbage-collection/#cascading-deletion */
export type PropagationPolicy = (typeof PROPAGATION_POLICIES)[number]

/** The policy of that name, if there is one. */
export const propagationPolicyOf = (name: string): PropagationPolicy | undefined => PROPAGATION_POLICIES.find(each => each === name)

/** What a request demands of the object that it deletes. Absent members demand nothing. */
export interface Preconditions {
  readonly uid?: string
  readonly resourceVersion?: string
}

/** metav1.DeleteOptions, as far as the registry acts on it. */
export interface DeleteOptions {
  /** Below 0 it counts as 1, as upstream. */
  readonly gracePeriodSeconds?: number
  readonly preconditions?: Preconditions
  readonly propagationPolicy?: PropagationPolicy
  /** Deprecated for `propagationPolicy`, and stronger than it. */
  readonly orphanDependents?: boolean
}

/** What becomes of an object: its next state, after which it is to be removed where that is the last one; it is removed; or nothing changes. */
export type Step = { readonly next: KubeObject; readonly last: boolean } | 'remove' | 'pending'

/** Finalizers of the garbage collector: dependents are let go, or deleted first. */
const ORPHAN = 'orphan'
const FOREGROUND = 'foregroundDeletion'

/** The object with its deletion begun or brought forward; where it has no grace period, or had one that is over, and nothing holds it, it goes. */
export function deletionStep(strategy: Strategy, options: DeleteOptions, old: KubeObject, hooks: HookContext): Step {
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
  const next = clone(old)
  if (finalizers.length > 0) next.metadata.finalizers = finalizers
  else delete next.metadata.finalizers
  if (meta.deletionTimestamp === undefined && generation > 0) next.metadata.generation = generation + 1
  if (graceSeconds !== undefined) {
    next.metadata.deletionTimestamp = formatTime(deletesAt)
    next.metadata.deletionGracePeriodSeconds = graceSeconds
  } else {
    if (meta.deletionTimestamp === undefined || Date.parse(meta.deletionTimestamp) > hooks.now) next.metadata.deletionTimestamp = formatTime(hooks.now)
    next.metadata.deletionGracePeriodSeconds = 0
  }
  strategy.markDeleting?.(next)
  return { next, last: !held && graceSeconds === 0 }
}

/** The finalizers with those of the garbage collector as the options, the object itself or the kind's default want them. */
function collectorFinalizers(strategy: Strategy, options: DeleteOptions, finalizers: readonly string[]): string[] {
  if (strategy.defaultPropagation === 'none') return [...finalizers]
  const standing = finalizers.find(f => f === ORPHAN || f === FOREGROUND)
  let wanted: string | undefined
  if (options.orphanDependents !== undefined) wanted = options.orphanDependents ? ORPHAN : undefined
  else if (options.propagationPolicy !== undefined)
    wanted = options.propagationPolicy === 'Orphan' ? ORPHAN : options.propagationPolicy === 'Foreground' ? FOREGROUND : undefined
  else if (standing !== undefined) wanted = standing
  else if (strategy.defaultPropagation === 'orphan') wanted = ORPHAN
  // The finalizers of others stay in any case.
  const kept = finalizers.filter(f => f !== ORPHAN && f !== FOREGROUND)
  if (wanted === undefined) return kept
  return finalizers.includes(wanted) && !finalizers.includes(wanted === ORPHAN ? FOREGROUND : ORPHAN) ? [...finalizers] : [...kept, wanted]
}
