import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { compareVictims, victimOf, victimsOf } from '../../../../../src/cluster/controllers/replicaset/victims.ts'
import { formatTime } from '../../../../../src/meta/time.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')

interface PodCase {
  readonly node?: string
  readonly phase?: 'Pending' | 'Running' | 'Unknown'
  /** Seconds. Omitted if it is not ready. */
  readonly readyFor?: number
  readonly cost?: string
  readonly rank?: number
  readonly restarts?: number
  readonly sidecarRestarts?: number
  readonly isDeleted?: boolean
  readonly age?: number
  readonly uid?: string
}

const statusOf = (name: string, restartCount: number) => ({
  name,
  state: {},
  lastState: {},
  ready: true,
  restartCount,
  image: '',
  imageID: '',
})

const podOf = ({
  node,
  phase = 'Running',
  readyFor,
  cost,
  restarts = 0,
  sidecarRestarts = 0,
  isDeleted,
  age = 100,
  uid = 'u',
}: PodCase): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: uid,
    uid,
    creationTimestamp: formatTime(NOW - age * 1000),
    ...(isDeleted && { deletionTimestamp: formatTime(NOW) }),
    ...(cost !== undefined && { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
  },
  spec: {
    containers: [],
    initContainers: [
      { name: 's', restartPolicy: 'Always', resources: {} },
      { name: 'i', resources: {} },
    ],
    ...(node !== undefined && { nodeName: node }),
  },
  status: {
    phase,
    conditions: [
      {
        type: 'Ready',
        status: readyFor === undefined ? 'False' : 'True',
        lastProbeTime: null,
        lastTransitionTime: formatTime(NOW - (readyFor ?? 0) * 1000),
      },
    ],
    containerStatuses: [statusOf('c', restarts)],
    initContainerStatuses: [statusOf('i', 9 - restarts), statusOf('s', sidecarRestarts)],
  },
})

/** Pairs of which the first is deleted first. */
const PAIRS: readonly [string, PodCase, PodCase][] = [
  ['without a node', {}, { node: 'n' }],
  ['pending', { node: 'n', phase: 'Pending' }, { node: 'n', phase: 'Unknown' }],
  ['unknown', { node: 'n', phase: 'Unknown' }, { node: 'n' }],
  ['not ready', { node: 'n' }, { node: 'n', readyFor: 1 }],
  ['cheaper', { node: 'n', cost: '-5' }, { node: 'n' }],
  ['on a node with more related pods', { node: 'n', rank: 2 }, { node: 'n', rank: 1 }],
  ['ready for a shorter time', { node: 'n', readyFor: 1 }, { node: 'n', readyFor: 100 }],
  ['of the smaller uid, if times are similar', { node: 'n', readyFor: 120, uid: 'a' }, { node: 'n', readyFor: 100, uid: 'b' }],
  ['restarted more often', { node: 'n', restarts: 3 }, { node: 'n' }],
  ['restarted more often, whatever its sidecars', { node: 'n', restarts: 1 }, { node: 'n', sidecarRestarts: 9 }],
  ['with a sidecar that restarted more often', { node: 'n', sidecarRestarts: 3 }, { node: 'n', sidecarRestarts: 2 }],
  ['younger', { node: 'n', age: 1 }, { node: 'n', age: 100 }],
]

describe('victims of a set that shrinks', () => {
  for (const [name, a, b] of PAIRS)
    it(`deletes a pod first that is ${name}`, () => {
      const victim = (each: PodCase) => victimOf(podOf(each), each.rank ?? 0)
      expect(compareVictims(victim(a), victim(b), NOW)).to.be.below(0)
      expect(compareVictims(victim(b), victim(a), NOW)).to.be.above(0)
    })

  it('ignores a cost that is not an integer', () => {
    expect(compareVictims(victimOf(podOf({ cost: '+1' }), 0), victimOf(podOf({}), 0), NOW)).to.equal(0)
  })

  it('spreads deletions over nodes', () => {
    const pods = ['a', 'a', 'b'].map((node, i) => podOf({ node, uid: `u${i}`, readyFor: 10 }))
    expect(countedSteps(victimsOf(pods, pods, 1, NOW)).result.map(({ spec }) => spec.nodeName)).to.deep.equal(['a'])
    const deleted = ['b', 'b'].map((node, i) => podOf({ node, uid: `d${i}`, isDeleted: true }))
    expect(countedSteps(victimsOf(pods, [...pods, ...deleted], 1, NOW)).result.map(({ spec }) => spec.nodeName)).to.deep.equal(['a'])
  })

  it('selects them in steps', () => {
    const pods = Array.from({ length: 10_000 }, (_, i) => podOf({ node: 'a', uid: `u${i}`, readyFor: i }))
    const { result, yields } = countedSteps(victimsOf(pods, pods, 2, NOW))
    expect(result.map(({ metadata }) => metadata.uid)).to.deep.equal(['u0', 'u1'])
    expect(yields).to.be.at.least(2 * Math.floor(10_000 / 512))
  })
})
