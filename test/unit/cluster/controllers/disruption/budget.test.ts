import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import type { PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus } from '../../../../../src/api/policy/v1.types.ts'
import {
  budgetStatus,
  countHealthy,
  disruptedPods,
  expectationOf,
  failedStatus,
  isSameStatus,
  untilStale,
  usesScale,
} from '../../../../../src/cluster/controllers/disruption/budget.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const EMPTY: PodDisruptionBudgetStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

const budget = (status: PodDisruptionBudgetStatus = EMPTY): PodDisruptionBudget => ({
  kind: 'PodDisruptionBudget',
  apiVersion: 'policy/v1',
  metadata: { name: 'b', generation: 4 },
  spec: {},
  status,
})

function pod(name: string, { ready = true, deleted = false, target }: { ready?: boolean; deleted?: boolean; target?: object } = {}): Pod {
  const conditions = [
    { type: 'Ready', status: ready ? 'True' : 'False' },
    ...(target ? [{ type: 'DisruptionTarget', status: 'True', ...target }] : []),
  ]
  const made: unknown = {
    metadata: { name, ...(deleted && { deletionTimestamp: formatTime(NOW) }) },
    spec: {},
    status: { phase: 'Running', conditions },
  }
  return made as Pod
}

describe('pods of a disruption budget', () => {
  const cases: [PodDisruptionBudgetSpec, expected: number, desired: number][] = [
    [{ minAvailable: 2 }, 5, 2],
    [{ minAvailable: '30%' }, 5, 2],
    [{ maxUnavailable: 1 }, 5, 4],
    [{ maxUnavailable: '30%' }, 5, 3],
    [{ maxUnavailable: 9 }, 5, 0],
    [{}, 5, 0],
  ]
  for (const [spec, expected, desired] of cases)
    it(`${JSON.stringify(spec)} of ${expected} needs ${desired} healthy ones`, () =>
      expect(expectationOf(spec, expected).desired).to.equal(desired))

  it('are counted by their controllers, except for a number of available pods', () => {
    expect([{ minAvailable: 1 }, { minAvailable: '1%' }, { maxUnavailable: 1 }].map(usesScale)).to.deep.equal([false, true, true])
  })

  it('need a valid percentage', () => expect(() => expectationOf({ minAvailable: 'some' }, 1)).to.throw('string is not a percentage'))

  it('are healthy if they are ready and not about to be deleted', () => {
    const pods = [pod('a'), pod('b', { ready: false }), pod('c', { deleted: true }), pod('d')]
    expect(runAtOnce(countHealthy(pods, { d: formatTime(NOW) }))).to.equal(1)
  })

  it('allow as many disruptions as there are healthy pods to spare', () => {
    const status = budgetStatus(budget(), { expected: 5, desired: 3 }, 5, { x: formatTime(NOW) }, NOW)
    expect(status).to.deep.include({
      observedGeneration: 4,
      disruptionsAllowed: 2,
      currentHealthy: 5,
      desiredHealthy: 3,
      expectedPods: 5,
      disruptedPods: { x: formatTime(NOW) },
    })
    expect(status.conditions).to.deep.equal([
      {
        type: 'DisruptionAllowed',
        status: 'True',
        observedGeneration: 4,
        lastTransitionTime: formatTime(NOW),
        reason: 'SufficientPods',
        message: '',
      },
    ])
    const next = budgetStatus(budget(status), { expected: 5, desired: 3 }, 3, {}, NOW + 9000)
    expect([next.disruptionsAllowed, next.conditions?.[0]?.reason, next.conditions?.[0]?.lastTransitionTime]).to.deep.equal([
      0,
      'InsufficientPods',
      formatTime(NOW + 9000),
    ])
    expect(isSameStatus(next, budgetStatus(budget(next), { expected: 5, desired: 3 }, 3, {}, NOW + 20_000))).to.equal(true)
  })

  it('allow no disruption if none is expected, or they could not be counted', () => {
    expect(budgetStatus(budget(), { expected: 0, desired: 0 }, 2, {}, NOW).disruptionsAllowed).to.equal(0)
    const failed = failedStatus(budget({ ...EMPTY, disruptionsAllowed: 3, expectedPods: 7, observedGeneration: 3 }), 'why', NOW)
    expect(failed.conditions?.[0]?.observedGeneration).to.equal(3)
    expect([failed.disruptionsAllowed, failed.expectedPods, failed.conditions?.[0]?.reason, failed.conditions?.[0]?.message]).to.deep.equal(
      [0, 7, 'SyncFailed', 'why'],
    )
  })

  it('are forgotten two minutes after an eviction that did not delete them', () => {
    const evicted = { a: formatTime(NOW - 30_000), b: formatTime(NOW - 130_000), c: formatTime(NOW), gone: formatTime(NOW) }
    const { pending, overdue, checkAfter } = runAtOnce(
      disruptedPods([pod('a'), pod('b'), pod('c', { deleted: true })], { ...EMPTY, disruptedPods: evicted }, NOW),
    )
    expect([pending, overdue.map(({ metadata }) => metadata.name), checkAfter]).to.deep.equal([{ a: evicted.a }, ['b'], 90_000])
  })

  it('lose a stale condition two minutes after it was set, unless a kubelet has set it', () => {
    const since = { lastTransitionTime: formatTime(NOW - 50_000) }
    expect(untilStale(pod('a', { target: since }), NOW)).to.equal(70_000)
    expect(untilStale(pod('a', { target: { ...since, reason: 'TerminationByKubelet' } }), NOW)).to.equal(undefined)
    expect(untilStale(pod('a', { target: since, deleted: true }), NOW)).to.equal(undefined)
    expect(untilStale(pod('a'), NOW)).to.equal(undefined)
  })
})
