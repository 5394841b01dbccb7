import { expect } from 'chai'
import type { Deployment } from '../../../../../src/api/apps/v1.types.ts'
import { untilDeadline } from '../../../../../src/cluster/controllers/deployment/status.ts'

const START = Date.UTC(2030, 0, 1)
const START_TIME = new Date(START).toISOString()

/** A deployment of three pods, of which one is available, with a condition of the reason. */
const deploymentOf = (reason: string): Deployment => ({
  kind: 'Deployment',
  apiVersion: 'apps/v1',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas: 3, progressDeadlineSeconds: 60, selector: {}, strategy: {}, template: { metadata: {}, spec: { containers: [] } } },
  status: {
    replicas: 3,
    updatedReplicas: 3,
    availableReplicas: 1,
    conditions: [{ type: 'Progressing', status: 'True', reason, lastTransitionTime: START_TIME, lastUpdateTime: START_TIME }],
  },
})

const waitAfter = (reason: string, seconds: number): number | undefined => {
  const deployment = deploymentOf(reason)
  return untilDeadline(deployment, deployment.status, START + seconds * 1000)
}

describe('the deadline of a rollout', () => {
  it('is checked again while the rollout lasts', () => {
    expect([waitAfter('ReplicaSetUpdated', 10), waitAfter('ReplicaSetUpdated', 61)]).to.deep.equal([50_000, 0])
  })

  it('is not checked again once the rollout has succeeded or timed out, however long pods are unavailable', () => {
    expect([waitAfter('NewReplicaSetAvailable', 61), waitAfter('ProgressDeadlineExceeded', 61)]).to.deep.equal([undefined, undefined])
  })
})
