import { expect } from 'chai'
import { parseDiscoveryList, readDiscoveryList, readResourceList } from '../../../../src/extensions/aggregation/discovered-resources.ts'
import { rejection } from '../../../support/filter-context.ts'

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const failure = async (promise: Promise<unknown>): Promise<string> => String(await rejection(promise))

describe('readDiscoveryList', () => {
  it('sets an empty responseKind, and drops unknown fields', async () => {
    const resource = {
      resource: 'things',
      scope: 'Namespaced',
      singularResource: 'thing',
      verbs: ['get'],
      extra: 1,
      subresources: [{ subresource: 'status', verbs: ['get'] }],
    }
    const items = [
      { metadata: { name: 'example.com' }, versions: [{ version: 'v1', freshness: 'Current', resources: [resource] }, { version: 'v2' }] },
    ]
    const told = await readDiscoveryList(bytes({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2', items }))
    const responseKind = { group: '', version: '', kind: '' }
    expect([...told]).to.deep.equal([
      [
        'example.com/v1',
        [
          {
            resource: 'things',
            responseKind,
            scope: 'Namespaced',
            singularResource: 'thing',
            verbs: ['get'],
            subresources: [{ subresource: 'status', responseKind, verbs: ['get'] }],
          },
        ],
      ],
      ['example.com/v2', []],
    ])
  })
  for (const [name, value] of Object.entries({
    text: 'x',
    list: [],
    'wrong items': { items: 'x' },
    'wrong verbs': { items: [{ versions: [{ resources: [{ verbs: 1 }] }] }] },
  }))
    it(`rejects ${name}`, async () => expect(await failure(readDiscoveryList(bytes(value)))).to.match(/Error/))
})

describe('discovery documents with very many values', () => {
  const item = (resources: number) => ({
    metadata: { name: 'g' },
    versions: [
      { version: 'v1', resources: Array.from({ length: resources }, (_, i) => ({ resource: `r${i}`, scope: 'Cluster', verbs: ['get'] })) },
    ],
  })
  const legacy = (resources: number) => ({
    resources: Array.from({ length: resources }, (_, i) => ({
      name: `r${i}`,
      singularName: '',
      namespaced: false,
      kind: 'A',
      verbs: ['get'],
    })),
  })
  const stepsOf = (body: unknown): number => {
    const steps = parseDiscoveryList(bytes(body))
    let count = 0
    while (!steps.next().done) count++
    return count
  }
  it('are decoded resource by resource', () => {
    expect(stepsOf({ items: Array.from({ length: 300 }, () => item(1)) })).to.be.at.least(600)
    expect(stepsOf({ items: [item(3000)] })).to.be.at.least(3000)
  })
  it('can have thousands of resources in a group', async () => {
    expect((await readDiscoveryList(bytes({ items: [item(10_000)] }))).get('g/v1')).to.have.length(10_000)
    expect(await readResourceList(bytes(legacy(10_000)))).to.have.length(10_000)
  })
  it('are rejected if a resource has too many', async () => {
    const verbs = Array.from({ length: 5000 }, () => 'get')
    const one = { metadata: { name: 'g' }, versions: [{ version: 'v1', resources: [{ resource: 'r', scope: 'Cluster', verbs }] }] }
    expect(await failure(readDiscoveryList(bytes({ items: [one] })))).to.include('the discovery of a resource holds more than 4096 values')
    expect(await failure(readResourceList(bytes({ resources: [{ ...legacy(1).resources[0], verbs }] })))).to.include(
      'of a resource holds more than 4096',
    )
  })
  it('are rejected if a group has too many beside its resources', async () => {
    const versions = Array.from({ length: 5000 }, (_, i) => ({ version: `v${i}` }))
    expect(await failure(readDiscoveryList(bytes({ items: [{ versions }] })))).to.include('of a group holds more than 1024 values')
  })
  it('are rejected if there are too many in total', async () => {
    const items = Array.from({ length: 270_000 }, () => ({}))
    expect(await failure(readDiscoveryList(bytes({ items })))).to.include('more than 262144 values')
    expect(await failure(readResourceList(bytes({ resources: items })))).to.include('more than 262144 values')
  })
})

describe('readResourceList', () => {
  const list = (...resources: object[]) => readResourceList(bytes({ kind: 'APIResourceList', groupVersion: 'example.com/v1', resources }))
  const thing = { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'], shortNames: ['th'] }

  it('moves subresources into their resources, and adds missing ones', async () => {
    const scale = {
      name: 'others/scale',
      singularName: '',
      namespaced: false,
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get'],
    }
    expect(await list(scale, thing)).to.deep.equal([
      {
        resource: 'things',
        responseKind: { group: '', version: '', kind: 'Thing' },
        scope: 'Namespaced',
        singularResource: 'thing',
        verbs: ['get', 'list'],
        shortNames: ['th'],
      },
      {
        resource: 'others',
        responseKind: { group: '', version: '', kind: '' },
        scope: 'Cluster',
        singularResource: '',
        verbs: [],
        subresources: [{ subresource: 'scale', responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get'] }],
      },
    ])
  })
  it('rejects a subresource of another scope', async () =>
    expect(await failure(list(thing, { name: 'things/status', namespaced: false, verbs: [] }))).to.equal(
      'Error: Error: Parent things (scope: Namespaced) and subresource status (scope: Cluster) scope do not match',
    ))
  it('supports names that are properties of Object.prototype', async () =>
    expect((await list({ ...thing, name: '__proto__' }))[0]?.resource).to.equal('__proto__'))
})
