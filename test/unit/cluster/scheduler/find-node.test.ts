import { expect } from 'chai'
import { chooseNode } from '../../../../src/cluster/scheduler/choose-node.ts'
import { failureText } from '../../../../src/cluster/scheduler/failure-text.ts'
import { filterNodes } from '../../../../src/cluster/scheduler/find-node.ts'
import { type Plugin, SKIP } from '../../../../src/cluster/scheduler/framework.ts'
import { nodeAffinity } from '../../../../src/cluster/scheduler/plugins/node-affinity.ts'
import { nodeResourcesFit } from '../../../../src/cluster/scheduler/plugins/node-resources-fit.ts'
import { taintToleration } from '../../../../src/cluster/scheduler/plugins/taint-toleration.ts'
import { nodesToFind, type Profile } from '../../../../src/cluster/scheduler/profile.ts'
import type { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { infoOf, nodeOf, type PodParts, snapshotOf } from '../../../support/scheduling.ts'

const profile = (...plugins: Plugin[]): Profile => ({
  schedulerName: 'default-scheduler',
  plugins: plugins.map(plugin => ({ plugin, weight: 1 })),
  percentageOfNodesToScore: 0,
})
const PROFILE = profile(taintToleration('1.33'), nodeAffinity(), nodeResourcesFit({}, '1.33', false))
const none = () => []

/** Names of the feasible nodes, or the text of the failure. */
function filtered(pod: PodParts, snapshot: ReturnType<typeof snapshotOf>, from = 0): string[] | string {
  const result = runAtOnce(filterNodes(infoOf(pod), snapshot, PROFILE, { from, nominated: none }))
  return 'feasible' in result ? result.feasible.nodes.map(({ name }) => name) : failureText(result.infeasible)
}

describe('filtering of nodes', () => {
  it('returns feasible nodes from the given one on', () => {
    expect(filtered({}, snapshotOf([nodeOf('a'), nodeOf('b'), nodeOf('c')]), 2)).to.deep.equal(['c', 'a', 'b'])
  })

  it('gives each node the reasons of the first plugin that rejects it, and sorts them as text', () => {
    const tainted = { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' as const }] } }
    const small = { allocatable: { cpu: '1' } }
    const nodes = [nodeOf('a', { ...tainted, ...small }), ...Array.from({ length: 10 }, (_, i) => nodeOf(`b${i}`, small))]
    expect(filtered({ requests: { cpu: '2' } }, snapshotOf(nodes))).to.equal(
      '0/11 nodes are available: 1 node(s) had untolerated taint {k: v}, 10 Insufficient cpu.',
    )
    expect(filtered({}, snapshotOf([]))).to.equal('no nodes available to schedule pods')
  })

  it('prepares the filters of each plugin in another step', () => {
    let prepared = 0
    const preFilter = (): { readonly status: typeof SKIP } => {
      prepared++
      return { status: SKIP }
    }
    const plugins = ['A', 'B', 'C'].map((name): Plugin => ({ name, preFilter }))
    const steps = filterNodes(infoOf({}), snapshotOf([nodeOf('a')]), profile(...plugins), { from: 0, nominated: none })
    const seen = new Set<number>()
    while (!steps.next().done) seen.add(prepared)
    expect([...seen].slice(0, 3)).to.deep.equal([0, 1, 2])
    expect(prepared).to.equal(3)
  })

  it('prepares the checks of a node in steps, if no earlier plugin rejects it', () => {
    const events: string[] = []
    const slow: Plugin = {
      name: 'Slow',
      preFilter: () => ({
        filter: {
          *prepare({ name }) {
            yield
            yield
            events.push(`prepared ${name}`)
            if (name === 'c') throw new Error('fault')
          },
          check: ({ name }) => void events.push(`checked ${name}`),
        },
      }),
    }
    const tainted = nodeOf('a', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' as const }] } })
    const plugins = profile(taintToleration('1.33'), slow)
    const options = { from: 0, nominated: none }
    const steps = filterNodes(infoOf({}), snapshotOf([tainted, nodeOf('b')]), plugins, options)
    const counts = new Map<number, number>()
    while (!steps.next().done) counts.set(events.length, (counts.get(events.length) ?? 0) + 1)
    expect(events).to.deep.equal(['prepared b', 'checked b'])
    expect(counts.get(0)).to.be.at.least(4)
    expect(() => runAtOnce(filterNodes(infoOf({}), snapshotOf([nodeOf('c')]), plugins, options))).to.throw(
      'running "Slow" filter plugin: fault',
    )
    const preferred = runAtOnce(filterNodes(infoOf({}), snapshotOf([tainted, nodeOf('b')]), plugins, { ...options, preferred: 'b' }))
    expect('feasible' in preferred).to.equal(true)
    expect(events.slice(-2)).to.deep.equal(['prepared b', 'checked b'])
  })

  it('looks only at the nodes that a plugin names', () => {
    const named = (name: string): PodParts => ({
      requests: { cpu: '9' },
      spec: {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
            },
          },
        },
      },
    })
    const snapshot = snapshotOf([nodeOf('a'), nodeOf('b')])
    const restricted = "1 node(s) didn't satisfy plugin(s) [NodeAffinity]"
    const pod = { ...named('b'), spec: { ...named('b').spec, containers: [{ name: 'c', resources: { requests: { cpu: '9' } } }] } }
    expect(filtered(pod, snapshot)).to.equal(`0/2 nodes are available: 1 Insufficient cpu, ${restricted}.`)
  })

  it('counts pods that are nominated to a node if their priority is at least as high', () => {
    const snapshot = snapshotOf([nodeOf('a', { allocatable: { cpu: '2' } })])
    const nominated = infoOf({
      name: 'first',
      requests: { cpu: '2' },
      spec: { priority: 5, containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] },
    })
    const isFeasible = (priority: number): boolean =>
      'feasible' in
      runAtOnce(
        filterNodes(infoOf({ spec: { priority, containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } }), snapshot, PROFILE, {
          from: 0,
          nominated: () => [nominated],
        }),
      )
    expect([isFeasible(4), isFeasible(5), isFeasible(6)]).to.deep.equal([false, false, true])
  })

  it('takes the node that the pod is nominated to, if it is feasible', () => {
    const snapshot = snapshotOf([nodeOf('a'), nodeOf('b'), nodeOf('c', { allocatable: { pods: '0' } })])
    const namesWith = (preferred: string) => {
      const result = runAtOnce(filterNodes(infoOf(), snapshot, PROFILE, { from: 0, nominated: none, preferred }))
      return 'feasible' in result && result.feasible.nodes.map(({ name }) => name)
    }
    expect([namesWith('b'), namesWith('c'), namesWith('gone')]).to.deep.equal([['b'], ['a', 'b'], ['a', 'b']])
  })

  it('stops when there are enough nodes to choose from', () => {
    expect([99, 100, 500, 1000, 5000, 6000].map(count => nodesToFind(count, 0))).to.deep.equal([99, 100, 230, 420, 500, 300])
    expect([nodesToFind(1000, 100), nodesToFind(1000, 20), nodesToFind(300, 20)]).to.deep.equal([1000, 200, 100])
    const snapshot = snapshotOf(Array.from({ length: 200 }, (_, i) => nodeOf(`n${i}`)))
    const result = runAtOnce(filterNodes(infoOf(), snapshot, PROFILE, { from: 150, nominated: none }))
    expect('feasible' in result && [result.feasible.nodes.length, result.feasible.next]).to.deep.equal([100, 50])
  })
})

