import { expect } from 'chai'
import { PROVISIONER_FINALIZER } from '../../../../src/cluster/shared/volumes.ts'
import { isPopulatedByOthers, isToDelete, isToProvision, provisionedVolume } from '../../../../src/cluster/volumes/provisioned-volume.ts'
import { claimOf, storageClassOf, volumeOf } from '../../../support/storage-objects.ts'

const DRIVER = 'volumes.binnacle.dev'
const PROVISIONER = { 'volume.kubernetes.io/storage-provisioner': DRIVER }
const storageClass = storageClassOf('standard', { provisioner: DRIVER, reclaimPolicy: 'Delete' })
const options = { keepsUntilDeleted: true, hasAttributesClass: true }

describe('a claim of the simulated driver', () => {
  it('is provisioned when the binder has named the provisioner, and a node is selected if the class waits', () => {
    const claim = claimOf('c', { annotations: PROVISIONER, spec: { storageClassName: 'standard' } })
    const waits = storageClassOf('standard', { provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer' })
    expect(isToProvision(claim, storageClass)).to.equal(true)
    expect(isToProvision(claim, waits)).to.equal(false)
    expect(isToProvision(claimOf('c', { annotations: { ...PROVISIONER, 'volume.kubernetes.io/selected-node': 'n' } }), waits)).to.equal(
      true,
    )
    expect(isToProvision(claimOf('c'), storageClass)).to.equal(false)
    expect(isToProvision(claim, storageClassOf('standard'))).to.equal(false)
    expect(isToProvision(claimOf('c', { annotations: PROVISIONER, spec: { volumeName: 'v' } }), storageClass)).to.equal(false)
  })

  it('is left to a populator if it has another source than a claim', () => {
    expect(isPopulatedByOthers(claimOf('c', { spec: { dataSource: { kind: 'VolumeSnapshot', name: 's' } } }))).to.equal(true)
    expect(isPopulatedByOthers(claimOf('c', { spec: { dataSource: { kind: 'PersistentVolumeClaim', name: 's' } } }))).to.equal(false)
  })
})

describe('a provisioned volume', () => {
  it('belongs to its claim and has the properties of the class', () => {
    const claim = claimOf('c', { spec: { storageClassName: 'standard', volumeMode: 'Block', volumeAttributesClassName: 'gold' } })
    const made = provisionedVolume(
      claim,
      storageClassOf('standard', {
        provisioner: DRIVER,
        reclaimPolicy: 'Retain',
        mountOptions: ['ro'],
        parameters: { 'csi.storage.k8s.io/fstype': 'xfs' },
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }],
      }),
      options,
    )
    expect(made.metadata).to.deep.equal({
      name: 'pvc-uid-c',
      annotations: {
        'pv.kubernetes.io/provisioned-by': DRIVER,
        'volume.kubernetes.io/provisioner-deletion-secret-name': '',
        'volume.kubernetes.io/provisioner-deletion-secret-namespace': '',
      },
      finalizers: [PROVISIONER_FINALIZER],
    })
    expect(made.spec).to.deep.equal({
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1Gi' },
      claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'c', uid: 'uid-c', apiVersion: 'v1', resourceVersion: '7' },
      csi: { driver: DRIVER, volumeHandle: 'pvc-uid-c', fsType: 'xfs' },
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: 'standard',
      volumeMode: 'Block',
      mountOptions: ['ro'],
      volumeAttributesClassName: 'gold',
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }] } },
    })
    const older = provisionedVolume(claim, storageClass, { keepsUntilDeleted: false, hasAttributesClass: false })
    expect(older.metadata.finalizers).to.equal(undefined)
    expect(older.spec.volumeAttributesClassName).to.equal(undefined)
  })

  it('is a path of the node if the class is that of a local cluster', () => {
    const local = storageClassOf('fast', { provisioner: 'k8s.io/minikube-hostpath' })
    const claim = claimOf('c', {
      annotations: { 'volume.kubernetes.io/storage-provisioner': local.provisioner },
      spec: { storageClassName: 'fast' },
    })
    expect(isToProvision(claim, local)).to.equal(true)
    const made = provisionedVolume(claim, local, options)
    expect(made.metadata.annotations).to.deep.equal({ 'pv.kubernetes.io/provisioned-by': 'k8s.io/minikube-hostpath' })
    expect(made.spec.hostPath).to.deep.equal({ path: '/tmp/hostpath-provisioner/default/c', type: '' })
    expect(made.spec.csi).to.equal(undefined)
    expect(isToDelete({ ...made, status: { phase: 'Released' } })).to.equal(true)
  })

  it('is deleted when it is released, once', () => {
    const released = (metadata: object, spec: object = {}): boolean =>
      isToDelete(
        volumeOf('v', {
          metadata,
          spec: { persistentVolumeReclaimPolicy: 'Delete', ...spec },
          status: { phase: 'Released' },
        }),
      )
    const deletionTimestamp = '2030-01-01T00:00:00Z'
    expect(released({})).to.equal(false)
    const ours = { annotations: { 'pv.kubernetes.io/provisioned-by': DRIVER } }
    expect(released(ours)).to.equal(true)
    expect(released({ ...ours, deletionTimestamp, finalizers: [PROVISIONER_FINALIZER] })).to.equal(true)
    expect(released({ ...ours, deletionTimestamp, finalizers: ['other'] })).to.equal(false)
    expect(released(ours, { persistentVolumeReclaimPolicy: 'Retain' })).to.equal(false)
  })
})
