import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import {
  averageProposal,
  type PodProposalInput,
  perReplicaProposal,
  utilizationProposal,
  valueProposal,
} from '../../../../../src/cluster/controllers/horizontalpodautoscaler/calculator.ts'
import { groupPods, READINESS_PERIODS } from '../../../../../src/cluster/controllers/horizontalpodautoscaler/group-pods.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { formatTime } from '../../../../../src/meta/time.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const TOLERANCES = { scaleDown: 0.1, scaleUp: 0.1 }

interface Facts {
  readonly name: string
  readonly phase?: string
  readonly ready?: boolean
  readonly startedAgo?: number
  readonly deleted?: boolean
}

function pod({ name, phase = 'Running', ready = true, startedAgo = 3600, deleted }: Facts): Pod {
  const since = formatTime(NOW - startedAgo * 1000)
  const made: unknown = {
    metadata: { name, ...(deleted && { deletionTimestamp: since }) },
    spec: {
      containers: [
        { name: 'a', resources: { requests: { cpu: '200m' } } },
        { name: 'b', resources: { requests: { cpu: '800m' } } },
      ],
    },
    status: { phase, startTime: since, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: since }] },
  }
  return made as Pod
}

const input = (pods: readonly Pod[], uses: Record<string, number>): PodProposalInput => ({
  current: pods.length,
  pods,
  metrics: new Map(Object.entries(uses).map(([name, value]) => [name, { value, timestamp: NOW, window: 30_000 }])),
  tolerances: TOLERANCES,
  now: NOW,
})

describe('replicas from metrics', () => {
  const three = ['x', 'y', 'z'].map(name => pod({ name }))

  it('follow the share of the requests that pods use', () => {
    expect(runAtOnce(utilizationProposal(input(three, { x: 900, y: 900, z: 900 }), 'cpu', 50))).to.deep.equal({
      replicas: 6,
      utilization: 90,
      usage: 900,
    })
  })

  it('count the request of one container', () => {
    expect(runAtOnce(utilizationProposal(input(three, { x: 100, y: 100, z: 100 }), 'cpu', 25, 'a')).replicas).to.equal(6)
  })

  it('need a request of every container', () => {
    expect(() => runAtOnce(utilizationProposal(input(three, { x: 1 }), 'memory', 50))).to.throw(
      'missing request for memory in container a of Pod x',
    )
  })

  it('report missing metrics before missing requests', () => {
    expect(() => runAtOnce(utilizationProposal(input(three, {}), 'memory', 50))).to.throw('did not receive metrics for targeted pods')
  })

  it('do not change within the tolerance', () => {
    expect(runAtOnce(utilizationProposal(input(three, { x: 540, y: 540, z: 540 }), 'cpu', 50)).replicas).to.equal(3)
    expect(runAtOnce(utilizationProposal(input(three, { x: 560, y: 560, z: 560 }), 'cpu', 50)).replicas).to.equal(4)
  })

  it('assume that pods without metrics use nothing when the number grows', () => {
    expect(runAtOnce(averageProposal(input(three, { x: 2000, y: 2000 }), 500)).replicas).to.equal(8)
  })

  it('assume that pods without metrics meet their target when the number shrinks', () => {
    expect(runAtOnce(averageProposal(input(three, { x: 100, y: 100 }), 500)).replicas).to.equal(2)
    expect(runAtOnce(utilizationProposal(input(three, { x: 100, y: 100 }), 'cpu', 50)).replicas).to.equal(3)
  })

  it('do not change if such pods would reverse the direction', () => {
    expect(runAtOnce(averageProposal(input(three, { x: 700 }), 500)).replicas).to.equal(3)
  })

  it('need a metric of a pod that counts', () => {
    expect(() => runAtOnce(averageProposal(input([pod({ name: 'x', phase: 'Pending' })], { x: 1 }), 5))).to.throw(
      'did not receive metrics for targeted pods (pods might be unready)',
    )
    expect(() => runAtOnce(averageProposal(input([], {}), 5))).to.throw('no pods returned by selector while calculating replica count')
  })

  it('follow the value of an object, by the pods that are ready', () => {
    const pods = [...three, pod({ name: 'w', ready: false })]
    expect(valueProposal({ current: 4, pods, tolerances: TOLERANCES }, 3000, 1000)).to.deep.equal({ replicas: 9, usage: 3000 })
    expect(valueProposal({ current: 4, pods, tolerances: TOLERANCES }, 1050, 1000).replicas).to.equal(4)
    expect(valueProposal({ current: 0, pods: [], tolerances: TOLERANCES }, 3000, 1000).replicas).to.equal(3)
  })

  it('follow a value that the replicas share', () => {
    expect(perReplicaProposal(3, TOLERANCES, 7000, 1000)).to.deep.equal({ replicas: 7, usage: 2334 })
    expect(perReplicaProposal(7, TOLERANCES, 7300, 1000).replicas).to.equal(7)
  })
})

describe('replicas of very many pods', () => {
  it('are proposed in steps', () => {
    const many = Array.from({ length: 3000 }, (_, i) => pod({ name: `p${i}` }))
    const { result, yields } = countedSteps(
      utilizationProposal(input(many, Object.fromEntries(many.map(({ metadata: { name = '' } }) => [name, 900]))), 'cpu', 50),
    )
    expect(result.replicas).to.equal(5400)
    // The pods are grouped, their requests added up, and their metrics selected and compared.
    expect(yields).to.be.at.least(3 * Math.floor(3000 / 512) + Math.floor(3000 / 32))
  })
})

describe('pods whose metrics count', () => {
  const groups = (facts: Facts, resource: string, timestamp = NOW): string => {
    const metrics = new Map([['p', { value: 1, timestamp, window: 60_000 }]])
    const { ready, unready, ignored } = runAtOnce(groupPods([pod(facts)], metrics, resource, NOW, READINESS_PERIODS))
    return ready === 1 ? 'ready' : unready.size === 1 ? 'unready' : ignored.size === 1 ? 'ignored' : 'missing'
  }
  const cases: [title: string, facts: Facts, resource: string, group: string][] = [
    ['a running pod', { name: 'p' }, 'cpu', 'ready'],
    ['a pod without metrics', { name: 'q' }, 'cpu', 'missing'],
    ['a failed pod', { name: 'p', phase: 'Failed' }, 'cpu', 'ignored'],
    ['a deleted pod', { name: 'p', deleted: true }, '', 'ignored'],
    ['a pending pod', { name: 'p', phase: 'Pending' }, '', 'unready'],
    ['the CPU of a pod that has just started', { name: 'p', startedAgo: 20 }, 'cpu', 'unready'],
    ['the CPU of a pod that was ready for a whole window', { name: 'p', startedAgo: 90 }, 'cpu', 'ready'],
    ['the CPU of a pod that was never ready', { name: 'p', ready: false }, 'cpu', 'unready'],
    ['another metric of a pod that was never ready', { name: 'p', ready: false }, '', 'ready'],
  ]
  for (const [title, facts, resource, group] of cases) it(`${title}: ${group}`, () => expect(groups(facts, resource)).to.equal(group))
})
