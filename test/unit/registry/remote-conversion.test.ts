import { expect } from 'chai'
import type { JsonObject } from '../../../src/api/meta/object.ts'
import type { ResourceDefinition } from '../../../src/catalog/definition.ts'
import { answerObject, type WriteTarget } from '../../../src/registry/types.ts'
import { type AnyObject, loose } from '../../support/any-object.ts'
import { failureText, link, linkResource, linkVersion, reviewed } from '../../support/conversion.ts'
import { NEVER, TestRegistry } from '../../support/test-registry.ts'

const LINKS = { group: 'example.com', resource: 'links' }
type At = 'v1' | 'v2'

/** A store of links, whose stored objects can be read. */
function world(
  answer: (review: AnyObject) => unknown = review => reviewed(review),
  stored: At = 'v1',
  definition: ResourceDefinition = linkResource(answer, stored),
) {
  const registry = new TestRegistry([definition])
  const served = (version: At) => ({ definition: registry.served(LINKS).definition, version: linkVersion(definition, version) })
  const store = registry.registry.store(served('v1'))
  const target = (name: string, version: At, more: Partial<WriteTarget> = {}) => registry.target(name, { served: served(version), ...more })
  return {
    registry,
    create: async (version: At, name: string, spec: JsonObject, more?: Partial<WriteTarget>) =>
      answerObject(await store.create(target(name, version, more), { ...link(version, name, spec), metadata: { name } })),
    change: async (version: At, name: string, spec: JsonObject, more?: Partial<WriteTarget>) => {
      const transform = async (now: AnyObject | undefined) =>
        ({ ...(structuredClone(now) as AnyObject), spec: { ...(now as AnyObject).spec, ...spec } }) as AnyObject
      return answerObject((await store.update(target(name, version, more), { change: { kind: 'compute', compute: transform } })).answer)
    },
    get: async (version: At, name: string) => (await store.get(served(version), 'ns', name, '', NEVER)).object(),
    remove: (version: At, name: string) => store.delete(target(name, version), {}),
    inStore: async (name: string) => {
      const { item } = await registry.backend.get(`/registry/example.com/links/ns/${name}` as never, NEVER)
      return item && JSON.parse(item.value.toString())
    },
  }
}

