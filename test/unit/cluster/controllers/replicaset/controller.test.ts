import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import type { ReplicaSet } from '../../../../../src/api/apps/v1.types.ts'
import type { Pod } from '../../../../../src/api/core/v1.types.ts'
import { replicaSetController } from '../../../../../src/cluster/controllers/replicaset/controller.ts'
import { PODS, REPLICA_SETS } from '../../../../../src/cluster/shared/kinds.ts'
import { recountPause } from '../../../../../src/cluster/shared/recount-pause.ts'
import { clusterEnvironment } from '../../../../support/cluster-environment.ts'
import { FakeApiClient } from '../../../../support/fake-api-client.ts'
import { SteppedClock } from '../../../../support/stepped-clock.ts'
import { eventually } from '../../../../support/waiting.ts'

const REPLICAS = 1200
const LABELS = { app: 'web' }

const podOf = (i: number, isReady: boolean): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: {
    name: `web-${i}`,
    namespace: 'default',
    labels: LABELS,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'set', controller: true }],
  },
  spec: { containers: [] },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False', lastProbeTime: null, lastTransitionTime: null }],
  },
})

const set: ReplicaSet = {
  kind: 'ReplicaSet',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', namespace: 'default', uid: 'set', generation: 1 },
  spec: { replicas: REPLICAS, selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: { containers: [] } } },
  status: { replicas: 0 },
}

describe('controller of replica sets', () => {
  const ended = new AbortController()
  after(() => ended.abort())

  it('counts the changes of many pods together', async () => {
    const clock = new SteppedClock(Date.parse('2030-06-01T12:00:00Z'))
    const client = new FakeApiClient()
    for (let i = 0; i < REPLICAS; i++) await client.create(PODS, podOf(i, false))
    await client.create(REPLICA_SETS, set)
    void replicaSetController(clusterEnvironment(client, clock, ended.signal), ended.signal)
    const writes = (): number => client.calls.filter(call => call.startsWith('update replicasets')).length
    const ready = async (): Promise<number> => (await client.get(REPLICA_SETS, 'default', 'web')).status.readyReplicas ?? 0
    await eventually('the first count', async () => writes() === 1)
    for (let i = 0; i < 50; i++) {
      await client.update(PODS, { ...(await client.get(PODS, 'default', `web-${i}`)), status: podOf(i, true).status })
      for (let turn = 0; turn < 4; turn++) await nextTurn()
    }
    expect(writes()).to.equal(1)
    await clock.advance(recountPause(REPLICAS))
    await eventually('the second count', async () => (await ready()) === 50)
    expect(writes()).to.equal(2)
  })

  it('counts the pods of most sets at once', () =>
    expect([1, 999, 1000, 10_000, 1_000_000].map(pods => recountPause(pods))).to.deep.equal([0, 0, 10, 100, 1000]))
})
