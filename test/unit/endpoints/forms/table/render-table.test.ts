import { expect } from 'chai'
import type { Json, KubeObject } from '../../../../../src/api/meta/object.ts'
import type { TableDefinition } from '../../../../../src/catalog/definition.ts'
import { goJson } from '../../../../../src/codec/json.ts'
import { renderMetadataList } from '../../../../../src/endpoints/forms/metadata/render-metadata.ts'
import type { RowSource } from '../../../../../src/endpoints/forms/spliced-body.ts'
import {
  columnTexts,
  DEFAULT_TABLE,
  renderTable,
  rowInSteps,
  type TableOptions,
  tableEvent,
} from '../../../../../src/endpoints/forms/table/render-table.ts'
import { wholeOf } from '../../../../../src/lib/filled-body.ts'
import { runAtOnce } from '../../../../../src/lib/steps.ts'
import { nextTurn, turnIsSpent } from '../../../../../src/lib/turn.ts'
import { age } from '../../../../../src/meta/age.ts'
import { countedSteps } from '../../../../support/counted-steps.ts'

const options: TableOptions = { includeObject: 'None', version: 'v1', group: 'meta.k8s.io', now: 0 }
const object = (name: string, more: object = {}): KubeObject => ({
  kind: 'K',
  apiVersion: 'v1',
  metadata: { name, resourceVersion: '7', ...more },
})
const parsed = async (count: number) => {
  const open = await renderTable(
    DEFAULT_TABLE,
    {},
    Array.from({ length: count }, (_, i) => ({ object: () => object(`n${i}`) })),
    options,
  )
  return JSON.parse(wholeOf(open()).toString()) as { rows: { cells: unknown[] }[] }
}

