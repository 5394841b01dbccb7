import { expect } from 'chai'
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec, MetricSpec } from '../../../../../src/api/autoscaling/v2.types.ts'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import {
  type AutoscalerMemory,
  boundsDecision,
  combineMetrics,
  normalizeReplicas,
} from '../../../../../src/cluster/controllers/horizontalpodautoscaler/decide.ts'
import { withScaleEvent } from '../../../../../src/cluster/controllers/horizontalpodautoscaler/limits.ts'
import {
  MetricError,
  type MetricSource,
  metricProposal,
  type TargetState,
} from '../../../../../src/cluster/controllers/horizontalpodautoscaler/metrics.ts'
import { milliQuantity, withConditions } from '../../../../../src/cluster/controllers/horizontalpodautoscaler/status.ts'
import { formatTime } from '../../../../../src/meta/time.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

const autoscaler = (spec: Partial<HorizontalPodAutoscalerSpec>): HorizontalPodAutoscaler => ({
  kind: 'HorizontalPodAutoscaler',
  apiVersion: 'autoscaling/v2',
  metadata: { name: 'h', namespace: 'ns' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 20, ...spec },
  status: { desiredReplicas: 0, currentMetrics: null },
})
const none: AutoscalerMemory = { recommendations: [], events: { up: [], down: [] } }

describe('replicas within their bounds', () => {
  const reasons = (spec: Partial<HorizontalPodAutoscalerSpec>, current: number, desired: number, memory = none): unknown[] => {
    const { replicas, conditions } = normalizeReplicas(autoscaler(spec), memory, current, desired, NOW)
    return [replicas, ...conditions.map(({ status, reason }) => `${reason} ${status}`)]
  }

  it('are the proposed ones', () => expect(reasons({}, 5, 8)).to.deep.equal([8, 'ReadyForNewScale True', 'DesiredWithinRange False']))
  it('at most double', () => expect(reasons({}, 5, 15)).to.deep.equal([10, 'ReadyForNewScale True', 'ScaleUpLimit True']))
  it('do not exceed the maximum', () =>
    expect(reasons({ maxReplicas: 6 }, 5, 8)).to.deep.equal([6, 'ReadyForNewScale True', 'TooManyReplicas True']))
  it('do not fall below the minimum', () =>
    expect(reasons({ minReplicas: 3 }, 5, 1)).to.deep.equal([3, 'ReadyForNewScale True', 'TooFewReplicas True']))
  it('do not shrink while a recent proposal was higher', () => {
    const memory = { ...none, recommendations: [{ replicas: 5, at: NOW - 299_000 }] }
    expect(reasons({}, 5, 2, memory)).to.deep.equal([5, 'ScaleDownStabilized True', 'DesiredWithinRange False'])
    expect(reasons({}, 5, 2, { ...none, recommendations: [{ replicas: 5, at: NOW - 301_000 }] })[0]).to.equal(2)
  })
  it('do not grow while a recent proposal in the window of the behavior was lower', () => {
    const behavior = {
      scaleUp: { stabilizationWindowSeconds: 60, selectPolicy: 'Max', policies: [{ type: 'Percent', value: 900, periodSeconds: 60 }] },
    }
    const memory = { ...none, recommendations: [{ replicas: 6, at: NOW - 30_000 }] }
    expect(reasons({ behavior }, 5, 9, memory)).to.deep.equal([6, 'ScaleUpStabilized True', 'DesiredWithinRange False'])
  })
  it('follow the policies, with the changes of their period', () => {
    const behavior = {
      scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Max', policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }] },
    }
    expect(reasons({ behavior }, 10, 1)).to.deep.equal([6, 'ReadyForNewScale True', 'ScaleDownLimit True'])
    const down = [
      { change: 3, at: NOW - 20_000 },
      { change: 8, at: NOW - 61_000 },
    ]
    expect(reasons({ behavior }, 10, 1, { recommendations: [], events: { up: [], down } })[0]).to.equal(9)
  })
  it('keep the latest proposal in place of one that is too old', () => {
    const old = [
      { replicas: 7, at: NOW - 400_000 },
      { replicas: 4, at: NOW - 10_000 },
    ]
    expect(normalizeReplicas(autoscaler({}), { ...none, recommendations: old }, 5, 5, NOW).recommendations).to.deep.equal([
      { replicas: 5, at: NOW },
      old[1],
    ])
  })
  it('are set without metrics if the target is outside of them, but not for a target without replicas', () => {
    const given = autoscaler({ minReplicas: 2, maxReplicas: 5 })
    expect([0, 1, 3, 9].map(current => boundsDecision(given, current))).to.deep.equal([
      'disabled',
      { replicas: 2, reason: 'Current number of replicas below Spec.MinReplicas' },
      undefined,
      { replicas: 5, reason: 'Current number of replicas above Spec.MaxReplicas' },
    ])
    expect(boundsDecision(autoscaler({ minReplicas: 0 }), 0)).to.equal(undefined)
  })
  it('replace the last change that no policy of its direction counts, and keep others', () => {
    const [first, last, recent] = [-95_000, -91_000, -90_000].map(at => ({ change: 1, at: NOW + at }))
    const events = [first, last, recent].flatMap(each => each ?? [])
    const latest = { change: 2, at: NOW }
    const rules = { policies: [60, 90].map(periodSeconds => ({ type: 'Pods', value: 1, periodSeconds })) }
    expect(withScaleEvent(events, latest, rules)).to.deep.equal([first, latest, recent])
    expect(withScaleEvent([], latest, rules)).to.deep.equal([latest])
  })
})

