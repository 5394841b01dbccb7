import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
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

  const budget = (name: string): JsonObject => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: 'default' },
    spec: { maxUnavailable: 1, selector: { matchLabels: LABELS } },
  })
  const eventsOn = async (name: string): Promise<string[]> =>
    (await get('/api/v1/namespaces/default/events')).items
      .filter(({ involvedObject }: AnyObject) => involvedObject.name === name)
      .map(({ reason, message }: AnyObject) => `${reason} ${message}`)

  it('are not allowed for pods whose controller has no scale', async () => {
    const spec = { ...TEMPLATE.spec, restartPolicy: 'Never' }
    await plane.apply(budget('b'), {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j', namespace: 'default' },
      spec: { template: { ...TEMPLATE, spec } },
    })
    await plane.until(async () => (await get(BUDGET)).status.conditions?.[0]?.reason === 'SyncFailed')
    const message = 'jobs.batch does not implement the scale subresource'
    expect((await get(BUDGET)).status.conditions[0]).to.include({ status: 'False', message })
    await plane.until(async () =>
      (await eventsOn('b')).includes(`CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: ${message}`),
    )
  })

  it('are reported for pods without a controller, and for pods with several budgets', async () => {
    await plane.apply(budget('b'), budget('c'))
    await plane.settled()
    await plane.apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default', labels: LABELS }, spec: TEMPLATE.spec })
    await plane.until(async () =>
      (await eventsOn('p')).some(text =>
        /^MultiplePodDisruptionBudgets Pod "default"\/"p" matches multiple PodDisruptionBudgets\. {2}Chose "[bc]" arbitrarily\.$/.test(
          text,
        ),
      ),
    )
    const selector = '&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}'
    await plane.until(async () =>
      (await eventsOn('b')).some(text =>
        text.startsWith(`UnmanagedPods Pods selected by this PodDisruptionBudget (selector: ${selector})`),
      ),
    )
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
