import { setFlagsFromString } from 'node:v8'

let bound = Number.POSITIVE_INFINITY

/**
 * V8 collects old objects once they have grown by this percentage since the last collection; the lowest that was asked for counts. Left to itself V8 lets them grow to four times as much
 * where the machine has memory for it.
 */
export function boundHeapGrowth(percent: number): void {
  if (percent >= bound) return
  bound = percent
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}
