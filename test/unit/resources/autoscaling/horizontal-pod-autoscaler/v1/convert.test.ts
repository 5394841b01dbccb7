import { expect } from 'chai'
import type { HorizontalPodAutoscaler as V1 } from '../../../../../../src/api/autoscaling/v1.types.ts'
import type { HorizontalPodAutoscaler as V2 } from '../../../../../../src/api/autoscaling/v2.types.ts'
import type { JsonObject, TypedObject } from '../../../../../../src/api/meta/object.ts'
import { types } from '../../../../../../src/catalog/types.ts'
import { runAtOnce } from '../../../../../../src/lib/steps.ts'
import { clone } from '../../../../../../src/meta/equal.ts'
import { autoscalerToV1, toV2 } from '../../../../../../src/resources/autoscaling/horizontal-pod-autoscaler/v1/convert.ts'
import { decodeAs } from '../../../../../../src/schema/decode-as.ts'

const PREFIX = 'autoscaling.alpha.kubernetes.io/'
const wholeV1 = (object: JsonObject): V1 => decodeAs(types.type('autoscaling.HorizontalPodAutoscaler'), clone(object))
const wholeV2 = (object: JsonObject): V2 => decodeAs(types.type('autoscalingv2.HorizontalPodAutoscaler'), clone(object))
const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 5 }
const inV2 = (metrics: JsonObject[], more: JsonObject = {}, status: JsonObject = {}): V2 =>
  wholeV2({ metadata: {}, spec: { ...spec, metrics, ...more }, status })
const inV1 = (object: V2): V1 => wholeV1(runAtOnce(autoscalerToV1(clone(object))))
const back = (object: V1): V2 => wholeV2(runAtOnce(toV2(clone(object))))
const annotation = ({ metadata }: TypedObject, name: string): string | undefined => metadata.annotations?.[PREFIX + name]
const cpu = (averageUtilization: number): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } },
})
const queue = (target: JsonObject): JsonObject => ({
  type: 'External',
  external: { metric: { name: 'q', selector: { matchLabels: { a: 'b' } } }, target },
})

