import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const PODS = '/api/v1/namespaces/default/pods'
const LABELS = { app: 'web' }
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'app:1' }] } }
const BUDGET = '/apis/policy/v1/namespaces/default/poddisruptionbudgets/b'

describe('disruptions in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const status = async (name: string, body: object): Promise<void> =>
    void (await plane.request('PATCH', `${PODS}/${name}/status`, { body: { status: body } }))
  const advance = async (seconds: number): Promise<void> => {
    await plane.settled()
    await plane.advance(seconds * 1000)
    await plane.settled()
  }
  const node = (name: string, spec: object = {}): Promise<unknown> =>
    plane.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec })
  const boundPod = (spec: object = {}): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', finalizers: ['test/hold'] },
      spec: { ...TEMPLATE.spec, nodeName: 'n', ...spec },
    })

  it('are limited by a budget that follows its pods', async () => {
    await plane.apply(
      {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'b', namespace: 'default' },
        spec: { maxUnavailable: 1, selector: { matchLabels: LABELS } },
      },
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web', namespace: 'default' },
        spec: { replicas: 3, selector: { matchLabels: LABELS }, template: TEMPLATE },
      },
    )
    await plane.until(async () => (await get(BUDGET)).status.expectedPods === 3)
    expect((await get(BUDGET)).status).to.include({ desiredHealthy: 2, currentHealthy: 0, disruptionsAllowed: 0, observedGeneration: 1 })
    const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    for (const { metadata } of (await get(PODS)).items) await status(metadata.name, ready)
    await plane.until(async () => (await get(BUDGET)).status.disruptionsAllowed === 1)
    const [{ metadata }] = (await get(PODS)).items
    const evict = (): Promise<{ status: number }> =>
      plane.request('POST', `${PODS}/${metadata.name}/eviction`, {
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name } },
      })
    expect((await evict()).status).to.equal(201)
    await plane.until(async () => (await get(BUDGET)).status.currentHealthy === 2)
    expect((await get(BUDGET)).status.disruptionsAllowed).to.equal(0)
  })

  it('delete pods from a node that has got a taint, once the time that they tolerate is over', async () => {
    await node('n')
    await boundPod({ tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }] })
    await plane.request('PATCH', '/api/v1/nodes/n', { body: { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } } })
    await advance(59)
    expect((await get(`${PODS}/p`)).metadata.deletionTimestamp).to.equal(undefined)
    await advance(2)
    await plane.until(async () => (await get(`${PODS}/p`)).metadata.deletionTimestamp !== undefined)
    expect((await get(`${PODS}/p`)).status.conditions.find(({ type }: AnyObject) => type === 'DisruptionTarget')).to.include({
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
    })
  })

  it('delete pods whose node is gone, after some time', async () => {
    await node('n')
    await boundPod()
    await plane.settled()
    await plane.request('DELETE', '/api/v1/nodes/n')
    await advance(39)
    expect((await get(`${PODS}/p`)).status.phase).to.equal('Pending')
    await advance(2)
    await plane.until(async () => (await get(`${PODS}/p`)).metadata.deletionTimestamp !== undefined)
    expect((await get(`${PODS}/p`)).status).to.deep.include({ phase: 'Failed' })
  })
})
