import { expect } from 'chai'
import { podQosClass } from '../../../../../src/resources/core/pod-spec/qos.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { podWith } from '../../../../support/pod.ts'

const both = { cpu: '1', memory: '1Gi' }

const cases: [name: string, resources: object[], qos: string][] = [
  ['nothing', [{}], 'BestEffort'],
  ['zeros', [{ limits: { cpu: '0' }, requests: { memory: '0' } }], 'BestEffort'],
  ['other resources only', [{ limits: { 'example.com/gpu': '1' }, requests: { 'example.com/gpu': '1' } }], 'BestEffort'],
  ['limits are requests', [{ limits: both, requests: both }], 'Guaranteed'],
  ['equal in other words', [{ limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1000m', memory: '1024Mi' } }], 'Guaranteed'],
  ['less requested', [{ limits: both, requests: { cpu: '500m', memory: '1Gi' } }], 'Burstable'],
  ['memory without limit', [{ limits: { cpu: '1' }, requests: both }], 'Burstable'],
  ['one of two', [{ limits: both, requests: both }, {}], 'Burstable'],
]

const qosOf = (spec: object, ...gates: string[]) => podQosClass(podWith(spec).spec, featuresOf(...gates))

describe('resources/core/pod-spec/qos', () => {
  for (const [name, resources, qos] of cases) {
    it(name, () => expect(qosOf({ containers: resources.map(r => ({ name: 'c', resources: r })) })).to.equal(qos))
  }

  const whole: [name: string, resources: object, qos: string][] = [
    ['nothing', {}, 'BestEffort'],
    ['limits are requests', { limits: both, requests: both }, 'Guaranteed'],
    ['requests only', { requests: both }, 'Burstable'],
    ['one limit', { limits: { cpu: '1' }, requests: { cpu: '1' } }, 'Burstable'],
  ]
  for (const [name, resources, qos] of whole) {
    it(`uses pod-level resources with PodLevelResources: ${name}`, () => {
      const spec = { resources, containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }] }
      expect(qosOf(spec, 'PodLevelResources=true')).to.equal(qos)
      expect(qosOf(spec)).to.equal('Burstable')
    })
  }

  it('considers init containers', () =>
    expect(qosOf({ initContainers: [{ name: 'i', resources: { requests: both } }] })).to.equal('Burstable'))
})
