import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane, Manifest } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const ATTACHMENTS = '/apis/storage.k8s.io/v1/volumeattachments'
const PODS = '/api/v1/namespaces/default/pods'
const MINUTE = 60_000

describe('a volume that is attached to a node', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    const controllers = ['persistentvolume-binder-controller', 'persistentvolume-attach-detach-controller']
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers } })
    const annotations = { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' }
    for (const name of ['n1', 'n2', 'n3']) await original.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name, annotations } })
    const spec = { accessModes: ['ReadWriteOnce'], storageClassName: '' }
    const csi = { driver: 'd', volumeHandle: 'h' }
    await original.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { ...spec, capacity: { storage: '1Gi' }, csi },
    })
    const resources = { requests: { storage: '1Gi' } }
    const metadata = { name: 'c', namespace: 'default' }
    await original.apply({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: { ...spec, resources } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
    await plane.apply(pod('a', 'n1'))
    await plane.until(async () => (await count()) === 1)
    await change('/api/v1/nodes/n1/status', { status: { volumesInUse: ['kubernetes.io/csi/d^h'] } })
  })
  afterEach(() => plane.stop())

  const pod = (name: string, nodeName: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: { nodeName, containers: [{ name: 'c', image: 'app:1' }], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
  })
  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const count = async (): Promise<number> => (await get(ATTACHMENTS)).items.length
  const change = async (path: string, body: object): Promise<void> => {
    expect((await plane.request('PATCH', path, { body })).status).to.equal(200)
    await plane.settled()
  }
  const remove = (name: string): Promise<unknown> => plane.request('DELETE', `${PODS}/${name}?gracePeriodSeconds=0`)
  const advance = async (minutes: number): Promise<void> => {
    await plane.settled()
    await plane.advance(minutes * MINUTE)
    await plane.settled()
  }

  it('is detached from a node that is not ready six minutes after it was last needed', async () => {
    await remove('a')
    await advance(4)
    await plane.apply(pod('a', 'n1'))
    await advance(1)
    await remove('a')
    await advance(5)
    expect(await count()).to.equal(1)
    await advance(1)
    expect(await count()).to.equal(0)
  })

  it('is detached at once from a node that is ready and out of service', async () => {
    await change('/api/v1/nodes/n1/status', { status: { conditions: [{ type: 'Ready', status: 'True' }] } })
    await change('/api/v1/nodes/n1', { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } })
    await remove('a')
    await plane.settled()
    expect(await count()).to.equal(0)
  })

  it('is detached from a node that is deleted: at once if it was not mounted, and after six minutes otherwise', async () => {
    await plane.request('DELETE', '/api/v1/nodes/n1')
    await remove('a')
    await advance(5)
    expect(await count()).to.equal(1)
    await advance(1)
    expect(await count()).to.equal(0)
    await plane.apply(pod('b', 'n2'))
    await plane.until(async () => (await count()) === 1)
    await plane.request('DELETE', '/api/v1/nodes/n2')
    await plane.settled()
    expect(await count()).to.equal(1)
    await remove('b')
    await plane.settled()
    expect(await count()).to.equal(0)
  })

  it('is detached once the containers of its deleted pod have stopped', async () => {
    await change('/api/v1/nodes/n1/status', { status: { volumesInUse: null } })
    const containerStatuses = (state: object): object => ({
      containerStatuses: [{ name: 'c', image: '', imageID: '', ready: false, restartCount: 0, state }],
    })
    await change(`${PODS}/a/status`, { status: containerStatuses({ running: {} }) })
    expect((await plane.request('DELETE', `${PODS}/a`)).status).to.equal(200)
    await plane.settled()
    expect(await count()).to.equal(1)
    await change(`${PODS}/a/status`, { status: containerStatuses({ terminated: { exitCode: 0 } }) })
    expect(await count()).to.equal(0)
  })

  it('cannot be attached to others, with an event that names the pods of the node that have not ended', async () => {
    const messages = async (name: string): Promise<string[]> =>
      (await get('/api/v1/events')).items
        .filter(({ involvedObject }: AnyObject) => involvedObject.name === name)
        .map(({ message }: AnyObject) => message)
    await plane.apply(pod('ended', 'n1'))
    await change(`${PODS}/ended/status`, { status: { phase: 'Succeeded' } })
    const error = 'Multi-Attach error for volume "v" Volume is already used by pod(s) a'
    await plane.apply(pod('b', 'n2'))
    await plane.until(async () => (await messages('b')).length > 0)
    expect(await messages('b')).to.deep.equal([error])
    // The conflict of a node is reported once, to the pods that wait then.
    await plane.apply(pod('late', 'n2'))
    await plane.settled()
    expect(await messages('late')).to.deep.equal([])
    await plane.apply(pod('d', 'n3'))
    await plane.until(async () => (await messages('d')).length > 0)
    expect(await messages('d')).to.deep.equal([error])
  })
})
