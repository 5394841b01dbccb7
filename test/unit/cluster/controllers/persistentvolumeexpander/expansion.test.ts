import { expect } from 'chai'
import { expansionOf, isToGrow } from '../../../../../src/cluster/controllers/persistentvolumeexpander/expansion.ts'
import { claimOf, volumeOf } from '../../../../support/storage-objects.ts'

describe('expansion of volumes', () => {
  it('begins for a bound claim with a higher request', () => {
    const bound = (size: string) => claimOf('c', { status: { phase: 'Bound', capacity: { storage: size } } })
    expect(isToGrow(bound('1Mi'))).to.equal(true)
    expect(isToGrow(bound('1Gi'))).to.equal(false)
    expect(isToGrow(claimOf('c'))).to.equal(false)
  })

  it('is left to the resizer of a driver', () => {
    expect(expansionOf(volumeOf('v'))).to.deep.equal({
      message: 'waiting for an external controller to expand this PVC',
      resizer: undefined,
    })
    expect(expansionOf(volumeOf('v', { spec: { gcePersistentDisk: { pdName: 'x' } } }))).to.deep.equal({
      message: 'CSI migration enabled for kubernetes.io/gce-pd; waiting for external resizer to expand the pvc',
      resizer: 'pd.csi.storage.gke.io',
    })
  })
})
