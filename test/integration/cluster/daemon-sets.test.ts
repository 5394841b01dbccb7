import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CORE = '/api/v1/namespaces/default'
const APPS = '/apis/apps/v1/namespaces/default'
const SET = `${APPS}/daemonsets/ds`
const IMAGE_2 = { spec: { template: { spec: { containers: [{ name: 'c', image: 'app:2' }] } } } }

const daemonSet = (spec: object = {}, podSpec: object = {}): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'ds', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'ds' } },
    template: { metadata: { labels: { app: 'ds' } }, spec: { containers: [{ name: 'c', image: 'app:1' }], ...podSpec } },
    ...spec,
  },
})

const START = new Date('2030-01-01T00:00:00Z')

describe('daemon sets of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({
      clock: START,
      flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler', '-node-lifecycle-controller'] },
    })
    for (const name of ['n1', 'n2', 'n3']) await node(original, name)
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const pods = async (): Promise<AnyObject[]> => (await get(`${CORE}/pods`)).items
  const messages = async (): Promise<string[]> => (await get(`${CORE}/events`)).items.map(({ message }: AnyObject) => message)
  const targetOf = ({ spec }: AnyObject): string =>
    spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values[0]
  const targets = async (): Promise<string[]> => (await pods()).map(targetOf).sort()
  const patch = async (path: string, body: object): Promise<void> => {
    await plane.request('PATCH', path, { body })
    await plane.settled()
  }

  /** Registers a node, and removes the taint of new nodes. */
  async function node(on: ControlPlane, name: string): Promise<void> {
    await on.request('POST', '/api/v1/nodes', { body: { apiVersion: 'v1', kind: 'Node', metadata: { name } } })
    await on.request('PATCH', `/api/v1/nodes/${name}`, { body: { spec: { taints: null } } })
  }

  /** Binds pods to their nodes and makes them ready, as a scheduler and a kubelet do. */
  async function run(all: readonly AnyObject[], status: object = {}): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: plane.now.toISOString().replace('.000', '') }]
    for (const pod of all) {
      const path = `${CORE}/pods/${pod.metadata.name}`
      const target = { apiVersion: 'v1', kind: 'Node', name: targetOf(pod) }
      if (!pod.spec.nodeName)
        await plane.request('POST', `${path}/binding`, {
          body: { apiVersion: 'v1', kind: 'Binding', metadata: { name: pod.metadata.name }, target },
        })
      await plane.request('PATCH', `${path}/status`, { body: { status: { phase: 'Running', conditions, ...status } } })
    }
    await plane.settled()
  }

  /** Removes pods that are being deleted, as a kubelet does. */
  async function endPods(): Promise<void> {
    for (const { metadata } of await pods())
      if (metadata.deletionTimestamp) await plane.request('DELETE', `${CORE}/pods/${metadata.name}`, { body: { gracePeriodSeconds: 0 } })
    await plane.settled()
  }

  it('have a pod for each node, pinned to it, and count them', async () => {
    await plane.apply(daemonSet())
    await plane.until(async () => (await get(SET)).status.currentNumberScheduled === 3)
    expect(await targets()).to.deep.equal(['n1', 'n2', 'n3'])
    const all = await pods()
    const [pod] = all
    expect(pod?.metadata.name).to.match(/^ds-[a-z0-9]{5}$/)
    expect(pod?.metadata.labels).to.include({ app: 'ds', 'pod-template-generation': '1' })
    expect(pod?.spec.tolerations.map(({ key }: AnyObject) => key)).to.include('node.kubernetes.io/unschedulable')
    await run(all)
    expect((await get(SET)).status).to.include({
      desiredNumberScheduled: 3,
      numberReady: 3,
      numberAvailable: 3,
      updatedNumberScheduled: 3,
      observedGeneration: 1,
    })
    expect(await messages()).to.have.members(all.map(({ metadata }) => `Created pod: ${metadata.name}`))
    const { metadata } = await get(SET)
    await plane.settled()
    expect((await get(SET)).metadata.resourceVersion).to.equal(metadata.resourceVersion)
  })

  it('follow nodes that come, go, are labelled and are tainted', async () => {
    await plane.apply(daemonSet({}, { nodeSelector: { disk: 'ssd' } }))
    await plane.settled()
    expect(await targets()).to.deep.equal([])
    await patch('/api/v1/nodes/n1', { metadata: { labels: { disk: 'ssd' } } })
    await patch('/api/v1/nodes/n2', { metadata: { labels: { disk: 'ssd' } } })
    expect(await targets()).to.deep.equal(['n1', 'n2'])
    await plane.request('DELETE', '/api/v1/nodes/n2')
    await plane.until(async () => (await targets()).join() === 'n1')
    await patch('/api/v1/nodes/n1', { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } })
    expect(await targets()).to.deep.equal(['n1'])
    await patch('/api/v1/nodes/n1', { spec: { taints: [{ key: 'k', effect: 'NoExecute' }] } })
    await plane.until(async () => (await targets()).length === 0)
    expect((await get(SET)).status).to.include({ desiredNumberScheduled: 0, currentNumberScheduled: 0 })
  })

  it('replace one pod after the other, and keep revisions up to the limit', async () => {
    await plane.apply(daemonSet({ revisionHistoryLimit: 0 }))
    await plane.settled()
    await run(await pods())
    await patch(SET, IMAGE_2)
    expect((await pods()).filter(({ metadata }) => metadata.deletionTimestamp)).to.have.length(1)
    for (let updated = 1; updated <= 3; updated++) {
      await endPods()
      expect((await get(SET)).status).to.include({ updatedNumberScheduled: updated, numberUnavailable: 1 })
      await run((await pods()).filter(({ spec }) => !spec.nodeName))
    }
    expect((await get(SET)).status).to.include({ updatedNumberScheduled: 3, numberAvailable: 3 })
    const { items } = await get(`${APPS}/controllerrevisions`)
    expect(items.map(({ revision }: AnyObject) => revision)).to.deep.equal([2])
    const [pod] = await pods()
    expect(items[0].metadata.labels['controller-revision-hash']).to.equal(pod?.metadata.labels?.['controller-revision-hash'])
  })

  it('run the new pod beside the old one if the update surges', async () => {
    await plane.apply(daemonSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }))
    await plane.settled()
    await run(await pods())
    await patch(SET, IMAGE_2)
    expect(await pods()).to.have.length(4)
    await run((await pods()).filter(({ spec }) => !spec.nodeName))
    expect((await pods()).filter(({ metadata }) => metadata.deletionTimestamp)).to.have.length(1)
  })

  it('leave pods to their owner if they are updated when they are deleted', async () => {
    await plane.apply(daemonSet({ updateStrategy: { type: 'OnDelete' } }))
    await plane.settled()
    await run(await pods())
    await patch(SET, IMAGE_2)
    expect((await pods()).filter(({ metadata }) => metadata.deletionTimestamp)).to.have.length(0)
    const { status } = await get(SET)
    expect(status).to.include({ numberAvailable: 3 })
    expect(status.updatedNumberScheduled ?? 0).to.equal(0)
  })

  it('replace failed pods, ever more slowly', async () => {
    await plane.apply(daemonSet())
    await plane.settled()
    const fail = async (): Promise<number> => {
      const [pod] = (await pods()).filter(each => targetOf(each) === 'n1')
      if (pod) await run([pod], { phase: 'Failed', conditions: [] })
      await endPods()
      return (await pods()).filter(({ status }) => status.phase === 'Failed').length
    }
    expect(await fail()).to.equal(0)
    expect(await fail()).to.equal(1)
    await plane.advance('1s')
    await plane.settled()
    await endPods()
    expect((await pods()).filter(({ status }) => status.phase === 'Failed')).to.have.length(0)
    const failures = (await messages()).filter(message =>
      /^Found failed daemon pod default\/ds-\w+ on node n1, will try to kill it$/.test(message),
    )
    expect(failures).to.have.length(2)
  })

  it('count a ready pod as available after its seconds', async () => {
    await plane.apply(daemonSet({ minReadySeconds: 30 }))
    await plane.settled()
    await run(await pods())
    expect((await get(SET)).status.numberAvailable ?? 0).to.equal(0)
    await plane.advance('30s')
    await plane.settled()
    expect((await get(SET)).status).to.include({ numberReady: 3, numberAvailable: 3 })
  })

  it('adopt pods and revisions of a set that was deleted alone, and return to an earlier revision', async () => {
    await plane.apply(daemonSet())
    await plane.settled()
    await run(await pods())
    const before = (await pods()).map(({ metadata }) => metadata.uid)
    await plane.request('DELETE', SET, { body: { propagationPolicy: 'Orphan' } })
    await plane.until(async () => (await plane.request('GET', SET)).status === 404)
    await plane.apply(daemonSet())
    await plane.until(async () => (await get(SET)).status.numberReady === 3)
    expect((await pods()).map(({ metadata }) => metadata.uid)).to.deep.equal(before)
    const revisions = async (): Promise<unknown[]> =>
      (await get(`${APPS}/controllerrevisions`)).items.map(({ revision }: AnyObject) => revision).sort()
    expect(await revisions()).to.deep.equal([1])
    await patch(SET, IMAGE_2)
    expect(await revisions()).to.deep.equal([1, 2])
    await patch(SET, { spec: { template: { spec: { containers: [{ name: 'c', image: 'app:1' }] } } } })
    expect(await revisions()).to.deep.equal([2, 3])
  })
})
