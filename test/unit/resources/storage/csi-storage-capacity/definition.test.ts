import { expect } from 'chai'
import type { Release } from '../../../../../src/lifecycle/release.ts'
import { csiStorageCapacityResource } from '../../../../../src/resources/storage/csi-storage-capacity/definition.ts'
import { KindCases, validates } from '../../../../support/kind-cases.ts'
import { servedBuiltins } from '../../../../support/served-builtins.ts'

const of = (members: object = {}): object => ({ storageClassName: 'c', nodeTopology: { matchLabels: { node: 'n' } }, ...members })

describe('CSIStorageCapacity', () => {
  it('warns about deprecated node labels', async () => {
    const cases = new KindCases(csiStorageCapacityResource)
    const matchExpressions = [{ key: 'beta.kubernetes.io/os', operator: 'Exists' }]
    await cases.create(of({ nodeTopology: { matchLabels: { 'beta.kubernetes.io/arch': 'x' }, matchExpressions } }))
    expect(cases.server.warnings).to.deep.equal([
      'nodeTopology.matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      'nodeTopology.matchLabels.beta.kubernetes.io/arch: deprecated since v1.14; use "kubernetes.io/arch" instead',
    ])
  })

  validates(
    csiStorageCapacityResource,
    {
      'a capacity': [of({ capacity: '1Gi', maximumVolumeSize: '1Mi' }), []],
      'no topology': [{ storageClassName: 'c' }, []],
      'a bad topology': [of({ nodeTopology: { matchLabels: { 'a b': '' } } }), ['Invalid nodeTopology.matchLabels']],
      'no class': [{}, ['Invalid storageClassName']],
      'a capacity below zero': [of({ capacity: '-11Mi' }), ['Invalid capacity']],
    },
    {
      'the sizes': [of(), of({ capacity: '2Gi', maximumVolumeSize: '1Gi' }), []],
      'immutable fields': [of(), { storageClassName: 'd', nodeTopology: {} }, ['Invalid nodeTopology', 'Invalid storageClassName']],
      'the topology away': [of(), { storageClassName: 'c' }, ['Invalid nodeTopology']],
    },
  )

  it('is stored in v1beta1 in 1.24 and served in v1beta1 until 1.26', () => {
    const versionsIn = (release: Release) => {
      const found = servedBuiltins({}, {}, [], release).find(({ hub }) => hub.kind === 'CSIStorageCapacity')
      return [found?.storage?.version.name, found?.versions.map(({ name }) => name), found?.unserved?.map(({ name }) => name)]
    }
    expect(versionsIn('1.24')).to.deep.equal(['v1beta1', ['v1', 'v1beta1'], undefined])
    expect(versionsIn('1.26')).to.deep.equal(['v1', ['v1', 'v1beta1'], undefined])
    expect(versionsIn('1.27')).to.deep.equal(['v1', ['v1'], ['v1beta1']])
  })

  it('has the default columns', () => expect(csiStorageCapacityResource.hub.table).to.equal(undefined))
})
