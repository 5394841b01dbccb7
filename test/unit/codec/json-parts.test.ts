import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { parseOwnParts } from '../../../src/codec/json-parts.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

describe('parseOwnParts', () => {
  const item = (i: number): Json => ({ metadata: { name: `n${i}`, labels: { 'a"\\]': '}],[{' } }, list: [[i], {}, []], text: 'ä\n"' })
  const values: Json[] = [
    { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '5', continue: 'abc' }, items: [] },
    { kind: 'List', apiVersion: 'v1', metadata: {}, items: [1, 2, 3].map(item) },
    { apiVersion: 'v1', items: [item(1)], kind: 'List', metadata: {} },
    { columnDefinitions: [{ name: 'a' }], rows: [{ cells: ['x', 1, null, -1.5, true], object: item(4) }], kind: 'Table' },
    { items: null },
    { a: [null, 'x', -1, 1e21, [[]], {}] },
    {},
    [],
    [1, [2]],
    'text',
    5,
  ]
  for (const value of values)
    for (const end of ['', '\n'])
      it(`${JSON.stringify(value).slice(0, 80)}${end === '' ? '' : ' with a newline'}`, () => {
        expect(runAtOnce(parseOwnParts(Buffer.from(JSON.stringify(value) + end)))).to.deep.equal(value)
      })

  it('keeps integers beyond 2^53', () => {
    expect(runAtOnce(parseOwnParts(Buffer.from('{"items":[{"a":9007199254740993}]}')))).to.deep.equal({ items: [{ a: 9007199254740993n }] })
  })

  it('parses each long item in a step of its own', () => {
    const items = Array.from({ length: 30 }, () => ({ text: 'x'.repeat(20_000) }))
    expect([...parseOwnParts(Buffer.from(JSON.stringify({ items })))]).to.have.length.of.at.least(60)
  })
})
