import { expect } from 'chai'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { decideReclaim, decideVolume, podsInUse } from '../../../../../src/cluster/controllers/persistentvolumebinder/volume-decision.ts'
import { claimOf, volumeOf } from '../../../../support/storage-objects.ts'

const claimRef = { namespace: 'default', name: 'c', uid: 'uid-c' }
const dynamic = { 'pv.kubernetes.io/provisioned-by': 'example.com/x' }

describe('a volume', () => {
  it('is available until a claim with a uid is bound to it', () => {
    expect(decideVolume(volumeOf('v'), undefined)).to.deep.equal({ action: 'set phase', phase: 'Available' })
    expect(decideVolume(volumeOf('v', { spec: { claimRef: { namespace: 'default', name: 'c' } } }), undefined)).to.have.property(
      'phase',
      'Available',
    )
    expect(decideVolume(volumeOf('v', { spec: { claimRef } }), claimOf('c', { spec: { volumeName: 'v' } }))).to.have.property(
      'phase',
      'Bound',
    )
  })

  it('is released with its claim, and unbound or released if the claim has another volume', () => {
    const elsewhere = claimOf('c', { spec: { volumeName: 'w' } })
    expect(decideVolume(volumeOf('v', { spec: { claimRef } }), undefined).action).to.equal('release')
    expect(decideVolume(volumeOf('v', { spec: { claimRef } }), elsewhere).action).to.equal('unbind')
    const provisioned = volumeOf('v', { annotations: dynamic, spec: { claimRef, persistentVolumeReclaimPolicy: 'Delete' } })
    expect(decideVolume(provisioned, elsewhere).action).to.equal('release')
  })

  it('waits for its claim, unless their modes differ', () => {
    expect(decideVolume(volumeOf('v', { spec: { claimRef } }), claimOf('c')).action).to.equal('look at claim')
    expect(decideVolume(volumeOf('v', { spec: { claimRef, volumeMode: 'Block' } }), claimOf('c')).action).to.equal('mismatch')
  })
})

describe('a released volume', () => {
  const reclaim = (spec: object, annotations: Record<string, string> = {}, leavesCsi = true): string => {
    const decision = decideReclaim(volumeOf('v', { spec, annotations }), leavesCsi)
    return decision.action === 'fail' ? `${decision.reason}: ${decision.message}` : decision.action
  }

  it('is kept, recycled or deleted by its policy', () => {
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Retain' })).to.equal('keep')
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Recycle', nfs: {} })).to.equal('recycle')
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Recycle', csi: {} })).to.equal(
      'VolumeFailedRecycle: No recycler plugin found for the volume!',
    )
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/tmp/x' } })).to.equal('delete')
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Delete', hostPath: { path: '/data' } })).to.equal(
      'VolumeFailedDelete: host_path deleter only supports /tmp/.+ but received provided /data',
    )
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Burn' })).to.match(/^VolumeUnknownReclaimPolicy: /)
  })

  it('is left to an external provisioner', () => {
    const policy = { persistentVolumeReclaimPolicy: 'Delete' }
    expect(reclaim({ ...policy, csi: {} }, dynamic)).to.equal('keep')
    expect(reclaim({ ...policy, csi: {} })).to.equal('keep')
    expect(reclaim({ ...policy, csi: {} }, {}, false)).to.equal(
      'VolumeFailedDelete: error getting deleter volume plugin for volume "v": no deletable volume plugin matched',
    )
    expect(reclaim(policy, { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/flocker' })).to.equal(
      'VolumeFailedDelete: no volume plugin matched name: kubernetes.io/flocker',
    )
  })

  it('is left to the driver that has replaced its plugin', () => {
    const migrated = { 'pv.kubernetes.io/migrated-to': 'ebs.csi.aws.com' }
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Recycle', nfs: {} }, migrated)).to.equal('keep')
    expect(reclaim({ persistentVolumeReclaimPolicy: 'Delete' }, migrated, false)).to.equal('keep')
  })
})

describe('pods that use a volume', () => {
  const running = [{ name: 'c', state: { running: {} } }]
  const pod = (name: string, status: object, deletionTimestamp?: string) =>
    ({ metadata: { namespace: 'default', name, ...(deletionTimestamp && { deletionTimestamp }) }, spec: {}, status }) as unknown as Pod

  it('are those that have not ended, or are being deleted with a container that runs', () => {
    const pods = [
      pod('c', { phase: 'Running', containerStatuses: running }),
      pod('b', { phase: 'Running', containerStatuses: running }, '2030-01-01T00:00:00Z'),
      pod('done', { phase: 'Succeeded' }),
      pod('stopped', { phase: 'Running', containerStatuses: [{ name: 'c', state: { terminated: {} } }] }, '2030-01-01T00:00:00Z'),
      pod('a', { phase: 'Pending' }),
    ]
    expect(podsInUse(pods)).to.deep.equal(['default/a', 'default/b', 'default/c'])
  })
})
