import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } }
const PODS = '/api/v1/namespaces/default/pods'
const SET = '/apis/apps/v1/namespaces/default/replicasets/web'

const replicaSet = (replicas: number): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: TEMPLATE },
})

describe('replica sets of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const names = async (): Promise<string[]> => (await get(PODS)).items.map(({ metadata }: AnyObject) => metadata.name)

  it('has the pods that it asks for, with events, and counts them', async () => {
    await plane.apply(replicaSet(2))
    await plane.until(async () => (await get(SET)).status.replicas === 2)
    const { items } = await get(PODS)
    expect(items).to.have.length(2)
    const [pod] = items
    expect(pod.metadata.name).to.match(/^web-[a-z0-9]{5}$/)
    expect(pod.metadata).to.deep.include({ generateName: 'web-', labels: { app: 'web' } })
    expect(pod.metadata.ownerReferences[0]).to.include({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name: 'web',
      controller: true,
      blockOwnerDeletion: true,
    })
    expect((await get(SET)).status).to.deep.equal({ replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 })
    await plane.until(async () => (await get('/api/v1/namespaces/default/events')).items.length === 2)
    const events = (await get('/api/v1/namespaces/default/events')).items
    expect(events[0]).to.deep.include({ reason: 'SuccessfulCreate', type: 'Normal', source: { component: 'replicaset-controller' } })
    expect(events.map(({ message }: AnyObject) => message)).to.have.members((await names()).map(name => `Created pod: ${name}`))
  })

  it('replaces a pod that is deleted, and deletes those that are too many', async () => {
    await plane.apply(replicaSet(3))
    await plane.until(async () => (await names()).length === 3)
    const [first] = await names()
    await plane.request('DELETE', `${PODS}/${first}`)
    await plane.until(async () => !(await names()).includes(String(first)) && (await names()).length === 3)
    await plane.request('PATCH', SET, { body: { spec: { replicas: 1 } } })
    await plane.until(async () => (await names()).length === 1 && (await get(SET)).status.replicas === 1)
  })

  it('adopts a pod that matches, and releases it when its labels change', async () => {
    await plane.apply(
      { ...TEMPLATE, apiVersion: 'v1', kind: 'Pod', metadata: { name: 'orphan', namespace: 'default', labels: { app: 'web' } } },
      replicaSet(1),
    )
    await plane.until(async () => (await get(`${PODS}/orphan`)).metadata.ownerReferences?.[0]?.name === 'web')
    expect(await names()).to.deep.equal(['orphan'])
    await plane.request('PATCH', `${PODS}/orphan`, { body: { metadata: { labels: { app: 'other' } } } })
    await plane.until(async () => (await names()).length === 2)
    expect((await get(`${PODS}/orphan`)).metadata.ownerReferences).to.equal(undefined)
  })

  it('reports that pods cannot be created', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { pods: '0' } },
    })
    await plane.until(async () => (await get('/api/v1/namespaces/default/resourcequotas/q')).status.hard?.pods === '0')
    await plane.apply(replicaSet(1))
    await plane.until(async () => (await get(SET)).status.conditions?.[0].reason === 'FailedCreate')
    const [condition] = (await get(SET)).status.conditions
    expect(condition).to.include({ type: 'ReplicaFailure', status: 'True' })
    expect(condition.message).to.contain('exceeded quota: q')
  })

  it('serves replication controllers likewise', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'rc', namespace: 'default' },
      spec: { replicas: 1, selector: { app: 'web' }, template: TEMPLATE },
    })
    await plane.until(async () => (await get('/api/v1/namespaces/default/replicationcontrollers/rc')).status.replicas === 1)
    expect((await get(PODS)).items[0].metadata.ownerReferences[0]).to.include({
      apiVersion: 'v1',
      kind: 'ReplicationController',
      name: 'rc',
    })
  })
})

describe('a cluster without the replicaset controller', () => {
  it('leaves replica sets alone', async () => {
    const plane = await startControlPlane({ flags: { profile: 'cluster', controllers: '*,-replicaset-controller' } })
    await plane.apply(replicaSet(1))
    await plane.settled(300)
    expect((await plane.request<AnyObject>('GET', PODS)).body.items).to.deep.equal([])
    expect((await plane.request<AnyObject>('GET', SET)).body.status).to.deep.equal({ replicas: 0 })
    await plane.stop()
  })
})