describe('metrics of an autoscaler', () => {
  const use = new Map([['p', { value: 300, timestamp: NOW, window: 0 }]])
  const source: MetricSource = { resource: async () => use, pods: async () => use, object: async () => 9000, external: async () => 4500 }
  const ready: unknown = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
    status: {
      phase: 'Running',
      startTime: formatTime(NOW - 9e6),
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: formatTime(NOW - 9e6) }],
    },
  }
  const state: TargetState = {
    namespace: 'ns',
    specReplicas: 1,
    statusReplicas: 1,
    pods: [ready as Pod],
    tolerances: { scaleDown: 0.1, scaleUp: 0.1 },
    requestRules: { podLevel: false, needsContainer: false },
    now: NOW,
    source,
  }
  const half = { type: 'Utilization', averageUtilization: 50 }
  const cases: [MetricSpec, number, string, object][] = [
    [
      { type: 'Resource', resource: { name: 'cpu', target: half } },
      6,
      'cpu resource utilization (percentage of request)',
      { type: 'Resource', resource: { name: 'cpu', current: { averageValue: '300m', averageUtilization: 300 } } },
    ],
    [
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'c', target: { type: 'AverageValue', averageValue: '100m' } },
      },
      3,
      'cpu resource',
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', current: { averageValue: '300m' } } },
    ],
    [
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: half } },
      6,
      'cpu container resource utilization (percentage of request)',
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'c', current: { averageValue: '300m', averageUtilization: 300 } },
      },
    ],
    [
      { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '60m' } } },
      5,
      'pods metric hits',
      { type: 'Pods', pods: { metric: { name: 'hits' }, current: { averageValue: '300m' } } },
    ],
    [
      {
        type: 'Object',
        object: { metric: { name: 'hits' }, describedObject: { kind: 'Service', name: 's' }, target: { type: 'Value', value: '3' } },
      },
      3,
      'Service metric hits',
      { type: 'Object', object: { metric: { name: 'hits' }, describedObject: { kind: 'Service', name: 's' }, current: { value: '9' } } },
    ],
    [
      {
        type: 'Object',
        object: {
          metric: { name: 'hits' },
          describedObject: { kind: 'Service', name: 's' },
          target: { type: 'AverageValue', averageValue: '3' },
        },
      },
      3,
      'external metric hits(nil)',
      {
        type: 'Object',
        object: { metric: { name: 'hits' }, describedObject: { kind: 'Service', name: 's' }, current: { averageValue: '9' } },
      },
    ],
    [
      { type: 'External', external: { metric: { name: 'lag' }, target: { type: 'AverageValue', averageValue: '1' } } },
      5,
      'external metric lag(nil)',
      { type: 'External', external: { metric: { name: 'lag' }, current: { averageValue: '4500m' } } },
    ],
  ]
  for (const [spec, replicas, name, status] of cases)
    it(`proposes replicas by ${name}`, async () => expect(await metricProposal(spec, state)).to.deep.equal({ replicas, name, status }))

  const refused = (): Promise<never> => Promise.reject(new Error('no server'))
  const failing: TargetState = { ...state, source: { resource: refused, pods: refused, object: refused, external: refused } }
  const one = { type: 'AverageValue', averageValue: '1' }
  const total = { type: 'Value', value: '1' }
  const describedObject = { kind: 'Service', name: 's' }
  const failures: [MetricSpec, detail: string, before: string, reason: string][] = [
    [
      { type: 'Resource', resource: { name: 'cpu', target: half } },
      'failed to get cpu utilization: unable to get metrics for resource cpu: no server',
      'failed to get cpu resource metric value: ',
      'FailedGetResourceMetric',
    ],
    [
      { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: one } },
      'failed to get cpu usage: unable to get metrics for resource cpu: no server',
      'failed to get c container metric value: ',
      'FailedGetContainerResourceMetric',
    ],
    [
      { type: 'Pods', pods: { metric: { name: 'hits' }, target: one } },
      'unable to get metric hits: no server',
      'failed to get pods metric value: ',
      'FailedGetPodsMetric',
    ],
    [
      { type: 'Object', object: { metric: { name: 'hits' }, describedObject, target: total } },
      'unable to get metric hits: Service on ns s/no server',
      'failed to get object metric value: ',
      'FailedGetObjectMetric',
    ],
    [
      { type: 'Object', object: { metric: { name: 'hits' }, describedObject, target: one } },
      'unable to get metric hits: Service on ns s/no server',
      'failed to get object metric value: failed to get hits object metric: ',
      'FailedGetObjectMetric',
    ],
    [
      { type: 'External', external: { metric: { name: 'lag' }, target: total } },
      'unable to get external metric ns/lag/nil: no server',
      'failed to get lag external metric value: failed to get external metric lag: ',
      'FailedGetExternalMetric',
    ],
    [
      { type: 'External', external: { metric: { name: 'lag' }, target: one } },
      'unable to get external metric ns/lag/nil: no server',
      'failed to get lag external metric value: failed to get lag external metric: ',
      'FailedGetExternalMetric',
    ],
  ]
  for (const [spec, detail, before, reason] of failures)
    it(`explains a metric that cannot be read: ${before}${detail}`, async () => {
      const error = await metricProposal(spec, failing).catch((e: unknown) => e)
      expect(error).to.be.instanceOf(MetricError)
      expect(error).to.include({ reason, detail, message: `${before}${detail}` })
    })

  const proposal = (replicas: number, name: string) => ({ replicas, name, status: { type: name } })
  const failed = new MetricError('FailedGetPodsMetric', 'gone', 'failed to get pods metric value: gone')

  it('takes the largest proposal', () => {
    const { replicas, name, condition } = combineMetrics([proposal(3, 'a'), proposal(7, 'b'), proposal(5, 'c')], 4)
    expect([replicas, name, condition.reason]).to.deep.equal([7, 'b', 'ValidMetricFound'])
  })

  it('grows, but does not shrink, if a metric fails', () => {
    expect(combineMetrics([failed, proposal(7, 'b')], 4)).to.deep.include({ replicas: 7, statuses: [{ type: '' }, { type: 'b' }] })
    const { replicas, condition, error } = combineMetrics([failed, proposal(2, 'b')], 4)
    expect([replicas, condition.status, condition.reason, condition.message]).to.deep.equal([
      undefined,
      'False',
      'FailedGetPodsMetric',
      'the HPA was unable to compute the replica count: gone',
    ])
    expect(error).to.equal('invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: gone')
  })

  it('changes the time of a condition with its status', () => {
    const old = withConditions([], [{ type: 'A', status: 'True', reason: 'R', message: 'm' }], NOW)
    const same = withConditions(old, [{ type: 'A', status: 'True', reason: 'S', message: 'n' }], NOW + 5000)
    expect(same).to.deep.equal([{ type: 'A', status: 'True', reason: 'S', message: 'n', lastTransitionTime: formatTime(NOW) }])
    expect(withConditions(same, [{ type: 'A', status: 'False' }], NOW + 5000)[0]?.lastTransitionTime).to.equal(formatTime(NOW + 5000))
  })

  it('prints thousandths', () => expect([5000, 1500, 0].map(milliQuantity)).to.deep.equal(['5', '1500m', '0']))
})
