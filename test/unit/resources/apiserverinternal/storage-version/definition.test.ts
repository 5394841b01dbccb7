import { expect } from 'chai'
import { storageVersionResource } from '../../../../../src/resources/apiserverinternal/storage-version/definition.ts'
import { causesOf, serverOf } from '../../../../support/workloads.ts'

const server = (apiServerID: string, encodingVersion = 'apps/v1', decodableVersions = ['apps/v1']): object => ({
  apiServerID,
  encodingVersion,
  decodableVersions,
})
const condition = (parts: object = {}): object => ({ type: 'Same', status: 'True', reason: 'R', message: 'm', ...parts })

async function withStatus(status: object) {
  const { server, gr } = serverOf(storageVersionResource)
  await server.create(gr, '', {
    apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
    kind: 'StorageVersion',
    metadata: { name: 'apps.deployments' },
    spec: {},
    status: { commonEncodingVersion: 'lost' },
  })
  const causes = await causesOf(server.update(gr, '', 'apps.deployments', o => ({ ...o, status }), { subresource: 'status' }))
  return { causes, cells: server.cells(gr, '', 'apps.deployments') }
}

describe('StorageVersion', () => {
  const names: Record<string, string[]> = {
    apps: ['metadata.name: Invalid value: "apps": name must be in the form of <group>.<resource>'],
    'example.com.things': [],
  }
  for (const [name, causes] of Object.entries(names))
    it(`validates the name ${name}`, async () => {
      const { server, gr } = serverOf(storageVersionResource)
      const made = server.create(gr, '', {
        apiVersion: 'internal.apiserver.k8s.io/v1alpha1',
        kind: 'StorageVersion',
        metadata: { name },
        spec: {},
      })
      expect(await causesOf(made)).to.deep.equal(causes)
    })

  const statuses: Record<string, [status: object, causes: string[]]> = {
    'servers that agree': [{ storageVersions: [server('a'), server('b')], commonEncodingVersion: 'apps/v1' }, []],
    'servers that do not': [{ storageVersions: [server('a'), server('b', 'v1', ['v1'])] }, []],
    'no common version': [
      { storageVersions: [server('a')] },
      ['status.commonEncodingVersion: Invalid value: "null": the common encoding version is apps/v1'],
    ],
    'another common version': [
      { storageVersions: [server('a')], commonEncodingVersion: 'v1' },
      ['status.commonEncodingVersion: Invalid value: "v1": the actual common encoding version is apps/v1'],
    ],
    'a common version without servers': [
      { commonEncodingVersion: 'v1' },
      [
        'status.commonEncodingVersion: Invalid value: "v1": should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      ],
    ],
    'versions that cannot be read': [
      { storageVersions: [{ ...server('a', 'v1', ['v2']), servedVersions: ['v2', 'v3'] }], commonEncodingVersion: 'v1' },
      [
        'status.storageVersions[0].decodableVersions: Invalid value: []string{"v2"}: decodableVersions must include encodingVersion v1',
        'status.storageVersions[0].servedVersions[1]: Invalid value: "v3": individual served version : v3 must be included in decodableVersions : [v2]',
      ],
    ],
    'an empty group': [
      { storageVersions: [server('a', '/v1', ['/v1'])], commonEncodingVersion: '/v1' },
      [
        'status.storageVersions[0].encodingVersion: Invalid value: "/v1": group part: must be non-empty',
        'status.storageVersions[0].decodableVersions[0]: Invalid value: "/v1": group part: must be non-empty',
      ],
    ],
    'conditions twice and without reason': [
      { conditions: [condition(), condition({ reason: '' })] },
      [
        'status[1].type: Invalid value: "Same": the type of the condition is not unique, it also appears in conditions[0]',
        'status[1].reason: Required value: reason cannot be empty',
      ],
    ],
  }
  for (const [what, [status, causes]] of Object.entries(statuses))
    it(`reports: ${what}`, async () => expect((await withStatus(status)).causes).to.deep.equal(causes))

  it('prints the first servers', async () => {
    expect((await withStatus({})).cells).to.deep.equal(['apps.deployments', '<unset>', '<unset>', '0s'])
    const storageVersions = ['a', 'b', 'c', 'd'].map(id => server(id))
    expect((await withStatus({ storageVersions, commonEncodingVersion: 'apps/v1' })).cells).to.deep.equal([
      'apps.deployments',
      'apps/v1',
      'a=apps/v1,b=apps/v1,c=apps/v1 + 1 more...',
      '0s',
    ])
  })
})
