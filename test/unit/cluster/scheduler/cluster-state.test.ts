import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { ClusterState } from '../../../../src/cluster/scheduler/cluster-state.ts'
import { NominatedPodsByNode } from '../../../../src/cluster/scheduler/nominated-pods.ts'
import { PodInfos } from '../../../../src/cluster/scheduler/pod-infos.ts'
import { infoOf, nodeOf, objectsOf, podOf } from '../../../support/scheduling.ts'

const stateWith = (...names: string[]): ClusterState => {
  const state = new ClusterState(objectsOf())
  for (const name of names) state.setNode(nodeOf(name))
  return state
}
/** Names of the pods of a node. */
const podsOn = (state: ClusterState, node: string): string[] | undefined =>
  state
    .snapshot()
    .node(node)
    ?.pods.map(({ pod }) => pod.metadata.name ?? '')

describe("the scheduler's state of the cluster", () => {
  it('reports which changes of a node may help pods', () => {
    const state = stateWith('a')
    expect(state.setNode(nodeOf('b'))).to.deep.equal(['node added'])
    expect(state.setNode(nodeOf('a'))).to.deep.equal([])
    const declaring = nodeOf('a')
    expect(state.setNode({ ...declaring, status: { ...declaring.status, declaredFeatures: ['A'] } })).to.deep.equal(['node features'])
    expect(state.setNode(declaring)).to.deep.equal(['node features'])
    expect(state.setNode(nodeOf('a', { labels: { disk: 'ssd' }, allocatable: { cpu: '8' }, spec: { unschedulable: true } }))).to.deep.equal(
      ['node labels', 'node taints', 'node allocatable'],
    )
  })

  it('counts an assumed pod once, before and after its binding is observed', () => {
    const state = stateWith('a', 'b')
    const before = state.snapshot()
    state.assume(infoOf({ name: 'p', requests: { cpu: '1' } }), 'a')
    expect([before.node('a')?.pods, podsOn(state, 'a')]).to.deep.equal([[], ['p']])
    expect(state.setPod(infoOf({ name: 'p', requests: { cpu: '1' }, nodeName: 'a' }))).to.deep.equal(['assigned pod added'])
    expect([podsOn(state, 'a'), state.snapshot().node('a')?.requested.get('cpu')]).to.deep.equal([['p'], 1000])
    expect(state.setPod(infoOf({ name: 'p', requests: { cpu: '2' }, nodeName: 'a', labels: { a: 'b' } }))).to.deep.equal([
      'assigned pod labels',
      'assigned pod resources',
    ])
    expect([state.deletePod(infoOf({ name: 'p' }).pod), state.deletePod(infoOf({ name: 'p' }).pod), podsOn(state, 'a')]).to.deep.equal([
      true,
      false,
      [],
    ])
  })

  it('goes on to count a pod that was bound to another node when its own binding fails', () => {
    const state = stateWith('a', 'b')
    const pod = infoOf({ name: 'p', requests: { cpu: '1' } })
    state.assume(pod, 'a')
    state.setPod(infoOf({ name: 'p', requests: { cpu: '1' }, nodeName: 'b' }))
    state.forgetAssumed(pod.pod)
    expect([podsOn(state, 'a'), podsOn(state, 'b'), state.isAssigned(pod.pod)]).to.deep.equal([[], ['p'], true])
    state.deletePod(pod.pod)
    state.assume(pod, 'a')
    state.forgetAssumed(pod.pod)
    expect([podsOn(state, 'a'), state.isAssigned(pod.pod)]).to.deep.equal([[], false])
  })

  it('counts a pod that is assumed again for its new node only', () => {
    const state = stateWith('a', 'b')
    state.assume(infoOf({ name: 'p' }), 'a')
    state.assume(infoOf({ name: 'p' }), 'b')
    expect([podsOn(state, 'a'), podsOn(state, 'b')]).to.deep.equal([[], ['p']])
  })

  it('keeps pods of a node that is not known yet, or is gone', () => {
    const state = stateWith()
    state.setPod(infoOf({ name: 'p', nodeName: 'a' }))
    state.setNode(nodeOf('a'))
    expect(podsOn(state, 'a')).to.deep.equal(['p'])
    expect([state.deleteNode(nodeOf('a')), state.deleteNode(nodeOf('a'))]).to.deep.equal([['node deleted'], []])
    expect(podsOn(state, 'a')).to.equal(undefined)
    state.setNode(nodeOf('a'))
    expect(podsOn(state, 'a')).to.deep.equal(['p'])
  })

  it('orders nodes so that zones take turns', () => {
    const state = stateWith()
    for (const [name, zone] of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map(name => [name, name[0] ?? ''] as const))
      state.setNode(nodeOf(name, { labels: { 'topology.kubernetes.io/zone': zone } }))
    const names = (): string[] => state.snapshot().nodes.map(({ name }) => name)
    expect(names()).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
    state.setNode(nodeOf('a3', { labels: { 'topology.kubernetes.io/zone': 'b' } }))
    expect(names()).to.deep.equal(['a1', 'a3', 'c1', 'a2', 'b1', 'c2'])
  })

  it('returns the same snapshot until nodes are added or removed, with the pods of now', () => {
    const state = stateWith('a')
    const first = state.snapshot()
    expect(state.snapshot()).to.equal(first)
    state.assume(infoOf({ name: 'p' }), 'a')
    expect([state.snapshot() === first, first.node('a')?.pods.length]).to.deep.equal([true, 1])
    state.setNode(nodeOf('b'))
    expect([first.nodes.length, state.snapshot().nodes.length]).to.deep.equal([1, 2])
  })
})

describe('derived facts of pods', () => {
  const RULES = { podLevel: true, inPlace: true }

  it('are kept when a pod is bound or its status changes, and made again when its requests, labels or actual resources change', () => {
    const infos = new PodInfos(RULES)
    const first = infos.of(podOf({ name: 'p', requests: { cpu: '1' } }))
    const bound = podOf({ name: 'p', requests: { cpu: '1' }, nodeName: 'a', status: { phase: 'Running' } })
    expect([infos.of(bound).requests, infos.of(bound).pod]).to.deep.equal([first.requests, bound])
    expect(infos.of(bound).requests).to.equal(first.requests)
    expect(infos.of(podOf({ name: 'p', requests: { cpu: '2' } })).requests.get('cpu')).to.equal(2000)
    const grown = { name: 'c', resources: { requests: { cpu: '3' } } } as unknown as NonNullable<Pod['status']['containerStatuses']>[number]
    expect(infos.of(podOf({ name: 'p', requests: { cpu: '2' }, status: { containerStatuses: [grown] } })).requests.get('cpu')).to.equal(
      3000,
    )
    infos.forget(bound)
    expect(infos.of(bound).requests).to.not.equal(first.requests)
  })
})

describe('nominated pods', () => {
  it('are those of one node each, and are found by their priority', () => {
    const nominated = new NominatedPodsByNode()
    const low = infoOf({ name: 'low', spec: { priority: 1, containers: [] } })
    nominated.set(low, 'a')
    nominated.set(infoOf({ name: 'high', spec: { priority: 9, containers: [] } }), 'a')
    nominated.set(low, 'b')
    expect([nominated.on('a').length, nominated.lowerThan('b', 2), nominated.lowerThan('a', 2)]).to.deep.equal([1, [low], []])
    expect([nominated.delete(low.pod), nominated.delete(low.pod)]).to.deep.equal(['b', undefined])
    expect(nominated.on('b')).to.deep.equal([])
  })
})
