import { expect } from 'chai'
import type { ContainerStatus, Pod } from '../../../../../src/api/core/v1.types.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { fieldErrorText } from '../../../../../src/meta/field-error.ts'
import { validatePodStatusUpdate } from '../../../../../src/resources/core/pod/status-validation.ts'

describe('validatePodStatusUpdate', () => {
  const mapping = { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' }
  const requests = { 'example.com/gpu': '1' }

  /**
   * Errors about the health of a resource of this name, in a pod whose scheduler made a claim for an extended resource.
   */
  const errorsOf = (name: string, release: Release): string[] => {
    const spec = { containers: [{ name: 'c', image: 'i', resources: { requests, limits: requests } }] }
    const old = { metadata: { name: 'p', namespace: 'n' }, spec, status: { conditions: [] } } as unknown as Pod
    const container = {
      name: 'c',
      image: 'i',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: {},
      lastState: {},
      allocatedResourcesStatus: [{ name }],
    }
    const status = {
      ...old.status,
      extendedResourceClaimStatus: { resourceClaimName: 'p-extended', requestMappings: [mapping] },
      containerStatuses: [container as ContainerStatus],
    }
    const errors = runAtOnce(validatePodStatusUpdate({ ...old, status }, old, parseGates(release, new Map())))
    return errors.map(fieldErrorText).filter(text => text.includes('allocatedResourcesStatus'))
  }

  it('accepts the health of devices for an extended resource by the claim of the scheduler since 1.37', () => {
    const name = 'claim:p-extended/container-0-request-0'
    expect(errorsOf(name, '1.36')).to.have.length(1)
    expect(errorsOf(name, '1.37')).to.deep.equal([])
    expect(errorsOf('claim:p-extended/container-1-request-0', '1.37')).to.have.length(1)
    expect(errorsOf('claim:other/container-0-request-0', '1.37')).to.have.length(1)
  })
})
