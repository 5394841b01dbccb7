import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const CORE = '/api/v1/namespaces/default'
const APPS = '/apis/apps/v1/namespaces/default'
const SET = `${APPS}/statefulsets/web`

const statefulSet = (spec: object = {}): Manifest => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 3,
    serviceName: 'web',
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image: 'app:1' }] } },
    ...spec,
  },
})
const IMAGE_2 = { spec: { template: { spec: { containers: [{ name: 'c', image: 'app:2' }] } } } }
const CLAIMS = [{ metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }]

describe('stateful sets of a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    original = await startControlPlane({
      clock: new Date('2030-01-01T00:00:00Z'),
      flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] },
    })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const pods = async (): Promise<AnyObject[]> => (await get(`${CORE}/pods`)).items
  const names = async (): Promise<string[]> => (await pods()).map(({ metadata }) => metadata.name ?? '')
  const patch = async (path: string, body: object): Promise<void> => {
    await plane.request('PATCH', path, { body })
    await plane.settled()
  }
  const messages = async (): Promise<string[]> => (await get(`${CORE}/events`)).items.map(({ message }: AnyObject) => message)

  async function makeReady(name: string): Promise<void> {
    const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: plane.now.toISOString().replace('.000', '') }]
    await patch(`${CORE}/pods/${name}/status`, { status: { phase: 'Running', conditions } })
  }

  /** Makes pods ready until all of the set are. */
  async function makeAllReady(count: number): Promise<void> {
    for (let made = 0; made < 4 * count; made++) {
      const pending = (await pods()).find(({ status }) => status.phase === 'Pending')
      if (pending) await makeReady(pending.metadata.name ?? '')
      else if ((await get(SET)).status.readyReplicas === count) return
      else await plane.settled()
    }
    throw new Error(`the set does not become ready: ${JSON.stringify(await get(SET))}`)
  }

  it('create each pod when the earlier ones are ready, and count them', async () => {
    await plane.apply(statefulSet())
    await plane.settled()
    expect(await names()).to.deep.equal(['web-0'])
    await makeReady('web-0')
    expect(await names()).to.deep.equal(['web-0', 'web-1'])
    await makeAllReady(3)
    const { status } = await get(SET)
    expect(status).to.include({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
    })
    expect(status.currentRevision).to.equal(status.updateRevision)
    expect(await messages()).to.include.members([0, 1, 2].map(ordinal => `create Pod web-${ordinal} in StatefulSet web successful`))
  })

  it('write each pod once, and no status twice', async () => {
    await plane.apply(statefulSet({ podManagementPolicy: 'Parallel' }))
    await makeAllReady(3)
    const { metadata } = await get(SET)
    await plane.settled()
    expect((await get(SET)).metadata.resourceVersion).to.equal(metadata.resourceVersion)
    expect((await messages()).filter(message => message.startsWith('create Pod'))).to.have.length(3)
  })

  it('update the pods from the last to the partition, and keep a revision of each template', async () => {
    await plane.apply(statefulSet({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }))
    await makeAllReady(3)
    await patch(SET, IMAGE_2)
    expect((await get(SET)).status).to.include({ currentReplicas: 2, updatedReplicas: 1 })
    await makeAllReady(3)
    const images = async (): Promise<unknown[]> => (await pods()).map(({ spec }) => spec.containers[0]?.image)
    expect(await images()).to.deep.equal(['app:1', 'app:2', 'app:2'])
    await patch(SET, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } })
    await makeAllReady(3)
    expect(await images()).to.deep.equal(['app:2', 'app:2', 'app:2'])
    const { items } = await get(`${APPS}/controllerrevisions`)
    const latest = items.find(({ revision }: AnyObject) => revision === 2)
    expect(items).to.have.length(2)
    expect(latest.data.spec.template).to.include({ $patch: 'replace' })
    expect(latest.metadata.labels?.['controller.kubernetes.io/hash']).to.equal(latest.metadata.name.slice('web-'.length))
    expect((await get(SET)).status).to.include({ currentRevision: latest.metadata.name, updateRevision: latest.metadata.name })
  })

  it('wait until pods are available, as time passes', async () => {
    await plane.apply(statefulSet({ replicas: 2, minReadySeconds: 30 }))
    await plane.settled()
    await makeReady('web-0')
    expect(await names()).to.deep.equal(['web-0'])
    expect((await get(SET)).status).to.include({ readyReplicas: 1, availableReplicas: 0 })
    await plane.advance('31s')
    await plane.settled()
    expect(await names()).to.deep.equal(['web-0', 'web-1'])
    expect((await get(SET)).status).to.include({ availableReplicas: 1 })
  })

  it('create a claim for each pod, and delete it with a pod that is too many if the policy says so', async () => {
    await plane.apply(
      statefulSet({
        replicas: 2,
        podManagementPolicy: 'Parallel',
        volumeClaimTemplates: CLAIMS,
        persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Delete' },
      }),
    )
    await makeAllReady(2)
    const claims = async (): Promise<string[]> =>
      (await get(`${CORE}/persistentvolumeclaims`)).items.map(({ metadata }: AnyObject) => metadata.name)
    expect(await claims()).to.deep.equal(['data-web-0', 'data-web-1'])
    expect((await get(`${CORE}/persistentvolumeclaims/data-web-0`)).metadata.ownerReferences?.[0]).to.include({
      kind: 'StatefulSet',
      controller: true,
    })
    expect((await get(`${CORE}/pods/web-0`)).spec.volumes[0]).to.deep.equal({
      name: 'data',
      persistentVolumeClaim: { claimName: 'data-web-0' },
    })
    await patch(SET, { spec: { replicas: 1 } })
    await plane.until(async () => (await claims()).length === 1 && (await names()).length === 1)
    expect(await messages()).to.include('create Claim data-web-0 Pod web-0 in StatefulSet web success')
    await plane.request('DELETE', SET)
    await plane.until(async () => (await claims()).length === 0 && (await names()).length === 0)
  })

  it('create a pod once the claim of its predecessor is gone', async () => {
    const spec = CLAIMS[0]?.spec ?? {}
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'web-0', uid: 'earlier' }]
    const metadata = { name: 'data-web-0', namespace: 'default', finalizers: ['example.dev/held'], ownerReferences }
    await plane.apply({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec })
    const policy = { whenScaled: 'Delete', whenDeleted: 'Retain' }
    await plane.apply(statefulSet({ replicas: 1, volumeClaimTemplates: CLAIMS, persistentVolumeClaimRetentionPolicy: policy }))
    await plane.settled()
    expect(await names()).to.deep.equal([])
    await patch(`${CORE}/persistentvolumeclaims/data-web-0`, { metadata: { finalizers: null } })
    await plane.until(async () => (await names()).includes('web-0'))
  })

  it('replace a failed pod, and one that was deleted, under the same name', async () => {
    await plane.apply(statefulSet({ replicas: 1 }))
    await makeAllReady(1)
    const before = (await get(`${CORE}/pods/web-0`)).metadata.uid
    await patch(`${CORE}/pods/web-0/status`, { status: { phase: 'Failed' } })
    await plane.until(async () => ![undefined, before].includes((await get(`${CORE}/pods/web-0`)).metadata.uid))
    await makeAllReady(1)
  })

  it('report that a pod cannot be created', async () => {
    await plane.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard: { pods: '0' } },
    })
    await plane.until(async () => (await get(`${CORE}/resourcequotas/q`)).status.hard?.pods === '0')
    await plane.apply(statefulSet())
    await plane.until(async () =>
      (await messages()).some(message => message.startsWith('create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden')),
    )
    await plane.request('DELETE', `${CORE}/resourcequotas/q`)
    await plane.until(async () => (await names()).includes('web-0'))
  })
})

