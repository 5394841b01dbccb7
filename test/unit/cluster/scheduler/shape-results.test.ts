import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { chooseNode, totalScores } from '../../../../src/cluster/scheduler/choose-node.ts'
import { ClusterState } from '../../../../src/cluster/scheduler/cluster-state.ts'
import { schedulerSettings } from '../../../../src/cluster/scheduler/configuration/settings.ts'
import { failureText } from '../../../../src/cluster/scheduler/failure-text.ts'
import { filterNodes, NONE_NOMINATED } from '../../../../src/cluster/scheduler/find-node.ts'
import type { PodInfo } from '../../../../src/cluster/scheduler/pod-info.ts'
import type { Profile } from '../../../../src/cluster/scheduler/profile.ts'
import { ShapeCache, shapeOf } from '../../../../src/cluster/scheduler/shape-results.ts'
import type { Snapshot } from '../../../../src/cluster/scheduler/snapshot.ts'
import { seededRandom } from '../../../../src/lib/seeded-random.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { infoOf, nodeOf, objectsOf, type PodParts } from '../../../support/scheduling.ts'

const newProfile = (): Profile =>
  [...schedulerSettings(undefined, { release: '1.33', enabled: () => false }).profiles.values()][0] as Profile
const PROFILE = newProfile()

