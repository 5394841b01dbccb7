import type { Steps } from '../../../lib/steps.ts'
import type { Stage, StageSubject } from './stage.ts'

/**
 * Finds the stages that match an object, in steps of one requirement. Throws if an expression fails: then no stage
 * applies, as in kwok.
 */
function* matchingStages(stages: readonly Stage[], subject: StageSubject): Steps<Stage[]> {
  const matching: Stage[] = []
  for (const stage of stages) if (yield* isMatching(stage, subject)) matching.push(stage)
  return matching
}

function* isMatching({ requirements }: Stage, subject: StageSubject): Steps<boolean> {
  for (const requirement of requirements ?? []) {
    yield
    if (!requirement(subject)) return false
  }
  return requirements !== undefined
}

/** A stage that may be chosen, with its share. */
interface StageCandidate {
  readonly stage: Stage
  readonly share: number
}

/**
 * Returns the stages that match an object, among which one is chosen at random, with their shares. A stage of weight 0
 * is chosen only if all have weight 0, or an invalid one. A stage with an invalid weight is chosen only if all are
 * invalid. Source: kwok, pkg/utils/lifecycle/lifecycle.go.
 */
function* candidatesOf(stages: readonly Stage[], subject: StageSubject): Steps<StageCandidate[]> {
  const matching = yield* matchingStages(stages, subject)
  const all: { readonly stage: Stage; readonly weight: number | undefined }[] = []
  for (const stage of matching) {
    yield
    all.push({ stage, weight: matching.length === 1 ? 0 : stage.weight(subject) })
  }
  const valid = all.flatMap(({ stage, weight }) => (weight === undefined ? [] : [{ stage, share: weight }]))
  const equal = (some: readonly { readonly stage: Stage }[]): StageCandidate[] => some.map(({ stage }) => ({ stage, share: 1 }))
  if (valid.length === 0) return equal(all)
  const total = valid.reduce((sum, { share }) => sum + share, 0)
  return total === 0 ? equal(valid) : valid.filter(({ share }) => share > 0)
}

/** Returns every stage that may be chosen for an object. */
export function* possibleStages(stages: readonly Stage[], subject: StageSubject): Steps<Stage[]> {
  return (yield* candidatesOf(stages, subject)).map(({ stage }) => stage)
}

/**
 * Chooses a stage for an object by weight, in steps of one expression. Undefined if none matches.
 * @param random returns a number from 0 to 1, exclusive. It is called only if there is a choice.
 */
export function* chooseStage(stages: readonly Stage[], subject: StageSubject, random: () => number): Steps<Stage | undefined> {
  const candidates = yield* candidatesOf(stages, subject)
  if (candidates.length <= 1) return candidates[0]?.stage
  let left = random() * candidates.reduce((sum, { share }) => sum + share, 0)
  for (const { stage, share } of candidates) {
    left -= share
    if (left < 0) return stage
  }
  return candidates.at(-1)?.stage
}
