import { expect } from 'chai'
import type { JsonObject, KubeObject } from '../../../../../src/api/meta/object.ts'
import { rowTextInSteps, type TableOptions, tableEvent } from '../../../../../src/endpoints/forms/table/render-table.ts'
import { tableFraming } from '../../../../../src/endpoints/forms/table/table-framing.ts'
import type { StoredObject } from '../../../../../src/storage/storage.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'
import { FakeExchange, scopeOf } from '../../../../support/exchange.ts'
import { TestRegistry } from '../../../../support/test-registry.ts'

const AS = { kind: 'Table', group: 'meta.k8s.io', version: 'v1' } as const
const WIDE: JsonObject = Object.fromEntries(Array.from({ length: 6000 }, (_, i) => [`key${i}`, '<v>']))

function stored(name: string, spec: JsonObject): StoredObject & { parsed: boolean } {
  const object = {
    kind: 'Widget',
    apiVersion: 'example.io/v1',
    metadata: { name, creationTimestamp: null, resourceVersion: '7' },
    spec,
  } as unknown as KubeObject
  const bytes = Buffer.from(JSON.stringify(object).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e'))
  const source = {
    revision: 7n,
    parsed: false,
    json: () => ({ bytes, header: 1 }),
    object() {
      source.parsed = true
      return object
    },
  }
  return source as unknown as StoredObject & { parsed: boolean }
}

describe('the events of a watch of Tables', () => {
  for (const includeObject of ['None', 'Metadata', 'Object'] as const) {
    const exchange = () => new FakeExchange('/x', { search: `watch=1&includeObject=${includeObject}` })
    const framingOf = () => tableFraming(scopeOf(new TestRegistry(), exchange(), 'watch'), AS)

    it(`are the same if a large object is prepared in turns, with ${includeObject} of it`, async () => {
      const [plain, prepared] = [framingOf(), framingOf()]
      for (const type of ['ADDED', 'MODIFIED']) {
        const item = stored('a', WIDE)
        await prepared.prepare?.(type, item)?.()
        const frame = prepared.object(type, item)
        expect(item.parsed).to.equal(false)
        expect(frame?.toString()).to.equal(plain.object(type, item)?.toString())
      }
    })
  }

  it('do not prepare small objects', () => {
    const exchange = new FakeExchange('/x', { search: 'watch=1' })
    expect(tableFraming(scopeOf(new TestRegistry(), exchange, 'watch'), AS).prepare?.('ADDED', stored('a', {}))).to.equal(undefined)
  })
})

describe('a row of a large object that is not stored', () => {
  const table = { columns: [], cells: ({ metadata }: KubeObject) => [metadata.name ?? ''] }
  for (const includeObject of ['None', 'Metadata', 'Object'] as const)
    it(`is made in steps, with ${includeObject} of it`, () => {
      const options: TableOptions = { includeObject, version: 'v1', group: 'meta.k8s.io', now: 0 }
      const object = stored('<a>', WIDE).object()
      const { result, yields } = countedSteps(rowTextInSteps(table, { object: () => object }, options))
      expect(tableEvent(table, object, options, false)).to.contain(`"rows":[${result}]`)
      expect(yields).to.be.at.least(includeObject === 'Object' ? 5 : 2)
    })
})
