import { expect } from 'chai'
import { type FinalState, Variation } from '../../../src/explore/final-state.ts'
import type { ExpectedRun } from '../../../src/explore/judge.ts'
import { Steps, type StepsOptions } from '../../../src/explore/steps.ts'

const state = (value: string): FinalState => new Map([['configmaps default/a', [{ data: { value } }]]])
const expected: ExpectedRun = {
  state: state('c'),
  steps: ['a', 'b', 'c'].map(state),
  alternatives: [],
  isComparable: true,
  variation: new Variation([]),
  writes: 1,
}

type Given = Partial<Omit<StepsOptions, 'rest' | 'stateNow'>> & Pick<StepsOptions, 'patienceMs'>

describe('the steps of a test', () => {
  /**
   * Goes through the three steps. Each state is a function of the number of looks at this step. Returns the number of
   * looks at each step.
   */
  async function looks(options: Given, found: readonly ((looked: number) => string)[]): Promise<number[]> {
    return (await performed(options, found)).counts
  }

  /** Like `looks`. Returns the steps as well. */
  async function performed(
    options: Given,
    found: readonly ((looked: number) => string)[],
  ): Promise<{ readonly counts: number[]; readonly steps: Steps }> {
    const counts: number[] = []
    let time = 0
    const rest = {
      reached: async () => {},
      get activeAt() {
        return time
      },
    }
    const steps = new Steps({
      expected,
      ...options,
      rest,
      now: () => time,
      pause: async milliseconds => {
        time += milliseconds
      },
      stateNow: () => {
        const step = steps.states.length
        counts[step] = (counts[step] ?? 0) + 1
        return state(found[step]?.(counts[step]) ?? '')
      },
    })
    for (const _ of found) await steps.settled()
    expect(steps.states).to.have.length(found.length)
    return { counts, steps }
  }

  it('end when the state is the expected one, or an alternative', async () => {
    const late = (value: string) => (looked: number) => (looked > 3 ? value : '?')
    expect(await looks({ patienceMs: 60_000 }, [late('a'), () => 'b', late('c')])).to.deep.equal([4, 1, 4])
    const alternatives = [{ state: state('z'), steps: ['x', 'y', 'z'].map(state) }]
    expect(await looks({ patienceMs: 60_000, expected: { ...expected, alternatives } }, [() => 'x', late('b'), () => 'z'])).to.deep.equal([
      1, 4, 1,
    ])
  })

  it('are not awaited for long after a step with another state, except for the last', async () => {
    expect(await looks({ patienceMs: 480 }, [() => '?', () => '?', () => '?'])).to.deep.equal([25, 4, 25])
  })

  it('are not awaited for long in the state of a run that has failed', async () => {
    const failed = { state: state('?'), steps: [], failure: { kind: 'final state', message: '' } } as const
    expect(await looks({ patienceMs: 480, expected: { ...expected, failed } }, [() => '!', () => 'b', () => '?'])).to.deep.equal([25, 1, 4])
  })

  it('end when the state has stayed the same, if it is not known before', async () => {
    const late = (looked: number): string => (looked > 4 ? 'a' : '?')
    const { counts, steps } = await performed({ patienceMs: 480, stableMs: 100, expected: undefined }, [late, () => 'b'])
    expect(counts).to.deep.equal([10, 6])
    expect([steps.latestChangeMs, steps.durations, steps.unstable]).to.deep.equal([80, [180, 100], []])
  })

  it('end with all their states if they keep changing', async () => {
    const { counts, steps } = await performed({ patienceMs: 480, stableMs: 100, expected: undefined }, [String])
    expect(counts).to.deep.equal([26])
    expect(steps.unstable[0]).to.have.length(26)
    expect(await looks({ patienceMs: 100 }, [looked => `${looked % 2}`, () => 'b', () => 'c'])).to.deep.equal([26, 1, 1])
  })

  it('are awaited longer if the controller has gone on late, or for a minimum', async () => {
    const latestChangeMs = 200
    expect(await looks({ patienceMs: 100, latestChangeMs }, [() => '?', () => '?', () => '?'])).to.deep.equal([21, 21, 21])
    expect(await looks({ patienceMs: 100, leastMs: [60] }, [() => 'a', () => 'b', () => 'c'])).to.deep.equal([4, 1, 1])
  })
})