describe('HorizontalPodAutoscaler of autoscaling/v1', () => {
  it('has a field for CPU utilization', () => {
    const v1 = inV1(inV2([cpu(60)]))
    expect([v1.spec.targetCPUUtilizationPercentage, v1.metadata.annotations]).to.deep.equal([60, undefined])
  })

  // The texts are the annotations that kube-apiserver writes.
  const metrics: [string, JsonObject, string][] = [
    [
      'an amount of a resource',
      { type: 'Resource', resource: { name: 'memory', target: { type: 'AverageValue', averageValue: '100Mi' } } },
      '{"type":"Resource","resource":{"name":"memory","targetAverageValue":"100Mi"}}',
    ],
    [
      'pods',
      { type: 'Pods', pods: { metric: { name: 'hits' }, target: { type: 'AverageValue', averageValue: '100m' } } },
      '{"type":"Pods","pods":{"metricName":"hits","targetAverageValue":"100m"}}',
    ],
    [
      'a value of an object',
      {
        type: 'Object',
        object: { describedObject: { kind: 'Service', name: 's' }, target: { type: 'Value', value: '7' }, metric: { name: 'hits' } },
      },
      '{"type":"Object","object":{"target":{"kind":"Service","name":"s"},"metricName":"hits","targetValue":"7"}}',
    ],
    [
      'an average of an object',
      {
        type: 'Object',
        object: {
          describedObject: { kind: 'Service', name: 's' },
          target: { type: 'AverageValue', averageValue: '7' },
          metric: { name: 'hits' },
        },
      },
      '{"type":"Object","object":{"target":{"kind":"Service","name":"s"},"metricName":"hits","targetValue":"0","averageValue":"7"}}',
    ],
    [
      'something outside',
      queue({ type: 'AverageValue', averageValue: '10' }),
      '{"type":"External","external":{"metricName":"q","metricSelector":{"matchLabels":{"a":"b"}},"targetAverageValue":"10"}}',
    ],
    [
      'a container',
      {
        type: 'ContainerResource',
        containerResource: { name: 'cpu', container: 'app', target: { type: 'Utilization', averageUtilization: 5 } },
      },
      '{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":5,"container":"app"}}',
    ],
  ]
  for (const [what, metric, text] of metrics) {
    it(`stores in an annotation ${what}`, () => {
      const v2 = inV2([metric, cpu(60)])
      const v1 = inV1(v2)
      expect(annotation(v1, 'metrics')).to.equal(`[${text}]`)
      expect(v1.spec.targetCPUUtilizationPercentage).to.equal(60)
      expect(back(v1)).to.deep.equal(v2)
    })
  }

  it('stores behavior and current metrics in annotations', () => {
    const conditions = [{ type: 'AbleToScale', status: 'True', reason: 'X' }]
    const currentMetrics = [{ type: 'Resource', resource: { name: 'cpu', current: { averageValue: '40m', averageUtilization: 50 } } }]
    const policies = [{ type: 'Pods', value: 4, periodSeconds: 15 }]
    const v2 = inV2(
      [cpu(60)],
      { behavior: { scaleUp: { selectPolicy: 'Max', policies } } },
      { desiredReplicas: 2, currentMetrics, conditions },
    )
    const v1 = inV1(v2)
    expect(v1.metadata.annotations).to.deep.equal({
      [`${PREFIX}behavior`]:
        '{"ScaleUp":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},"ScaleDown":null}',
      [`${PREFIX}conditions`]: '[{"type":"AbleToScale","status":"True","lastTransitionTime":null,"reason":"X"}]',
      [`${PREFIX}current-metrics`]:
        '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":50,"currentAverageValue":"40m"}}]',
    })
    expect(v1.status.currentCPUUtilizationPercentage).to.equal(50)
    expect(back(v1)).to.deep.equal(v2)
  })

  const odd: [string, JsonObject[]][] = [
    ['a target of another sort than it has', [queue({ type: 'Utilization', averageValue: '10' })]],
    [
      'a CPU metric with further fields',
      [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } } }],
    ],
    ['two sources', [{ ...queue({ type: 'Value', value: '1' }), ...cpu(5), type: 'External' }]],
    ['the use of processors twice', [cpu(70), cpu(60)].reverse()],
    ['a value of zero beside an average', [queue({ type: 'Value', value: '0', averageValue: '1' })]],
  ]
  for (const [what, all] of odd) {
    it(`converts without loss ${what}`, () => {
      const v2 = inV2(all)
      expect(back(inV1(v2)).spec.metrics).to.have.deep.members(v2.spec.metrics ?? [])
    })
  }

  it('prefers the annotation that a v1 client has changed', () => {
    const v1 = inV1(inV2([queue({ type: 'Utilization', averageValue: '10' })]))
    const { metadata } = v1
    metadata.annotations = {
      [`${PREFIX}metrics`]: (annotation(v1, 'metrics') as string).replace('"targetAverageValue":"10"', '"targetAverageValue":"20"'),
    }
    expect(back(v1).spec.metrics).to.deep.equal(inV2([queue({ type: 'AverageValue', averageValue: '20' })]).spec.metrics)
  })

  it('keeps other annotations', () => {
    const v2 = inV2([queue({ type: 'Value', value: '1' })])
    v2.metadata.annotations = { a: 'b' }
    const v1 = inV1(v2)
    expect(Object.keys(v1.metadata.annotations ?? {})).to.have.members(['a', `${PREFIX}metrics`])
    expect(back(v1).metadata.annotations).to.deep.equal({ a: 'b' })
  })

  for (const text of [
    '',
    'abc',
    'null',
    '{}',
    '[1]',
    '["x"]',
    '[{"type":5}]',
    '{"ScaleUp":5}',
    '{"ScaleUp":{"Policies":[{"Value":"x"}]}}',
    '[{"v2":[]}]',
  ]) {
    it(`ignores the annotation ${text || 'that is empty'}`, () => {
      const annotations = Object.fromEntries(['metrics', 'current-metrics', 'conditions', 'behavior'].map(name => [PREFIX + name, text]))
      const v2 = back(wholeV1({ metadata: { annotations }, spec, status: { currentReplicas: 1, desiredReplicas: 1 } }))
      expect([v2.spec.behavior, v2.status.conditions, v2.metadata.annotations]).to.deep.equal([undefined, undefined, undefined])
    })
  }

  it('parses the behavior annotation case-insensitively', () => {
    const annotations = {
      [`${PREFIX}behavior`]: '{"scaleup":{"selectpolicy":"Min","policies":[{"type":"Pods","VALUE":1,"periodseconds":2}]}}',
    }
    const v2 = back(wholeV1({ metadata: { annotations }, spec, status: {} }))
    expect(v2.spec.behavior).to.deep.equal({ scaleUp: { selectPolicy: 'Min', policies: [{ type: 'Pods', value: 1, periodSeconds: 2 }] } })
  })
})
