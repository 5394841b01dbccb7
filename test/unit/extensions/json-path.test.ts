import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { firstValue, JsonPathError, parseJsonPath } from '../../../src/extensions/json-path.ts'

const value: Json = {
  lists: [['a'], ['b', 'c'], []],
  spec: { size: 3, 'a.b': 'dotted', list: ['p', 'q', 'r'], nothing: null },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', age: 5 },
      { type: 'Other', status: 'False', age: 7 },
    ],
  },
}

describe('parseJsonPath', () => {
  const found: [string, Json[]][] = [
    ['.spec.size', [3]],
    ['.spec.none', []],
    ['.spec.size.deeper', []],
    ['.spec.nothing', [null]],
    ['.constructor', []],
    ['.spec.a\\.b', ['dotted']],
    [".spec['a.b']", ['dotted']],
    ['.spec.list[0]', ['p']],
    ['.spec.list[-1]', ['r']],
    ['.spec.list[7]', []],
    ['.spec.list[*]', ['p', 'q', 'r']],
    ['.spec.list[0,2]', ['p', 'r']],
    ['.spec.list[1:]', ['q', 'r']],
    ['.spec.list[0:3:2]', ['p', 'r']],
    // Out of bounds, as in client-go.
    ['.spec.list[0:5]', []],
    ['.spec.list[-5:2]', []],
    ['.spec.list[0:3:0]', []],
    ['.spec.list[3:]', []],
    ['.spec[*]', []],
    // An error at one value empties the whole result.
    ['.lists[*][1]', []],
    ['.lists[0,1][0]', ['a', 'b']],
    ['.lists[0,1][1]', []],
    ['.spec.list[0,9]', []],
    ['.spec.list[9,0]', []],
    ['.spec.list[0,0:9]', []],
    ['.spec.list[-9]', []],
    ['.spec.list[::2]', ['p', 'r']],
    ['.spec.list[0:2:-1]', []],
    ['.lists[*][0,1]', []],
    ['.lists[1,2][*]', ['b', 'c']],
    // An empty list ends the step.
    ['.lists[2,1][*]', []],
    ['..lists[*].none', []],
    ["['none','spec'].size", [3]],
    ['.status.conditions[?(@.type[0]=="x")].type', []],
    ['.lists[?(@[1])]', [['a'], ['b', 'c'], []]],
    ['.status.conditions[?(@.age>"a")].type', []],
    ['.status.conditions[?(@.age>true)].type', []],
    ['.status.conditions[?(@.age==5.5)].type', []],
    ['.status.conditions[?(@.*=="Ready")].type', []],
    // Strings contain bytes, numbers nothing.
    ['.spec.list[0].*', [112]],
    ['.spec.size..', []],
    ['.status.conditions[?(@.type=="Ready")].status', ['True']],
    [".status.conditions[?(@.type=='Other')].status", ['False']],
    ['.status.conditions[?(@.age>5)].type', ['Other']],
    ['.status.conditions[?(@.age <= 5)].type', ['Ready']],
    ['.status.conditions[?(@.type!="Ready")].type', ['Other']],
    ['.status.conditions[?(@.age)].type', ['Ready', 'Other']],
    ['.status.conditions[?(@.none)].type', []],
    ['.status..type', ['Ready', 'Other']],
    ['.spec.*', [3, 'dotted', ['p', 'q', 'r'], null]],
    // Parsed as by client-go.
    ['.spec.list[]', ['p']],
    ['.status.conditions[].type', ['Ready']],
    ['.spec.', []],
    ['.spec.list.[0]', []],
    ['.spec http', []],
    ['.spec 7', [7]],
    ['...', []],
    ['.spec.list..', [['p', 'q', 'r'], 'p', 'q', 'r']],
    ['spec', []],
  ]
  for (const [path, values] of found)
    it(`finds ${JSON.stringify(values)} at ${path}`, () => expect([...parseJsonPath(path)(value, { left: 1000 })]).to.deep.equal(values))

  for (const path of [
    '.spec.list[-]',
    '.spec.list[99999999999999999999]',
    '.spec.list[ 0 ]',
    '.spec["a.b"]',
    '.spec[',
    '.spec[a]',
    '.list[?(@.a]',
    '.list[?(1 ~ 2)]',
    '....',
  ]) {
    it(`rejects ${path}`, () => expect(() => parseJsonPath(path)).to.throw(JsonPathError))
  }

  /** `{ a: { a: … } }` */
  const chain = (depth: number): Json => {
    let inner: Json = 1
    for (let i = 0; i < depth; i++) inner = { a: inner }
    return inner
  }

  it('terminates if nested recursions find the same values in very many ways', () => {
    const looks = { left: 100_000 }
    expect(firstValue(parseJsonPath('..a..a..a..a..a..z'), chain(5000), looks)).to.equal(undefined)
    expect(looks.left).to.be.below(0)
  })

  it('pays for each value of a union of slices before visiting it', () => {
    let reads = 0
    const list = new Proxy(
      Array.from({ length: 20_000 }, (_, i) => i),
      {
        get(target, name, receiver) {
          if (typeof name === 'string' && /^\d+$/.test(name)) reads++
          return Reflect.get(target, name, receiver)
        },
      },
    )
    const union = parseJsonPath(`.list[${Array.from({ length: 2000 }, () => ':').join()}]`)
    expect(firstValue(union, { list }, { left: 1000 })).to.equal(undefined)
    expect(reads).to.be.below(1000)
    expect([...parseJsonPath(`.list[${Array.from({ length: 2000 }, () => ':').join()}].none`)({ list }, { left: 1000 })]).to.deep.equal([])
    expect(reads).to.be.below(1000)
  })

  it('pays for items that a filter excludes, and for parts of a union without values', () => {
    const list = Array.from({ length: 1000 }, (_, i) => i)
    for (const path of ['.list[?(1==2)]', `.list[${Array.from({ length: 1000 }, () => '5:5').join()}]`]) {
      const looks = { left: 10_000 }
      expect(firstValue(parseJsonPath(path), { list }, looks)).to.equal(undefined)
      expect(looks.left).to.be.below(9_000)
    }
  })

  it('finds the first value after few visits, also at great depth', () => {
    const looks = { left: 200 }
    expect(firstValue(parseJsonPath('.list[*].name'), { list: Array.from({ length: 50 }, (_, i) => ({ name: `n${i}` })) }, looks)).to.equal(
      'n0',
    )
    expect(firstValue(parseJsonPath('..z'), { a: chain(9000), z: 5 }, { left: 100_000 })).to.equal(5)
  })
})
