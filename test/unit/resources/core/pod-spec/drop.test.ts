import { expect } from 'chai'
import { dropDisabledPodFields, dropDisabledStatusFields } from '../../../../../src/resources/core/pod-spec/drop.ts'
import { featuresOf } from '../../../../support/hook-context.ts'
import { podWith } from '../../../../support/pod.ts'

const features = featuresOf()
const container = { name: 'c', volumeMounts: [{ name: 'v' }], lifecycle: { stopSignal: 'SIGHUP' }, resources: { claims: [{ name: 'x' }] } }
const full = () =>
  podWith({
    resources: { limits: { cpu: '1' } },
    resourceClaims: [{ name: 'x' }],
    volumes: [
      { name: 'v', image: {} },
      { name: 'w', projected: { sources: [{ clusterTrustBundle: {} }] } },
    ],
    containers: [container],
  }).spec
const plain = () => podWith({ volumes: [{ name: 'w', projected: { sources: [{}] } }], containers: [{ name: 'c' }] }).spec

const statusOf = (status: object) => podWith({}, {}, status).status
const status = () =>
  statusOf({
    observedGeneration: 1,
    conditions: [{ type: 'Ready', observedGeneration: 1 }],
    resourceClaimStatuses: [{ name: 'x' }],
    containerStatuses: [{ name: 'c', allocatedResources: { cpu: '1' }, resources: {}, stopSignal: 'SIGHUP', user: {} }],
  })

describe('resources/core/pod-spec/drop', () => {
  it('takes out what belongs to features that are off', () => {
    const spec = full()
    dropDisabledPodFields(spec, undefined, features)
    expect(spec).to.deep.equal(plain())
  })

  it('leaves what the old object has', () => {
    const spec = full()
    dropDisabledPodFields(spec, full(), features)
    expect(spec).to.deep.equal(full())
  })

  it('leaves what belongs to a feature that is on', () => {
    const spec = full()
    dropDisabledPodFields(spec, undefined, featuresOf('DynamicResourceAllocation=true'))
    expect(spec.resourceClaims).to.deep.equal([{ name: 'x' }])
    expect(spec.containers[0].resources).to.deep.equal({ claims: [{ name: 'x' }] })
    expect(spec).not.to.have.property('resources')
  })

  it('takes it out of a status', () => {
    const fresh = status()
    dropDisabledStatusFields(fresh, {}, features)
    expect(fresh).to.deep.equal(statusOf({ conditions: [{ type: 'Ready' }], containerStatuses: [{ name: 'c', resources: {}, user: {} }] }))
    const kept = status()
    dropDisabledStatusFields(kept, status(), features)
    expect(kept).to.deep.equal(status())
    const claimed = status()
    dropDisabledStatusFields(claimed, {}, featuresOf('DynamicResourceAllocation=true'))
    expect(claimed.resourceClaimStatuses).to.deep.equal([{ name: 'x' }])
  })
})
