import { hasMembers } from '../meta/equal.ts'
import {
  type Difference,
  describedDifference,
  differences,
  type FinalState,
  objectMetadata,
  type StateObject,
  type Variation,
} from './final-state.ts'
import type { Entry } from './recording.ts'

/** A run that violates an invariant. */
export interface RunFailure {
  /** Invariant that was violated. */
  readonly kind: 'the test' | 'an invariant' | 'quiescence' | 'final state' | 'stuck deletion' | 'orphan' | 'write storm'
  readonly message: string
  /** Optional. Error that the test or the invariant has thrown. */
  readonly cause?: unknown
}

/** States that a run may have. */
export interface ExpectedStates {
  /** State at the end. */
  readonly state: FinalState
  /** State at each call of `settled`. */
  readonly steps: readonly FinalState[]
}

/** Expected result of a run. */
export interface ExpectedRun extends ExpectedStates {
  /** States that are accepted as well. */
  readonly alternatives: readonly ExpectedStates[]
  /** Optional. Whether the run is judged, by its entries. */
  readonly applies?: (entries: readonly Entry[]) => boolean
  /** Optional. States of a run that has failed. Another run that reaches them is not given much time to leave them. */
  readonly failed?: ExpectedStates & { readonly failure: RunFailure }
  /** Whether the controller was at rest at the end of the undisturbed runs. Otherwise final states are not compared. */
  readonly isComparable: boolean
  /** Differences between undisturbed runs, which count as equal. */
  readonly variation: Variation
  /** Writes of the controller. */
  readonly writes: number
}

/** Writes beyond those of the undisturbed run that are always allowed, because few writes triple soon. */
const SPARE_WRITES = 10
/** Maximum number of differences in a message. */
const MOST_DIFFERENCES = 5

/** Maximum number of writes of the controller. */
export const writeLimit = ({ writes }: ExpectedRun): number => Math.max(3 * writes, writes + SPARE_WRITES)

/** Judges the number of writes. A controller under faults may write more often, but not without bounds. */
export function judgeWrites(writes: number, expected: ExpectedRun): RunFailure | undefined {
  if (writes <= writeLimit(expected)) return undefined
  return { kind: 'write storm', message: `the controller wrote ${writes} times, in the undisturbed run ${expected.writes} times` }
}

/** Whether a state is the expected one, apart from what varies. */
export const isExpected = (state: FinalState, expected: FinalState, variation: Variation): boolean =>
  differences(expected, state).every(difference => variation.varies(difference))

/** Returns the expected result of a run that ends after a step. */
export const expectedAtStep = (expected: ExpectedRun, step: number): ExpectedRun => ({
  ...expected,
  state: expected.steps[step] ?? expected.state,
  alternatives: expected.alternatives.map(({ state, steps }) => ({ state: steps[step] ?? state, steps })),
})

/** Judges the objects at the end of a run. */
export function judgeState(objects: readonly StateObject[], state: FinalState, expected: ExpectedRun): RunFailure | undefined {
  const { nearest, differing } = nearestState(state, expected)
  if (differing.length === 0) return undefined
  const unexpected = new Set(differing.map(({ object }) => object))
  const isUnexpected = (object: StateObject): boolean => unexpected.has(object.id) || !nearest.has(object.id)
  const stuck = objects.find(object => objectMetadata(object).deletionTimestamp !== undefined && isUnexpected(object))
  const details = differing.slice(0, MOST_DIFFERENCES).map(describedDifference)
  if (differing.length > MOST_DIFFERENCES) details.push(`and ${differing.length - MOST_DIFFERENCES} more differences`)
  const message = details.join('\n')
  if (stuck !== undefined) {
    const { finalizers } = objectMetadata(stuck)
    return {
      kind: 'stuck deletion',
      message: `${stuck.id} is being deleted, and keeps its finalizers ${JSON.stringify(finalizers ?? [])}\n${message}`,
    }
  }
  const orphan = objects.find(object => isUnexpected(object) && isOrphan(object, objects))
  if (orphan !== undefined) return { kind: 'orphan', message: `the owner of ${orphan.id} does not exist\n${message}` }
  const other =
    nearest === expected.state ? 'the undisturbed run' : 'a run in which the object is deleted while the controller does nothing'
  return { kind: 'final state', message: `the final state differs from that of ${other}\n${message}` }
}

/** Returns the accepted state with the fewest differences from a state, and these. The undisturbed run is the last choice. */
function nearestState(
  state: FinalState,
  { state: undisturbed, alternatives, variation }: ExpectedRun,
): { readonly nearest: FinalState; readonly differing: readonly Difference[] } {
  const compared = [...alternatives.map(alternative => alternative.state), undisturbed].map(nearest => ({
    nearest,
    differing: differences(nearest, state).filter(difference => !variation.varies(difference)),
  }))
  return compared.reduce((best, next) => (next.differing.length < best.differing.length ? next : best))
}

/** Whether none of the owners of an object is among the objects. */
function isOrphan(object: StateObject, objects: readonly StateObject[]): boolean {
  const { ownerReferences } = objectMetadata(object)
  if (!Array.isArray(ownerReferences) || ownerReferences.length === 0) return false
  const uids = new Set(objects.map(other => objectMetadata(other).uid))
  return !ownerReferences.some(owner => hasMembers(owner) && uids.has(owner.uid))
}
