import { expect } from 'chai'
import { dropDisabledPodFields, dropDisabledStatusFields } from '../../../../../src/resources/core/pod-spec/drop.ts'

const container = { name: 'c', volumeMounts: [{ name: 'v' }], lifecycle: { stopSignal: 'SIGHUP' }, resources: { claims: [{ name: 'x' }] } }
const full = () =>
  structuredClone({
    resources: { limits: { cpu: '1' } },
    resourceClaims: [{ name: 'x' }],
    volumes: [
      { name: 'v', image: {} },
      { name: 'w', projected: { sources: [{ clusterTrustBundle: {} }] } },
    ],
    containers: [container],
  })

describe('resources/core/pod-spec/drop', () => {
  it('takes out what belongs to features that are off', () => {
    const spec = full()
    dropDisabledPodFields(spec, undefined)
    expect(spec).to.deep.equal({ volumes: [{ name: 'w', projected: { sources: [{}] } }], containers: [{ name: 'c', resources: {} }] })
  })

  it('leaves what the old object has', () => {
    const spec = full()
    dropDisabledPodFields(spec, full())
    expect(spec).to.deep.equal(full())
  })

  it('takes it out of a status', () => {
    const status = () => ({
      observedGeneration: 1,
      conditions: [{ type: 'Ready', observedGeneration: 1 }],
      resourceClaimStatuses: [{ name: 'x' }],
      containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' }, resources: {}, stopSignal: 'SIGHUP', user: {} }],
    })
    const fresh = status()
    dropDisabledStatusFields(fresh, {})
    expect(fresh).to.deep.equal({ conditions: [{ type: 'Ready' }], containerStatuses: [{ name: 'c', resources: {}, user: {} }] })
    const kept = status()
    dropDisabledStatusFields(kept, status())
    expect(kept).to.deep.equal(status())
  })
})
