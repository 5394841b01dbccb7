import { expect } from 'chai'
import type { KubeObject } from '../../../../src/api/meta/object.ts'
import { NodeInfo } from '../../../../src/cluster/scheduler/node-info.ts'
import { interPodAffinity } from '../../../../src/cluster/scheduler/plugins/inter-pod-affinity.ts'
import type { PodInfo } from '../../../../src/cluster/scheduler/pod-info.ts'
import { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { infoOf, nodeOf, objectsOf } from '../../../support/scheduling.ts'

const TERMS = 1000
const PODS = 20
const NAMESPACES = 40

const namespaces: readonly KubeObject[] = Array.from({ length: NAMESPACES }, (_, i) => ({
  kind: 'Namespace',
  apiVersion: 'v1',
  metadata: { name: `n${i}`, labels: { team: i === 1 ? 'a' : 'b' } },
}))
const zone = (name: string) => nodeOf(name, { labels: { zone: name } })
const snapshotOf = (pods: readonly PodInfo[]): Snapshot =>
  new Snapshot([NodeInfo.of(zone('a'), pods), NodeInfo.of(zone('b'), [])], {
    ...objectsOf(namespaces),
    list: <T extends KubeObject>() => namespaces as T[],
  })
const other = (i: number): PodInfo => infoOf({ name: `p${i}`, metadata: { namespace: 'n1', labels: { app: 'db' } } })
const term = (i: number, app: string) => ({
  topologyKey: 'zone',
  labelSelector: { matchLabels: { app } },
  namespaceSelector: { matchLabels: { team: i === 0 ? 'a' : 'none' } },
})

describe('InterPodAffinity of a pod with very many terms', () => {
  const others = Array.from({ length: PODS }, (_, i) => other(i))
  const counted = 2 * Math.floor((TERMS * PODS) / 2048)
  const resolved = Math.floor((TERMS * NAMESPACES) / 32)

  it('resolves namespaces and counts pods in steps, once for all nodes and until either changes', () => {
    const plugin = interPodAffinity()
    const terms = Array.from({ length: TERMS }, (_, i) => term(i, 'db'))
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    const pod = infoOf({ name: 'large', spec: { affinity } as unknown as PodInfo['pod']['spec'] })
    expect(pod.isLarge).to.equal(true)
    const snapshot = snapshotOf(others)
    const prepare = () => countedSteps(plugin.prepareFilter?.(pod, snapshot) as never).yields
    expect(prepare()).to.be.at.least(resolved + counted / 2 - 2)
    expect(prepare()).to.equal(0)
    const { filter } = plugin.preFilter?.(pod, snapshot) ?? {}
    expect(snapshot.nodes.map(node => filter?.check(node)?.reasons)).to.deep.equal([
      ["node(s) didn't match pod anti-affinity rules"],
      undefined,
    ])
    snapshot.replace(NodeInfo.of(zone('b'), [other(PODS)]))
    expect(prepare()).to.be.at.most(2)
    const next = plugin.preFilter?.(pod, snapshot).filter
    expect(snapshot.nodes.every(node => next?.check(node) !== undefined)).to.equal(true)
  })

  it('sums weights in steps', () => {
    const plugin = interPodAffinity()
    const terms = Array.from({ length: TERMS }, (_, i) => ({ weight: 1, podAffinityTerm: term(i, 'db') }))
    const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } }
    const pod = infoOf({ name: 'large', spec: { affinity } as unknown as PodInfo['pod']['spec'] })
    const snapshot = snapshotOf(others)
    expect(countedSteps(plugin.prepareScore?.(pod, snapshot, snapshot.nodes) as never).yields).to.be.at.least(resolved + counted / 2 - 2)
    const scorer = plugin.preScore?.(pod, snapshot, snapshot.nodes)
    expect(scorer && 'score' in scorer && snapshot.nodes.map(node => scorer.score(node))).to.deep.equal([PODS, 0])
  })

  it('matches the terms of other pods in steps', () => {
    const plugin = interPodAffinity()
    const terms = Array.from({ length: TERMS }, (_, i) => ({ topologyKey: 'zone', labelSelector: { matchLabels: { app: `a${i}` } } }))
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } }
    const spec = { affinity } as unknown as PodInfo['pod']['spec']
    const snapshot = snapshotOf(Array.from({ length: PODS }, (_, i) => infoOf({ name: `p${i}`, spec })))
    const pod = infoOf({ labels: { app: `a${TERMS - 1}` } })
    expect(countedSteps(plugin.prepareFilter?.(pod, snapshot) as never).yields).to.be.at.least(PODS / 2)
    const { filter } = plugin.preFilter?.(pod, snapshot) ?? {}
    expect(snapshot.nodes.map(node => filter?.check(node)?.code)).to.deep.equal(['Unschedulable', undefined])
  })

  it('needs no steps without terms', () => {
    const snapshot = snapshotOf(others)
    expect(interPodAffinity().prepareFilter?.(infoOf(), snapshot)).to.equal(undefined)
    expect(interPodAffinity().prepareScore?.(infoOf(), snapshot, snapshot.nodes)).to.equal(undefined)
  })
})
