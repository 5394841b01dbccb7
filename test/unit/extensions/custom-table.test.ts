import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { customTable, customTableInSteps } from '../../../src/extensions/custom-table.ts'
import type { AnyObject } from '../../support/any-object.ts'
import { countedSteps } from '../../support/counted-steps.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const object = (spec: object): AnyObject => ({
  kind: 'W',
  apiVersion: 'g/v1',
  metadata: { name: 'w', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec,
})

describe('customTable', () => {
  it('has columns for name and age by default', () => {
    const table = customTable()
    expect(table.columns.map(({ name, type }) => [name, type])).to.deep.equal([
      ['Name', 'string'],
      ['Age', 'date'],
    ])
    expect(table.cells(object({}), NOW)).to.deep.equal(['w', '60s'])
  })

  const cells: [string, Json | undefined, Json][] = [
    ['string', 'text', 'text'],
    ['string', 7, '7'],
    ['string', { b: 1, a: '<' }, '{"a":"\\u003c","b":1}'],
    ['string', null, '<no value>'],
    ['string', undefined, null],
    ['integer', 7, 7],
    ['integer', 7.9, 7],
    ['integer', '7', null],
    ['number', 1.5, 1.5],
    ['number', true, null],
    ['boolean', false, false],
    ['boolean', 'false', null],
    ['date', '2026-01-01T00:00:30Z', '30s'],
    ['date', 'yesterday', '<invalid>'],
    ['date', 5, null],
    ['date', '', '<unknown>'],
  ]
  for (const [type, value, wanted] of cells) {
    it(`prints ${JSON.stringify(value)} in a column of type ${type} as ${JSON.stringify(wanted)}`, () => {
      const table = customTable([{ name: 'C', type, jsonPath: '.spec.a' }])
      expect(table.cells(object(value === undefined ? {} : { a: value }), NOW)[1]).to.deep.equal(wanted)
    })
  }

  it('prints a float beyond int64 in an integer column as amd64 converts it', () => {
    const table = customTable([{ name: 'C', type: 'integer', jsonPath: '.spec.a' }])
    for (const value of [1e21, -1e21, 2 ** 63]) expect(table.cells(object({ a: value }), NOW)[1]).to.equal(-(2n ** 63n))
  })

  it('drops columns from the first with an invalid path on', () => {
    const column = (name: string, jsonPath: string) => ({ name, type: 'string', jsonPath })
    expect(customTable([column('A', '.a'), column('B', '.b['), column('C', '.c')]).columns.map(({ name }) => name)).to.deep.equal([
      'Name',
      'A',
    ])
  })

  it('parses the paths of very many columns in steps', () => {
    const { result, yields } = countedSteps(
      customTableInSteps(Array.from({ length: 5120 }, (_, i) => ({ name: `c${i}`, type: 'string', jsonPath: `.a[${i}]` }))),
    )
    expect(result.columns).to.have.length(5121)
    expect(yields).to.equal(10)
  })

  it('prints the cells of very many columns, and of columns that visit or print many values, in steps', () => {
    const names = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, [i]]))
    const row = object({ a: 'text', names })
    const column = (jsonPath: string) => ({ name: 'C', type: 'string', jsonPath })
    const tables: [count: number, yields: number, jsonPath: string][] = [
      [5120, 10, '.spec.a'],
      [5, 5, '.spec.names.*'],
      [5, 5, '.spec..a'],
      [1, 1, '.spec'],
    ]
    for (const [count, least, jsonPath] of tables) {
      const table = customTable(Array.from({ length: count }, () => column(jsonPath)))
      const { result, yields } = countedSteps(table.cellsInSteps?.(row, NOW) ?? expect.fail('no steps'))
      expect(result).to.deep.equal(table.cells(row, NOW))
      expect(yields, jsonPath).to.be.at.least(least)
    }
  })

  it('leaves cells empty once a row exceeds the limits of text or visited values', () => {
    const object = {
      kind: 'W',
      apiVersion: 'a/v1',
      metadata: { name: 'w' },
      spec: { text: 'x'.repeat(1_000_000), list: [...Array.from({ length: 60_000 }, () => 1), 2] },
    }
    const columns = (count: number, jsonPath: string) =>
      Array.from({ length: count }, (_, i) => ({ name: `c${i}`, type: 'string', jsonPath }))
    const printed = (count: number, jsonPath: string): number =>
      customTable(columns(count, jsonPath))
        .cells(object, 0)
        .filter(cell => cell !== null).length
    expect(printed(100, '.spec.text')).to.equal(1 + 5)
    expect(printed(100, '.spec.list[?(@==2)]')).to.be.within(2, 50)
  })

  it('leaves a cell empty if its path alone visits too many values', () => {
    const spec = { list: Array.from({ length: 60_000 }, () => ({ x: 1 })), last: 'found' }
    const cellsOf = (...paths: string[]) =>
      customTable(paths.map((jsonPath, i) => ({ name: `c${i}`, type: 'string', jsonPath }))).cells(object(spec), NOW)
    expect(cellsOf('.spec..last', '.spec.last')).to.deep.equal(['w', null, 'found'])
  })
})
