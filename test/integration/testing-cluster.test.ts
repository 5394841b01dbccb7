import { expect } from 'chai'
import { startControlPlane } from '../../src/testing/start-control-plane.ts'
import type { ControlPlane, ControlPlaneOptions } from '../../src/testing/types.ts'
import type { AnyObject } from '../support/any-object.ts'
import { rejection } from '../support/filter-context.ts'
import { storeDigest } from '../support/seeded-history.ts'

const deployment = (name: string, replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'default' },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image: 'main:1' }] } },
  },
})

describe('a cluster of a control plane for tests', () => {
  const planes: ControlPlane[] = []

  const start = async (options: ControlPlaneOptions): Promise<ControlPlane> => {
    const plane = await startControlPlane({ cluster: true, ...options })
    planes.push(plane)
    return plane
  }
  const items = async (plane: ControlPlane, path: string): Promise<AnyObject[]> =>
    ((await plane.request('GET', path)).body as AnyObject).items
  const readyReplicas = async (plane: ControlPlane, name: string): Promise<number> =>
    ((await plane.request('GET', `/apis/apps/v1/namespaces/default/deployments/${name}`)).body as AnyObject).status.readyReplicas ?? 0

  afterEach(async () => {
    for (const plane of planes.splice(0)) await plane.stop()
  })

  it('has the given number of nodes, on which the pods of a Deployment become ready', async () => {
    const plane = await start({ nodes: 3 })
    await plane.apply(deployment('web', 5))
    await plane.until(async () => (await readyReplicas(plane, 'web')) === 5)
    expect((await items(plane, '/api/v1/nodes')).map(({ metadata }) => metadata.name)).to.deep.equal(['node-1', 'node-2', 'node-3'])
  })

  it('has pods whose fields have the managers of a cluster, after a binding and an eviction', async () => {
    const plane = await start({})
    await plane.apply(deployment('web', 1))
    await plane.until(async () => (await readyReplicas(plane, 'web')) === 1)
    const [pod] = await items(plane, '/api/v1/namespaces/default/pods')
    const managersOf = ({ metadata }: AnyObject): string[] =>
      (metadata.managedFields ?? []).map(({ manager, subresource = '' }) => `${manager} ${subresource}`).toSorted()
    const managers = ['kube-controller-manager ', 'kubelet status']
    expect(managersOf(pod!)).to.deep.equal(managers)
    const path = `/api/v1/namespaces/default/pods/${pod!.metadata.name}`
    // Without its finalizer the pod would be gone at once.
    await plane.request('PATCH', path, { body: { metadata: { finalizers: ['example.dev/kept'] } }, headers: { 'user-agent': 'tester' } })
    await plane.request('POST', `${path}/eviction`, { body: { metadata: { name: pod!.metadata.name } } })
    const evicted = (await plane.request('GET', path)).body as AnyObject
    expect(evicted.status.conditions.some(({ type }: AnyObject) => type === 'DisruptionTarget')).to.equal(true)
    expect(managersOf(evicted)).to.deep.equal([...managers, 'tester '])
    await plane.request('PATCH', path, { body: { metadata: { finalizers: null } } })
  })

  it('forks with its pods, and both continue on their own', async () => {
    const plane = await start({ nodes: 2 })
    await plane.apply(deployment('web', 2))
    await plane.until(async () => (await readyReplicas(plane, 'web')) === 2)
    const copy = await plane.fork()
    planes.push(copy)
    await copy.request('PATCH', '/apis/apps/v1/namespaces/default/deployments/web', { body: { spec: { replicas: 4 } } })
    await copy.until(async () => (await readyReplicas(copy, 'web')) === 4)
    expect(await readyReplicas(plane, 'web')).to.equal(2)
  })

  it('has faults in the requests of its controllers, which retry', async () => {
    const plane = await start({})
    const controller = 'system:serviceaccount:kube-system:replicaset-controller'
    const fault = plane.faults.add({
      match: { users: [controller], verbs: ['create'], resources: ['pods'] },
      rate: { count: 3 },
      status: { code: 503 },
    })
    const cut = plane.faults.add({
      match: { users: ['system:kube-scheduler'], verbs: ['create'], resources: ['pods/binding'] },
      rate: { count: 1 },
      cut: 'AfterCommit',
    })
    await plane.apply(deployment('web', 2))
    await plane.until(async () => (await readyReplicas(plane, 'web')) === 2)
    expect([fault.hits, cut.hits]).to.deep.equal([3, 1])
    expect(await items(plane, '/api/v1/namespaces/default/pods')).to.have.length(2)
  })

  it('follows its watches again after a fault has ended them', async () => {
    const plane = await start({})
    // A fork can be given faults before its server opens, and so before the controllers watch.
    const copy = await plane.fork()
    planes.push(copy)
    const fault = copy.faults.add({
      match: { users: ['system:kube-controller-manager'], verbs: ['watch'] },
      watch: { endAfter: 2, withGone: true },
    })
    await copy.apply(deployment('web', 3))
    await copy.until(async () => (await readyReplicas(copy, 'web')) === 3)
    expect(fault.hits).to.be.above(20)
  })

  it('writes the same bytes for the same seed', async () => {
    const play = async (): Promise<string> => {
      const plane = await start({ nodes: 3, seed: 'x' })
      await plane.apply(deployment('web', 5))
      await plane.advance('1m')
      const [pod] = await items(plane, '/api/v1/namespaces/default/pods')
      await plane.request('DELETE', `/api/v1/namespaces/default/pods/${pod!.metadata.name}`)
      await plane.apply(deployment('web', 8), {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'job', namespace: 'default' },
        spec: {
          completions: 3,
          parallelism: 2,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'main:1' }] } },
        },
      })
      await plane.advance('5m')
      expect(await readyReplicas(plane, 'web')).to.equal(8)
      return storeDigest(plane)
    }
    expect(await play()).to.equal(await play())
  })

  it('refuses nodes without a cluster', async () => {
    expect(await rejection(startControlPlane({ nodes: 3 }))).to.have.property(
      'message',
      'nodes: only a cluster has nodes: set the option cluster',
    )
  })
})
