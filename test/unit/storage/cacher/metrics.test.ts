import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { MetricFamily } from '../../../../src/lib/metrics.ts'
import type { Release } from '../../../../src/lifecycle/release.ts'
import { createCacher } from '../../../../src/storage/cacher/cacher.ts'
import type { Cacher, CacherOptions } from '../../../../src/storage/cacher/cacher-types.ts'
import { cachedLists, cacherMetrics } from '../../../../src/storage/cacher/metrics.ts'
import { listMetrics } from '../../../../src/storage/list-metrics.ts'
import { key, revision } from '../../../../src/storage/revision.ts'
import type { ListQuery, Storage, WatchQuery } from '../../../../src/storage/storage.ts'
import { batchesOf } from '../../../support/batches.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { openCacher, testLimits, testResource } from '../../../support/test-cacher.ts'
import { everything, indexedCodec, put, take, testCodec, testKey, testObject, testPrefix } from '../../../support/test-codec.ts'
import { eventually, turns } from '../../../support/waiting.ts'

const { signal } = new AbortController()
setMaxListeners(0, signal)
const some = { matches: ({ name }: { name: string }) => name === 'a', everything: false }

/** `{label="value"} number` of each line that the family has, buckets apart. */
const linesOf = (families: readonly MetricFamily[], name: string): string[] =>
  families
    .flatMap(family => [...family.samples()])
    .filter(sample => sample.metricName === name)
    .map(({ labels, value }) => `${Object.entries(labels).map(([label, of]) => `${label}=${of}`)} ${value}`)

