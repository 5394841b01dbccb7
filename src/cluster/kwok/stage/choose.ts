import type { Stage, StageSubject } from './stage.ts'

/** Stages that match an object. Throws if an expression fails: then no stage applies, as in kwok. */
export const matchingStages = (stages: readonly Stage[], subject: StageSubject): Stage[] =>
  stages.filter(({ requirements }) => requirements?.every(requirement => requirement(subject)))

/** A stage that may be chosen, with its share. */
interface StageCandidate {
  readonly stage: Stage
  readonly share: number
}

/**
 * Returns the stages among which one is chosen at random, with their shares. A stage of weight 0 is chosen only if all
 * have weight 0, or an invalid one. A stage with an invalid weight is chosen only if all are invalid. Source: kwok,
 * pkg/utils/lifecycle/lifecycle.go.
 */
function candidatesOf(stages: readonly Stage[], subject: StageSubject): StageCandidate[] {
  const all = stages.map(stage => ({ stage, weight: stages.length === 1 ? 0 : stage.weight(subject) }))
  const valid = all.flatMap(({ stage, weight }) => (weight === undefined ? [] : [{ stage, share: weight }]))
  const equal = (some: readonly { readonly stage: Stage }[]): StageCandidate[] => some.map(({ stage }) => ({ stage, share: 1 }))
  if (valid.length === 0) return equal(all)
  const total = valid.reduce((sum, { share }) => sum + share, 0)
  return total === 0 ? equal(valid) : valid.filter(({ share }) => share > 0)
}

/** Returns every stage that may be chosen for an object. */
export const possibleStages = (stages: readonly Stage[], subject: StageSubject): Stage[] =>
  candidatesOf(matchingStages(stages, subject), subject).map(({ stage }) => stage)

/**
 * Chooses a stage for an object by weight. Undefined if none matches.
 * @param random returns a number from 0 to 1, exclusive. It is called only if there is a choice.
 */
export function chooseStage(stages: readonly Stage[], subject: StageSubject, random: () => number): Stage | undefined {
  const candidates = candidatesOf(matchingStages(stages, subject), subject)
  if (candidates.length <= 1) return candidates[0]?.stage
  let left = random() * candidates.reduce((sum, { share }) => sum + share, 0)
  for (const { stage, share } of candidates) {
    left -= share
    if (left < 0) return stage
  }
  return candidates.at(-1)?.stage
}
