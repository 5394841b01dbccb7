import { expect } from 'chai'
import type { CSIDriver } from '../../../../../src/api/storage/v1.types.ts'
import {
  attachmentName,
  attachmentOf,
  desiredVolumes,
  isManaged,
  isShared,
  multiAttachError,
  uniqueVolumeName,
} from '../../../../../src/cluster/controllers/persistentvolumeattachdetach/desired.ts'
import { nodeOf, podOf } from '../../../../support/scheduling.ts'
import { claimOf, volumeOf } from '../../../../support/storage-objects.ts'

const claim = claimOf('c', { spec: { volumeName: 'v' }, status: { phase: 'Bound' } })
const volume = volumeOf('v', { spec: { csi: { driver: 'd', volumeHandle: 'h' }, claimRef: { uid: 'uid-c' } } })
const pod = (name: string, phase = 'Running') =>
  podOf({
    name,
    nodeName: 'n',
    spec: { nodeName: 'n', volumes: [{ name: 'x', persistentVolumeClaim: { claimName: 'c' } }] },
    status: { phase } as object,
  })

describe('the volumes that a node needs', () => {
  const names = (pods: readonly ReturnType<typeof pod>[], attachRequired?: boolean, node: object = nodeOf('n')): string[] => {
    const driver = attachRequired === undefined ? undefined : ({ spec: { attachRequired } } as CSIDriver)
    const reads = { claim: () => claim, volume: () => volume, driver: () => driver }
    return [...desiredVolumes(pods, node as never, reads)].map(
      ([name, wanted]) => `${name}: ${wanted.pods.map(({ metadata }) => metadata.name)}`,
    )
  }

  it('are those of its pods, unless the driver attaches nothing', () => {
    expect(names([pod('a'), pod('b')])).to.deep.equal(['kubernetes.io/csi/d^h: a,b'])
    expect(names([pod('a')], true)).to.deep.equal(['kubernetes.io/csi/d^h: a'])
    expect(names([pod('a')], false)).to.deep.equal([])
  })

  it('do not include those of pods that have ended, unless the node keeps them', () => {
    expect(names([pod('a', 'Succeeded')])).to.deep.equal([])
    const keeps = { metadata: { annotations: { 'volumes.kubernetes.io/keep-terminated-pod-volumes': 'true' } } }
    expect(names([pod('a', 'Succeeded')], true, keeps)).to.have.length(1)
    const managed = { metadata: { annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' } } }
    expect([isManaged(managed), isManaged({ metadata: {} })]).to.deep.equal([true, false])
  })
})

describe('an attachment', () => {
  it('has a name that depends on volume, driver and node', () => {
    expect(attachmentName('vol-1', 'ebs.csi.aws.com', 'node-1')).to.equal(
      'csi-58932ddfc9a6504f794af09a26429db947138ba3d683dee3d975aa932cb39f48',
    )
    expect(uniqueVolumeName('d', 'h')).to.equal('kubernetes.io/csi/d^h')
    expect(attachmentOf({ volume, driver: 'd', handle: 'h', pods: [] }, 'n').spec).to.deep.equal({
      attacher: 'd',
      nodeName: 'n',
      source: { persistentVolumeName: 'v' },
    })
  })

  it('is exclusive unless the volume has a mode for several nodes', () => {
    expect(isShared(volume)).to.equal(false)
    expect(isShared(volumeOf('v', { spec: { accessModes: ['ReadWriteOnce', 'ReadOnlyMany'] } }))).to.equal(true)
  })

  it('waits for other nodes, and names the pods that use the volume', () => {
    const text = 'Multi-Attach error for volume "v" Volume is already'
    const other = podOf({ name: 'z', metadata: { namespace: 'other' } })
    expect(multiAttachError('v', [], 'default')).to.equal(`${text} exclusively attached to one node and can't be attached to another`)
    expect(multiAttachError('v', [pod('a'), pod('b')], 'default')).to.equal(`${text} used by pod(s) a, b`)
    expect(multiAttachError('v', [other], 'default')).to.equal(`${text} used by 1 pod(s) in different namespaces`)
    expect(multiAttachError('v', [pod('a'), other], 'default')).to.equal(`${text} used by pod(s) a and 1 pod(s) in different namespaces`)
  })
})
