import { expect } from 'chai'
import { parseDiscoveryList, readDiscoveryList, readResourceList } from '../../../../src/extensions/aggregation/discovered-resources.ts'
import { rejection } from '../../../support/filter-context.ts'

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const failure = async (promise: Promise<unknown>): Promise<string> => String(await rejection(promise))

describe('readDiscoveryList', () => {
  it('gives kinds to those that have none, and drops what no field is for', async () => {
    const resource = {
      resource: 'things',
      scope: 'Namespaced',
      singularResource: 'thing',
      verbs: ['get'],
      extra: 1,
      subresources: [{ subresource: 'status', verbs: ['get'] }],
    }
    const items = [{ metadata: { name: 'example.com' }, versions: [{ version: 'v1', freshness: 'Current', resources: [resource] }, { version: 'v2' }] }]
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
    it(`refuses ${name}`, async () => expect(await failure(readDiscoveryList(bytes(value)))).to.match(/Error/))
})

describe('documents of discovery with very many values', () => {
  const item = (resources: number) => ({
    metadata: { name: 'g' },
    versions: [{ version: 'v1', resources: Array.from({ length: resources }, (_, i) => ({ resource: `r${i}`, scope: 'Cluster', verbs: ['get'] })) }],
  })
  it('are decoded group by group', () => {
    const steps = parseDiscoveryList(bytes({ items: Array.from({ length: 300 }, () => item(1)) }))
    let count = 0
    while (!steps.next().done) count++
    expect(count).to.be.at.least(300)
  })
  it('are refused if a group holds too many', async () => {
    expect((await readDiscoveryList(bytes({ items: [item(1000)] }))).get('g/v1')).to.have.length(1000)
    expect(await failure(readDiscoveryList(bytes({ items: [item(6000)] })))).to.include('holds more than 16384 values')
  })
  it('are refused if all groups hold too many', async () => {
    expect(await failure(readDiscoveryList(bytes({ items: Array.from({ length: 70_000 }, () => ({})) })))).to.include('more than 65536 values')
  })
  it('are refused if a group version holds too many', async () => {
    const verbs = Array.from({ length: 20_000 }, () => 'get')
    expect(await failure(readResourceList(bytes({ resources: [{ name: 'a', singularName: '', namespaced: true, kind: 'A', verbs }] })))).to.include(
      'more than 16384 values',
    )
  })
})

describe('readResourceList', () => {
  const list = (...resources: object[]) => readResourceList(bytes({ kind: 'APIResourceList', groupVersion: 'example.com/v1', resources }))
  const thing = { name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['get', 'list'], shortNames: ['th'] }

  it('puts subresources into their resources, and makes those that are missing', async () => {
    const scale = { name: 'others/scale', singularName: '', namespaced: false, group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get'] }
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
  it('refuses a subresource of another scope', async () =>
    expect(await failure(list(thing, { name: 'things/status', namespaced: false, verbs: [] }))).to.equal(
      'Error: Error: Parent things (scope: Namespaced) and subresource status (scope: Cluster) scope do not match',
    ))
  it('takes names of the prototype for names', async () => expect((await list({ ...thing, name: '__proto__' }))[0]?.resource).to.equal('__proto__'))
})
