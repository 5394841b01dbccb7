import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const API = 'resource.k8s.io/v1'
const [CLAIMS, RULES] = [`/apis/${API}/namespaces/default/resourceclaims`, `/apis/${API}/devicetaintrules`]
const PODS = '/api/v1/namespaces/default/pods'
const DRIVER = 'd.example.com'

describe('taints of devices in a cluster', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    const controllers = ['device-taint-eviction-controller']
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', 'emulated-version': '1.37', controllers } })
    await original.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
    await original.apply({ apiVersion: API, kind: 'DeviceClass', metadata: { name: 'c' }, spec: {} })
    await original.apply(slice())
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const slice = (...taints: object[]) => ({
    apiVersion: API,
    kind: 'ResourceSlice',
    metadata: { name: 's' },
    spec: {
      driver: DRIVER,
      nodeName: 'n',
      pool: { name: 'p', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu', ...(taints.length && { taints }) }],
    },
  })
  const rule = (effect: string) => ({
    apiVersion: API,
    kind: 'DeviceTaintRule',
    metadata: { name: 'broken' },
    spec: { deviceSelector: { driver: DRIVER }, taint: { key: 'broken', effect } },
  })
  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const has = async (path: string): Promise<boolean> => (await plane.request('GET', path)).status === 200
  const messages = async (): Promise<string[]> =>
    (await get('/api/v1/events')).items.map(({ reason, message }: AnyObject) => `${reason}: ${message}`)
  const condition = async (): Promise<AnyObject | undefined> => (await get(`${RULES}/broken`)).status?.conditions?.[0]

  /** Creates a pod whose claim has the device. */
  async function usePod(tolerations: object[] = []): Promise<void> {
    const requests = [{ name: 'r', exactly: { deviceClassName: 'c', tolerations } }]
    await plane.apply({
      apiVersion: API,
      kind: 'ResourceClaim',
      metadata: { name: 'claim', namespace: 'default' },
      spec: { devices: { requests } },
    })
    const spec = {
      nodeName: 'n',
      containers: [{ name: 'c', image: 'app:1' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'claim' }],
    }
    await plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'user', namespace: 'default', finalizers: ['example.com/kept'] },
      spec,
    })
    const { uid } = (await get(`${PODS}/user`)).metadata
    const results = [{ request: 'r', driver: DRIVER, pool: 'p', device: 'gpu', tolerations }]
    const status = { allocation: { devices: { results } }, reservedFor: [{ resource: 'pods', name: 'user', uid }] }
    const { status: code, body } = await plane.request('PATCH', `${CLAIMS}/claim/status`, { body: { status } })
    expect(code, JSON.stringify(body)).to.equal(200)
    await plane.settled()
  }
  const isLeaving = async (): Promise<boolean> => (await get(`${PODS}/user`)).metadata.deletionTimestamp !== undefined

  it('evict a pod, with a condition and an event', async () => {
    await usePod()
    expect(await isLeaving()).to.equal(false)
    await plane.apply(slice({ key: 'broken', effect: 'NoExecute' }))
    await plane.until(isLeaving)
    const { conditions } = (await get(`${PODS}/user`)).status
    expect(conditions.find(({ type }: AnyObject) => type === 'DisruptionTarget')).to.include({
      status: 'True',
      reason: 'DeletionByDeviceTaintManager',
      message: 'Device Taint manager: deleting due to NoExecute taint',
    })
    await plane.settled()
    expect(await messages()).to.include('DeviceTaintManagerEviction: Marking for deletion')
  })

  it('wait for the time of a toleration, and are cancelled with the taint', async () => {
    await usePod([{ key: 'broken', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }])
    await plane.apply(slice({ key: 'broken', effect: 'NoExecute' }))
    await plane.settled()
    await plane.advance('50s')
    expect(await isLeaving()).to.equal(false)
    await plane.apply(slice())
    await plane.settled()
    await plane.advance('1m')
    expect(await isLeaving()).to.equal(false)
    expect(await messages()).to.deep.equal(['DeviceTaintManagerEviction: Cancelling deletion'])
  })

  it('come from rules, which report how far they are', async () => {
    await usePod()
    await plane.apply(rule('None'))
    await plane.until(async () => (await condition()) !== undefined)
    expect(await condition()).to.include({ type: 'EvictionInProgress', status: 'False', reason: 'NoEffect' })
    expect((await condition())?.message).to.match(
      /^1 published device selected. 1 allocated device selected. 1 pod would be evicted in 1 namespace /,
    )
    expect(await isLeaving()).to.equal(false)
    await plane.request('DELETE', `${RULES}/broken`)
    await plane.apply(rule('NoExecute'))
    await plane.until(isLeaving)
    await plane.advance('11s')
    await plane.until(async () => (await condition())?.reason === 'Completed')
    expect(await condition()).to.include({ status: 'False', message: '1 pod evicted since starting the controller.' })
    expect(await has(`${PODS}/user`)).to.equal(true)
  })
})
