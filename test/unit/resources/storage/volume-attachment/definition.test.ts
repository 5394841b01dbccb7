import { expect } from 'chai'
import type { ResourceDefinition } from '../../../../../src/catalog/definition.ts'
import { parseGates } from '../../../../../src/lifecycle/gates.ts'
import { persistentVolumeResource } from '../../../../../src/resources/core/persistent-volume/definition.ts'
import { podResource } from '../../../../../src/resources/core/pod/definition.ts'
import { csiNodeResource } from '../../../../../src/resources/storage/csi-node/definition.ts'
import { volumeAttachmentResource } from '../../../../../src/resources/storage/volume-attachment/definition.ts'
import { featuresIn } from '../../../../support/hook-context.ts'
import { causesOf, KindCases, validates } from '../../../../support/kind-cases.ts'
import { causesOf as messagesOf } from '../../../../support/workloads.ts'

const source = { persistentVolumeName: 'pv' }
const of = (members: object = {}): object => ({ spec: { attacher: 'driver.example.com', nodeName: 'node', source, ...members } })
const inline = (members: object): object =>
  of({ source: { inlineVolumeSpec: { csi: { driver: 'd', volumeHandle: 'h' }, accessModes: ['ReadWriteOnce'], ...members } } })
const PATH = 'spec.source.inlineVolumeSpec'

describe('VolumeAttachment', () => {
  validates(
    volumeAttachmentResource,
    {
      'a persistent volume': [of(), []],
      'no attacher': [of({ attacher: '' }), ['Required spec.attacher', 'Required spec.attacher', 'Invalid spec.attacher']],
      'an invalid attacher': [of({ attacher: 'invalid!' }), ['Invalid spec.attacher']],
      'no node': [of({ nodeName: '' }), ['Invalid spec.nodeName']],
      'no volume': [of({ source: {} }), ['Required spec.source']],
      'an empty volume': [
        of({ source: { persistentVolumeName: '' } }),
        ['Required spec.source.persistentVolumeName', 'Invalid spec.source.persistentVolumeName'],
      ],
      'a bad volume': [of({ source: { persistentVolumeName: 'a_b' } }), ['Invalid spec.source.persistentVolumeName']],
      'two volumes': [of({ source: { ...source, inlineVolumeSpec: {} } }), ['Forbidden spec.source']],
      'an inline volume': [inline({}), []],
      'an inline volume of no driver': [
        inline({ csi: undefined, nfs: { server: 's', path: '/' }, accessModes: [] }),
        [`Required ${PATH}.csi`, `Required ${PATH}.accessModes`],
      ],
      'an inline volume of nothing': [inline({ csi: undefined }), [`Required ${PATH}.csi`, `Required ${PATH}`]],
      'an inline volume with forbidden fields': [
        inline({
          claimRef: { name: 'c' },
          capacity: { storage: '1Gi' },
          persistentVolumeReclaimPolicy: 'Delete',
          nodeAffinity: { required: { nodeSelectorTerms: [] } },
          storageClassName: 's',
          volumeMode: 'Block',
        }),
        ['claimRef', 'capacity', 'persistentVolumeReclaimPolicy', 'nodeAffinity', 'storageClassName', 'volumeMode'].map(
          name => `Forbidden ${PATH}.${name}`,
        ),
      ],
      'a bad driver in it': [
        inline({ csi: { driver: '', volumeHandle: 'h' } }),
        [`Required ${PATH}.csi.driver`, `Invalid ${PATH}.csi.driver`],
      ],
    },
    { 'the spec': [of(), of({ nodeName: 'other' }), ['Invalid spec']] },
  )

  const csiVolume = { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { driver: '', volumeHandle: 'h' } } }
  const csiPod = { spec: { containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v', csi: { driver: '' } }] } }
  for (const [release, attacher, others] of [
    ['1.34', ['Required', 'Required', 'Invalid'], ['Required', 'Invalid']],
    ['1.35', ['Required', 'Required'], ['Required']],
    ['1.36', ['Required'], ['Required']],
  ] as const)
    it(`reports an empty driver name in ${release} as other kinds do`, async () => {
      const faults = async (definition: ResourceDefinition, body: object, field: string) =>
        (await causesOf(new KindCases(definition, parseGates(release)).create(body)))
          .filter(text => text.endsWith(` ${field}`))
          .map(text => text.split(' ')[0])
      expect(await faults(volumeAttachmentResource, of({ attacher: '' }), 'spec.attacher')).to.deep.equal(attacher)
      expect(await faults(csiNodeResource, { spec: { drivers: [{ name: '', nodeID: 'n' }] } }, 'spec.drivers[0].name')).to.deep.equal(
        others,
      )
      expect(await faults(persistentVolumeResource, csiVolume, 'spec.csi.driver')).to.deep.equal(others)
      expect(await faults(podResource, csiPod, 'spec.volumes[0].csi.driver')).to.deep.equal(others)
    })

  it('prints the changed spec in the error', async () => {
    const cases = new KindCases(volumeAttachmentResource)
    await cases.create(of())
    expect(await messagesOf(cases.update(of({ nodeName: 'other' })))).to.deep.equal([
      'spec: Invalid value: storage.VolumeAttachmentSpec{Attacher:"driver.example.com", Source:storage.VolumeAttachmentSource{PersistentVolumeName:(*string)(0xc000000000), InlineVolumeSpec:(*core.PersistentVolumeSpec)(nil)}, NodeName:"other"}: field is immutable',
    ])
  })

  it('writes only its status through the subresource', async () => {
    const cases = new KindCases(volumeAttachmentResource)
    expect((await cases.create({ ...of(), status: { attached: true } }, { labels: { a: 'b' } })).status).to.deep.equal({ attached: false })
    const status = { attached: true, attachError: { message: 'm', errorCode: 5 } }
    const reported = await cases.update({ ...of({ nodeName: 'other' }), status }, { labels: {} }, 'status')
    expect([reported.spec.nodeName, reported.metadata.labels, reported.status.attached]).to.deep.equal(['node', { a: 'b' }, true])
    expect(reported.status.attachError).to.not.have.property('errorCode')
    expect((await cases.update({ ...of(), status: { attached: false } })).status.attached).to.equal(true)
    expect(cases.cells()).to.deep.equal(['x', 'driver.example.com', 'pv', 'node', true, '0s'])
  })

  it('limits the size of its status', async () => {
    const cases = new KindCases(volumeAttachmentResource)
    await cases.create(of())
    const status = { attached: true, attachmentMetadata: { a: 'x'.repeat(256 * 1024) }, attachError: { message: 'x'.repeat(1025) } }
    const causes = ['TooLong status.attachmentMetadata', 'TooLong status.attachError.message']
    expect(await causesOf(cases.update({ ...of(), status }, {}, 'status'))).to.deep.equal([...causes, ...causes])
  })

  it('names the limit of messages since 1.37', async () => {
    const messages = async (release: '1.36' | '1.37') => {
      const cases = new KindCases(volumeAttachmentResource, featuresIn(release))
      await cases.create(of())
      const told = await messagesOf(
        cases.update({ ...of(), status: { attached: true, attachError: { message: 'x'.repeat(1025) } } }, {}, 'status'),
      )
      return [...new Set(told)]
    }
    expect(await messages('1.36')).to.deep.equal(['status.attachError.message: Too long: may not be more than 262144 bytes'])
    expect(await messages('1.37')).to.deep.equal(['status.attachError.message: Too long: may not be more than 1024 bytes'])
  })
})
