import { expect } from 'chai'
import { isToExpand, resizedStatus, resizingStatus } from '../../../../src/cluster/volumes/expansion.ts'
import { claimOf, volumeOf } from '../../../support/storage-objects.ts'

const bound = (size: string, capacity = '1Gi') =>
  claimOf('c', {
    spec: { volumeName: 'v', resources: { requests: { storage: size } } },
    status: { phase: 'Bound', capacity: { storage: capacity } },
  })
const volume = volumeOf('v', { spec: { csi: { driver: 'volumes.binnacle.dev' }, claimRef: { uid: 'uid-c' } } })

describe('expansion of a volume', () => {
  it('begins when a bound claim asks for more than it has', () => {
    expect(isToExpand(bound('2Gi'), volume)).to.equal(true)
    expect(isToExpand(bound('1024Mi'), volume)).to.equal(false)
    expect(isToExpand(bound('2Gi'), volumeOf('v', { spec: { claimRef: { uid: 'uid-c' } } }))).to.equal(false)
    expect(isToExpand(bound('2Gi'), undefined)).to.equal(false)
  })

  it('is reported in conditions and sizes, and forgotten at its end', () => {
    const resizing = resizingStatus(bound('2Gi'), true, 0)
    expect(resizing.conditions).to.deep.equal([
      { type: 'Resizing', status: 'True', lastProbeTime: null, lastTransitionTime: '1970-01-01T00:00:00Z' },
    ])
    expect(resizing.allocatedResources).to.deep.equal({ storage: '2Gi' })
    expect(resizing.allocatedResourceStatuses).to.deep.equal({ storage: 'ControllerResizeInProgress' })
    expect(resizingStatus(bound('2Gi'), false, 0)).to.not.have.property('allocatedResources')
    expect(resizedStatus({ ...bound('2Gi'), status: resizing }, '2Gi')).to.deep.equal({
      phase: 'Bound',
      capacity: { storage: '2Gi' },
      allocatedResources: { storage: '2Gi' },
    })
  })
})