describe('storage/cacher/metrics', () => {
  let backend: MemoryBackend
  let cacher: Cacher
  let storage: Storage
  const open = async (options: CacherOptions = {}) => {
    cacher = openCacher(backend, { consistencyCheckMs: 0, ...options })
    storage = cacher.storageFor('configmaps')
    await cacher.synced(signal)
  }
  const lines = (name: string) => linesOf(familiesIn('1.33'), name)
  const familiesIn = (release: Release, shards = false) => [
    ...cacherMetrics([cacher], '/registry', { release, shards }),
    ...listMetrics(
      { stored: () => cacher.stats().resources.map(({ name, counts }) => [name, counts.stored]), cached: () => cachedLists([cacher]) },
      release,
    ),
  ]
  const write = (name: string, data: Record<string, string> = {}) => storage.write(testKey(name), put(testObject(name, data)), signal)
  const list = (query: Partial<ListQuery> = {}) =>
    storage.list(testPrefix, { at: 'latest', predicate: everything, limit: 0, ...query }, signal)
  const watch = async (query: Partial<WatchQuery>) =>
    batchesOf(await storage.watch(testPrefix, { start: { after: revision(1) }, predicate: everything, bookmarks: false, ...query }, signal))

  /** Several changes may come as one batch, of which a watcher takes one of any size. */
  const writeUntil = async (condition: () => boolean) => {
    for (let i = 0; i < 100 && !condition(); i++) {
      await write(`n${i}`)
      await turns()
    }
    expect(condition()).to.equal(true)
  }

  beforeEach(() => {
    backend = new MemoryBackend()
  })
  afterEach(async () => {
    await cacher.close()
    await backend.close()
  })

  it('has samples only for events that have occurred', async () => {
    await open()
    const all = familiesIn('1.37', true).flatMap(family => [...family.samples()])
    const counts = all.filter(({ metricName }) => !metricName.endsWith('_bucket') && !metricName.endsWith('_sum'))
    expect(counts.map(({ metricName, value }) => `${metricName} ${value}`)).to.deep.equal([
      'apiserver_watch_cache_resource_version 1',
      'apiserver_watch_cache_initializations_total 1',
      'apiserver_watch_cache_initialization_duration_seconds_count 1',
    ])
  })

  it('counts lists from the cache by key prefix', async () => {
    await open()
    for (const name of ['a', 'b', 'c']) await write(name)
    await list()
    await list({ predicate: some })
    expect(lines('apiserver_cache_list_total')).to.deep.equal(['resource_prefix=/configmaps,index= 2'])
    expect(lines('apiserver_cache_list_fetched_objects_total')).to.deep.equal(['resource_prefix=/configmaps,index= 6'])
    expect(lines('apiserver_cache_list_returned_objects_total')).to.deep.equal(['resource_prefix=/configmaps 4'])
    expect(lines('apiserver_watch_cache_consistent_read_total')).to.deep.equal(['resource=/configmaps,success=true,fallback=false 2'])
  })

  it('counts lists from the cache by index', async () => {
    cacher = createCacher(backend, [{ ...testResource, codec: indexedCodec, index: 'data.node' }], testLimits)
    storage = cacher.storageFor('configmaps')
    for (const name of ['a', 'b', 'c']) await write(name, { node: name === 'c' ? 'n2' : 'n1' })
    const onNode = {
      matches: ({ name }: { name: string }) => name !== 'c',
      everything: false,
      requires: (field: string) => (field === 'data.node' ? 'n1' : undefined),
    }
    expect((await list({ predicate: onNode })).items).to.have.length(2)
    await list()
    expect(lines('apiserver_cache_list_total')).to.deep.equal([
      'resource_prefix=/configmaps,index= 1',
      'resource_prefix=/configmaps,index=f:data.node 1',
    ])
    expect(lines('apiserver_cache_list_fetched_objects_total')).to.deep.equal([
      'resource_prefix=/configmaps,index= 3',
      'resource_prefix=/configmaps,index=f:data.node 2',
    ])
  })

  it('counts lists from the store', async () => {
    await open({ consistentReads: false })
    for (const name of ['a', 'b', 'c']) await write(name)
    await list({ limit: 2 })
    await list({ predicate: some })
    const stored = ['total', 'fetched_objects_total', 'evaluated_objects_total', 'returned_objects_total']
    expect(stored.map(part => lines(`apiserver_storage_list_${part}`)[0])).to.deep.equal([
      'resource=configmaps 2',
      'resource=configmaps 5',
      'resource=configmaps 5',
      'resource=configmaps 3',
    ])
    expect(lines('apiserver_cache_list_total')).to.deep.equal([])
  })

  it('labels resources by group and name since 1.34', async () => {
    cacher = createCacher(backend, [{ ...testResource, name: 'widgets.example.com' }], testLimits)
    storage = cacher.storageFor('widgets.example.com')
    await write('a')
    await list()
    const labelled = (release: Release, name: string) => linesOf(familiesIn(release), name)
    expect(labelled('1.33', 'apiserver_watch_cache_events_received_total')).to.deep.equal(['resource=widgets.example.com 1'])
    expect(labelled('1.34', 'apiserver_watch_cache_events_received_total')).to.deep.equal(['group=example.com,resource=widgets 1'])
    expect(labelled('1.34', 'apiserver_cache_list_total')).to.deep.equal(['group=example.com,resource=widgets,index= 1'])
    expect(labelled('1.34', 'apiserver_watch_cache_consistent_read_total')).to.deep.equal([
      'group=example.com,resource=widgets,success=true,fallback=false 1',
    ])
    expect(labelled('1.34', 'apiserver_watch_cache_read_wait_seconds_count')).to.deep.equal(['group=example.com,resource=widgets 1'])
  })

  it('counts lists from the store and from the cache in one family since 1.37', async () => {
    await open({ consistentReads: false })
    for (const name of ['a', 'b', 'c']) await write(name)
    await list({ limit: 2 })
    await list({ at: { notOlderThan: revision(4) } })
    const parts = (release: Release) =>
      ['total', 'fetched_objects_total', 'evaluated_objects_total', 'returned_objects_total'].map(part =>
        linesOf(familiesIn(release), `apiserver_storage_list_${part}`),
      )
    expect(parts('1.36')).to.deep.equal([1, 2, 2, 2].map(value => [`group=,resource=configmaps ${value}`]))
    const [stored, cached] = ['group=,resource=configmaps,storage=etcd', 'group=,resource=configmaps,storage=watchcache']
    expect(parts('1.37')).to.deep.equal([
      [`${stored},index= 1`, `${cached},index= 1`],
      [`${stored},index= 2`, `${cached},index= 3`],
      [`${stored} 2`, `${cached} 0`],
      [`${stored} 2`, `${cached} 3`],
    ])
    expect(linesOf(familiesIn('1.37'), 'apiserver_storage_list_duration_seconds_count')).to.deep.equal([
      'streamed=false,group=,resource=configmaps 1',
    ])
  })

  it('counts states that could not be read, and measures those that were', async () => {
    let failures = 2
    backend.before = call => {
      if (call === 'range' && failures-- > 0) throw new Error('broken')
    }
    await open()
    const initialization = (metric: string) => linesOf(familiesIn('1.37'), `apiserver_watch_cache_initialization${metric}`)
    expect(initialization('_errors_total')).to.deep.equal(['group=,resource=configmaps 2'])
    expect(initialization('s_total')).to.deep.equal(['group=,resource=configmaps 1'])
    expect(initialization('_duration_seconds_count')).to.deep.equal(['group=,resource=configmaps 1'])
  })

  const dispatched = () => linesOf(familiesIn('1.37'), 'apiserver_watch_events_dispatch_duration_seconds_count')

  it('measures the delivery of each event to each watcher', async () => {
    await open({ measuresDispatch: true })
    const [one, other] = [await watch({}), await watch({ predicate: { ...some, name: 'a' } })]
    for (const name of ['a', 'b']) await write(name)
    await take(one, 2)
    await take(other, 1)
    expect(dispatched()).to.deep.equal(
      ['total', 'storage_to_cache', 'cache_to_watcher'].map(stage => `group=,resource=configmaps,stage=${stage} 3`),
    )
  })

  it('measures no past events, nor the delivery if that is off', async () => {
    await open({ measuresDispatch: true })
    await write('a')
    await list()
    await take(await watch({}), 1)
    expect(dispatched()).to.deep.equal([])
    await cacher.close()
    await open()
    const unmeasured = await watch({ start: { after: revision(2) } })
    await write('b')
    await take(unmeasured, 1)
    expect(dispatched()).to.deep.equal([])
  })

  it('counts open watches of shards, and the objects that they left out', async () => {
    await open()
    const inShard = ({ name }: { name: string }) => name === 'a'
    const sharded = await storage.watch(
      testPrefix,
      { start: { after: revision(1) }, predicate: { matches: inShard, inShard, everything: false }, bookmarks: false },
      signal,
    )
    const samples = (name: string) => linesOf(familiesIn('1.36', true), `apiserver_watch_${name}`)
    for (const name of ['b', 'a']) await write(name)
    await take(batchesOf(sharded), 1)
    expect(samples('shards_total')).to.deep.equal(['group=,resource=configmaps 1'])
    expect(samples('filtered_events_total')).to.deep.equal(['group=,resource=configmaps 1'])
    sharded.close()
    expect(samples('shards_total')).to.deep.equal([])
    expect(familiesIn('1.36').some(({ name }) => name === 'apiserver_watch_shards_total')).to.equal(false)
  })

  it('counts consistent lists that the store served, and those that failed', async () => {
    await open({ revisionWaitMs: 20 })
    await write('a')
    await list()
    backend.lose = () => true
    await write('b')
    await list()
    const families = 'apiserver_watch_cache_consistent_read_total'
    expect(lines(families)).to.deep.equal([
      'resource=/configmaps,success=true,fallback=false 1',
      'resource=/configmaps,success=true,fallback=true 1',
    ])
    await write('c')
    backend.before = call => {
      if (call === 'range') throw new Error('broken')
    }
    await list().catch(() => {})
    expect(lines(families)).to.include('resource=/configmaps,success=false,fallback=true 1')
    expect(lines('apiserver_watch_cache_read_wait_seconds_count')).to.deep.equal(['resource=configmaps 3'])
    expect(Number(lines('apiserver_watch_cache_read_wait_seconds_sum')[0]?.split(' ')[1])).to.be.at.least(0.03)
  })

  it('counts changes, and initial events of watches', async () => {
    await open()
    for (const name of ['a', 'b', 'c']) await write(name)
    await take(await watch({ start: { initial: 'latest', bookmarkAtEnd: true } }), 4)
    await take(await watch({ start: { after: revision(2) } }), 2)
    expect(lines('apiserver_init_events_total')).to.deep.equal(['resource=configmaps 5'])
    for (const name of [
      'apiserver_watch_cache_events_received_total',
      'apiserver_watch_cache_events_dispatched_total',
      'apiserver_storage_events_received_total',
    ])
      expect(lines(name), name).to.deep.equal(['resource=configmaps 3'])
    expect(lines('apiserver_watch_cache_resource_version')).to.deep.equal(['resource=configmaps 4'])
  })

  it('counts watchers that did not keep up', async () => {
    const name = 'apiserver_terminated_watchers_total'
    await open({ queueLimit: 2 })
    await watch({})
    await writeUntil(() => lines(name)[0] === 'resource=configmaps 1')
  })

  it('counts only watchers closed as slow', async () => {
    await open()
    const query = { start: { after: revision(1) }, predicate: everything, bookmarks: false }
    const [slow, gone] = [await storage.watch(testPrefix, query, signal), await storage.watch(testPrefix, query, signal)]
    slow.close(true)
    gone.close()
    expect(lines('apiserver_terminated_watchers_total')).to.deep.equal(['resource=configmaps 1'])
  })

  it('reports the size of the history, and changes that its byte limit dropped', async () => {
    await open({ historyBytes: 2000 })
    for (let i = 0; i < 10; i++) await write('a', { i: String(i), filler: 'x'.repeat(200) })
    await list()
    const [events, forced] = ['history_events', 'history_forced_out_total'].map(name =>
      Number(lines(`binnacle_watch_cache_${name}`)[0]?.split(' ')[1]),
    )
    expect([events! > 0, forced! > 0, events! + forced!]).to.deep.equal([true, true, 10])
    expect(Number(lines('binnacle_watch_cache_history_bytes')[0]?.split(' ')[1])).to.be.within(1, 2000)
  })

  it('counts comparisons with the store', async () => {
    await open({ consistencyCheckMs: 5 })
    await eventually('a comparison', () => lines('apiserver_storage_consistency_checks_total').length > 0)
    expect(lines('apiserver_storage_consistency_checks_total')).to.have.length(1)
    expect(lines('apiserver_storage_consistency_checks_total')[0]).to.match(/^resource=\/configmaps,status=success [1-9]/)
  })

  it('counts objects that cannot be read', async () => {
    backend.apply([{ key: testKey('bad'), value: Buffer.from('no object') }])
    await open()
    backend.apply([{ key: testKey('worse'), value: Buffer.from('no object either') }])
    backend.apply([{ key: key(`${testPrefix}default/good`), value: testCodec.encode(testObject('good')) }])
    await storage.get(testKey('good'), 'latest', signal)
    expect(lines('apiserver_storage_decode_errors_total')).to.deep.equal(['resource=configmaps 2'])
  })
})
