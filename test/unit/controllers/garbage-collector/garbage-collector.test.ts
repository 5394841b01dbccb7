import { expect } from 'chai'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../../../src/api/meta/object.ts'
import type { ResourceId } from '../../../../src/catalog/resource-access.ts'
import { garbageCollector } from '../../../../src/controllers/garbage-collector/garbage-collector.ts'
import { isStatusError } from '../../../../src/meta/status.ts'
import type { Key } from '../../../../src/storage/revision.ts'
import { builtinRegistry, CONFIG_MAPS, controllerEnvironment, NAMESPACES } from '../../../support/builtin-registry.ts'
import type { TestRegistry } from '../../../support/test-registry.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const SECRETS = { group: '', resource: 'secrets' }
const EVENTS = { group: '', resource: 'events' }
const CLUSTER_ROLES = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles' }
const ABSENT_UID = '00000000-0000-4000-8000-000000000000'
/** Milliseconds after which something is assumed not to happen. */

interface Made {
  readonly id: ResourceId
  readonly object: KubeObject
}

type Metadata = Omit<ObjectMeta, 'ownerReferences'>

/** A registry with a running collector, until `stop`. `start` starts another one. */
class World {
  readonly t: TestRegistry
  readonly access
  #end = new AbortController()
  #done: Promise<void> = Promise.resolve()
  #sentinels = 0

  constructor() {
    this.t = builtinRegistry()
    this.access = this.t.access()
  }

  static async open(running = true): Promise<World> {
    const world = new World()
    for (const name of ['ns', 'other'])
      await world.access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
    if (running) world.start()
    return world
  }

  start(): void {
    this.#end = new AbortController()
    this.#done = garbageCollector(this.t.catalog)(controllerEnvironment(this.t), this.#end.signal)
  }

  async stop(): Promise<void> {
    this.#end.abort()
    await this.#done
  }

  configMap(name: string, owners: readonly OwnerReference[] = [], metadata: Metadata = {}): Promise<Made> {
    return this.make(CONFIG_MAPS, 'ConfigMap', 'v1', { name, namespace: 'ns', ...metadata }, owners)
  }

  async make(id: ResourceId, kind: string, apiVersion: string, metadata: Metadata, owners: readonly OwnerReference[] = []): Promise<Made> {
    const ownerReferences = owners.length > 0 ? { ownerReferences: [...owners] } : {}
    const object = await this.access.create(id, metadata.namespace ?? '', {
      kind,
      apiVersion,
      metadata: { ...metadata, ...ownerReferences },
    })
    return { id, object }
  }

  async get({ id, object }: Made): Promise<KubeObject | undefined> {
    const { namespace = '', name = '' } = object.metadata
    return this.access.get(id, namespace, name).catch(error => {
      if (isStatusError(error, 'NotFound')) return undefined
      throw error
    })
  }

  async delete({ id, object }: Made, propagationPolicy?: string): Promise<void> {
    await this.access.delete(
      id,
      object.metadata.namespace ?? '',
      object.metadata.name ?? '',
      propagationPolicy === undefined ? {} : { propagationPolicy },
    )
  }

  async change({ id, object }: Made, change: (meta: ObjectMeta) => void): Promise<void> {
    await this.access.update(id, object.metadata.namespace ?? '', object.metadata.name ?? '', now => {
      change(now.metadata)
      return now
    })
  }

  gone(...made: Made[]): Promise<void> {
    return eventually(`${made.map(({ object }) => object.metadata.name).join()} have gone`, async () => {
      for (const one of made) if (await this.get(one)) return false
      return true
    })
  }

  /** Resolves once the collector has processed all earlier objects: it processes the last created one last. */
  async collected(): Promise<void> {
    const owner = await this.configMap(`sentinel-${++this.#sentinels}`)
    const owned = await this.configMap(`owned-sentinel-${this.#sentinels}`, [ownedBy(owner)])
    await this.delete(owner)
    await this.gone(owned)
  }

  /** Those of the given objects that the collector keeps. */
  async left(...made: Made[]): Promise<(string | undefined)[]> {
    await this.collected()
    return this.present(...made)
  }

