import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { IntOrString } from '../../../../../src/api/meta/object.ts'
import type { Placement } from '../../../../../src/cluster/controllers/daemonset/node-fit.ts'
import { podsByTarget } from '../../../../../src/cluster/controllers/daemonset/placement.ts'
import { rolloutLimits, rolloutStep } from '../../../../../src/cluster/controllers/daemonset/rollout.ts'
import { daemonPod, daemonSet, podNames, RULES, RUNS } from './daemon-pods.ts'

const strategy = (rollingUpdate: { maxUnavailable?: IntOrString; maxSurge?: IntOrString }): ReturnType<typeof daemonSet> =>
  daemonSet({}, { type: 'RollingUpdate', rollingUpdate })
const placement = (pods: readonly Pod[], left: readonly string[] = []): Placement => {
  const nodes = ['a', 'b', 'c', 'd'].map(name => [name, left.includes(name) ? { shouldRun: false, shouldContinue: true } : RUNS] as const)
  return { nodes: new Map(nodes), pods: podsByTarget(pods) }
}
const old = (node: string, options = {}): Pod => daemonPod(`old-${node}`, node, { hash: 'old', ...options })
const updated = (node: string, options = {}): Pod => daemonPod(`new-${node}`, node, options)

function step(
  set: ReturnType<typeof daemonSet>,
  pods: readonly Pod[],
  left: readonly string[] = [],
): { nodes: string[]; victims: string[] } {
  const { nodes, victims } = rolloutStep(set, placement(pods, left), RULES)
  return { nodes, victims: podNames(victims) }
}

describe('rolling update of a daemon set', () => {
  it('rounds percentages up, and lets one pod be unavailable if both limits are 0', () => {
    expect(rolloutLimits(strategy({ maxUnavailable: '25%' }), 10)).to.deep.equal({ maxSurge: 0, maxUnavailable: 3 })
    expect(rolloutLimits(strategy({ maxSurge: '25%', maxUnavailable: 0 }), 10)).to.deep.equal({ maxSurge: 3, maxUnavailable: 0 })
    expect(rolloutLimits(strategy({ maxSurge: 0, maxUnavailable: 0 }), 2)).to.deep.equal({ maxSurge: 0, maxUnavailable: 1 })
    expect(rolloutLimits(strategy({ maxUnavailable: 0 }), 0)).to.deep.equal({ maxSurge: 0, maxUnavailable: 0 })
  })

  it('deletes as many old pods as may be unavailable', () => {
    const pods = ['a', 'b', 'c', 'd'].map(node => old(node))
    expect(step(strategy({ maxUnavailable: 2 }), pods)).to.deep.equal({ nodes: [], victims: ['old-a', 'old-b'] })
    expect(step(strategy({ maxUnavailable: 1 }), [updated('a', { ready: false }), ...pods.slice(1)]).victims).to.deep.equal([])
    expect(step(strategy({ maxUnavailable: 1 }), pods.slice(1)).victims).to.deep.equal([])
  })

  it('deletes old pods that are unavailable in any case', () => {
    const pods = [old('a', { ready: false }), old('b', { ready: false }), old('c'), old('d')]
    expect(step(strategy({ maxUnavailable: 1 }), pods).victims).to.deep.equal(['old-a', 'old-b'])
  })

  it('leaves nodes with more than one pod of a template to the next pass', () => {
    const pods = [old('a'), daemonPod('second', 'a', { hash: 'old' }), old('b'), old('c'), old('d')]
    expect(step(strategy({ maxUnavailable: 1 }), pods).victims).to.deep.equal([])
  })

  it('creates new pods beside old ones up to the surge, and beside all that are unavailable', () => {
    const surge = strategy({ maxSurge: 1, maxUnavailable: 0 })
    const pods = ['a', 'b', 'c', 'd'].map(node => old(node))
    expect(step(surge, pods)).to.deep.equal({ nodes: ['a'], victims: [] })
    expect(step(surge, [...pods, updated('a', { ready: false })])).to.deep.equal({ nodes: [], victims: [] })
    expect(step(surge, [old('a', { ready: false }), ...pods.slice(1)]).nodes).to.deep.equal(['a', 'b'])
  })

  it('deletes an old pod when the new one is available', () => {
    const pods = ['a', 'b', 'c', 'd'].map(node => old(node))
    expect(step(strategy({ maxSurge: 1, maxUnavailable: 0 }), [...pods, updated('a')])).to.deep.equal({ nodes: ['b'], victims: ['old-a'] })
  })

  it('deletes an old pod from a node that no longer fits when enough others are available', () => {
    const surge = strategy({ maxSurge: 1, maxUnavailable: 0 })
    expect(step(surge, [old('a'), updated('b'), updated('c'), updated('d')], ['a']).victims).to.deep.equal(['old-a'])
    expect(step(surge, [old('a'), updated('b'), updated('c'), updated('d', { ready: false })], ['a']).victims).to.deep.equal([])
    expect(step(surge, [old('a', { ready: false }), updated('b')], ['a']).victims).to.deep.equal(['old-a'])
  })
})
