import { expect } from 'chai'
import type { StorageVersion, StorageVersionStatus } from '../../../../../src/api/apiserverinternal/v1alpha1.types.ts'
import { isServerIdentity, staleServers, withoutServers } from '../../../../../src/cluster/controllers/storageversiongc/stale-servers.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const server = (apiServerID: string, encodingVersion = 'v1') => ({ apiServerID, encodingVersion, decodableVersions: [encodingVersion] })
const version = (status: StorageVersionStatus): StorageVersion => ({
  kind: 'StorageVersion',
  apiVersion: '',
  metadata: { name: 'apps.deployments' },
  spec: {},
  status,
})

describe('servers of a storage version', () => {
  it('are stale if they do not live', async () => {
    const of = version({ storageVersions: [server('a'), server('b')] })
    expect([...(await staleServers(of, async id => id === 'b'))]).to.deep.equal(['a'])
    expect([...(await staleServers(version({}), async () => false))]).to.deep.equal([])
  })

  it('leave nothing if all are stale', () =>
    expect(withoutServers(version({ storageVersions: [server('a')] }), new Set(['a']), NOW)).to.equal(undefined))

  it('agree on a version once the others are gone', () => {
    const unequal = {
      type: 'AllEncodingVersionsEqual',
      status: 'False',
      lastTransitionTime: '2029-01-01T00:00:00Z',
      reason: 'CommonEncodingVersionUnset',
      message: 'x',
    }
    const next = withoutServers(version({ storageVersions: [server('a', 'v2'), server('b')], conditions: [unequal] }), new Set(['a']), NOW)
    expect(next?.status).to.deep.equal({
      storageVersions: [server('b')],
      commonEncodingVersion: 'v1',
      conditions: [
        {
          type: 'AllEncodingVersionsEqual',
          status: 'True',
          lastTransitionTime: '2030-01-01T00:00:00Z',
          reason: 'CommonEncodingVersionSet',
          message: 'Common encoding version set',
        },
      ],
    })
  })

  it('keep the condition while the common version is the same', () => {
    const equal = {
      type: 'AllEncodingVersionsEqual',
      status: 'True',
      lastTransitionTime: '2029-01-01T00:00:00Z',
      reason: 'CommonEncodingVersionSet',
      message: 'x',
    }
    const of = version({ storageVersions: [server('a'), server('b')], commonEncodingVersion: 'v1', conditions: [equal] })
    expect(withoutServers(of, new Set(['a']), NOW)?.status.conditions).to.deep.equal([equal])
  })

  it('live by a Lease with the label of API servers', () => {
    const lease = (labels?: Record<string, string>) => ({
      kind: 'Lease',
      apiVersion: '',
      metadata: { name: 'a', ...(labels && { labels }) },
      spec: {},
    })
    expect([undefined, lease(), lease({ 'apiserver.kubernetes.io/identity': 'other' })].map(isServerIdentity)).to.deep.equal([
      false,
      false,
      false,
    ])
    expect(isServerIdentity(lease({ 'apiserver.kubernetes.io/identity': 'kube-apiserver' }))).to.equal(true)
  })
})
