import { expect } from 'chai'
import { updateKind } from '../../../src/catalog/define.ts'
import type { ForeignObject, ForeignResources } from '../../../src/controllers/foreign-resources.ts'
import { namespaceController } from '../../../src/controllers/namespace.ts'
import { parseGates } from '../../../src/lifecycle/gates.ts'
import { LEASES, NAMESPACES as NAMESPACES_KIND } from '../../../src/resources/kinds.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { builtinRegistry, CONFIG_MAPS, controllerEnvironment, NAMESPACES, PODS } from '../../support/builtin-registry.ts'
import { eventually } from '../../support/waiting.ts'

interface World {
  readonly gates?: Record<string, boolean>
  /** Error with which deletions of config maps fail. */
  readonly refuse?: string
  /** Called before each other deletion, which waits for it. */
  readonly begin?: () => Promise<void>
  readonly foreign?: ForeignResources
}

/** An aggregated server with flunders: its objects, and the requests it received. */
class Flunders implements ForeignResources {
  verbs = ['delete', 'deletecollection', 'list']
  stale: string[] = []
  items: ForeignObject[] = [
    { name: 'a', finalizers: [] },
    { name: 'b', finalizers: [] },
  ]
  failure: string | undefined
  readonly asked: string[] = []

  discover() {
    return { resources: [{ group: 'wardle.example.com', version: 'v1', resource: 'flunders', verbs: this.verbs }], stale: this.stale }
  }

  async list() {
    return this.items
  }

  async deleteCollection(_resource: unknown, namespace: string) {
    this.asked.push(`deletecollection ${namespace}`)
    if (this.failure !== undefined) throw new Error(this.failure)
    this.items = this.items.filter(({ finalizers }) => finalizers.length > 0)
    return true
  }

  async delete(_resource: unknown, namespace: string, name: string) {
    this.asked.push(`delete ${namespace}/${name}`)
    this.items = this.items.filter(item => item.name !== name)
  }
}

const NO_FOREIGN_RESOURCES: ForeignResources = {
  discover: () => ({ resources: [], stale: [] }),
  list: async () => undefined,
  deleteCollection: async () => false,
  delete: async () => undefined,
}

