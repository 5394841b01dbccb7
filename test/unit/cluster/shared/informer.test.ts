import { expect } from 'chai'
import type { Pod } from '../../../../src/api/core/v1.types.ts'
import { Informer } from '../../../../src/cluster/shared/informer.ts'
import { Informers } from '../../../../src/cluster/shared/informers.ts'
import { PODS } from '../../../../src/cluster/shared/kinds.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { silentLogger } from '../../../../src/lib/log.ts'
import { badRequestError } from '../../../../src/meta/status.ts'
import { FakeApiClient } from '../../../support/fake-api-client.ts'
import { eventually } from '../../../support/waiting.ts'

const pod = (name: string, more: Partial<Pod['metadata']> = {}): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'ns', ...more },
  spec: { containers: [] },
  status: {},
})

const owner = (uid: string) => ({ ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid, controller: true }] })

/** A running informer of pods that records what its handler is called with. */
async function open(client = new FakeApiClient()) {
  const informer = new Informer(client, PODS)
  const seen: string[] = []
  informer.on({
    added: ({ metadata }) => void seen.push(`added ${metadata.name}`),
    updated: ({ metadata }) => void seen.push(`updated ${metadata.name}`),
    deleted: ({ metadata }) => void seen.push(`deleted ${metadata.name}`),
  })
  const stop = new AbortController()
  const running = informer.run(stop.signal)
  await informer.synced()
  return {
    client,
    informer,
    seen,
    async stop() {
      stop.abort()
      await running
    },
  }
}

