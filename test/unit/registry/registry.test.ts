import { expect } from 'chai'
import type { AccessEvent } from '../../../src/catalog/resource-access.ts'
import { invalid } from '../../../src/meta/field-error.ts'
import { fieldPath } from '../../../src/meta/field-path.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { NEVER, refusalText, TestRegistry, WIDGETS, widgetResource } from '../../support/test-registry.ts'

const object = (name: string, spec: object = {}): AnyObject => ({ kind: 'Widget', apiVersion: 'example.io/v1', metadata: { name }, spec })

describe('in-process access to resources', () => {
  it('creates as for a client: defaults, validation, managed fields', async () => {
    const t = new TestRegistry([
      widgetResource({
        strategy: { validate: ({ spec }) => (spec.size > 5 ? [invalid(fieldPath('spec', 'size'), spec.size, 'too large')] : []) },
      }),
    ])
    const access = t.access()
    const mine = object('a', { color: 'red' })
    const made = await access.create(WIDGETS, 'ns', mine)
    expect(made.spec).to.deep.equal({ size: 1, color: 'red' })
    expect(made.metadata).to.include({ namespace: 'ns', uid: 'u1', resourceVersion: '2' })
    expect(made.metadata.managedFields?.map(entry => entry.manager)).to.deep.equal(['binnacle'])
    expect(mine).to.deep.equal(object('a', { color: 'red' }))
    expect(await refusalText(access.create(WIDGETS, 'ns', object('b', { size: 6 })))).to.match(/^422 Invalid: .*too large$/)
    expect(await refusalText(access.create(WIDGETS, 'ns', object('a')))).to.match(/^409 AlreadyExists/)
  })

  it('gets and lists', async () => {
    const t = new TestRegistry()
    const access = t.access()
    for (const [name, color] of [
      ['a', 'red'],
      ['b', 'blue'],
    ] as const)
      await t.create({ name, labels: { color } }, { spec: { color } })
    const names = async (options: object, namespace = 'ns') =>
      (await access.list(WIDGETS, namespace, options)).items.map(item => item.metadata.name)
    expect((await access.get(WIDGETS, 'ns', 'a')).spec.color).to.equal('red')
    expect(await refusalText(access.get(WIDGETS, 'ns', 'x'))).to.equal('404 NotFound: widgets.example.io "x" not found')
    expect((await access.list(WIDGETS, '')).resourceVersion).to.equal('3')
    expect(await names({ labelSelector: 'color=red' })).to.deep.equal(['a'])
    expect(await names({ fieldSelector: 'spec.color!=red' })).to.deep.equal(['b'])
    expect(await names({}, 'other')).to.deep.equal([])
  })

  it('lists many objects in turns', async () => {
    const t = new TestRegistry()
    const annotations = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`key-${i}`, `value ${i}`]))
    for (let i = 0; i < 200; i++) await t.create({ name: `w${i}`, annotations })
    let turns = 0
    let isListed = false
    const count = (): void => {
      turns++
      if (!isListed) setImmediate(count)
    }
    setImmediate(count)
    const { items } = await t.access().list(WIDGETS, 'ns')
    isListed = true
    expect(items).to.have.length(200)
    expect(turns).to.be.greaterThan(0)
  })

  it('rejects resources that are not served', async () => {
    const access = new TestRegistry().registry.access()
    expect(await refusalText(access.get({ group: 'x.io', resource: 'things' }, 'ns', 'a'))).to.match(/^404 NotFound: things\.x\.io/)
  })

  it('updates a copy, which may be changed or replaced', async () => {
    const t = new TestRegistry()
    const access = t.access()
    const before = await t.create({ name: 'a' })
    const changed = await access.update(WIDGETS, 'ns', 'a', now => {
      now.spec.color = 'blue'
      return now
    })
    expect(changed.spec.color).to.equal('blue')
    const kept = await access.update(WIDGETS, 'ns', 'a', now => {
      now.spec.color = 'green'
      return undefined
    })
    expect(kept).to.deep.equal(changed)
    expect(before.spec).to.not.have.property('color')
    expect(await refusalText(access.update(WIDGETS, 'ns', 'x', now => now))).to.equal('404 NotFound: widgets.example.io "x" not found')
  })

  it('does not run admission if an object is left unchanged', async () => {
    let validated = 0
    const t = new TestRegistry()
    const access = t.access()
    const made = await t.create({ name: 'a' })
    t.admission = {
      validate: async () => {
        validated++
      },
    }
    expect(await access.update(WIDGETS, 'ns', 'a', () => undefined)).to.deep.equal(made)
    expect(validated).to.equal(0)
    await access.update(WIDGETS, 'ns', 'a', now => now)
    expect(validated).to.equal(1)
  })

  it('retries after a conflict, unless the change has a resourceVersion', async () => {
    const t = new TestRegistry()
    const access = t.access()
    const first = await t.create({ name: 'a' })
    let runs = 0
    const result = await access.update(WIDGETS, 'ns', 'a', now => {
      if (++runs === 1)
        t.backend.apply([{ key: t.store.keys.object('ns', 'a'), value: Buffer.from(JSON.stringify({ ...first, spec: { size: 3 } })) }])
      return { ...now, spec: { ...now.spec, color: 'blue' } }
    })
    expect(runs).to.equal(2)
    expect(result.spec).to.deep.equal({ size: 3, color: 'blue' })
    expect(await refusalText(access.update(WIDGETS, 'ns', 'a', () => ({ ...first, spec: { size: 4 } })))).to.match(/^409 Conflict/)
  })

  it('updates a subresource', async () => {
    const t = new TestRegistry()
    await t.create({ name: 'a' }, { spec: { color: 'red' } })
    const change = (now: AnyObject) => ({ ...now, spec: { size: 9 }, status: { phase: 'Ready' } })
    const { spec, status } = await t.access().update(WIDGETS, 'ns', 'a', change, { subresource: 'status' })
    expect([spec.color, status.phase]).to.deep.equal(['red', 'Ready'])
  })

  it('deletes with preconditions', async () => {
    const t = new TestRegistry()
    const access = t.access()
    await t.create({ name: 'a' })
    expect(await refusalText(access.delete(WIDGETS, 'ns', 'a', { uid: 'other' }))).to.match(/^409 Conflict/)
    expect(await refusalText(access.delete(WIDGETS, 'ns', 'a', { resourceVersion: '1' }))).to.match(/^409 Conflict/)
    await access.delete(WIDGETS, 'ns', 'a', { propagationPolicy: 'Foreground' })
    expect((await t.get('a')).metadata.finalizers).to.deep.equal(['foregroundDeletion'])
    await access.delete(WIDGETS, 'ns', 'a', { uid: 'u1', propagationPolicy: 'Background' })
    expect(await t.names()).to.deep.equal([])
  })

  it('watches a resource: initial events, their end, changes', async () => {
    const t = new TestRegistry()
    const end = new AbortController()
    await t.create({ name: 'a' })
    const seen: string[] = []
    const told = ({ type, object: of }: AccessEvent) => seen.push(of ? `${type} ${of.metadata.name}@${of.metadata.resourceVersion}` : type)
    await t.registry.access(NEVER).watch(WIDGETS, '', end.signal, async event => {
      told(event)
      if (event.type === 'synced') {
        await t.update('a', { size: 2 })
        await t.store.delete(t.target('a'), {})
      }
      if (event.type === 'deleted') end.abort()
    })
    expect(seen).to.deep.equal(['added a@2', 'synced', 'modified a@3', 'deleted a@4'])
    expect(t.backend.watches).to.deep.equal([])
  })

  it('watches one name', async () => {
    const t = new TestRegistry()
    const end = new AbortController()
    for (const name of ['a', 'b']) await t.create({ name })
    const seen: string[] = []
    const note = async ({ type, object: of }: AccessEvent): Promise<void> => {
      seen.push(`${type} ${of?.metadata.name ?? ''}`)
      if (type === 'synced') for (const name of ['a', 'b']) await t.update(name, { size: 2 })
      if (type === 'modified') end.abort()
    }
    await t.registry.access(NEVER).watch(WIDGETS, '', end.signal, note, { name: 'b' })
    expect(seen).to.deep.equal(['added b', 'synced ', 'modified b'])
  })

  it('watches metadata only, without managed fields', async () => {
    const t = new TestRegistry()
    const end = new AbortController()
    await t.create({ name: 'a', labels: { x: 'y' } })
    const check = async ({ type, object }: AccessEvent): Promise<void> => {
      if (type === 'synced') end.abort()
      else {
        const { managedFields, ...metadata } = (await t.get('a')).metadata
        expect(managedFields).to.have.length(1)
        expect(object).to.deep.equal({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })
      }
    }
    await t.registry.access(NEVER).watch(WIDGETS, '', end.signal, check, { metadataOnly: true })
  })

  it('has one store for each resource', () => {
    const t = new TestRegistry()
    expect(t.registry.store(t.served())).to.equal(t.registry.store(t.served()))
  })
})