describe('objects that a webhook converts', () => {
  it('are written in the storage version, and returned in that of the request with the defaults of the storage version', async () => {
    const { create, get, inStore } = world()
    expect((await create('v2', 'a', { host: 'h', port: '1' })).spec).to.deep.equal({ host: 'h', n: 7, port: '1' })
    expect(await inStore('a')).to.deep.include({ apiVersion: 'example.com/v1', spec: { hostPort: 'h:1', n: 7 } })
    expect((await get('v1', 'a')).spec).to.deep.equal({ hostPort: 'h:1', n: 7 })
  })

  it('are returned by a dry run as if they had been stored', async () => {
    const { create, change, inStore } = world()
    expect((await create('v2', 'a', { host: 'h', extra: 'e' }, { dryRun: true })).spec).to.deep.equal({ host: 'h', n: 7 })
    expect(await inStore('a')).to.equal(undefined)
    const { metadata } = await create('v2', 'a', { host: 'h' })
    const changed = await change('v2', 'a', { host: 'i', extra: 'e' }, { dryRun: true })
    expect([changed.spec, changed.metadata.resourceVersion]).to.deep.equal([{ host: 'i', n: 7 }, metadata.resourceVersion])
  })

  it('are converted by a create before an existing object is looked for', async () => {
    let fails = false
    const { create } = world(review =>
      fails
        ? { ...reviewed(review), response: { uid: review.request.uid, result: { status: 'Failure', message: 'no' } } }
        : reviewed(review),
    )
    await create('v2', 'a', { host: 'h', port: '1' })
    expect(await failureText(create('v2', 'a', { host: 'h', port: '1' }))).to.contain('already exists')
    fails = true
    expect(await failureText(create('v2', 'a', { host: 'h', port: '1' }))).to.contain(
      'conversion webhook for example.com/v2, Kind=Link failed: no',
    )
  })

  it('are seen by hooks and admission in the version of the request', async () => {
    const { registry, create, change } = world()
    const seen: string[] = []
    registry.admission.validate = async ({ object, old }) => void seen.push(`${object?.apiVersion} ${old?.apiVersion}`)
    await create('v2', 'a', { host: 'h' })
    await change('v2', 'a', { host: 'fixed' })
    await change('v1', 'a', { hostPort: 'fixed:2' })
    expect(seen).to.deep.equal(['example.com/v2 undefined', 'example.com/v2 example.com/v2', 'example.com/v1 example.com/v1'])
    // Rules of the version see the old object in it.
    expect(await failureText(change('v2', 'a', { host: 'moved' }))).to.contain('it stays')
    expect(await failureText(change('v2', 'a', { host: 'forbidden' }))).to.contain('not that one')
    expect((await change('v1', 'a', { hostPort: 'forbidden' })).spec).to.deep.equal({ hostPort: 'forbidden', n: 7 })
  })

  it('have managers in the versions in which they were written', async () => {
    const { create, change } = world()
    await create('v1', 'a', { hostPort: 'h:1' }, { manager: 'one' })
    const { metadata } = await change('v2', 'a', { port: '2' }, { manager: 'two' })
    const managers = (metadata.managedFields ?? []).map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])
    expect(managers).to.deep.equal([
      ['one', 'example.com/v1', { 'f:spec': {} }],
      ['two', 'example.com/v2', { 'f:spec': { 'f:port': {} } }],
    ])
  })

  it('are deleted in any version, also with finalizers', async () => {
    const { create, remove, inStore } = world()
    await create('v2', 'a', { host: 'h' })
    const gone = await remove('v2', 'a')
    expect([gone.deleted, gone.object.apiVersion, gone.object.spec]).to.deep.equal([true, 'example.com/v2', { host: 'h', n: 7 }])
    expect(await inStore('a')).to.equal(undefined)
  })

  it('keep the version in which they were stored until the next write', async () => {
    const before = world()
    await before.create('v1', 'a', { hostPort: 'h:1' })
    const { item } = await before.registry.backend.get('/registry/example.com/links/ns/a' as never, NEVER)
    const calls: string[] = []
    const after = world(review => {
      calls.push(review.request.desiredAPIVersion)
      return reviewed(review)
    }, 'v2')
    await after.registry.backend.write({ key: '/registry/example.com/links/ns/a' as never, expected: 0, value: item!.value }, NEVER)
    expect((await after.get('v1', 'a')).spec).to.deep.equal({ hostPort: 'h:1', n: 7 })
    expect(calls).to.deep.equal([])
    expect((await after.get('v2', 'a')).spec).to.deep.equal({ host: 'h', n: 7, port: '1' })
    // The same content is a write, as it is stored in another version then.
    const { resourceVersion } = (await after.get('v2', 'a')).metadata
    expect((await after.change('v2', 'a', {})).metadata.resourceVersion).not.to.equal(resourceVersion)
    expect(await after.inStore('a')).to.deep.include({ apiVersion: 'example.com/v2', spec: { extra: 'of v2', host: 'h', n: 7, port: '1' } })
  })

  it('fail with the message of the webhook and no reason', async () => {
    let broken = false
    const { create, change, get, remove, inStore } = world(review => (broken ? { ...reviewed(review), kind: 'Foo' } : reviewed(review)))
    await create('v1', 'a', { hostPort: 'h:1' })
    broken = true
    const told = (from: At) =>
      `500 : conversion webhook for example.com/${from}, Kind=Link failed: no kind "Foo" is registered for version "undefined" in scheme`
    const start = (text: string) => text.replace(/(version) ".*?"( in scheme).*/, '$1 "undefined"$2')
    expect(start(await failureText(get('v2', 'a')))).to.equal(told('v1'))
    expect(start(await failureText(change('v2', 'a', { host: 'x' })))).to.equal(told('v1'))
    expect(start(await failureText(create('v2', 'b', { host: 'x' })))).to.equal(told('v2'))
    expect(start(await failureText(remove('v2', 'a')))).to.equal(told('v1'))
    expect(loose(await get('v1', 'a')).spec.hostPort).to.equal('h:1')
    expect(await inStore('b')).to.equal(undefined)
  })
})