describe('informer', () => {
  it('reports existing objects, then each change once', async () => {
    const client = new FakeApiClient()
    await client.create(PODS, pod('a'))
    const { informer, seen, stop } = await open(client)
    expect(informer.hasSynced).to.equal(true)
    await eventually('the watch is open', async () => client.calls.includes('watch pods 2'))
    await client.create(PODS, pod('b'))
    await client.patch(PODS, { namespace: 'ns', name: 'b' }, { status: { phase: 'Running' } })
    await client.delete(PODS, 'ns', 'a')
    expect(seen).to.deep.equal(['added a', 'added b', 'updated b', 'deleted a'])
    expect([...informer.store.list()].map(({ metadata }) => metadata.name)).to.deep.equal(['b'])
    await stop()
  })

  it('stores and reports objects as they are transformed', async () => {
    const client = new FakeApiClient()
    const managed = { managedFields: [{ manager: 'test', operation: 'Update' as const }] }
    const given = await client.create(PODS, pod('a', managed))
    const stop = new AbortController()
    const informers = new Informers(client, { clock: systemClock, logger: silentLogger, signal: stop.signal })
    const informer = informers.of(PODS)
    const seen: Pod[] = []
    informer.on({
      added: object => void seen.push(object),
      updated: object => void seen.push(object),
      deleted: object => void seen.push(object),
    })
    await informer.synced()
    await eventually('the watch is open', async () => client.calls.some(call => call.startsWith('watch')))
    await client.patch(PODS, { namespace: 'ns', name: 'a' }, { status: { phase: 'Running' } })
    await client.delete(PODS, 'ns', 'a')
    await eventually('all is seen', async () => seen.length === 3)
    expect(seen.map(({ metadata }) => metadata.managedFields)).to.deep.equal([undefined, undefined, undefined])
    expect(seen.map(({ status }) => status.phase)).to.deep.equal([undefined, 'Running', 'Running'])
    expect(given.metadata.managedFields, 'what others share').to.deep.equal(managed.managedFields)
    stop.abort()
    await informers.ended()
  })

  it('continues a watch that was cut, without a new list', async () => {
    const { client, seen, stop } = await open()
    await eventually('the watch is open', async () => client.calls.includes('watch pods 1'))
    await client.create(PODS, pod('a'))
    client.cut()
    await client.create(PODS, pod('b'))
    await eventually('b is seen', async () => seen.includes('added b'))
    expect(seen).to.deep.equal(['added a', 'added b'])
    expect(client.calls.filter(call => call.startsWith('list'))).to.have.length(1)
    await stop()
  })

  it('lists again if the version is too old, and reports the differences', async () => {
    const { client, seen, stop } = await open()
    await eventually('the watch is open', async () => client.calls.includes('watch pods 1'))
    for (const name of ['gone', 'changed', 'same']) await client.create(PODS, pod(name))
    client.cut()
    await client.delete(PODS, 'ns', 'gone')
    await client.patch(PODS, { namespace: 'ns', name: 'changed' }, {})
    await client.create(PODS, pod('new'))
    client.compact()
    await eventually('the deletion is seen', async () => seen.includes('deleted gone'))
    expect(seen.slice(3)).to.have.members(['updated changed', 'added new', 'deleted gone'])
    await stop()
  })

  it('reports an object that was deleted and created again as two changes', async () => {
    const { client, seen, stop } = await open()
    await eventually('the watch is open', async () => client.calls.includes('watch pods 1'))
    await client.create(PODS, pod('a'))
    client.cut()
    await client.delete(PODS, 'ns', 'a')
    await client.create(PODS, pod('a'))
    client.compact()
    await eventually('the new object is seen', async () => seen.length === 3)
    expect(seen).to.deep.equal(['added a', 'deleted a', 'added a'])
    await stop()
  })

  it('retries a list that fails', async () => {
    const client = new FakeApiClient()
    client.failures.list = [badRequestError('no'), new Error('no connection')]
    await client.create(PODS, pod('a'))
    const { seen, stop } = await open(client)
    expect(seen).to.deep.equal(['added a'])
    await stop()
  })

  it('calls a late handler for each object that is there', async () => {
    const client = new FakeApiClient()
    await client.create(PODS, pod('a'))
    const { informer, stop } = await open(client)
    const late: string[] = []
    informer.on({ added: ({ metadata }) => void late.push(metadata.name ?? '') })
    expect(late).to.deep.equal(['a'])
    await stop()
  })

  it('finds objects by namespace, controller and own indexes', async () => {
    const client = new FakeApiClient()
    const { informer, stop } = await open(client)
    informer.addIndex('node', ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]))
    await eventually('the watch is open', async () => client.calls.includes('watch pods 1'))
    await client.create(PODS, { ...pod('a', owner('u1')), spec: { containers: [], nodeName: 'n1' } })
    await client.create(PODS, pod('b'))
    const names = (pods: readonly Pod[]): (string | undefined)[] => pods.map(({ metadata }) => metadata.name)
    expect(names(informer.store.inNamespace('ns'))).to.deep.equal(['a', 'b'])
    expect(names(informer.store.controlledBy('u1'))).to.deep.equal(['a'])
    expect(names(informer.store.orphansIn('ns'))).to.deep.equal(['b'])
    expect(names(informer.store.by('node', 'n1'))).to.deep.equal(['a'])
    await client.patch(PODS, { namespace: 'ns', name: 'a' }, { metadata: { ownerReferences: [] }, spec: { nodeName: 'n2' } })
    expect(names(informer.store.controlledBy('u1'))).to.deep.equal([])
    expect(names(informer.store.by('node', 'n1'))).to.deep.equal([])
    expect(names(informer.store.by('node', 'n2'))).to.deep.equal(['a'])
    await stop()
  })

  it('reports many objects gradually, and changes meanwhile', async () => {
    const client = new FakeApiClient()
    const count = 5000
    for (let i = 0; i < count; i++) await client.create(PODS, pod(`p${i}`))
    const { informer, stop } = await open(client)
    await eventually('the watch is open', async () => client.calls.some(call => call.startsWith('watch')))
    const seen = new Map<string, string[]>()
    const note = (what: string, { metadata: { name = '' } }: Pod): void => {
      // The first call takes up the turn.
      if (seen.size === 0) for (const end = performance.now() + 50; performance.now() < end; );
      seen.set(name, [...(seen.get(name) ?? []), what])
    }
    const remove = informer.onGradually({
      added: each => note('added', each),
      updated: each => note('updated', each),
      deleted: each => note('deleted', each),
    })
    await client.patch(PODS, { namespace: 'ns', name: `p${count - 1}` }, { status: { phase: 'Running' } })
    await client.delete(PODS, 'ns', `p${count - 2}`)
    await client.create(PODS, pod('new'))
    await eventually('all objects are reported', async () => seen.size === count + 1)
    expect([...seen].filter(([, what]) => what.join() !== 'added')).to.deep.equal([[`p${count - 2}`, ['deleted']]])
    await client.patch(PODS, { namespace: 'ns', name: 'p0' }, { status: { phase: 'Running' } })
    expect(seen.get('p0')).to.deep.equal(['added', 'updated'])
    remove()
    await client.delete(PODS, 'ns', 'p0')
    expect(seen.get('p0')).to.deep.equal(['added', 'updated'])
    await stop()
  })

  it('reports few objects at once, gradually or not', async () => {
    const client = new FakeApiClient()
    await client.create(PODS, pod('a'))
    const { informer, stop } = await open(client)
    const seen: string[] = []
    informer.onGradually({ added: ({ metadata }) => void seen.push(metadata.name ?? '') })
    expect(seen).to.deep.equal(['a'])
    await stop()
  })

  it('tells objects that were there before from those that are added', async () => {
    const client = new FakeApiClient()
    await client.create(PODS, pod('a'))
    const { informer, stop } = await open(client)
    await eventually('the watch is open', async () => client.calls.some(call => call.startsWith('watch')))
    const seen: string[] = []
    informer.onGradually({
      added: ({ metadata }) => void seen.push(`added ${metadata.name}`),
      existing: ({ metadata }) => void seen.push(`existing ${metadata.name}`),
    })
    await client.create(PODS, pod('b'))
    await eventually('b is seen', async () => seen.length === 2)
    expect(seen).to.deep.equal(['existing a', 'added b'])
    await stop()
  })

  describe('with a large object', () => {
    const MANY = 5000
    const many = (value: string): Record<string, string> => Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`k${i}`, value]))

    it('calls each handler in a turn of its own, after its preparation in steps', async () => {
      const { client, informer, stop } = await open()
      const seen: string[] = []
      let turn = 0
      const count = (): void => {
        turn++
        if (isCounting) setImmediate(count)
      }
      let isCounting = true
      const turns: number[] = []
      for (const name of ['a', 'b'])
        informer.on({
          *prepare() {
            seen.push(`${name} prepares`)
            yield
          },
          added: () => {
            seen.push(`${name} added`)
            turns.push(turn)
          },
          deleted: () => {
            seen.push(`${name} deleted`)
            turns.push(turn)
          },
        })
      count()
      await client.create(PODS, pod('a', { labels: many('v') }))
      await eventually('both are called', async () => turns.length === 2)
      await client.delete(PODS, 'ns', 'a')
      await eventually('both are called again', async () => turns.length === 4)
      isCounting = false
      expect(seen).to.deep.equal(['a prepares', 'a added', 'b prepares', 'b added', 'a deleted', 'b deleted'])
      expect(new Set(turns).size).to.equal(4)
      await stop()
    })

    it('prepares it for a handler that gets very many objects gradually', async () => {
      const client = new FakeApiClient()
      for (let i = 0; i < MANY; i++) await client.create(PODS, pod(`p${i}`))
      await client.create(PODS, pod('large', { labels: many('v') }))
      const { informer, stop } = await open(client)
      await eventually('the watch is open', async () => client.calls.some(call => call.startsWith('watch')))
      const [seen, small]: [string[], string[]] = [[], []]
      const note = (what: string, { metadata: { name = '' } }: Pod): void => {
        // The first call takes up the turn.
        if (small.length === 0) for (const end = performance.now() + 50; performance.now() < end; );
        if (name.startsWith('large')) seen.push(`${name} ${what}`)
        else small.push(name)
      }
      informer.onGradually({
        *prepare(object) {
          note('prepared', object)
          yield
        },
        existing: object => note('existing', object),
        added: object => note('added', object),
      })
      await eventually('all objects are reported', async () => small.length === MANY && seen.length === 2)
      await client.create(PODS, pod('large2', { labels: many('v') }))
      await eventually('the new one is reported', async () => seen.length === 4)
      expect(seen).to.deep.equal(['large prepared', 'large existing', 'large2 prepared', 'large2 added'])
      await stop()
    })

    it('prepares those of the store alone, whether or not that fails', async () => {
      const { client, informer, stop } = await open()
      await client.create(PODS, pod('small'))
      for (const name of ['a', 'b']) await client.create(PODS, pod(name, { labels: many('v') }))
      await eventually('all are in the store', async () => [...informer.store.list()].length === 3)
      const seen: string[] = []
      await informer.prepareStored(function* ({ metadata: { name = '' } }) {
        yield
        seen.push(name)
        throw new Error('invalid')
      })
      expect(seen).to.deep.equal(['a', 'b'])
      await stop()
    })

    it('keeps the parts of the earlier state that are the same', async () => {
      const { client, informer, stop } = await open()
      const changes: [Pod, Pod][] = []
      informer.on({ updated: (next, old) => void changes.push([next, old]) })
      await client.create(PODS, pod('a', { labels: many('v'), annotations: many('w') }))
      await client.patch(
        PODS,
        { namespace: 'ns', name: 'a' },
        { metadata: { annotations: { ...many('w'), k7: 'x' } }, status: { phase: 'Running' } },
      )
      await eventually('the change is seen', async () => changes.length > 0)
      const [[next, old] = []] = changes
      expect(next?.metadata.labels).to.equal(old?.metadata.labels)
      expect(next?.metadata.annotations).to.deep.equal({ ...many('w'), k7: 'x' })
      expect([next?.status.phase, informer.store.get('ns/a') === next]).to.deep.equal(['Running', true])
      await stop()
    })

    it('calls a handler once that is added while others are called', async () => {
      const { client, informer, stop } = await open()
      const seen: string[] = []
      const remove = informer.on({
        added() {
          remove()
          informer.on({ added: ({ metadata }) => void seen.push(metadata.name ?? '') })
        },
      })
      await client.create(PODS, pod('a', { labels: many('v') }))
      await eventually('it is called', async () => seen.length > 0)
      await client.create(PODS, pod('b'))
      await eventually('it is called for another', async () => seen.includes('b'))
      expect(seen.filter(name => name === 'a')).to.deep.equal(['a'])
      await stop()
    })
  })
})
