import { expect } from 'chai'
import { GroupTrial, type TrialInput } from '../../../../../src/cluster/scheduler/groups/group-trial.ts'
import { infoOf, nodeOf, snapshotOf } from '../../../../support/scheduling.ts'

/** A trial of three pods, in which each gets the node, and a counter of the searches. */
function trialOf(signal: AbortSignal, searched: (count: number) => void) {
  const snapshot = snapshotOf([nodeOf('n')])
  let count = 0
  const find = async () => {
    searched(++count)
    return { node: snapshot.node('n'), feasible: { rejected: { filters: [] }, reserves: [] } }
  }
  const members = ['a', 'b', 'c'].map(name => ({ queued: {}, info: infoOf({ name }) }))
  const placed = new Set<string>()
  const input = { members, snapshot, finder: { find }, nominated: () => [], context: { signal }, goesOn: () => true, placed }
  return { snapshot, placed, trial: new GroupTrial(input as unknown as TrialInput), searches: () => count }
}

describe('a trial of a group of pods', () => {
  it('has the pods on their nodes until it is undone', async () => {
    const { snapshot, placed, trial } = trialOf(new AbortController().signal, () => {})
    const { placements, error } = await trial.run()
    expect([placements.length, error, snapshot.node('n')?.pods.length]).to.deep.equal([3, undefined, 3])
    expect([...placed]).to.deep.equal(['a', 'b', 'c'])
    trial.undo()
    expect([snapshot.node('n')?.pods, placed.size]).to.deep.equal([[], 0])
  })

  it('ends between two pods when the scheduler stops', async () => {
    const stop = new AbortController()
    const { trial, searches } = trialOf(stop.signal, () => stop.abort())
    expect([(await trial.run()).error, searches()]).to.deep.equal(['the scheduler stops', 1])
  })
})
