import { expect } from 'chai'
import { type FinalState, Variation } from '../../../src/explore/final-state.ts'
import type { ExpectedRun } from '../../../src/explore/judge.ts'
import { Steps, type StepsOptions } from '../../../src/explore/steps.ts'

const state = (value: string): FinalState => new Map([['configmaps default/a', [{ data: { value } }]]])
const rest = { reached: async () => {} } as unknown as StepsOptions['rest']
const expected: ExpectedRun = {
  state: state('c'),
  steps: ['a', 'b', 'c'].map(state),
  alternatives: [],
  isComparable: true,
  variation: new Variation([]),
  writes: 1,
}

describe('the steps of a test', () => {
  /**
   * Goes through the three steps. Each state is a function of the number of looks at this step. Returns the number of
   * looks at each step.
   */
  async function looks(
    options: { readonly expected?: ExpectedRun; readonly patienceMs: number },
    found: readonly ((looked: number) => string)[],
  ): Promise<number[]> {
    const counts: number[] = []
    let time = 0
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
    return counts
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
})