describe('namespaceController', () => {
  function open({ gates = {}, refuse, begin, foreign = NO_FOREIGN_RESOURCES }: World = {}) {
    const t = builtinRegistry()
    const access = t.access()
    const end = new AbortController()
    const env = controllerEnvironment(t)
    const refusing: typeof env.access = {
      ...env.access,
      async delete(id, ...rest) {
        if (refuse !== undefined && id.resource === CONFIG_MAPS.resource) throw new Error(refuse)
        await begin?.()
        return env.access.delete(id, ...rest)
      },
    }
    const parts = { catalog: t.catalog, foreign, features: parseGates('1.33', new Map(Object.entries(gates))) }
    const done = namespaceController(parts)({ ...env, access: refusing }, end.signal)
    return {
      t,
      access,
      async namespace(name: string) {
        await access.create(NAMESPACES, '', { kind: 'Namespace', apiVersion: 'v1', metadata: { name } })
      },
      async configMap(namespace: string, name: string, metadata: object = {}) {
        await access.create(CONFIG_MAPS, namespace, { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, ...metadata } })
      },
      names: async (id = NAMESPACES, namespace = '') => (await access.list(id, namespace)).items.map(item => item.metadata.name),
      async stop() {
        end.abort()
        await done
      },
    }
  }
  const conditions = (namespace: AnyObject): Record<string, string[]> =>
    Object.fromEntries((namespace.status.conditions ?? []).map((c: Record<string, string>) => [c.type, [c.status, c.reason, c.message]]))

  it('deletes the content and the namespace', async () => {
    const s = open()
    await s.namespace('going')
    await s.namespace('staying')
    for (const namespace of ['going', 'staying']) await s.configMap(namespace, 'a')
    await s.access.delete(NAMESPACES, '', 'going')
    await eventually('it has gone', async () => !(await s.names()).includes('going'))
    expect(await s.names()).to.deep.equal(['staying'])
    expect(await s.names(CONFIG_MAPS)).to.deep.equal(['a'])
    await s.stop()
  })

  it('reports that all content is gone, and keeps conditions of others, before it removes its finalizer', async () => {
    const s = open()
    await s.namespace('ns')
    const ids = { namespace: '', name: 'ns' }
    const own = { type: 'Backup', status: 'True', reason: 'Done', message: 'saved', lastTransitionTime: '2026-01-01T00:00:00Z' }
    await updateKind(s.access, NAMESPACES_KIND, { ...ids, subresource: 'status' }, object => {
      object.status = { ...object.status, conditions: [own] }
      return object
    })
    await updateKind(s.access, NAMESPACES_KIND, { ...ids, subresource: 'finalize' }, object => {
      object.spec = { finalizers: ['example.com/last', ...(object.spec.finalizers ?? [])] }
      return object
    })
    await s.access.delete(NAMESPACES, '', 'ns')
    const present = async (): Promise<AnyObject> => s.access.get(NAMESPACES, '', 'ns')
    await eventually('its finalizer is gone', async () => (await present()).spec.finalizers.length === 1)
    expect(Object.entries(conditions(await present())).map(([type, [status]]) => `${type}=${status}`)).to.deep.equal([
      'Backup=True',
      'NamespaceDeletionDiscoveryFailure=False',
      'NamespaceDeletionGroupVersionParsingFailure=False',
      'NamespaceDeletionContentFailure=False',
      'NamespaceContentRemaining=False',
      'NamespaceFinalizersRemaining=False',
    ])
    await s.stop()
  })

  it('limits concurrent deletions, so that writes of others are not delayed', async () => {
    let [underWay, most] = [0, 0]
    const s = open({
      async begin() {
        most = Math.max(most, ++underWay)
        await new Promise(resolve => setImmediate(resolve))
        underWay--
      },
    })
    await s.namespace('ns')
    for (let i = 0; i < 100; i++) await s.configMap('ns', `c${i}`)
    await s.access.delete(NAMESPACES, '', 'ns')
    await eventually('it has gone', async () => (await s.names()).length === 0)
    expect(most).to.be.within(2, 32)
    await s.stop()
  })

  it('waits for objects with finalizers, and reports them', async () => {
    const s = open()
    await s.namespace('ns')
    await s.configMap('ns', 'held', { finalizers: ['example.io/x'] })
    await s.configMap('ns', 'free')
    await s.access.delete(NAMESPACES, '', 'ns')
    const stuck = async () => conditions(await s.access.get(NAMESPACES, '', 'ns'))
    await eventually('conditions', async () => 'NamespaceContentRemaining' in (await stuck()))
    expect(await stuck()).to.deep.equal({
      NamespaceDeletionDiscoveryFailure: ['False', 'ResourcesDiscovered', 'All resources successfully discovered'],
      NamespaceDeletionGroupVersionParsingFailure: ['False', 'ParsedGroupVersions', 'All legacy kube types successfully parsed'],
      NamespaceDeletionContentFailure: ['False', 'ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
      NamespaceContentRemaining: ['True', 'SomeResourcesRemain', 'Some resources are remaining: configmaps. has 1 resource instances'],
      NamespaceFinalizersRemaining: [
        'True',
        'SomeFinalizersRemain',
        'Some content in the namespace has finalizers remaining: example.io/x in 1 resource instances',
      ],
    })
    expect((await s.access.get(NAMESPACES, '', 'ns')).status.phase).to.equal('Terminating')
    expect(await s.names(CONFIG_MAPS)).to.deep.equal(['held'])
    await s.access.update(CONFIG_MAPS, 'ns', 'held', now => ({ ...now, metadata: { ...now.metadata, finalizers: [] } }))
    await eventually('it has gone', async () => (await s.names()).length === 0)
    await s.stop()
  })

  const stopping = {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p' },
    spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }] },
  }

  it('waits for pods to terminate before it deletes anything else', async () => {
    const s = open()
    await s.namespace('ns')
    await s.configMap('ns', 'a')
    await s.access.create(PODS, 'ns', stopping)
    await s.access.delete(NAMESPACES, '', 'ns')
    const left = async () => conditions(await s.access.get(NAMESPACES, '', 'ns'))
    await eventually('conditions', async () => 'NamespaceContentRemaining' in (await left()))
    expect((await s.access.get(PODS, 'ns', 'p')).metadata.deletionGracePeriodSeconds).to.equal(30)
    const { NamespaceContentRemaining: remaining, NamespaceFinalizersRemaining: finalizers } = await left()
    // No condition reports the pod, as in upstream.
    expect(remaining).to.deep.equal(['False', 'ContentRemoved', 'All content successfully removed'])
    expect(finalizers).to.deep.equal(['False', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished'])
    expect(await s.names(CONFIG_MAPS, 'ns')).to.deep.equal(['a'])
    await s.access.delete(PODS, 'ns', 'p', { gracePeriodSeconds: 0 })
    await eventually('it has gone', async () => (await s.names()).length === 0)
    expect(await s.names(CONFIG_MAPS, 'ns')).to.deep.equal([])
    await s.stop()
  })

  it('deletes everything at once without OrderedNamespaceDeletion', async () => {
    const s = open({ gates: { OrderedNamespaceDeletion: false } })
    await s.namespace('ns')
    await s.configMap('ns', 'a')
    await s.access.create(PODS, 'ns', stopping)
    await s.access.delete(NAMESPACES, '', 'ns')
    const left = async () => conditions(await s.access.get(NAMESPACES, '', 'ns')).NamespaceContentRemaining
    await eventually('conditions', async () => (await left()) !== undefined)
    expect(await left()).to.deep.equal(['True', 'SomeResourcesRemain', 'Some resources are remaining: pods. has 1 resource instances'])
    expect(await s.names(CONFIG_MAPS, 'ns')).to.deep.equal([])
    await s.stop()
  })

  it('reports pods that exceed their grace period', async () => {
    const s = open()
    await s.namespace('ns')
    await s.access.create(PODS, 'ns', stopping)
    await s.access.delete(NAMESPACES, '', 'ns')
    s.t.now += 31_000
    const failure = async () => conditions(await s.access.get(NAMESPACES, '', 'ns')).NamespaceDeletionContentFailure
    await eventually('a failure', async () => (await failure())?.[0] === 'True')
    expect(await failure()).to.deep.equal([
      'True',
      'ContentDeletionFailed',
      'Failed to delete all resource types, 1 remaining: unexpected items still remain in namespace: ns for gvr: /v1, Resource=pods',
    ])
    await s.stop()
  })

  it('reports why content cannot be deleted, and deletes the rest', async () => {
    const s = open({ refuse: 'admission webhook "w" denied the request' })
    await s.namespace('ns')
    await s.configMap('ns', 'a')
    await s.access.create(LEASES, 'ns', { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: { name: 'l' } })
    await s.access.delete(NAMESPACES, '', 'ns')
    const failure = async () => conditions(await s.access.get(NAMESPACES, '', 'ns')).NamespaceDeletionContentFailure
    await eventually('a failure', async () => (await failure())?.[0] === 'True')
    expect(await failure()).to.deep.equal([
      'True',
      'ContentDeletionFailed',
      'Failed to delete all resource types, 1 remaining: admission webhook "w" denied the request',
    ])
    expect(await s.names(LEASES, 'ns')).to.deep.equal([])
    await s.stop()
  })

  it('ignores namespaces without its own finalizer', async () => {
    const s = open()
    await s.access.create(NAMESPACES, '', {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: 'ns' },
      spec: { finalizers: ['example.io/mine'] },
    })
    await s.access.delete(NAMESPACES, '', 'ns')
    await eventually('its own is gone', async () => (await s.access.get(NAMESPACES, '', 'ns')).spec.finalizers.length === 1)
    expect((await s.access.get(NAMESPACES, '', 'ns')).spec.finalizers).to.deep.equal(['example.io/mine'])
    await s.stop()
  })

  describe('with an aggregated server', () => {
    /** Deletes a namespace. Returns the requests that the aggregated server received until it was gone. */
    async function askedOf(foreign: Flunders): Promise<string[]> {
      const s = open({ foreign })
      await s.namespace('ns')
      await s.access.delete(NAMESPACES, '', 'ns')
      await eventually('it has gone', async () => (await s.names()).length === 0)
      await s.stop()
      return foreign.asked
    }

    it('deletes its objects', async () => {
      const foreign = new Flunders()
      expect(await askedOf(foreign)).to.deep.equal(['deletecollection ns'])
      expect(foreign.items).to.deep.equal([])
    })

    it('deletes objects one by one without deletecollection', async () => {
      const foreign = new Flunders()
      foreign.verbs = ['delete', 'list']
      expect(await askedOf(foreign)).to.deep.equal(['delete ns/a', 'delete ns/b'])
    })

    it('sends no requests for resources that cannot be deleted', async () => {
      const foreign = new Flunders()
      foreign.verbs = ['get', 'list']
      expect(await askedOf(foreign)).to.deep.equal([])
    })

    const troubles: [string, (foreign: Flunders) => void, Record<string, string[]>, (foreign: Flunders) => void][] = [
      [
        'it does not respond',
        foreign => (foreign.stale = ['b.example.com/v1', 'a.example.com/v1']),
        {
          NamespaceDeletionDiscoveryFailure: [
            'True',
            'DiscoveryFailed',
            'Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: a.example.com/v1: stale GroupVersion discovery: a.example.com/v1, b.example.com/v1: stale GroupVersion discovery: b.example.com/v1',
          ],
        },
        foreign => (foreign.stale = []),
      ],
      [
        'it refuses',
        foreign => (foreign.failure = 'no'),
        { NamespaceDeletionContentFailure: ['True', 'ContentDeletionFailed', 'Failed to delete all resource types, 1 remaining: no'] },
        foreign => (foreign.failure = undefined),
      ],
      [
        'it has objects with finalizers',
        foreign => (foreign.items = [{ name: 'a', finalizers: ['x.io/y'] }]),
        {
          NamespaceContentRemaining: [
            'True',
            'SomeResourcesRemain',
            'Some resources are remaining: flunders.wardle.example.com has 1 resource instances',
          ],
          NamespaceFinalizersRemaining: [
            'True',
            'SomeFinalizersRemain',
            'Some content in the namespace has finalizers remaining: x.io/y in 1 resource instances',
          ],
        },
        foreign => (foreign.items = []),
      ],
    ]
    for (const [when, begin, expected, end] of troubles)
      it(`keeps the namespace while ${when}`, async () => {
        const foreign = new Flunders()
        begin(foreign)
        const s = open({ foreign })
        await s.namespace('ns')
        await s.configMap('ns', 'own')
        await s.access.delete(NAMESPACES, '', 'ns')
        const told = async () => conditions(await s.access.get(NAMESPACES, '', 'ns'))
        await eventually('conditions', async () => 'NamespaceContentRemaining' in (await told()))
        expect(await told()).to.deep.include(expected)
        expect(await s.names(CONFIG_MAPS, 'ns')).to.deep.equal([])
        end(foreign)
        await eventually('it has gone', async () => (await s.names()).length === 0)
        await s.stop()
      })
  })

  it('processes namespaces beside many that keep their content', async () => {
    const s = open()
    for (let i = 0; i < 12; i++) {
      await s.namespace(`kept${i}`)
      await s.configMap(`kept${i}`, 'held', { finalizers: ['example.io/x'] })
      await s.access.delete(NAMESPACES, '', `kept${i}`)
    }
    await s.namespace('free')
    await s.access.delete(NAMESPACES, '', 'free')
    await eventually('it has gone', async () => !(await s.names()).includes('free'))
    expect((await s.names()).length).to.equal(12)
    await s.stop()
  })
})
