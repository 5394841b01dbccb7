import { expect } from 'chai'
import { classesOfResources, extendedClaim } from '../../../../../src/cluster/scheduler/devices/extended-resources.ts'
import { deviceClassOf } from '../../../../support/device-objects.ts'
import { objectsOf, podOf } from '../../../../support/scheduling.ts'

const GPU = 'example.com/gpu'
const container = (name: string, count: string, rest: object = {}) => ({
  name,
  image: 'app',
  resources: { requests: { cpu: '1', [GPU]: count } },
  ...rest,
})

describe('extended resources of devices', () => {
  it('are found by the name that a class states, and by the name of the class', () => {
    const classes = [
      { ...deviceClassOf({ extendedResourceName: GPU }, 'old'), metadata: { name: 'old', creationTimestamp: '2026-01-01T00:00:00Z' } },
      { ...deviceClassOf({ extendedResourceName: GPU }, 'new'), metadata: { name: 'new', creationTimestamp: '2026-01-02T00:00:00Z' } },
    ]
    const requests = new Map([
      [GPU, 1],
      ['deviceclass.resource.kubernetes.io/old', 1],
      ['example.com/none', 1],
      ['cpu', 1],
    ])
    expect([...classesOfResources(requests, objectsOf(classes))]).to.deep.equal([
      [GPU, 'new'],
      ['deviceclass.resource.kubernetes.io/old', 'old'],
    ])
  })

  it('are requested once for each container, and init containers use what later ones request', () => {
    const pod = podOf({
      name: 'p',
      spec: { initContainers: [container('i', '3'), container('j', '5')], containers: [container('a', '1'), container('b', '2')] } as never,
    })
    const { claim, mappings } = extendedClaim(pod, new Map([[GPU, 'gpu']]))
    const counts = claim.spec.devices.requests?.map(({ name, exactly }) => `${name} ${exactly?.deviceClassName} ${exactly?.count}`)
    expect(counts).to.deep.equal(['container-1-request-1 gpu 2', 'container-2-request-1 gpu 1', 'container-3-request-1 gpu 2'])
    expect(mappings.map(({ containerName, requestName }) => `${containerName}: ${requestName}`)).to.deep.equal([
      'a: container-2-request-1',
      'b: container-3-request-1',
      'i: container-2-request-1',
      'i: container-3-request-1',
      'j: container-2-request-1',
      'j: container-3-request-1',
      'j: container-1-request-1',
    ])
    expect(claim.metadata).to.deep.include({
      generateName: 'p-extended-resources-',
      annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
    })
  })
})
