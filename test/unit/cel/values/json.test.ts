import { expect } from 'chai'
import type { Json } from '../../../../src/api/meta/object.ts'
import { equalityOf, equalValues, runComparison } from '../../../../src/cel/values/compare.ts'
import { jsonValue } from '../../../../src/cel/values/json.ts'
import { printValue } from '../../../../src/cel/values/print.ts'
import { type CelDouble, type CelList, type CelMap, typeNameOf } from '../../../../src/cel/values/value.ts'

const find = (json: Json, key: string) => (jsonValue(json) as CelMap).find(key)

describe('values of JSON documents', () => {
  const TYPES: [Json, string][] = [
    [null, 'null_type'],
    [true, 'bool'],
    ['a', 'string'],
    [1, 'int'],
    [2 ** 60, 'int'],
    [9007199254740993n, 'int'],
    [1.5, 'double'],
    [[1], 'list'],
    [{ a: 1 }, 'map'],
  ]
  for (const [json, type] of TYPES)
    it(`${typeof json} ${String(json)} is of type ${type}`, () => expect(typeNameOf(jsonValue(json))).to.equal(type))

  it('convert numbers exactly', () => {
    expect(jsonValue(2 ** 60)).to.equal(2n ** 60n)
    expect((jsonValue(1.5) as CelDouble).value).to.equal(1.5)
  })
  it('have own members only', () => {
    expect(find({ a: 'b' }, 'a')).to.equal('b')
    expect(find({ a: null }, 'a')).to.equal(null)
    expect(find({}, 'toString')).to.equal(undefined)
    expect((jsonValue({ a: 1 }) as CelMap).find(1)).to.equal(undefined)
    expect([...(jsonValue({ b: 1, a: 2 }) as CelMap).keys()]).to.deep.equal(['b', 'a'])
  })
  it('support concatenation, search and comparison', () => {
    const list = jsonValue([1, { a: [2] }]) as CelList
    expect(runComparison(list.contains(1))).to.equal(true)
    expect(runComparison(list.contains(jsonValue({ a: [2] })))).to.equal(true)
    expect(runComparison(list.contains('1'))).to.equal(false)
    expect(printValue(list.concat(jsonValue([3]) as CelList))).to.equal('[1, {a: [2]}, 3]')
    expect(list.concat(jsonValue([]) as CelList)).to.equal(list)
    expect(equalityOf(equalValues(jsonValue({ a: [1, 2] }), jsonValue({ a: [1, 2] })))).to.equal(true)
    expect(equalityOf(equalValues(jsonValue({ a: [1, 2] }), jsonValue({ a: [1, 3] })))).to.equal(false)
  })
})