const ZONE = 'topology.kubernetes.io/zone'
const ofApp = (app: string, topologyKey = ZONE) => ({ topologyKey, labelSelector: { matchLabels: { app } } })
const HOSTNAME = 'kubernetes.io/hostname'
/** Specs of pods that depend on others. */
const RELATED: readonly Partial<Pod['spec']>[] = [
  { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ofApp('b', HOSTNAME)] } } },
  { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ofApp('a')] } } },
  {
    affinity: {
      podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 7, podAffinityTerm: ofApp('a') }] },
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 3, podAffinityTerm: ofApp('b', HOSTNAME) }] },
    },
  },
  {
    topologySpreadConstraints: [
      { ...ofApp('a'), maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
      { ...ofApp('a', HOSTNAME), maxSkew: 2, whenUnsatisfiable: 'ScheduleAnyway' },
      { ...ofApp('b'), maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
    ],
  },
]

/** Pods of nine shapes, one of which fits on no node. */
function podOfShape(shape: number, name: string, app = 'a'): PodParts {
  const spec = {
    containers: [{ name: 'c', image: 'app', resources: { requests: { cpu: ['100m', '1', '2', '64', '500m'][shape] ?? '200m' } } }],
    ...(shape === 1 && { tolerations: [{ key: 'k', operator: 'Exists' as const }] }),
    ...(shape === 4 && { nodeSelector: { disk: 'ssd' } }),
    ...RELATED[shape - 5],
  }
  return { name, spec, labels: { app } }
}

/** Result of a cycle, with the scores of the feasible nodes. */
function resultOf(pod: PodInfo, snapshot: Snapshot, shapes?: ShapeCache) {
  // A profile of its own has seen no cycle.
  const profile = shapes ? PROFILE : newProfile()
  const filtered = runAtOnce(filterNodes(pod, snapshot, profile, { from: 1, nominated: NONE_NOMINATED, ...(shapes && { shapes }) }))
  if ('infeasible' in filtered) return [failureText(filtered.infeasible), [...filtered.infeasible.plugins]]
  const { feasible } = filtered
  return [
    feasible.nodes.map(({ name }) => name),
    [...runAtOnce(totalScores(pod, snapshot, profile, feasible))],
    runAtOnce(chooseNode(pod, snapshot, profile, feasible, { random: () => 0 }))?.name,
    feasible.next,
  ]
}

describe('results shared by pods of one shape', () => {
  it('are those of a cycle of its own while nodes and pods change', () => {
    const random = seededRandom(7)
    const below = (n: number): number => Math.floor(random() * n)
    const state = new ClusterState(objectsOf())
    const shapes = new ShapeCache()
    const setNode = (i: number): void => {
      const spec = below(3) === 0 ? { taints: [{ key: 'k', effect: 'NoSchedule' as const }] } : { unschedulable: below(6) === 0 }
      const images = below(2) === 0 ? [{ names: ['app:latest'], sizeBytes: 5e8 }] : []
      state.setNode(
        nodeOf(`n${i}`, { spec, images, labels: { disk: below(2) ? 'ssd' : 'hdd', 'topology.kubernetes.io/zone': `z${below(3)}` } }),
      )
    }
    for (let i = 0; i < 12; i++) setNode(i)
    const assumed: PodInfo[] = []
    let shared = 0
    for (let step = 0; step < 600; step++) {
      const change = below(8)
      if (change === 0) setNode(below(14))
      if (change === 3 && assumed.length > 0) {
        const { pod } = assumed[below(assumed.length)] ?? infoOf()
        const { nodes } = state.snapshot()
        const nodeName = nodes.find(({ pods }) => pods.some(one => one.pod.metadata.uid === pod.metadata.uid))?.name
        if (nodeName)
          state.setPod(
            infoOf({ ...podOfShape(0, pod.metadata.name ?? ''), nodeName, metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
          )
      }
      if (change === 1 && assumed.length > 0) state.deletePod(assumed.splice(below(assumed.length), 1)[0]?.pod ?? infoOf().pod)
      if (change === 2 && below(20) === 0) state.deleteNode(nodeOf(`n${below(14)}`))
      const pod = infoOf(podOfShape(below(9), `p${step}`, below(2) ? 'a' : 'b'))
      const snapshot = state.snapshot()
      const result = resultOf(pod, snapshot, shapes)
      expect(result, `step ${step}`).to.deep.equal(resultOf(pod, snapshot))
      const chosen = result[2]
      if (typeof chosen !== 'string') continue
      shared++
      state.assume(pod, chosen)
      assumed.push(pod)
    }
    expect(shared).to.be.greaterThan(50)
  })

  it('are shared by pods that differ in what only other plugins read', () => {
    const shape = (parts: PodParts): string => shapeOf(infoOf(parts))
    expect(shape({ name: 'a', labels: { app: 'a' } })).to.equal(shape({ name: 'b', labels: { app: 'b' } }))
    expect(shape({ requests: { cpu: '1' } })).to.not.equal(shape({ requests: { cpu: '2' } }))
    expect(shape(podOfShape(1, 'a'))).to.not.equal(shape({ ...podOfShape(1, 'a'), spec: { ...podOfShape(1, 'a').spec, tolerations: [] } }))
  })

  it('are not those of pods that other filters reject earlier', () => {
    const shapes = new ShapeCache()
    const state = new ClusterState(objectsOf())
    state.setNode(nodeOf('a'))
    // Filters that look at more than the node come first.
    const plugins = PROFILE.plugins.toSorted((a, b) => Number(a.plugin.isNodeLocal ?? false) - Number(b.plugin.isNodeLocal ?? false))
    const reasonOf = (spread: boolean): string => {
      const spec = podOfShape(3, 'p').spec
      const pod = infoOf({ spec: { ...spec, ...(spread && RELATED[3]) }, labels: { app: 'c' } })
      const filtered = runAtOnce(
        filterNodes(pod, state.snapshot(), { ...PROFILE, plugins }, { from: 0, nominated: NONE_NOMINATED, shapes }),
      )
      return 'feasible' in filtered ? '' : failureText(filtered.infeasible)
    }
    const [missing, full] = ["node(s) didn't match pod topology spread constraints (missing required label)", 'Insufficient cpu']
    const texts = [true, true, false, false].map(reasonOf)
    expect(texts).to.deep.equal([missing, missing, full, full].map(reason => `0/1 nodes are available: 1 ${reason}.`))
  })

  it('are kept from the second pod of a shape on', () => {
    const shapes = new ShapeCache()
    const state = new ClusterState(objectsOf())
    state.setNode(nodeOf('a'))
    const hasResults = (): boolean => {
      const filtered = runAtOnce(filterNodes(infoOf(), state.snapshot(), PROFILE, { from: 0, nominated: NONE_NOMINATED, shapes }))
      return 'feasible' in filtered && filtered.feasible.results !== undefined
    }
    expect([hasResults(), hasResults(), hasResults()]).to.deep.equal([false, true, true])
  })
})