describe('stateful sets of a release with a number of unavailable pods', () => {
  it('replace several pods at once', async () => {
    const plane = await startControlPlane({
      gates: { MaxUnavailableStatefulSet: true },
      flags: { profile: 'cluster', controllers: ['*', '-kubelet', '-scheduler'] },
    })
    try {
      await plane.apply(statefulSet({ podManagementPolicy: 'Parallel', updateStrategy: { rollingUpdate: { maxUnavailable: 2 } } }))
      const pods = async (): Promise<AnyObject[]> => (await plane.request<AnyObject>('GET', `${CORE}/pods`)).body.items
      await plane.until(async () => (await pods()).length === 3)
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
      for (const { metadata } of await pods()) await plane.request('PATCH', `${CORE}/pods/${metadata.name}/status`, { body: { status } })
      await plane.until(async () => (await plane.request<AnyObject>('GET', SET)).body.status.readyReplicas === 3)
      await plane.request('PATCH', SET, { body: IMAGE_2 })
      const outdated = async (): Promise<number> => (await pods()).filter(({ spec }) => spec.containers[0].image === 'app:1').length
      await plane.until(async () => (await outdated()) === 1)
      await plane.settled()
      expect(await outdated()).to.equal(1)
    } finally {
      await plane.stop()
    }
  })
})
