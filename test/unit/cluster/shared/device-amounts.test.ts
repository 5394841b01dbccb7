import { expect } from 'chai'
import type { PodStatus } from '../../../../src/api/core/v1.types.ts'
import { podRequests } from '../../../../src/cluster/shared/pod-requests.ts'
import { podOf } from '../../../support/scheduling.ts'

const statuses = (...claims: object[]): Partial<PodStatus> => ({ nodeAllocatableResourceClaimStatuses: claims as never })
const container = (name: string, cpu: string) => ({ name, resources: { requests: { cpu } } })

describe('requests of a pod with devices that take resources of their node', () => {
  const requests = (claim: object, spec: object = {}, ofDevices = true): Record<string, number> =>
    Object.fromEntries(
      podRequests(podOf({ requests: { cpu: '1' }, spec, status: statuses({ resourceClaimName: 'c', ...claim }) }), {
        podLevel: true,
        inPlace: true,
        ofDevices,
      }),
    )

  it('add the resources of a claim once, in the form of each release', () => {
    expect(requests({ containers: ['c'], resources: { cpu: '2', memory: '1Ki' } })).to.deep.equal({ cpu: 3000, memory: 1024 })
    const mapping = [{ name: 'cpu', quantity: '2' }]
    expect(requests({ containers: ['c', 'd'], mapping })).to.deep.equal({ cpu: 3000 })
    expect(requests({ mapping }, {}, false)).to.deep.equal({ cpu: 1000 })
  })

  it('add overheads for the pod and for each container that uses the claim', () => {
    const overhead = [{ name: 'memory', perPod: '100', perContainer: '10' }]
    const two = { containers: [container('c', '1'), container('d', '1')] }
    expect(requests({ containers: ['c', 'd'], overhead }, two)).to.deep.equal({ cpu: 2000, memory: 120 })
    expect(requests({ containers: ['c'], overhead }, two)).to.deep.equal({ cpu: 2000, memory: 110 })
    // Init containers run before the others.
    const init = { initContainers: [container('i', '3')], containers: [container('c', '1')] }
    expect(requests({ containers: ['i', 'c'], overhead }, init)).to.deep.equal({ cpu: 3000, memory: 110 })
  })

  it('are those of the pod as a whole if it has any', () => {
    const spec = { resources: { requests: { cpu: '5' } } }
    expect(
      requests(
        {
          mapping: [
            { name: 'cpu', quantity: '2' },
            { name: 'memory', quantity: '7' },
          ],
        },
        spec,
      ),
    ).to.deep.equal({
      cpu: 5000,
      memory: 7,
    })
  })
})
