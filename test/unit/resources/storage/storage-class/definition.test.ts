import { expect } from 'chai'
import { storageClassResource } from '../../../../../src/resources/storage/storage-class/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'

const of = (members: object = {}): object => ({ provisioner: 'example.com/x', ...members })
const at = (...matchLabelExpressions: object[]): object => ({ matchLabelExpressions })
const zone = (...values: string[]): object => ({ key: 'zone', values })
const topologies = (...allowedTopologies: object[]): object => of({ allowedTopologies })
const many = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, '']))

describe('StorageClass', () => {
  it('warns about deprecated node labels', async () => {
    const cases = new KindCases(storageClassResource)
    await cases.create(topologies(at({ key: 'failure-domain.beta.kubernetes.io/zone', values: ['a'] })))
    expect(cases.server.warnings).to.deep.equal([
      'allowedTopologies[0].matchLabelExpressions[0].key: deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
    ])
  })

  validates(
    storageClassResource,
    {
      'a provisioner': [of(), []],
      'a provisioner in capitals': [of({ provisioner: 'Example.com/MixedCase' }), []],
      'no provisioner': [{}, ['Required provisioner']],
      'a bad provisioner': [of({ provisioner: 'kubernetes.io/invalid/provisioner' }), ['Invalid provisioner']],
      'many parameters': [of({ parameters: many(512) }), []],
      'more parameters': [of({ parameters: many(513) }), ['TooLong parameters']],
      'a parameter without a key': [of({ parameters: { '': 'x' } }), ['Invalid parameters']],
      'long parameters': [of({ parameters: { a: 'x'.repeat(256 * 1024) } }), ['TooLong parameters']],
      'volumes that are recycled': [of({ reclaimPolicy: 'Recycle' }), ['NotSupported reclaimPolicy']],
      'no reclaim policy': [of({ reclaimPolicy: '' }), []],
      'an unknown binding mode': [of({ volumeBindingMode: 'Foo' }), ['NotSupported volumeBindingMode']],
      topologies: [topologies(at(zone('a', 'b')), at(zone('a'))), []],
      'a topology without values': [topologies(at(zone())), ['Required allowedTopologies[0].matchLabelExpressions[0].values']],
      'a value twice': [topologies(at(zone('a', 'a'))), ['Duplicate allowedTopologies[0].matchLabelExpressions[0].values[1]']],
      'a key twice': [topologies(at(zone('a'), zone('b'))), ['Duplicate allowedTopologies[0].matchLabelExpressions[1].key']],
      'a bad key': [topologies(at({ key: 'a b', values: ['a'] })), ['Invalid allowedTopologies[0].matchLabelExpressions[0].key']],
      'a topology twice': [topologies(at(zone('a', 'b')), at(zone('b', 'a'))), ['Duplicate allowedTopologies[1].matchLabelExpressions']],
      'an empty topology': [topologies(at()), ['Duplicate allowedTopologies[0].matchLabelExpressions']],
    },
    {
      'mutable fields': [of(), of({ allowVolumeExpansion: true, mountOptions: ['ro'] }), []],
      'immutable fields': [
        of(),
        { provisioner: 'example.com/y', parameters: { a: 'b' }, reclaimPolicy: 'Retain', volumeBindingMode: 'WaitForFirstConsumer' },
        ['Forbidden parameters', 'Forbidden provisioner', 'Forbidden reclaimPolicy', 'Invalid volumeBindingMode'],
      ],
    },
  )

  const rows: [object, string, unknown[]][] = [
    [{}, 'x', ['Delete', 'Immediate', false]],
    [{ 'storageclass.kubernetes.io/is-default-class': 'true' }, 'x (default)', ['Delete', 'Immediate', false]],
    [{ 'storageclass.beta.kubernetes.io/is-default-class': 'true' }, 'x (default)', ['Delete', 'Immediate', false]],
  ]
  for (const [annotations, name, cells] of rows) {
    it(`prints ${name} ${Object.keys(annotations).join()}`, async () => {
      const cases = new KindCases(storageClassResource)
      await cases.create(of(), { annotations })
      expect(cases.cells()).to.deep.equal([name, 'example.com/x', ...cells, '0s'])
    })
  }
})
