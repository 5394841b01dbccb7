import { expect } from 'chai'
import type { HorizontalPodAutoscaler } from '../../../../../src/api/autoscaling/v2.types.ts'
import { horizontalPodAutoscalerResource as resource } from '../../../../../src/resources/autoscaling/horizontal-pod-autoscaler/definition.ts'
import { validateHorizontalPodAutoscaler } from '../../../../../src/resources/autoscaling/horizontal-pod-autoscaler/validation.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { featuresIn, hookContext } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const of = (spec: object = {}): object => ({ spec: { scaleTargetRef, maxReplicas: 5, ...spec } })
const up = (scaleUp: object): object => of({ behavior: { scaleUp } })
const policy = (members: object): object => up({ policies: [{ type: 'Pods', value: 1, periodSeconds: 60, ...members }] })
const metrics = (...all: object[]): object => of({ metrics: all })
const target = (members: object): object => ({ type: 'AverageValue', averageValue: '10', ...members })
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }
const pods = (members: object = {}): object => ({ type: 'Pods', pods: { metric: { name: 'hits' }, target: target({}), ...members } })
const object = (members: object = {}): object => ({
  type: 'Object',
  object: { describedObject: { kind: 'Service', name: 's' }, metric: { name: 'hits' }, target: { type: 'Value', value: '10' }, ...members },
})
const external = (members: object): object => ({ type: 'External', external: { metric: { name: 'queue' }, target: target(members) } })
const container = (members: object): object => ({
  type: 'ContainerResource',
  containerResource: { name: 'cpu', container: 'app', target: target({}), ...members },
})
const at = (path: string): string => `spec.metrics[0].${path}`
const rules = (path: string): string => `spec.behavior.scaleUp.${path}`

