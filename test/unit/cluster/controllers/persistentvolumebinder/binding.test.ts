import { expect } from 'chai'
import {
  boundToVolume,
  claimStatus,
  unbound,
  withClaimMigration,
  withoutPluginFinalizer,
  withPluginMarks,
  withProvisioner,
} from '../../../../../src/cluster/controllers/persistentvolumebinder/binding.ts'
import { boundToClaim } from '../../../../../src/cluster/shared/volumes.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { claimOf, volumeOf } from '../../../../support/storage-objects.ts'

const BY_CONTROLLER = { 'pv.kubernetes.io/bound-by-controller': 'yes' }

describe('a binding', () => {
  it('is written to the volume and to the claim, and marked as made by a controller', () => {
    const volume = runAtOnce(boundToClaim(volumeOf('v'), claimOf('c')))
    expect(volume?.metadata.annotations).to.deep.equal(BY_CONTROLLER)
    expect(volume?.spec.claimRef).to.deep.equal({
      kind: 'PersistentVolumeClaim',
      namespace: 'default',
      name: 'c',
      uid: 'uid-c',
      apiVersion: 'v1',
      resourceVersion: '7',
    })
    const claim = runAtOnce(boundToVolume(claimOf('c'), volumeOf('v')))
    expect(claim?.spec.volumeName).to.equal('v')
    expect(claim?.metadata.annotations).to.deep.equal({ ...BY_CONTROLLER, 'pv.kubernetes.io/bind-completed': 'yes' })
    expect(volume && claim && runAtOnce(boundToClaim(volume, claim))).to.equal(undefined)
    expect(claim && runAtOnce(boundToVolume(claim, volumeOf('v')))).to.equal(undefined)
  })

  it('is completed without the mark if a user has begun it', () => {
    const reserved = volumeOf('v', { spec: { claimRef: { namespace: 'default', name: 'c' } } })
    expect(runAtOnce(boundToClaim(reserved, claimOf('c')))).to.deep.include({ metadata: reserved.metadata })
    expect(runAtOnce(boundToVolume(claimOf('c', { spec: { volumeName: 'v' } }), volumeOf('v')))?.metadata.annotations).to.deep.equal({
      'pv.kubernetes.io/bind-completed': 'yes',
    })
  })

  it('is taken back, but for the choice of a user', () => {
    const claimRef = { namespace: 'default', name: 'c', uid: 'u' }
    expect(runAtOnce(unbound(volumeOf('v', { annotations: { ...BY_CONTROLLER, a: 'b' }, spec: { claimRef } })))).to.deep.include({
      metadata: { name: 'v', uid: 'uid-v', annotations: { a: 'b' } },
      spec: volumeOf('v').spec,
    })
    expect(runAtOnce(unbound(volumeOf('v', { spec: { claimRef } }))).spec.claimRef).to.deep.equal({ namespace: 'default', name: 'c' })
  })
})

describe('the status of a claim', () => {
  it('has modes and capacity of the volume from the binding on', () => {
    expect(claimStatus(claimOf('c'), 'Bound', volumeOf('v'))).to.deep.equal({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '5Gi' },
    })
    expect(claimStatus(claimOf('c'), 'Pending', undefined)).to.equal(undefined)
    const bound = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '3Gi' } }
    expect(claimStatus(claimOf('c', { status: bound }), 'Bound', volumeOf('v'))).to.equal(undefined)
    expect(claimStatus(claimOf('c', { status: bound }), 'Lost', undefined)).to.deep.equal({ phase: 'Lost' })
  })

  it('has the size of the file system if it is still smaller than the volume', () => {
    const grown = volumeOf('v', { annotations: { 'volume.alpha.kubernetes.io/pre-resize-capacity': '2Gi' } })
    expect(claimStatus(claimOf('c'), 'Bound', grown)).to.deep.include({ capacity: { storage: '2Gi' } })
  })
})

