import { expect } from 'chai'
import type { TopologySpreadConstraint } from '../../../../src/api/core/v1.types.ts'
import { chooseNode } from '../../../../src/cluster/scheduler/choose-node.ts'
import { podTopologySpread } from '../../../../src/cluster/scheduler/plugins/pod-topology-spread.ts'
import type { PodInfo } from '../../../../src/cluster/scheduler/pod-info.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { infoOf, nodeOf, type PodParts, snapshotOf } from '../../../support/scheduling.ts'

const MANY = 5000
const NODES = 20
/** Steps in which the constraints of a pod are determined. */
const DETERMINED = Math.floor(MANY / 32)

const nodes = Array.from({ length: NODES }, (_, i) => nodeOf(`n${i}`, { labels: { zone: i % 2 === 0 ? 'a' : 'b' } }))
const web = (name: string, nodeName: string): PodParts => ({ name, labels: { app: 'web' }, nodeName })
const large = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): PodInfo => {
  const constraints = Array.from(
    { length: MANY },
    (): TopologySpreadConstraint => ({
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable,
      labelSelector: { matchLabels: { app: 'web' } },
    }),
  )
  return infoOf({ name: 'large', labels: { app: 'web' }, spec: { topologySpreadConstraints: constraints } })
}

describe('PodTopologySpread, for a pod of many constraints', () => {
  it('counts pods in steps of few nodes, once for a state of the cluster', () => {
    const plugin = podTopologySpread()
    const snapshot = snapshotOf(nodes, [web('x', 'n0')])
    const pod = large('DoNotSchedule')
    const prepare = () => countedSteps(plugin.prepareFilter?.(pod, snapshot) as never).yields
    expect(prepare()).to.be.at.least(DETERMINED + NODES)
    expect(prepare()).to.equal(0)
    const prepared = plugin.preFilter?.(pod, snapshot)
    expect(prepared?.isSlow).to.equal(true)
    expect(snapshot.nodes.slice(0, 2).map(node => prepared?.filter?.check(node)?.code)).to.deep.equal(['Unschedulable', undefined])
  })

  it('scores nodes in steps', () => {
    const plugin = podTopologySpread()
    const snapshot = snapshotOf(nodes, [web('x', 'n0')])
    const pod = large('ScheduleAnyway')
    expect(countedSteps(plugin.prepareScore?.(pod, snapshot, snapshot.nodes) as never).yields).to.be.at.least(DETERMINED + 2 * NODES)
    const scorer = plugin.preScore?.(pod, snapshot, snapshot.nodes)
    expect(plugin.preScore?.(pod, snapshot, snapshot.nodes)).to.equal(scorer)
    const [first, second] = snapshot.nodes
    if (scorer === undefined || 'code' in scorer || !first || !second) throw new Error('no scores')
    expect(scorer.score(first)).to.be.above(scorer.score(second))
    const profile = { schedulerName: 's', percentageOfNodesToScore: 0, plugins: [{ plugin, weight: 1 }] }
    const candidates = { nodes: snapshot.nodes.concat(snapshot.nodes), positions: [] }
    const { yields } = countedSteps(chooseNode(pod, snapshot, profile, candidates, { random: () => 0 }))
    expect(yields).to.be.at.least(1)
  })

  it('has a key of constant length for wide parts of a pod with default constraints', () => {
    const labels = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, 'v']))
    const service = { kind: 'Service', apiVersion: 'v1', metadata: { name: 's', namespace: 'default' }, spec: { selector: labels } }
    const snapshot = snapshotOf(nodes, [{ name: 'x', labels, nodeName: 'n0' }], [service])
    const plugin = podTopologySpread()
    const pod = infoOf({ name: 'wide', labels, spec: { nodeSelector: labels } })
    expect(countedSteps(plugin.prepareScore?.(pod, snapshot, snapshot.nodes) as never).yields).to.be.at.least(3 * Math.floor(MANY / 512))
    const scorer = plugin.preScore?.(pod, snapshot, snapshot.nodes)
    const [first, second] = snapshot.nodes
    if (scorer === undefined || 'code' in scorer || !first || !second) throw new Error('no scores')
    expect(scorer.score(first)).to.be.above(scorer.score(second))
  })

  it('needs no steps if it is small', () => {
    const snapshot = snapshotOf(nodes)
    expect(podTopologySpread().prepareFilter?.(infoOf(), snapshot)).to.equal(undefined)
    expect(podTopologySpread().prepareScore?.(infoOf(), snapshot, snapshot.nodes)).to.equal(undefined)
  })
})

describe('PodTopologySpread, with a selector that has no requirements', () => {
  it('counts no pods', () => {
    const spreadOver = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): PodInfo =>
      infoOf({ spec: { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable, labelSelector: {} }] } })
    const snapshot = snapshotOf(nodes, [web('x', 'n0'), web('y', 'n2')])
    const filter = podTopologySpread().preFilter?.(spreadOver('DoNotSchedule'), snapshot).filter
    expect(snapshot.nodes.map(node => filter?.check(node))).to.deep.equal(nodes.map(() => undefined))
    const scorer = podTopologySpread().preScore?.(spreadOver('ScheduleAnyway'), snapshot, snapshot.nodes)
    if (scorer === undefined || 'code' in scorer) throw new Error('no scores')
    expect(new Set(snapshot.nodes.map(node => scorer.score(node)))).to.deep.equal(new Set([0]))
  })
})

describe('PodTopologySpread, in a cluster of many pods', () => {
  const constraint = (whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): TopologySpreadConstraint => ({
    maxSkew: 1,
    topologyKey: 'zone',
    whenUnsatisfiable,
    labelSelector: { matchLabels: { app: 'web' } },
  })
  const many = Array.from({ length: 1000 }, (_, i) => nodeOf(`n${i}`, { labels: { zone: `z${i % 3}` } }))
  const pods = many.flatMap(({ metadata: { name = '' } }, i) => [web(`p${i}`, name), web(`q${i}`, name)])

  for (const [action, what] of [
    ['DoNotSchedule', 'filter'],
    ['ScheduleAnyway', 'scores'],
  ] as const)
    it(`counts them for the ${what} in steps, and only changes from then on`, () => {
      const plugin = podTopologySpread()
      const snapshot = snapshotOf(many, pods)
      const pod = infoOf({ name: 'p', labels: { app: 'web' }, spec: { topologySpreadConstraints: [constraint(action)] } })
      const prepare = () =>
        action === 'DoNotSchedule' ? plugin.prepareFilter?.(pod, snapshot) : plugin.prepareScore?.(pod, snapshot, snapshot.nodes)
      expect(countedSteps(prepare() as never).yields).to.be.at.least(Math.floor(1000 / 32))
      expect(prepare()).to.equal(undefined)
    })
})
