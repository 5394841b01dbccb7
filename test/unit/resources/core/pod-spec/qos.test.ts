import { expect } from 'chai'
import { podQosClass } from '../../../../../src/resources/core/pod-spec/qos.ts'

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

describe('resources/core/pod-spec/qos', () => {
  for (const [name, resources, qos] of cases) {
    it(name, () => expect(podQosClass({ containers: resources.map(r => ({ resources: r })) })).to.equal(qos))
  }

  it('counts init containers', () => expect(podQosClass({ containers: [{}], initContainers: [{ resources: { requests: both } }] })).to.equal('Burstable'))
})