describe('HorizontalPodAutoscaler', () => {
  it('validates very many metrics and policies in steps', () => {
    const policies = Array<object>(5000).fill({ type: 'Pods', value: 1, periodSeconds: 60 })
    const wide = of({
      minReplicas: 1,
      metrics: Array<object>(5000).fill(pods()),
      behavior: { scaleUp: { policies }, scaleDown: { policies } },
    })
    const { result, yields } = countedSteps(
      validateHorizontalPodAutoscaler(wide as unknown as HorizontalPodAutoscaler, undefined, hookContext()),
    )
    expect(result).to.deep.equal([])
    expect(yields).to.be.at.least(28)
  })

  validates(
    resource,
    {
      'bounds and a target': [of({ minReplicas: 1 }), []],
      'no bound above': [of({ maxReplicas: 0 }), ['Invalid spec.maxReplicas', 'Invalid spec.maxReplicas']],
      'reversed bounds': [of({ minReplicas: 7 }), ['Invalid spec.maxReplicas']],
      'scaling to zero': [of({ minReplicas: 0 }), ['Invalid spec.minReplicas', 'Forbidden spec.metrics']],
      'no target': [of({ scaleTargetRef: {} }), ['Required spec.scaleTargetRef.kind', 'Required spec.scaleTargetRef.name']],
      'a bad target': [
        of({ scaleTargetRef: { kind: 'a/b', name: '..' } }),
        ['Invalid spec.scaleTargetRef.kind', 'Invalid spec.scaleTargetRef.name'],
      ],
      'a long window': [up({ stabilizationWindowSeconds: 3601 }), [`Invalid ${rules('stabilizationWindowSeconds')}`]],
      'a window below zero': [up({ stabilizationWindowSeconds: -1 }), [`Invalid ${rules('stabilizationWindowSeconds')}`]],
      'an unknown choice': [up({ selectPolicy: 'Median' }), [`NotSupported ${rules('selectPolicy')}`]],
      'an unknown policy': [policy({ type: 'hm' }), [`NotSupported ${rules('policies[0].type')}`]],
      'a policy of nothing': [policy({ value: 0 }), [`Invalid ${rules('policies[0].value')}`]],
      'a policy in no time': [policy({ periodSeconds: 0 }), [`Invalid ${rules('policies[0].periodSeconds')}`]],
      'a long period': [policy({ periodSeconds: 1801 }), [`Invalid ${rules('policies[0].periodSeconds')}`]],
      'every sort of metric': [metrics(cpu, pods(), object(), external({}), container({})), []],
      'no sort of metric': [metrics({}), [`Required ${at('type')}`, `NotSupported ${at('type')}`, `NotSupported ${at('type')}`]],
      'another source': [metrics({ ...cpu, type: 'Pods' }), [`Required ${at('pods')}`]],
      'two sources': [metrics({ ...cpu, ...pods(), type: 'Resource' }), [`Forbidden ${at('pods')}`]],
      'no metric': [metrics(pods({ metric: {} })), [`Required ${at('pods.metric.name')}`]],
      'a bad metric': [metrics(pods({ metric: { name: 'a/b' } })), [`Invalid ${at('pods.metric.name')}`]],
      'no average of pods': [metrics(pods({ target: { type: 'Value', value: '1' } })), [`Required ${at('pods.target.averageValue')}`]],
      'no sort of target': [
        metrics(pods({ target: { averageValue: '1' } })),
        [`Required ${at('pods.target.type')}`, `Invalid ${at('pods.target.type')}`],
      ],
      'a target of zero': [metrics(pods({ target: target({ averageValue: '0' }) })), [`Invalid ${at('pods.target.averageValue')}`]],
      'no value of an object': [metrics(object({ target: { type: 'Value' } })), [`Required ${at('object.target.averageValue')}`]],
      'no object': [
        metrics(object({ describedObject: {} })),
        [`Required ${at('object.describedObject.kind')}`, `Required ${at('object.describedObject.name')}`],
      ],
      'two values from outside': [metrics(external({ value: '1' })), [`Forbidden ${at('external.target.value')}`]],
      'a use and an amount': [
        metrics({ ...cpu, resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } } }),
        [`Forbidden ${at('resource.target.averageValue')}`],
      ],
      'no use and no amount': [
        metrics({ ...cpu, resource: { target: { type: 'Utilization' } } }),
        [`Required ${at('resource.name')}`, `Required ${at('resource.target.averageUtilization')}`],
      ],
      'a container without a name': [metrics(container({ container: '' })), [`Required ${at('containerResource.container')}`]],
      'a bad container and resource': [
        metrics(container({ container: 'A', name: 'pods' })),
        [`Invalid ${at('containerResource.name')}`, `Invalid ${at('containerResource.container')}`],
      ],
    },
    { 'target and bounds': [of(), { spec: { scaleTargetRef: { kind: 'ReplicationController', name: 'rc' }, maxReplicas: 9 } }, []] },
  )

  it('defaults to 80 % CPU utilization, and completes behavior in both directions', async () => {
    const cases = new KindCases(resource)
    expect((await cases.create(of())).spec).to.deep.equal({ scaleTargetRef, maxReplicas: 5, minReplicas: 1, metrics: [cpu] })
    const { behavior } = (await cases.update(of({ behavior: { scaleDown: { selectPolicy: 'Disabled', tolerance: '50m' } } }))).spec
    expect(behavior).to.deep.equal({
      scaleUp: {
        stabilizationWindowSeconds: 0,
        selectPolicy: 'Max',
        policies: [
          { type: 'Pods', value: 4, periodSeconds: 15 },
          { type: 'Percent', value: 100, periodSeconds: 15 },
        ],
      },
      scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] },
    })
  })

  it('drops annotations that represent fields', async () => {
    const cases = new KindCases(resource)
    const annotations = { 'autoscaling.alpha.kubernetes.io/metrics': '[]', 'autoscaling.alpha.kubernetes.io/behavior': 'x' }
    expect((await cases.create(of(), { annotations: { ...annotations, a: 'b' } })).metadata.annotations).to.deep.equal({ a: 'b' })
    expect((await cases.create(of(), { name: 'y', annotations })).metadata.annotations).to.equal(undefined)
  })

  it('has a status that only the controller sets', async () => {
    const cases = new KindCases(resource)
    expect((await cases.create({ ...of(), status: { desiredReplicas: 7 } })).status).to.deep.equal({
      desiredReplicas: 0,
      currentMetrics: null,
    })
    const reported = await cases.update({ ...of({ maxReplicas: 9 }), status: { currentReplicas: 4, desiredReplicas: 5 } }, {}, 'status')
    expect([reported.spec.maxReplicas, reported.status.currentReplicas]).to.deep.equal([5, 4])
    expect((await cases.update(of({ maxReplicas: 9 }))).status.currentReplicas).to.equal(4)
    expect(await causesOf(cases.update({ ...of(), status: { currentReplicas: -1, desiredReplicas: -1 } }, {}, 'status'))).to.deep.equal([
      'Invalid status.currentReplicas',
      'Invalid status.desiredReplicas',
    ])
  })

  it('lists the supported types of metrics in the error', async () => {
    expect(await messagesOf(new KindCases(resource).create(metrics({ type: 'Odd' })))).to.deep.equal([
      'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[0].type: Unsupported value: "Odd": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ])
  })

  const printed: [string, object[], object[], string][] = [
    ['nothing measured', [cpu], [], 'cpu: <unknown>/80%'],
    ['a use', [cpu], [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 50 } } }], 'cpu: 50%/80%'],
    ['an amount', [container({})], [{ type: 'ContainerResource', containerResource: { current: { averageValue: '5' } } }], 'cpu: 5/10'],
    ['an average', [external({})], [{ type: 'External', external: { current: { averageValue: '5' } } }], '5/10 (avg)'],
    ['a value', [object()], [{ type: 'Object', object: { current: { value: '5' } } }], '5/10'],
    ['two', [pods(), cpu], [{ type: 'Pods', pods: { current: { averageValue: '5' } } }], '5/10, cpu: <unknown>/80%'],
    ['more', [pods(), cpu, object(), external({})], [], '<unknown>/10, cpu: <unknown>/80% + 2 more...'],
  ]
  for (const [what, all, currentMetrics, cell] of printed) {
    it(`prints ${what}: ${cell}`, async () => {
      const cases = new KindCases(resource)
      await cases.create(metrics(...all))
      await cases.update({ ...of(), status: { desiredReplicas: 1, currentReplicas: 4, currentMetrics } }, {}, 'status')
      expect(cases.cells()).to.deep.equal(['x', 'Deployment/web', cell, '1', 5, 4, '0s'])
    })
  }

  it('counts generations since 1.37', async () => {
    const body = (maxReplicas: number): object => ({
      spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas },
    })
    const generations = async (release: '1.36' | '1.37') => {
      const cases = new KindCases(resource, featuresIn(release))
      const created = await cases.create(body(1))
      return [
        created.metadata.generation,
        (await cases.update(body(1))).metadata.generation,
        (await cases.update(body(2))).metadata.generation,
      ]
    }
    expect(await generations('1.36')).to.deep.equal([undefined, undefined, undefined])
    expect(await generations('1.37')).to.deep.equal([1, 1, 2])
  })
})