  async present(...made: Made[]): Promise<(string | undefined)[]> {
    const found = await Promise.all(made.map(one => this.get(one)))
    return found.flatMap(object => (object ? [object.metadata.name] : []))
  }

  async owners(made: Made): Promise<(string | undefined)[]> {
    return ((await this.get(made))?.metadata.ownerReferences ?? []).map(({ name }) => name)
  }
}

const ownedBy = ({ object: { apiVersion, kind, metadata } }: Made, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name as string,
  uid: metadata.uid as string,
  ...more,
})
const blocking = (owner: Made): OwnerReference => ownedBy(owner, { blockOwnerDeletion: true })
const absent = (more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'never',
  uid: ABSENT_UID,
  ...more,
})

describe('garbageCollector', () => {
  let world: World
  afterEach(() => world.stop())

  it('deletes dependents, and their dependents', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const child = await world.configMap('child', [ownedBy(owner)])
    const grandchild = await world.make(SECRETS, 'Secret', 'v1', { name: 'grandchild', namespace: 'ns' }, [ownedBy(child)])
    const unrelated = await world.configMap('unrelated')
    expect(await world.left(owner, child, grandchild, unrelated)).to.deep.equal(['owner', 'child', 'grandchild', 'unrelated'])
    await world.delete(owner)
    await world.gone(owner, child, grandchild)
    expect(await world.left(unrelated)).to.deep.equal(['unrelated'])
  })

  it('removes references to missing owners, and keeps objects with another owner', async () => {
    world = await World.open()
    const [one, two] = [await world.configMap('one'), await world.configMap('two')]
    const child = await world.configMap('child', [ownedBy(one), ownedBy(two)])
    await world.delete(one)
    await eventually('one is taken out', async () => (await world.owners(child)).join() === 'two')
    await world.delete(two)
    await world.gone(child)
  })

  it('deletes an object that is created with a missing owner, and keeps one with a wrong owner beside an existing one', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const lost = await world.configMap('lost', [absent()])
    const other = await world.configMap('other', [ownedBy(owner), absent()])
    await world.gone(lost)
    await eventually('the absent one is taken out', async () => (await world.owners(other)).join() === 'owner')
  })

  it('treats an owner with the same name but another UID as missing', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    await world.gone(await world.configMap('lost', [ownedBy(owner, { uid: ABSENT_UID })]))
    expect(await world.left(owner)).to.deep.equal(['owner'])
  })

  it('deletes an object that is created after the deletion of its owner', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    await world.delete(owner)
    await world.gone(await world.configMap('late', [ownedBy(owner)]))
  })

  it('deletes a cycle of owners when the last outside owner is deleted', async () => {
    world = await World.open()
    const root = await world.configMap('root')
    const a = await world.configMap('a', [ownedBy(root)])
    const b = await world.configMap('b', [ownedBy(a)])
    await world.change(a, meta => meta.ownerReferences?.push(ownedBy(b)))
    await world.delete(root)
    // While each has an existing owner, both stay. Deleting one deletes the other.
    expect(await world.left(a, b)).to.deep.equal(['a', 'b'])
    await world.delete(b)
    await world.gone(a, b)
  })

  it('foreground: deletes after blocking dependents', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const held = await world.configMap('held', [blocking(owner)], { finalizers: ['example.io/x'] })
    const free = await world.configMap('free', [blocking(owner)])
    await world.delete(owner, 'Foreground')
    await world.gone(free)
    await eventually('the other one is being deleted', async () => (await world.get(held))?.metadata.deletionTimestamp !== undefined)
    expect((await world.get(owner))?.metadata.finalizers).to.deep.equal(['foregroundDeletion'])
    await world.change(held, meta => {
      delete meta.finalizers
    })
    await world.gone(held, owner)
  })

  it('foreground: does not wait for dependents that do not block', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const loose = await world.configMap('loose', [ownedBy(owner)], { finalizers: ['example.io/x'] })
    await world.delete(owner, 'Foreground')
    await world.gone(owner)
    await eventually('it is being deleted, too', async () => (await world.get(loose))?.metadata.deletionTimestamp !== undefined)
  })

  it('foreground: waits until a dependent no longer blocks', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const held = await world.configMap('held', [blocking(owner)], { finalizers: ['example.io/x'] })
    await world.delete(owner, 'Foreground')
    expect(await world.left(owner)).to.deep.equal(['owner'])
    await world.change(held, meta => {
      for (const reference of meta.ownerReferences ?? []) delete reference.blockOwnerDeletion
    })
    await world.gone(owner)
  })

  it('foreground: deletes level by level, also across a cycle', async () => {
    world = await World.open()
    const a = await world.configMap('a')
    const b = await world.configMap('b', [blocking(a)])
    const c = await world.configMap('c', [blocking(b)])
    await world.change(a, meta => {
      meta.ownerReferences = [blocking(c)]
    })
    await world.delete(a, 'Foreground')
    await world.gone(a, b, c)
  })

  it('foreground: deletes an object that owns itself', async () => {
    world = await World.open()
    const self = await world.configMap('self')
    await world.change(self, meta => {
      meta.ownerReferences = [blocking(self)]
    })
    await world.delete(self, 'Foreground')
    await world.gone(self)
  })

  it('foreground: only removes the reference from a dependent with another owner', async () => {
    world = await World.open()
    const [going, staying] = [await world.configMap('going'), await world.configMap('staying')]
    const shared = await world.configMap('shared', [blocking(going), blocking(staying)])
    await world.delete(going, 'Foreground')
    await world.gone(going)
    expect(await world.owners(shared)).to.deep.equal(['staying'])
  })

  it('foreground: works a second time if another finalizer holds the object', async () => {
    world = await World.open()
    const held = await world.configMap('held', [], { finalizers: ['example.io/x'] })
    const finalizers = async () => (await world.get(held))?.metadata.finalizers?.join()
    for (let i = 0; i < 2; i++) {
      await world.delete(held, 'Foreground')
      await eventually('its own finalizer is left', async () => (await finalizers()) === 'example.io/x')
    }
    await world.change(held, meta => {
      delete meta.finalizers
    })
    await world.gone(held)
  })

  it('orphan: keeps dependents and removes the reference', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const children = await Promise.all(Array.from({ length: 40 }, (_, n) => world.configMap(`child-${n}`, [blocking(owner)])))
    await world.delete(owner, 'Orphan')
    await world.gone(owner)
    for (const child of children) expect(await world.owners(child), child.object.metadata.name ?? '').to.deep.equal([])
    expect(await world.left(...children)).to.have.length(40)
  })

  it('orphan: is the default for kinds that orphan', async () => {
    world = await World.open()
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }
    const id = { group: '', resource: 'replicationcontrollers' }
    const object = await world.access.create(id, 'ns', {
      kind: 'ReplicationController',
      apiVersion: 'v1',
      metadata: { name: 'rc' },
      spec: { template },
    })
    const child = await world.configMap('child', [ownedBy({ id, object })])
    await world.delete({ id, object })
    await world.gone({ id, object })
    expect(await world.owners(child)).to.deep.equal([])
    expect(await world.left(child)).to.deep.equal(['child'])
  })

  it('honours a finalizer that an object without owners has set itself', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const child = await world.configMap('child', [ownedBy(owner)], { finalizers: ['orphan'] })
    const grandchild = await world.configMap('grandchild', [ownedBy(child)])
    await world.delete(owner, 'Background')
    await world.gone(owner, child)
    expect(await world.owners(grandchild)).to.deep.equal([])
  })

  it('deletes an object with an owner in another namespace, and writes an event', async () => {
    world = await World.open()
    const owner = await world.configMap('owner', [], { namespace: 'other' })
    expect(await world.left(owner)).to.deep.equal(['owner'])
    const child = await world.configMap('child', [ownedBy(owner)])
    await world.gone(child)
    await eventually('an event', async () => (await world.access.list(EVENTS, 'ns')).items.length > 0)
    const [event] = (await world.access.list(EVENTS, 'ns')).items
    const { uid } = owner.object.metadata
    expect(event).to.deep.include({
      reason: 'OwnerRefInvalidNamespace',
      type: 'Warning',
      message: `ownerRef [v1/ConfigMap, namespace: ns, name: owner, uid: ${uid}] does not exist in namespace "ns"`,
      involvedObject: { kind: 'ConfigMap', apiVersion: 'v1', namespace: 'ns', name: 'child', uid: child.object.metadata.uid },
      source: { component: 'garbage-collector-controller' },
    })
    expect(await world.left(owner)).to.deep.equal(['owner'])
  })

  it('is not misled by a dependent in another namespace that was observed before the owner', async () => {
    world = await World.open(false)
    const owner = await world.configMap('owner')
    const good = await world.make(SECRETS, 'Secret', 'v1', { name: 'good', namespace: 'ns' }, [ownedBy(owner)])
    const bad = await world.make(SECRETS, 'Secret', 'v1', { name: 'bad', namespace: 'other' }, [ownedBy(owner)])
    world.start()
    await world.gone(bad)
    expect(await world.left(owner, good)).to.deep.equal(['owner', 'good'])
    await world.delete(owner)
    await world.gone(good)
  })

  it('supports cluster-scoped owners of namespaced objects', async () => {
    world = await World.open()
    const role = await world.make(CLUSTER_ROLES, 'ClusterRole', 'rbac.authorization.k8s.io/v1', { name: 'role' })
    const child = await world.configMap('child', [ownedBy(role)])
    expect(await world.left(child)).to.deep.equal(['child'])
    await world.delete(role)
    await world.gone(child)
  })

  it('keeps cluster-scoped objects with a namespaced owner', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const role = await world.make(CLUSTER_ROLES, 'ClusterRole', 'rbac.authorization.k8s.io/v1', { name: 'role' }, [
      absent(),
      ownedBy(owner),
    ])
    expect(await world.left(role)).to.deep.equal(['role'])
  })

  it('keeps objects with an owner of an unknown kind until the kind is known', async () => {
    world = await World.open()
    const child = await world.configMap('child', [absent({ apiVersion: 'example.io/v1', kind: 'Widget' }), absent()])
    expect(await world.left(child)).to.deep.equal(['child'])
    const { definitions } = world.t.catalog.snapshot()
    const secrets = definitions.find(({ hub }) => hub.names.plural === 'secrets')!
    const widget = { ...secrets.hub, group: 'example.io', kind: 'Widget', names: { plural: 'widgets', singular: 'widget' } }
    world.t.catalog.replace([
      ...definitions,
      { ...secrets, hub: widget, versions: [widget], storage: { prefix: 'widgets', version: widget } },
    ])
    await world.gone(child)
  })

  it('continues where another collector stopped', async () => {
    world = await World.open(false)
    const [background, foreground, orphan] = [
      await world.configMap('background'),
      await world.configMap('foreground'),
      await world.configMap('orphaning'),
    ]
    const left = await world.configMap('left', [ownedBy(background)])
    const blocked = await world.configMap('blocked', [blocking(foreground)])
    const orphaned = await world.configMap('orphaned', [ownedBy(orphan)])
    await world.delete(background)
    await world.delete(foreground, 'Foreground')
    await world.delete(orphan, 'Orphan')
    expect(await world.present(left, blocked, foreground, orphan)).to.have.length(4)
    world.start()
    await world.gone(left, blocked, foreground, orphan)
    expect(await world.owners(orphaned)).to.deep.equal([])
  })

  it('detects deletions while its watches were interrupted', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    const child = await world.make(SECRETS, 'Secret', 'v1', { name: 'child', namespace: 'ns' }, [ownedBy(owner)])
    await world.collected()
    const { backend } = world.t
    backend.down = true
    backend.apply([{ key: '/registry/configmaps/ns/owner' as Key }])
    backend.down = false
    await world.gone(child)
  })

  it('does nothing if there is nothing to do', async () => {
    world = await World.open()
    const owner = await world.configMap('owner')
    await world.configMap('child', [ownedBy(owner)])
    await world.collected()
    const calls: string[] = []
    world.t.backend.before = call => void calls.push(call)
    await turns(200)
    expect(calls).to.deep.equal([])
  })
})
