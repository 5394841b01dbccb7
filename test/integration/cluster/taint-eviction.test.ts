import { expect } from 'chai'
import { startControlPlane } from '../../../src/testing/start-control-plane.ts'
import type { ControlPlane } from '../../../src/testing/types.ts'
import type { AnyObject } from '../../support/any-object.ts'

const POD = '/api/v1/namespaces/default/pods/p'
const NODE = '/api/v1/nodes/n'
const MARKED = 'Marking for deletion Pod default/p'
const CANCELLED = 'Cancelling deletion of Pod default/p'

describe('taints of nodes that evict pods', () => {
  let original: ControlPlane
  let plane: ControlPlane
  before(async () => {
    const controllers = ['taint-eviction-controller']
    original = await startControlPlane({ clock: 'stopped', flags: { profile: 'cluster', controllers } })
    await original.apply({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } })
  })
  after(() => original.stop())
  beforeEach(async () => {
    plane = await original.fork()
  })
  afterEach(() => plane.stop())

  const get = async (path: string): Promise<AnyObject> => (await plane.request<AnyObject>('GET', path)).body
  const isLeaving = async (): Promise<boolean> => (await get(POD)).metadata.deletionTimestamp !== undefined
  const messages = async (): Promise<string[]> => (await get('/api/v1/events')).items.map(({ message }: AnyObject) => message)
  const toleration = (key: string, tolerationSeconds?: number) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  })
  const advance = async (seconds: number): Promise<void> => {
    await plane.settled()
    await plane.advance(seconds * 1000)
    await plane.settled()
  }

  /** Creates a pod of the node. */
  const createPod = (...tolerations: object[]): Promise<unknown> =>
    plane.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', finalizers: ['example.com/kept'] },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'app:1' }], tolerations },
    })

  async function change(path: string, body: object): Promise<void> {
    const { status, body: result } = await plane.request('PATCH', path, { body })
    expect(status, JSON.stringify(result)).to.equal(200)
    await plane.settled()
  }
  const taint = (...keys: string[]): Promise<void> => change(NODE, { spec: { taints: keys.map(key => ({ key, effect: 'NoExecute' })) } })

  it('keep the time of a scheduled deletion when the pod tolerates them for longer', async () => {
    await createPod(toleration('a', 10))
    await taint('a')
    const { tolerations } = (await get(POD)).spec
    const longer = tolerations.map((each: AnyObject) => (each.key === 'a' ? { ...each, tolerationSeconds: 100 } : each))
    await change(POD, { spec: { tolerations: longer } })
    await advance(9)
    expect(await isLeaving()).to.equal(false)
    await advance(1)
    expect(await isLeaving()).to.equal(true)
    expect(await messages()).to.deep.equal([MARKED])
  })

  it('keep the time of a scheduled deletion when one more is tolerated for a shorter time', async () => {
    await createPod(toleration('a', 100), toleration('b', 10))
    await taint('a')
    await taint('a', 'b')
    await advance(99)
    expect(await isLeaving()).to.equal(false)
    await advance(1)
    expect(await isLeaving()).to.equal(true)
  })

  it('evict a pod at once when one more is not tolerated, with an event about the scheduled deletion', async () => {
    await createPod(toleration('a', 100))
    await taint('a')
    await taint('a', 'b')
    expect(await isLeaving()).to.equal(true)
    expect(await messages()).to.have.members([CANCELLED, MARKED])
  })

  it('spare a pod that tolerates the last ones forever, with an event', async () => {
    await createPod(toleration('a'), toleration('b', 10))
    await taint('a', 'b')
    await taint('a')
    await advance(20)
    expect(await isLeaving()).to.equal(false)
    expect(await messages()).to.deep.equal([CANCELLED])
  })

  it('report the deletion of a pod by a user before its time', async () => {
    await createPod(toleration('a', 10))
    await taint('a')
    await plane.request('DELETE', `${POD}?gracePeriodSeconds=0`)
    await change(POD, { metadata: { finalizers: null } })
    expect(await messages()).to.deep.equal([CANCELLED])
  })

  it('evict a pod whose node has been deleted since', async () => {
    await createPod(toleration('a', 10))
    await taint('a')
    await plane.request('DELETE', NODE)
    await advance(10)
    expect(await isLeaving()).to.equal(true)
    expect(await messages()).to.deep.equal([MARKED])
  })
})
