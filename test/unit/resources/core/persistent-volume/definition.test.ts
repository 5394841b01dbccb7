import { expect } from 'chai'
import { persistentVolumeResource } from '../../../../../src/resources/core/persistent-volume/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const base = { capacity: { storage: '4Gi' }, accessModes: ['ReadWriteOnce'] }
const spec = (more: object): object => ({ spec: { ...base, ...more } })
const hostPath = { hostPath: { path: '/a' } }
const affinity = (key: string): object => ({
  nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['v'] }] }] } },
})
const csi = (more: object = {}): object => ({ csi: { driver: 'd', volumeHandle: 'h', ...more } })

describe('persistent volumes', () => {
  validates(
    persistentVolumeResource,
    {
      good: [spec(hostPath), []],
      'no source': [spec({}), ['Required spec']],
      'two sources': [spec({ ...hostPath, nfs: { server: 's', path: '/p' } }), ['Forbidden spec.nfs']],
      'a flex volume as the second source': [spec({ ...hostPath, flexVolume: { driver: 'a/b' } }), []],
      'no modes': [spec({ ...hostPath, accessModes: [] }), ['Required spec.accessModes']],
      'an unknown mode': [spec({ ...hostPath, accessModes: ['Any'] }), ['NotSupported spec.accessModes']],
      'one pod only, and others': [
        spec({ ...hostPath, accessModes: ['ReadWriteOncePod', 'ReadOnlyMany'] }),
        ['Forbidden spec.accessModes'],
      ],
      'no capacity': [spec({ ...hostPath, capacity: {} }), ['Required spec.capacity', 'NotSupported spec.capacity']],
      'more capacity': [spec({ ...hostPath, capacity: { storage: '1', cpu: '1' } }), ['NotSupported spec.capacity']],
      'no size': [spec({ ...hostPath, capacity: { storage: '0' } }), ['Invalid spec.capacity[storage]']],
      'a negative size': [
        spec({ ...hostPath, capacity: { storage: '-1' } }),
        ['Invalid spec.capacity[storage]', 'Invalid spec.capacity[storage]'],
      ],
      'an unknown policy': [
        spec({ ...hostPath, persistentVolumeReclaimPolicy: 'Burn' }),
        ['NotSupported spec.persistentVolumeReclaimPolicy'],
      ],
      'below the root, recycled': [spec({ hostPath: { path: '/a/.//' }, persistentVolumeReclaimPolicy: 'Recycle' }), []],
      'the very root, recycled': [
        spec({ hostPath: { path: '//.' }, persistentVolumeReclaimPolicy: 'Recycle' }),
        ['Forbidden spec.persistentVolumeReclaimPolicy'],
      ],
      'local without a node': [spec({ local: { path: '/a' } }), ['Required spec.nodeAffinity']],
      'local, up': [spec({ local: { path: '/a/..' }, ...affinity('a') }), ['Invalid spec.local.path']],
      'an affinity to nothing': [spec({ ...hostPath, nodeAffinity: {} }), ['Required spec.nodeAffinity.required']],
      'an affinity to a bad key': [
        spec({ ...hostPath, ...affinity('a b') }),
        ['Invalid spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key'],
      ],
      'csi: bad secret': [
        spec(csi({ nodePublishSecretRef: { name: 'A' } })),
        ['Invalid spec.csi.nodePublishSecretRef.name', 'Required spec.csi.nodePublishSecretRef.namespace'],
      ],
      'csi: nothing': [spec({ csi: {} }), ['Required spec.csi.driver', 'Invalid spec.csi.driver', 'Required spec.csi.volumeHandle']],
      'gce: its old name': [spec({ gcePersistentDisk: {} }), ['Required spec.persistentDisk.pdName']],
      'glusterfs: a bad namespace': [
        spec({ glusterfs: { endpoints: 'e', path: 'p', endpointsNamespace: '' } }),
        ['Invalid spec.glusterfs.endpointsNamespace'],
      ],
      'azure file: an empty namespace': [
        spec({ azureFile: { secretName: 's', shareName: 't', secretNamespace: '' } }),
        ['Required spec.azureFile.secretNamespace'],
      ],
      'a bad class': [spec({ ...hostPath, storageClassName: 'A' }), ['Invalid spec.storageClassName']],
      'an unknown mode of the volume': [spec({ ...hostPath, volumeMode: 'Tape' }), ['NotSupported spec.volumeMode']],
    },
    {
      nothing: [spec(hostPath), spec(hostPath), []],
      'size and policy': [spec(hostPath), spec({ ...hostPath, capacity: { storage: '8Gi' }, persistentVolumeReclaimPolicy: 'Delete' }), []],
      'the source': [spec(hostPath), spec({ hostPath: { path: '/b' } }), ['Forbidden spec.persistentvolumesource']],
      'the kind of source': [spec(hostPath), spec(csi()), ['Forbidden spec.persistentvolumesource']],
      'the mode of the volume': [spec(hostPath), spec({ ...hostPath, volumeMode: 'Block' }), ['Invalid volumeMode']],
      'an affinity, for the first time': [spec(hostPath), spec({ ...hostPath, ...affinity('a') }), []],
      'an affinity, gone': [spec({ ...hostPath, ...affinity('a') }), spec(hostPath), ['Invalid nodeAffinity']],
      'a label that has got a new name': [
        spec({ ...hostPath, ...affinity('failure-domain.beta.kubernetes.io/zone') }),
        spec({ ...hostPath, ...affinity('topology.kubernetes.io/zone') }),
        [],
      ],
      'and back': [
        spec({ ...hostPath, ...affinity('topology.kubernetes.io/zone') }),
        spec({ ...hostPath, ...affinity('failure-domain.beta.kubernetes.io/zone') }),
        ['Invalid nodeAffinity'],
      ],
      'a secret for growing, for the first time': [
        spec(csi()),
        spec(csi({ controllerExpandSecretRef: { name: 'a', namespace: 'b' } })),
        [],
      ],
      'a secret for growing, again': [
        spec(csi({ controllerExpandSecretRef: { name: 'a', namespace: 'b' } })),
        spec(csi({ controllerExpandSecretRef: { name: 'c', namespace: 'b' } })),
        ['Forbidden spec.persistentvolumesource'],
      ],
      'an invalid field twice': [
        spec(hostPath),
        spec({ ...hostPath, accessModes: [] }),
        ['Required spec.accessModes', 'Required spec.accessModes'],
      ],
    },
  )

  it('have defaults', async () => {
    const made = await new KindCases(persistentVolumeResource).create(spec({ ...csi(), volumeAttributesClassName: 'v' }))
    expect(made.spec).to.deep.equal({ ...base, ...csi(), persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' })
    expect(made.status).to.deep.equal({ phase: 'Pending', lastPhaseTransitionTime: '2026-01-02T03:04:05Z' })
  })

  it('record the time of phase changes', async () => {
    const cases = new KindCases(persistentVolumeResource)
    await cases.create(spec(hostPath))
    cases.server.now += 60_000
    const bound = await cases.update({ spec: {}, status: { phase: 'Bound' } }, {}, 'status')
    expect(bound.status.lastPhaseTransitionTime).to.equal('2026-01-02T03:05:05Z')
    expect(bound.spec.hostPath).to.deep.equal({ path: '/a', type: '' })
    cases.server.now += 60_000
    const same = await cases.update({ status: { phase: 'Bound', message: 'm' } }, {}, 'status')
    expect(same.status).to.deep.equal({ phase: 'Bound', message: 'm', lastPhaseTransitionTime: '2026-01-02T03:05:05Z' })
    const own = await cases.update({ status: { phase: 'Released', lastPhaseTransitionTime: '2020-01-01T00:00:00Z' } }, {}, 'status')
    expect(own.status.lastPhaseTransitionTime).to.equal('2020-01-01T00:00:00Z')
  })

  it('warn about deprecated node labels', async () => {
    const cases = new KindCases(persistentVolumeResource)
    const matchExpressions = [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }]
    await cases.create(spec({ hostPath: { path: '/a' }, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } }))
    expect(cases.server.warnings).to.deep.equal([
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
    ])
  })

  it('warn about deprecated fields', async () => {
    const cases = new KindCases(persistentVolumeResource)
    await cases.create(spec({ cephfs: { monitors: ['m'] }, capacity: { storage: '1500m' }, persistentVolumeReclaimPolicy: 'Recycle' }), {
      annotations: { 'volume.beta.kubernetes.io/storage-class': 'c' },
    })
    expect(cases.server.warnings).to.deep.equal([
      'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
      'spec.cephfs: deprecated in v1.28, non-functional in v1.31+',
    ])
  })

  it('print a row', async () => {
    const cases = new KindCases(persistentVolumeResource)
    await cases.create(
      spec({
        ...hostPath,
        accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
        storageClassName: 's',
        claimRef: { namespace: 'n', name: 'c' },
      }),
    )
    expect(cases.cells()).to.deep.equal(['x', '4Gi', 'RWO,RWX', 'Retain', 'Pending', 'n/c', 's', '<unset>', '', '0s', 'Filesystem'])
  })
})
