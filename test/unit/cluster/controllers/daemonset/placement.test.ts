import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { NodeFit } from '../../../../../src/cluster/controllers/daemonset/node-fit.ts'
import { changesOnNode, podsByTarget, podsWithoutNode } from '../../../../../src/cluster/controllers/daemonset/placement.ts'
import { daemonPod, podNames, RULES, RUNS } from './daemon-pods.ts'

const SURGE = { ...RULES, isSurging: true }
const STAYS = { shouldRun: false, shouldContinue: true }
const LEAVES = { shouldRun: false, shouldContinue: false }

function changes(fit: NodeFit, pods: readonly Pod[] | undefined, rules = RULES): { creates: boolean; deleted: string[] } {
  const { creates, victims, failed, succeeded } = changesOnNode(fit, pods, rules)
  return { creates, deleted: podNames([...failed, ...succeeded, ...victims]) }
}

describe('daemon pods of a node', () => {
  it('are created on a node without one', () => {
    expect(changes(RUNS, undefined)).to.deep.equal({ creates: true, deleted: [] })
    expect(changes(STAYS, undefined)).to.deep.equal({ creates: false, deleted: [] })
  })

  it('are not created while one is being deleted, unless the update surges', () => {
    const ending = [daemonPod('a', 'n', { deleted: true })]
    expect(changes(RUNS, ending)).to.deep.equal({ creates: false, deleted: [] })
    expect(changes(RUNS, ending, SURGE)).to.deep.equal({ creates: true, deleted: [] })
  })

  it('are deleted if they may not continue on their node, and only then', () => {
    const pods = [daemonPod('a', 'n'), daemonPod('b', 'n', { deleted: true })]
    expect(changes(LEAVES, pods)).to.deep.equal({ creates: false, deleted: ['a'] })
    expect(changes(STAYS, pods)).to.deep.equal({ creates: false, deleted: [] })
  })

  it('are replaced when they have ended', () => {
    const pods = [daemonPod('a', 'n', { phase: 'Failed' }), daemonPod('b', 'n', { phase: 'Succeeded' })]
    expect(changes(RUNS, pods)).to.deep.equal({ creates: false, deleted: ['a', 'b'] })
  })

  it('are reduced to the oldest one that runs on the node', () => {
    const pods = [daemonPod('waits', 'n', { age: 9, bound: false }), daemonPod('young', 'n', { age: 1 }), daemonPod('old', 'n', { age: 5 })]
    expect(changes(RUNS, pods)).to.deep.equal({ creates: false, deleted: ['young', 'waits'] })
  })

  it('surge with one pod of either template until the new one is available', () => {
    const old = daemonPod('old', 'n', { hash: 'old', age: 9 })
    const starting = daemonPod('new', 'n', { ready: false, age: 5 })
    expect(changes(RUNS, [old, starting], SURGE)).to.deep.equal({ creates: false, deleted: [] })
    expect(changes(RUNS, [old, starting, daemonPod('more', 'n', { ready: false })], SURGE).deleted).to.deep.equal(['more'])
    expect(changes(RUNS, [old, daemonPod('new', 'n')], SURGE).deleted).to.deep.equal(['old'])
    expect(changes(RUNS, [daemonPod('old', 'n', { hash: 'old', ready: false }), starting], SURGE).deleted).to.deep.equal(['old'])
  })

  it('are grouped by the node that they run on or wait for', () => {
    const ended = daemonPod('c', 'm', { phase: 'Failed', deleted: true })
    const groups = podsByTarget([daemonPod('a', 'n'), daemonPod('b', 'n', { bound: false }), ended])
    expect(Array.from(groups, ([node, pods]) => [node, podNames(pods)])).to.deep.equal([['n', ['a', 'b']]])
  })

  it('are deleted if they wait for a node that does not exist', () => {
    const pods = podsByTarget([daemonPod('a', 'gone'), daemonPod('b', 'gone', { bound: false }), daemonPod('c', 'n', { bound: false })])
    expect(podNames(podsWithoutNode({ nodes: new Map([['n', RUNS]]), pods }))).to.deep.equal(['b'])
  })
})
