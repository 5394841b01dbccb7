import { expect } from 'chai'
import { parseFieldSelector } from '../../../src/meta/field-selector.ts'
import { parseLabelSelector } from '../../../src/meta/label-selector.ts'
import type { ListOptions } from '../../../src/registry/read.ts'
import type { StorageEvent } from '../../../src/storage/storage.ts'
import { type AnyObject, loose } from '../../support/any-object.ts'
import { link, linkResource, linkVersion, reviewed } from '../../support/conversion.ts'
import { listOptions, NEVER, TestRegistry } from '../../support/test-registry.ts'
import { eventually } from '../../support/waiting.ts'

const LINKS = { group: 'example.com', resource: 'links' }
/** Adds a label, as the webhook does to the objects that it converts. */
const labelled = (object: AnyObject): AnyObject => ({ ...object, metadata: { ...object.metadata, labels: { converted: 'yes' } } })

function world() {
  const registry = new TestRegistry([linkResource(review => reviewed(review, labelled))])
  const { definition } = registry.served(LINKS)
  const at = (version: 'v1' | 'v2') => ({ definition, version: linkVersion(definition, version) })
  const store = registry.registry.store(at('v1'))
  const target = (name: string, version: 'v1' | 'v2') => registry.target(name, { served: at(version) })
  return {
    create: (name: string, hostPort: string) => store.create(target(name, 'v1'), { ...link('v1', name, { hostPort }), metadata: { name } }),
    update: (name: string, hostPort: string) =>
      store.update(target(name, 'v1'), {
        change: {
          kind: 'compute',
          compute: async now => ({ ...(structuredClone(now) as AnyObject), spec: { hostPort } }) as unknown as AnyObject,
        },
      }),
    remove: (name: string) => store.delete(target(name, 'v1'), {}),
    list: (version: 'v1' | 'v2', options: Partial<ListOptions>) => store.list(at(version), '', listOptions(options), NEVER),
    watch: (version: 'v1' | 'v2', options: Partial<ListOptions>, signal: AbortSignal) =>
      store.watch(at(version), '', listOptions(options), signal),
  }
}

const fields = (text: string) => ({ fields: parseFieldSelector(text) })

describe('selection of objects that a webhook converts', () => {
  it('matches objects in the version of the request', async () => {
    const { create, list } = world()
    for (const [name, hostPort] of Object.entries({ a: 'x:1', b: 'y:1', c: 'x:2' })) await create(name, hostPort)
    const names = async (version: 'v1' | 'v2', options: Partial<ListOptions>) =>
      (await list(version, options)).items.map(item => item.attributes().name)
    expect(await names('v2', fields('spec.host=x'))).to.deep.equal(['a', 'c'])
    expect(await names('v2', fields('spec.host=x,metadata.name=c'))).to.deep.equal(['c'])
    expect(await names('v1', fields('spec.hostPort=x:2'))).to.deep.equal(['c'])
    expect(await names('v2', { labels: parseLabelSelector('converted=yes') })).to.deep.equal(['a', 'b', 'c'])
    expect(await names('v1', { labels: parseLabelSelector('converted=yes') })).to.deep.equal([])
  })

  it('fills pages, and continues after the last returned object', async () => {
    const { create, list } = world()
    for (let i = 0; i < 12; i++) await create(`l${String(i).padStart(2, '0')}`, i % 3 === 0 ? 'x:1' : 'y:1')
    const pages: string[][] = []
    let token = ''
    do {
      const page = await list('v2', { ...fields('spec.host=x'), limit: 3, continue: token })
      expect(page.remainingItemCount).to.equal(undefined)
      pages.push(page.items.map(item => item.attributes().name))
      token = page.continue
    } while (token !== '')
    expect(pages).to.deep.equal([['l00', 'l03', 'l06'], ['l09']])
  })

  it('reports objects that start or cease to match as added and deleted', async () => {
    const { create, update, remove, watch } = world()
    await create('a', 'x:1')
    const over = new AbortController()
    const watcher = await watch('v2', { ...fields('spec.host=x'), sendInitialEvents: true }, over.signal)
    const seen: string[] = []
    const show = (event: StorageEvent): string => {
      if (event.type === 'bookmark') return 'bookmark'
      const { metadata, spec } = loose(event.object.object())
      expect(metadata.resourceVersion).to.equal(String(event.revision))
      return `${event.type} ${metadata.name} ${spec.host}:${spec.port}`
    }
    const watching = watcher.deliver(batch => seen.push(...batch.map(show)) > 0)
    await eventually('the initial event', async () => seen.length === 1)
    await create('b', 'y:1')
    await update('b', 'x:2')
    await update('b', 'x:3')
    await update('b', 'y:4')
    await update('b', 'y:5')
    await update('b', 'x:6')
    await remove('b')
    await eventually('the events', async () => seen.length >= 6)
    watcher.close()
    await watching
    expect(seen).to.deep.equal(['added a x:1', 'added b x:2', 'modified b x:3', 'deleted b x:3', 'added b x:6', 'deleted b x:6'])
  })
})
