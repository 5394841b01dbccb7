import { expect } from 'chai'
import { DEFAULT_TABLE, renderTable, type TableOptions, tableEvent } from '../../../src/endpoints/table.ts'
import type { KubeObject } from '../../../src/meta/object.ts'

const options: TableOptions = { includeObject: 'None', version: 'v1', group: 'meta.k8s.io', now: 0 }
const object = (name: string, more: object = {}): KubeObject => ({ kind: 'K', apiVersion: 'v1', metadata: { name, resourceVersion: '7', ...more } })
const parsed = async (count: number) => {
  const parts = await renderTable(
    DEFAULT_TABLE,
    {},
    Array.from({ length: count }, (_, i) => ({ object: () => object(`n${i}`) })),
    options,
  )
  return { parts, table: JSON.parse(Buffer.concat(parts).toString()) as { rows: { cells: unknown[] }[] } }
}

describe('tables', () => {
  for (const count of [0, 1, 20, 21, 400])
    it(`of ${count} rows are made in pieces`, async () => {
      const { parts, table } = await parsed(count)
      expect(table.rows.map(({ cells }) => cells[0])).to.deep.equal(Array.from({ length: count }, (_, i) => `n${i}`))
      expect(parts).to.have.length(2 + Math.ceil(count / 20))
    })

  it('have rows in an order of their own where the kind has one', async () => {
    const names = ['b', 'c', 'a']
    const order = (a: KubeObject, b: KubeObject): number => ((b.metadata.name ?? '') < (a.metadata.name ?? '') ? -1 : 1)
    const parts = await renderTable(
      { ...DEFAULT_TABLE, order },
      {},
      names.map(name => ({ object: () => object(name) })),
      options,
    )
    const { rows } = JSON.parse(Buffer.concat(parts).toString()) as { rows: { cells: unknown[] }[] }
    expect(rows.map(({ cells }) => cells[0])).to.deep.equal(['c', 'b', 'a'])
    expect(names).to.deep.equal(['b', 'c', 'a'])
  })

  it('let others run between the pieces', async () => {
    let turns = 0
    const ticking = setInterval(() => turns++, 0)
    const cells = (): string[] => {
      for (const until = performance.now() + 0.05; performance.now() < until; );
      return ['x']
    }
    await renderTable(
      { ...DEFAULT_TABLE, cells },
      {},
      Array.from({ length: 1000 }, () => ({ object: () => object('a') })),
      options,
    )
    clearInterval(ticking)
    expect(turns).to.be.greaterThan(1)
  })

  it('have name and time where the kind has no columns', () => {
    expect(DEFAULT_TABLE.columns.map(({ name, type, format }) => [name, type, format])).to.deep.equal([
      ['Name', 'string', 'name'],
      ['Created At', 'date', undefined],
    ])
    expect(DEFAULT_TABLE.cells(object('a', { creationTimestamp: '2026-01-01T00:00:00Z' }), 0)).to.deep.equal(['a', '2026-01-01T00:00:00Z'])
  })

  it('of an event tell the columns once, and the version of the object', () => {
    const first = tableEvent(DEFAULT_TABLE, object('a'), options, true)
    const second = tableEvent(DEFAULT_TABLE, object('a'), options, false)
    expect(JSON.parse(first).columnDefinitions).to.have.length(2)
    expect(second).to.equal(
      '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":null,"rows":[{"cells":["a",""],"object":null}]}',
    )
  })

  it('echo the version of the request', () => {
    expect(tableEvent(DEFAULT_TABLE, object('a'), { ...options, version: 'v1beta1', includeObject: 'Metadata' }, false)).to.match(
      /^\{"kind":"Table","apiVersion":"meta\.k8s\.io\/v1beta1",.*"object":\{"kind":"PartialObjectMetadata","apiVersion":"meta\.k8s\.io\/v1beta1",/,
    )
  })

  it('escape as Go does', () => {
    const escaped = tableEvent({ ...DEFAULT_TABLE, cells: () => ['<a>&', 3, null, true] }, object('<'), { ...options, includeObject: 'Object' }, false)
    expect(escaped).to.include('"cells":["\\u003ca\\u003e\\u0026",3,null,true]').and.include('"name":"\\u003c"')
  })
})
