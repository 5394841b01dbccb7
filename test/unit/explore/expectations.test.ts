import { expect } from 'chai'
import type { Engine, RunResult } from '../../../src/explore/engine.ts'
import { Expectations } from '../../../src/explore/expectations.ts'
import { type FinalState, Variation } from '../../../src/explore/final-state.ts'
import type { RequestEntry } from '../../../src/explore/recording.ts'
import type { FaultSpec } from '../../../src/faults/fault-spec.ts'
import { requestEntry } from '../../support/explore-entries.ts'

const deletion: FaultSpec = { match: { names: ['web'] }, writer: 'Deletes' }
const atRest: FaultSpec = { ...deletion, writer: 'DeletesAtRest' }
const unseen: FaultSpec = { watch: { endBefore: { type: 'ADDED' } }, writer: 'DeletesAtRest' }
const update = (faults: readonly FaultSpec[], isController = true): RequestEntry => requestEntry('update', { faults, isController })

describe('the expected result of a run', () => {
  const state = (name: string): FinalState => new Map([[name, [{}]]])
  const undisturbed = {
    state: state('undisturbed'),
    steps: [],
    alternatives: [],
    isComparable: true,
    variation: new Variation([]),
    writes: 1,
  }
  let runs: (readonly FaultSpec[])[]
  let failing: FaultSpec | undefined
  let isMade: boolean
  let expectations: Expectations
  beforeEach(() => {
    runs = []
    failing = undefined
    isMade = true
    const run: Engine['run'] = async faults => {
      runs.push(faults)
      const failure = failing !== undefined && faults.includes(failing) ? ({ kind: 'the test', message: 'it fails' } as const) : undefined
      const result: RunResult = {
        entries: isMade ? [update(faults)] : [],
        writes: 1,
        objects: [],
        state: state(`run ${runs.length}`),
        isComparable: true,
        steps: [],
        failure,
        longestPauseMs: 0,
        latestChangeMs: 0,
        durations: [],
        unstable: [],
      }
      return result
    }
    expectations = new Expectations({
      engine: { run, quietMs: 10, patienceMs: 100, latestChangeMs: 5 },
      scenario: { isController: () => true },
      undisturbed,
      deletions: [{ fault: deletion, calm: [[atRest], [unseen]], changes: 1 }],
    })
  })
  const accepted = async (faults: readonly FaultSpec[]): Promise<unknown> =>
    (await expectations.of(faults))?.alternatives.flatMap(alternative => [...alternative.state.keys()])

  it('is that of the undisturbed run without a deletion', async () => {
    expect(await expectations.of([{ hold: 'Quiet' }])).to.equal(undisturbed)
    expect(runs).to.deep.equal([])
  })

  it('is also that of the calm runs of its deletion, which are made once', async () => {
    expect(await accepted([{ hold: 'Quiet' }, deletion])).to.deep.equal(['run 1', 'run 2'])
    expect(await accepted([deletion])).to.deep.equal(['run 1', 'run 2'])
    expect(runs).to.deep.equal([[atRest], [unseen]])
  })

  it('is also that of another time of them', async () => {
    await accepted([deletion])
    await expectations.renewed([deletion])
    expect(await accepted([deletion])).to.deep.equal(['run 1', 'run 2', 'run 3', 'run 4'])
  })

  it('is that at rest of a deletion that was not recorded', async () => {
    await accepted([{ ...deletion, rate: { skip: 7 } }])
    expect(runs).to.deep.equal([[{ ...atRest, rate: { skip: 7 } }]])
  })

  it('does not exist if the test fails in a calm run', async () => {
    failing = unseen
    expect(await expectations.of([deletion])).to.equal(undefined)
  })

  it('does not exist if a calm run does not delete the object', async () => {
    isMade = false
    expect(await expectations.of([deletion])).to.equal(undefined)
  })

  it('does not apply if the object was deleted at another moment', async () => {
    const applies = (await expectations.of([deletion]))?.applies
    expect(applies?.([update([], false), update([deletion])])).to.equal(true)
    expect(applies?.([update([deletion])])).to.equal(false)
    expect(applies?.([update([], false)])).to.equal(true)
  })
})
