import { expect } from 'chai'
import type { Secret } from '../../../../../src/api/core/v1.types.ts'
import { legacyTokenCleaner } from '../../../../../src/cluster/controllers/legacytokencleaner/controller.ts'
import { CONFIG_MAPS, SECRETS, SERVICE_ACCOUNTS } from '../../../../../src/cluster/shared/kinds.ts'
import { clusterEnvironment } from '../../../../support/cluster-environment.ts'
import { FakeApiClient } from '../../../../support/fake-api-client.ts'
import { SteppedClock } from '../../../../support/stepped-clock.ts'
import { eventually } from '../../../../support/waiting.ts'

const START = Date.parse('2030-06-01T12:00:00Z')
const DAY_MS = 24 * 3_600_000
const TRACKING = { name: 'kube-apiserver-legacy-service-account-token-tracking', namespace: 'kube-system' }

const token = (name: string): Secret => ({
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: {
    name,
    namespace: 'default',
    creationTimestamp: '2020-01-01T00:00:00Z',
    annotations: { 'kubernetes.io/service-account.name': 'a' },
  },
  type: 'kubernetes.io/service-account-token',
})

describe('cleaner of legacy tokens', () => {
  const ended = new AbortController()
  after(() => ended.abort())

  it('marks unused generated tokens once their use was recorded for a year, and deletes them a year later', async () => {
    const clock = new SteppedClock(START)
    const client = new FakeApiClient()
    for (const name of ['generated', 'made']) await client.create(SECRETS, token(name))
    await client.create(SERVICE_ACCOUNTS, {
      kind: 'ServiceAccount',
      apiVersion: 'v1',
      metadata: { name: 'a', namespace: 'default' },
      secrets: [{ name: 'generated' }],
    })
    await client.create(CONFIG_MAPS, { kind: 'ConfigMap', apiVersion: 'v1', metadata: TRACKING, data: { since: '2029-05-31' } })
    void legacyTokenCleaner(clusterEnvironment(client, clock, ended.signal), ended.signal)
    const writes = (): string[] => client.calls.filter(call => call.startsWith('patch') || call.startsWith('delete'))
    await eventually('the mark', async () => writes().length === 1)
    expect((await client.get(SECRETS, 'default', 'generated')).metadata.labels).to.deep.equal({
      'kubernetes.io/legacy-token-invalid-since': '2030-06-01',
    })
    await clock.advance(365 * DAY_MS)
    expect(writes()).to.have.length(1)
    await clock.advance(DAY_MS)
    expect(writes()).to.deep.equal(['patch secrets generated', 'delete secrets generated'])
  })
})
