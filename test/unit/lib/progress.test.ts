import { expect } from 'chai'
import { Progress } from '../../../src/lib/progress.ts'

describe('Progress', () => {
  it('measures how long pending work has not moved', () => {
    const progress = new Progress()
    const looks: readonly [now: number, waits: boolean, moved: boolean, stalled: number][] = [
      [0, true, false, 0],
      [10, true, false, 10],
      [25, true, false, 25],
      [30, true, true, 0],
      [50, true, false, 20],
      [60, false, false, 0],
      [70, true, false, 0],
      [75, true, false, 5],
    ]
    expect(looks.map(([now, waits, moved]) => progress.stalledFor(now, waits, moved))).to.deep.equal(
      looks.map(([, , , stalled]) => stalled),
    )
  })
})
