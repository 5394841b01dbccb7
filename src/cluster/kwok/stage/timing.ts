import type { Stage, StageSubject } from './stage.ts'

/**
 * Returns the delay of a stage in milliseconds: one number, or the least and the greatest. Undefined if the stage has
 * none. A delay until a time in the past is negative. Source: kwok, pkg/utils/lifecycle/lifecycle.go.
 */
export function delayRange({ delay, jitter }: Stage, subject: StageSubject): readonly [number] | readonly [number, number] | undefined {
  const least = delay?.(subject)
  if (least === undefined) return undefined
  const most = jitter?.(subject)
  if (most === undefined) return [least]
  return most <= least ? [most] : [least, most]
}

/** Draws the delay of a stage, in milliseconds. 0 if it has none, or if its time is in the past. */
export function drawDelay(stage: Stage, subject: StageSubject, random: () => number): number {
  const [least = 0, most] = delayRange(stage, subject) ?? []
  return Math.max(0, most === undefined ? least : least + random() * (most - least))
}
