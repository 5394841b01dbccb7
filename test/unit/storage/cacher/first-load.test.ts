import { setMaxListeners } from 'node:events'
import { expect } from 'chai'
import type { RangeQuery } from '../../../../src/storage/backend.ts'
import { createCacher } from '../../../../src/storage/cacher/cacher.ts'
import type { Cacher } from '../../../../src/storage/cacher/cacher-types.ts'
import { key } from '../../../../src/storage/revision.ts'
import { MemoryBackend } from '../../../support/memory-backend.ts'
import { testLimits, testResource } from '../../../support/test-cacher.ts'
import { everything, put, testCodec, testObject } from '../../../support/test-codec.ts'
import { eventually } from '../../../support/waiting.ts'

const { signal } = new AbortController()
setMaxListeners(0, signal)

/** Resources by name, with the number of objects of each at the start. */
const SIZES = { configmaps: 5000, secrets: 700, pods: 3, nodes: 0 }
type Name = keyof typeof SIZES
const NAMES: readonly Name[] = ['configmaps', 'secrets', 'pods', 'nodes']
const prefixOf = (name: string) => key(`/registry/${name}/`)

describe('storage/cacher: the first load of a large store', () => {
  let backend: PagedBackend
  let cacher: Cacher

  const seed = (resource: string, name: string) =>
    backend.apply([{ key: key(`${prefixOf(resource)}default/${name}`), value: testCodec.encode(testObject(name)) }])
  const loaded = () =>
    cacher
      .stats()
      .resources.filter(resource => resource.loaded)
      .map(({ name }) => name)
  const list = async (name: Name, at: 'any' | 'latest' = 'latest') =>
    (await cacher.storageFor(name).list(prefixOf(name), { at, predicate: everything, limit: 0 }, signal)).items.map(
      object => object.attributes().name,
    )

  beforeEach(() => {
    backend = new PagedBackend()
    for (const name of NAMES) for (let i = 0; i < SIZES[name]; i++) seed(name, `n${String(i).padStart(4, '0')}`)
    cacher = createCacher(
      backend,
      NAMES.map(name => ({ ...testResource, name, prefix: prefixOf(name) })),
      testLimits,
    )
  })
  afterEach(async () => {
    backend.release()
    await cacher.close()
    await backend.close()
  })

  it('serves each resource as soon as it is loaded, those with few objects first', async () => {
    await eventually('the small ones are loaded', () => loaded().length === 3)
    expect(loaded()).to.deep.equal(['secrets', 'pods', 'nodes'])
    expect(await list('pods')).to.deep.equal(['n0000', 'n0001', 'n0002'])
    expect(await list('secrets', 'any')).to.have.length(SIZES.secrets)
    expect(cacher.ready()).to.equal(false)
    await eventually('the first eight pages are read', () => cacher.loading()[0]?.objects === 4000)
    expect(cacher.loading()).to.deep.equal([{ name: 'configmaps', objects: 4000 }])
    backend.release()
    await cacher.synced(signal)
    expect(cacher.loading()).to.deep.equal([])
    expect(await list('configmaps')).to.have.length(SIZES.configmaps)
  })

  it('reads other resources while the store takes its time with a page', async () => {
    backend.heldFrom = prefixOf('configmaps')
    await eventually('the smallest ones are loaded', () => loaded().length === 2)
    expect(loaded()).to.deep.equal(['pods', 'nodes'])
    expect(cacher.loading()[0]).to.deep.equal({ name: 'configmaps', objects: 0 })
    backend.release()
    await cacher.synced(signal)
    expect(await list('configmaps')).to.have.length(SIZES.configmaps)
  })

  it('shows writes during the load, in loaded resources and in others', async () => {
    await eventually('the small ones are loaded', () => loaded().length === 3)
    seed('configmaps', 'a-new')
    seed('configmaps', 'n0000')
    backend.apply([{ key: key(`${prefixOf('configmaps')}default/n0001`) }])
    await cacher.storageFor('pods').write(key(`${prefixOf('pods')}default/new`), put(testObject('new')), signal)
    expect(await list('pods')).to.deep.equal(['n0000', 'n0001', 'n0002', 'new'])
    backend.release()
    await cacher.synced(signal)
    const names = await list('configmaps')
    expect([names.length, ...names.slice(0, 3)]).to.deep.equal([SIZES.configmaps, 'a-new', 'n0000', 'n0002'])
  })

  it('waits for a resource that is added meanwhile', async () => {
    await eventually('the small ones are loaded', () => loaded().length === 3)
    cacher.addResource({ ...testResource, name: 'widgets.example.com', prefix: prefixOf('example.com/widgets') })
    expect(cacher.loading().map(({ name }) => name)).to.deep.equal(['configmaps', 'widgets.example.com'])
    backend.release()
    await cacher.synced(signal)
    expect(loaded()).to.include('widgets.example.com')
  })

  it('restarts if changes are lost meanwhile, and shows them', async () => {
    await eventually('the small ones are loaded', () => loaded().length === 3)
    backend.lose = () => true
    seed('pods', 'lost')
    backend.lose = () => false
    seed('pods', 'seen')
    backend.release()
    await cacher.synced(signal)
    await eventually('the state is read anew', () => cacher.stats().relists === 1)
    expect(await list('pods')).to.deep.equal(['lost', 'n0000', 'n0001', 'n0002', 'seen'])
    expect(await list('configmaps')).to.have.length(SIZES.configmaps)
  })

  it('retries a resource that could not be read, and loads the others', async () => {
    await eventually('the small ones are loaded', () => loaded().length === 3)
    backend.failOnce = true
    backend.release()
    await cacher.synced(signal)
    expect(await list('configmaps')).to.have.length(SIZES.configmaps)
  })
})

/** Pages of ConfigMaps have 500 keys, and those after `heldFrom` wait for `release`. Default: those after the eighth. */
class PagedBackend extends MemoryBackend {
  #open: () => void = () => {}
  readonly #gate = new Promise<void>(resolve => {
    this.#open = resolve
  })
  heldFrom = key(`${prefixOf('configmaps')}default/n3900`)
  /** The next page of ConfigMaps fails. */
  failOnce = false

  release(): void {
    this.#open()
  }

  override async range(query: RangeQuery, abort: AbortSignal) {
    if (query.start.startsWith(prefixOf('configmaps'))) {
      if (query.start >= this.heldFrom) await this.#gate
      if (this.failOnce) {
        this.failOnce = false
        throw new Error('the page cannot be read')
      }
      return super.range({ ...query, limit: Math.min(query.limit ?? 500, 500) }, abort)
    }
    return super.range(query, abort)
  }
}