describe('tables', () => {
  for (const count of [0, 1, 20, 21, 4000])
    it(`contain ${count} rows in order`, async () => {
      const table = await parsed(count)
      expect(table.rows.map(({ cells }) => cells[0])).to.deep.equal(Array.from({ length: count }, (_, i) => `n${i}`))
    })

  it('have conditions between cells and object, in lists and in events', async () => {
    const conditions = [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'Done.' }] as const
    const table: TableDefinition = { ...DEFAULT_TABLE, conditions: ({ metadata }) => (metadata.name === 'a' ? conditions : undefined) }
    const row =
      '{"cells":["a",""],"conditions":[{"type":"Completed","status":"True","reason":"Succeeded","message":"Done."}],"object":null}'
    const open = await renderTable(table, {}, [{ object: () => object('a') }, { object: () => object('b') }], options)
    expect(wholeOf(open()).toString()).to.contain(`"rows":[${row},{"cells":["b",""],"object":null}]`)
    expect(tableEvent(table, object('a'), options, false)).to.contain(`"rows":[${row}]`)
  })

  it('have rows in the order of the kind, if it has one', async () => {
    const names = ['b', 'c', 'a']
    const order = (a: KubeObject, b: KubeObject): number => ((b.metadata.name ?? '') < (a.metadata.name ?? '') ? -1 : 1)
    const open = await renderTable(
      { ...DEFAULT_TABLE, order },
      {},
      names.map(name => ({ object: () => object(name) })),
      options,
    )
    const { rows } = JSON.parse(wholeOf(open()).toString()) as { rows: { cells: unknown[] }[] }
    expect(rows.map(({ cells }) => cells[0])).to.deep.equal(['c', 'b', 'a'])
    expect(names).to.deep.equal(['b', 'c', 'a'])
  })

  it('yield to other work between pieces', async () => {
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

  it('have name and time if the kind has no columns', () => {
    expect(DEFAULT_TABLE.columns.map(({ name, type, format }) => [name, type, format])).to.deep.equal([
      ['Name', 'string', 'name'],
      ['Created At', 'date', undefined],
    ])
    expect(DEFAULT_TABLE.cells(object('a', { creationTimestamp: '2026-01-01T00:00:00Z' }), 0)).to.deep.equal(['a', '2026-01-01T00:00:00Z'])
  })

  it('contain the columns once for the events of a watch, and the version of the object', () => {
    const first = tableEvent(DEFAULT_TABLE, object('a'), options, true)
    const second = tableEvent(DEFAULT_TABLE, object('a'), options, false)
    expect(JSON.parse(first).columnDefinitions).to.have.length(2)
    expect(second).to.equal(
      '{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"7"},"columnDefinitions":null,"rows":[{"cells":["a",""],"object":null}]}',
    )
  })

  it('repeat the version of the request', () => {
    expect(tableEvent(DEFAULT_TABLE, object('a'), { ...options, version: 'v1beta1', includeObject: 'Metadata' }, false)).to.match(
      /^\{"kind":"Table","apiVersion":"meta\.k8s\.io\/v1beta1",.*"object":\{"kind":"PartialObjectMetadata","apiVersion":"meta\.k8s\.io\/v1beta1",/,
    )
  })

  it('escape as Go does', () => {
    const escaped = tableEvent(
      { ...DEFAULT_TABLE, cells: () => ['<a>&', 3, null, true] },
      object('<'),
      { ...options, includeObject: 'Object' },
      false,
    )
    expect(escaped).to.include('"cells":["\\u003ca\\u003e\\u0026",3,null,true]').and.include('"name":"\\u003c"')
  })

  it('have objects with integers beyond 2^53', async () => {
    const big = { ...object('a'), spec: { size: 2n ** 53n + 1n } } as unknown as KubeObject
    expect(tableEvent(DEFAULT_TABLE, big, { ...options, includeObject: 'Object' }, false)).to.contain('"spec":{"size":9007199254740993}')
    const open = await renderTable(DEFAULT_TABLE, {}, [{ object: () => big }], { ...options, includeObject: 'Object' })
    expect(wholeOf(open()).toString()).to.contain('"spec":{"size":9007199254740993}')
  })

  it('have the cells that Go would write', async () => {
    const cells = ['<none>', 'a<none>&', '\u2028', '\ud800', -0, 1.5, 2n ** 63n, { b: 1, a: '<' }, null, false]
    for (const cell of cells) {
      const event = tableEvent({ ...DEFAULT_TABLE, cells: () => ['x', cell as Json] }, object('a'), options, false)
      expect(event).to.include(`"cells":${goJson(['x', cell as Json])},`)
    }
  })

  const ready = (json: string, header: number) => ({
    object: () => JSON.parse(json) as KubeObject,
    json: () => ({ bytes: Buffer.from(json), header }),
  })
  const managed = ',"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsV1":{"f:a":{"k:{\\"b\\":1}":{}}}}]'
  const START = '{"kind":"K","apiVersion":"v1",'
  const texts: [string, string][] = [
    [
      'managers',
      `${START}"metadata":{"name":"ä","creationTimestamp":null,"annotations":{"a":"\\"managedFields\\":["}${managed}},"spec":{"a":"}"}}`,
    ],
    ['no managers', `${START}"metadata":{"name":"a","creationTimestamp":null},"spec":{"metadata":{"name":"b"${managed}}}}`],
    ['nothing else', `${START}"metadata":{"name":"\\u003ca","creationTimestamp":null${managed}}}`],
  ]
  for (const [what, json] of texts)
    for (const includeObject of ['None', 'Metadata', 'Object'] as const)
      it(`are the same from the JSON of an object with ${what}, with ${includeObject} of it`, async () => {
        const rendered = async (item: RowSource): Promise<string> =>
          wholeOf((await renderTable(cellsOf, {}, [item, item], { ...options, includeObject }))()).toString()
        const cellsOf = {
          ...DEFAULT_TABLE,
          cells: (object: KubeObject) => [object.metadata.name ?? '', (object as { spec?: { a?: string } }).spec?.a ?? null],
        }
        const source = ready(json, START.length)
        expect(await rendered(source)).to.equal(await rendered({ object: source.object }))
      })

  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v'])))
  const long: [string, string, number][] = [
    ['of a built-in kind', `${START}"metadata":{"name":"a","creationTimestamp":null${managed}},"data":${many}}`, START.length],
    ['of a custom kind', `${START}"data":${many},"metadata":{"name":"a","creationTimestamp":null}}`, 1],
  ]
  it('make the cells of a large object in a turn of their own', async () => {
    const [[, json, header] = ['', '', 0]] = long
    const seen: (boolean | 'cells')[] = []
    const cells = ({ metadata }: KubeObject) => {
      seen.push('cells')
      return [metadata.name ?? '']
    }
    for (const _ of rowInSteps({ ...DEFAULT_TABLE, cells }, ready(json, header))) {
      seen.push(turnIsSpent())
      await nextTurn()
    }
    const at = seen.indexOf('cells')
    expect(seen.slice(at - 1)).to.deep.equal([true, 'cells', true])
  })

  describe('tables of very many columns', () => {
    const columns = Array.from({ length: 2560 }, (_, i) => ({ name: `c${i}`, type: 'string' as const, description: '<' }))
    const table: TableDefinition = {
      columns,
      cells: () => expect.fail('the cells were made at once'),
      *cellsInSteps(_, now) {
        yield
        return [age('2026-01-01T00:00:00Z', now), ...columns.slice(1).map(({ name }) => name)]
      },
    }

    it('encode them in steps, once', () => {
      const first = countedSteps(columnTexts([...columns]))
      expect([first.result.length, first.yields]).to.deep.equal([10, 9])
      expect(JSON.parse(first.result.join(''))).to.deep.include({
        name: 'c2559',
        type: 'string',
        format: '',
        description: '<',
        priority: 0,
      })
      expect(first.result.join('')).to.include('\\u003c').and.not.include('<')
      expect(runAtOnce(columnTexts(columns))).to.equal(runAtOnce(columnTexts(columns)))
    })

    it('make the cells of a small object in steps', async () => {
      const json = `${START}"metadata":{"name":"a","creationTimestamp":null}}`
      const open = await renderTable(table, {}, [ready(json, START.length)], { ...options, now: Date.parse('2026-01-01T00:00:05Z') })
      const { columnDefinitions, rows } = JSON.parse(wholeOf(open()).toString()) as Record<string, { name?: string; cells: unknown }[]>
      expect(columnDefinitions?.map(({ name }) => name)).to.deep.equal(columns.map(({ name }) => name))
      expect(rows?.map(({ cells }) => cells)).to.deep.equal([['5s', ...columns.slice(1).map(({ name }) => name)]])
    })
  })

  for (const [what, json, header] of long)
    it(`parse a large object in steps: ${what}`, async () => {
      const item = ready(json, header)
      expect(countedSteps(rowInSteps(DEFAULT_TABLE, item)).yields).to.be.at.least(5)
      const rendered = async (row: RowSource): Promise<string> =>
        wholeOf((await renderTable(DEFAULT_TABLE, {}, [row], options))()).toString()
      expect(await rendered({ ...item, object: () => expect.fail('it was parsed at once') })).to.equal(
        await rendered({ object: item.object }),
      )
    })

  const noting = (json: string, header: number) => {
    const notes = new Map<object, unknown>()
    return { ...ready(json, header), noted: (by: object) => notes.get(by), note: (by: object, value: object) => void notes.set(by, value) }
  }
  const CREATED = '2026-01-01T00:00:00Z'
  const created = `"metadata":{"name":"a","creationTimestamp":"${CREATED}"}`
  const aged = (count: () => void): TableDefinition => ({
    ...DEFAULT_TABLE,
    cells: ({ metadata }, now) => {
      count()
      return [
        metadata.name ?? '',
        `3 (${age(metadata.creationTimestamp, now)} ago)`,
        age(undefined, now),
        age(metadata.creationTimestamp, now),
      ]
    },
  })
  for (const [what, json, header] of [
    ['a built-in kind', `${START}${created}}`, START.length],
    ['a custom kind', `{"apiVersion":"v1","kind":"K",${created}}`, 1],
  ] as const)
    for (const includeObject of ['None', 'Metadata', 'Object'] as const)
      it(`are cached with an object of ${what}, except what depends on the time, with ${includeObject} of it`, async () => {
        let made = 0
        const table = aged(() => made++)
        const source = noting(json, header)
        for (const seconds of [5, 5, 7200, 400_000]) {
          const now = Date.parse(CREATED) + 1000 * seconds
          const text = wholeOf((await renderTable(table, {}, [source, source], { ...options, includeObject, now }))()).toString()
          const rows = (JSON.parse(text) as { rows: { cells: string[]; object: KubeObject | null }[] }).rows
          const since = age(CREATED, now)
          expect(rows.map(({ cells }) => cells)).to.deep.equal(Array(2).fill(['a', `3 (${since} ago)`, '<unknown>', since]))
          expect(rows[1]?.object?.metadata.name).to.equal(includeObject === 'None' ? undefined : 'a')
        }
        expect(made).to.equal(1)
      })

  it('show text that looks like an age placeholder unchanged', async () => {
    const name = '\x7f1000\x7f'
    const source = noting(`${START}"metadata":{"name":"${name}","creationTimestamp":null}}`, START.length)
    for (let i = 0; i < 2; i++) {
      const text = wholeOf((await renderTable(DEFAULT_TABLE, {}, [source], { ...options, now: 61_000 }))()).toString()
      expect((JSON.parse(text) as { rows: { cells: string[] }[] }).rows[0]?.cells[0]).to.equal(name)
    }
  })

  it('are built from the object if it is custom, with sorted members', async () => {
    const source = ready('{"apiVersion":"v1","kind":"K","metadata":{"creationTimestamp":null,"labels":{},"name":"a"}}', 1)
    const text = wholeOf((await renderTable(DEFAULT_TABLE, {}, [source], { ...options, includeObject: 'Metadata' }))()).toString()
    expect(text).to.include('"metadata":{"name":"a","creationTimestamp":null')
  })

  it('only contain metadata in a list of metadata', async () => {
    const sources = texts.map(([, json]) => ready(json, START.length))
    const text = async (items: readonly RowSource[]) =>
      wholeOf((await renderMetadataList({ resourceVersion: '7' }, items, 'meta.k8s.io/v1'))()).toString()
    expect(await text(sources)).to.equal(await text(sources.map(({ object }) => ({ object }))))
    expect(JSON.parse(await text([]))).to.deep.include({ kind: 'PartialObjectMetadataList', items: null })
    expect(
      (JSON.parse(await text(sources)) as { items: KubeObject[] }).items.map(({ kind, metadata }) => [kind, metadata.name]),
    ).to.deep.equal([
      ['PartialObjectMetadata', 'ä'],
      ['PartialObjectMetadata', 'a'],
      ['PartialObjectMetadata', '<a'],
    ])
  })
})
