import { expect } from 'chai'
import type { Deployment, ReplicaSet } from '../../../../../src/api/apps/v1.types.ts'
import { resizeOld } from '../../../../../src/cluster/controllers/deployment/rollout.ts'
import { DeploymentSets } from '../../../../../src/cluster/controllers/deployment/sets-of-deployment.ts'
import type { EventRecorder } from '../../../../../src/cluster/shared/event-recorder.ts'
import { REPLICA_SETS } from '../../../../../src/cluster/shared/kinds.ts'
import { clusterEnvironment } from '../../../../support/cluster-environment.ts'
import { FakeApiClient } from '../../../../support/fake-api-client.ts'
import { SteppedClock } from '../../../../support/stepped-clock.ts'

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } }
const deployment = {
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', namespace: 'default', uid: 'd', annotations: { 'deployment.kubernetes.io/revision': '1' } },
  spec: {
    replicas: 10,
    selector: { matchLabels: { app: 'web' } },
    template,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 4 } },
    progressDeadlineSeconds: 600,
  },
  status: {},
} as Deployment

const setOf = (name: string, replicas: number, availableReplicas: number): ReplicaSet => ({
  kind: 'ReplicaSet',
  apiVersion: 'apps/v1',
  metadata: { name, namespace: 'default', uid: name },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template },
  status: { replicas, availableReplicas },
})

describe('sets of a deployment', () => {
  const ended = new AbortController()
  after(() => ended.abort())

  function open() {
    const client = new FakeApiClient()
    const events: string[] = []
    const recorder: unknown = {
      record: (_kind: unknown, _about: unknown, type: string, reason: string, message: string) =>
        events.push(`${type} ${reason}: ${message}`),
    }
    const env = clusterEnvironment(client, new SteppedClock(0), ended.signal)
    const writer = new DeploymentSets(env, recorder as EventRecorder, { get: () => undefined } as never)
    return { client, events, writer }
  }

  it('first lose pods that are not available, and then available ones, each with a write and an event', async () => {
    const { client, events, writer } = open()
    const old = await client.create(REPLICA_SETS, setOf('old', 10, 8))
    const resizes = resizeOld(deployment, [old], setOf('new', 0, 0))
    expect(resizes.map(({ replicas }) => replicas)).to.deep.equal([8, 6])
    await writer.resize(deployment, resizes)
    expect((await client.get(REPLICA_SETS, 'default', 'old')).spec.replicas).to.equal(6)
    expect(events).to.deep.equal([
      'Normal ScalingReplicaSet: Scaled down replica set old from 10 to 8',
      'Normal ScalingReplicaSet: Scaled down replica set old from 8 to 6',
    ])
  })

  it('get their revision before the deployment does, in a pass of its own', async () => {
    const { client, writer } = open()
    const found = await client.create(REPLICA_SETS, setOf('new', 10, 10))
    client.calls.length = 0
    const first = await writer.synced(deployment, [found], false)
    expect([client.calls, first.deployment]).to.deep.equal([['update replicasets new'], deployment])
    expect(first.sets.newSet?.metadata.annotations?.['deployment.kubernetes.io/revision']).to.equal('1')
  })
})