/** All nodes as candidates. */
const all = ({ nodes }: Snapshot) => ({ nodes, positions: nodes.map((_, i) => i) })

describe('the choice of a node', () => {
  it('takes the highest weighted sum, and any of equal nodes', () => {
    const snapshot = snapshotOf([
      nodeOf('a'),
      nodeOf('b', { allocatable: { cpu: '8', memory: '16Gi' } }),
      nodeOf('c', { allocatable: { cpu: '8', memory: '16Gi' } }),
    ])
    const choose = (random: number) =>
      runAtOnce(chooseNode(infoOf({ requests: { cpu: '2', memory: '4Gi' } }), snapshot, PROFILE, all(snapshot), { random: () => random }))
        ?.name
    expect([choose(0), choose(0.99)]).to.deep.equal(['b', 'c'])
    const weighted = (weight: number): Profile => ({
      ...PROFILE,
      plugins: [
        ...PROFILE.plugins,
        { plugin: { name: 'Fixed', preScore: () => ({ score: ({ name }) => (name === 'a' ? 10 : 0) }) }, weight },
      ],
    })
    const chosenBy = (chosen: Profile) =>
      runAtOnce(chooseNode(infoOf({ requests: { cpu: '2', memory: '4Gi' } }), snapshot, chosen, all(snapshot), { random: () => 0 }))?.name
    expect([chosenBy(weighted(2)), chosenBy(weighted(3))]).to.deep.equal(['b', 'a'])
  })
})