describe('annotations', () => {
  it('name the provisioner of a claim', () => {
    const claim = runAtOnce(withProvisioner(claimOf('c'), 'p'))
    expect(claim?.metadata.annotations).to.deep.equal({
      'volume.beta.kubernetes.io/storage-provisioner': 'p',
      'volume.kubernetes.io/storage-provisioner': 'p',
    })
    expect(claim && runAtOnce(withProvisioner(claim, 'p'))).to.equal(undefined)
  })

  it('name the driver that has replaced the plugin of a volume or claim, and no driver otherwise', () => {
    const volume = volumeOf('v', { annotations: { 'pv.kubernetes.io/provisioned-by': 'kubernetes.io/aws-ebs' } })
    const marked = runAtOnce(withPluginMarks(volume, true))
    expect(marked?.metadata.annotations).to.have.property('pv.kubernetes.io/migrated-to', 'ebs.csi.aws.com')
    expect(marked && runAtOnce(withPluginMarks(marked, true))).to.equal(undefined)
    expect(runAtOnce(withPluginMarks(volumeOf('v'), true))).to.equal(undefined)
    const claim = claimOf('c', { annotations: { 'volume.kubernetes.io/storage-provisioner': 'kubernetes.io/gce-pd' } })
    const migrated = runAtOnce(withClaimMigration(claim))
    expect(migrated?.metadata.annotations).to.have.property('pv.kubernetes.io/migrated-to', 'pd.csi.storage.gke.io')
    const annotations = { ...migrated?.metadata.annotations, 'volume.kubernetes.io/storage-provisioner': 'other' }
    expect(runAtOnce(withClaimMigration(claimOf('c', { annotations })))?.metadata.annotations).to.deep.equal({
      'volume.kubernetes.io/storage-provisioner': 'other',
    })
  })
})

describe('finalizers of a provisioned volume', () => {
  const [PLUGIN, EXTERNAL] = ['kubernetes.io/pv-controller', 'external-provisioner.volume.kubernetes.io/finalizer']
  const provisioned = (by: string, policy: 'Delete' | 'Retain', finalizers: string[], metadata: object = {}) =>
    volumeOf('v', {
      annotations: { 'pv.kubernetes.io/provisioned-by': by },
      metadata: { finalizers, ...metadata },
      spec: { persistentVolumeReclaimPolicy: policy },
    })
  const cases: readonly (readonly [name: string, volume: ReturnType<typeof provisioned>, finalizers: string[] | undefined])[] = [
    ['has that of its plugin', provisioned('kubernetes.io/host-path', 'Delete', ['a']), ['a', PLUGIN]],
    ['keeps it', provisioned('kubernetes.io/host-path', 'Delete', [PLUGIN]), undefined],
    ['has not that of a driver', provisioned('kubernetes.io/host-path', 'Delete', [EXTERNAL]), [PLUGIN]],
    ['loses it with another policy', provisioned('kubernetes.io/host-path', 'Retain', ['a', PLUGIN]), ['a']],
    ['loses it with another plugin', provisioned('kubernetes.io/aws-ebs', 'Delete', [PLUGIN, EXTERNAL]), [EXTERNAL]],
    ['is left to a driver', provisioned('ebs.csi.aws.com', 'Delete', [EXTERNAL]), undefined],
    [
      'gets none while it is deleted',
      provisioned('kubernetes.io/host-path', 'Delete', ['a'], { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      undefined,
    ],
  ]
  for (const [name, volume, finalizers] of cases)
    it(name, () => {
      expect(runAtOnce(withPluginMarks(volume, true))?.metadata.finalizers ?? volume.metadata.finalizers).to.deep.equal(
        finalizers ?? volume.metadata.finalizers,
      )
    })

  it('is not set without the gate', () => {
    expect(runAtOnce(withPluginMarks(provisioned('kubernetes.io/host-path', 'Delete', []), false))).to.equal(undefined)
  })

  it('is removed once the plugin has deleted what is behind the volume', () => {
    expect(withoutPluginFinalizer(provisioned('p', 'Delete', ['a', PLUGIN]))?.metadata.finalizers).to.deep.equal(['a'])
    expect(withoutPluginFinalizer(provisioned('p', 'Delete', ['a']))).to.equal(undefined)
  })
})
