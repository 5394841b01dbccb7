import { expect } from 'chai'
import type { Json, JsonObject } from '../../../src/api/meta/object.ts'
import { parseJson } from '../../../src/codec/json.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'
import { cloneExactlyInSteps, hasWholeFloats, hasWholeFloatsInSteps, isWholeFloat } from '../../../src/meta/whole-floats.ts'
import { applyJsonPatch, applyMergePatch } from '../../support/at-once.ts'

const parsed = (text: string): Json => parseJson(Buffer.from(text)).value

/** Paths of the marked numbers. */
function marked(value: Json, at = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    isWholeFloat(value, key) ? [`${at}/${key}`] : marked(member as Json, `${at}/${key}`),
  )
}

describe('whole floats', () => {
  it('are recognized by a fraction or an exponent', () =>
    expect(marked(parsed('{"a":1.0,"b":1,"c":[1e3,2,{"d":-0.0}],"e":1.5,"f":1e19,"g":9007199254740993}'))).to.deep.equal([
      '/a',
      '/c/0',
      '/c/2/d',
    ]))
  it('are replaced if the member is repeated as an integer', () =>
    expect(marked(parsed('{"a":1.0,"a":1,"b":1,"b":1.0}'))).to.deep.equal(['/b']))
  it('are kept in an exact copy', () =>
    expect(marked(runAtOnce(cloneExactlyInSteps(parsed('{"a":[1.0,{"b":2e0}]}'))))).to.deep.equal(['/a/0', '/a/1/b']))
  it('are copied from a long list in steps that are all short', () => {
    let read = 0
    const list = new Proxy(
      Array.from({ length: 10_000 }, (_, i) => i),
      {
        get(target, key, receiver) {
          if (typeof key === 'string' && key !== 'length') read++
          return Reflect.get(target, key, receiver)
        },
      },
    )
    const steps = cloneExactlyInSteps({ list })
    const readBy: number[] = []
    let step = steps.next()
    for (; !step.done; step = steps.next()) readBy.push(read)
    expect(readBy[0]).to.be.below(1000)
    expect(readBy.at(-1)).to.be.above(9000)
    expect(step.value).to.deep.equal({ list })
  })
  it('are found at any depth', () => {
    expect(hasWholeFloats(parsed('{"a":[1,{"b":2.0}]}'))).to.equal(true)
    expect(runAtOnce(hasWholeFloatsInSteps(parsed('{"a":[1,{"b":2.0}]}')))).to.equal(true)
    expect(runAtOnce(hasWholeFloatsInSteps(parsed('{"a":[1,{"b":2.5}]}')))).to.equal(false)
    expect(hasWholeFloats(parsed('{"a":[1,{"b":2.5}]}'))).to.equal(false)
  })
  it('are kept by a merge patch', () =>
    expect(marked(applyMergePatch({ a: { x: 1 }, b: 1 }, parsed('{"a":{"x":1.0,"y":[2.0]},"c":{"z":3.0,"n":null}}')))).to.deep.equal([
      '/a/x',
      '/a/y/0',
      '/c/z',
    ]))

  const patches: [string, string, string[]][] = [
    ['a value', '[{"op":"add","path":"/a","value":1.0}]', ['/a']],
    ['an integer in its place', '[{"op":"add","path":"/a","value":1.0},{"op":"replace","path":"/a","value":1}]', []],
    ['an element, and those behind it move', '[{"op":"add","path":"/l/1","value":1.0},{"op":"add","path":"/l/0","value":7}]', ['/l/2']],
    ['an element before one that is removed', '[{"op":"add","path":"/l/-","value":1.0},{"op":"remove","path":"/l/0"}]', ['/l/1']],
    [
      'copied and moved values',
      '[{"op":"add","path":"/a","value":1.0},{"op":"copy","from":"/a","path":"/b"},{"op":"move","from":"/a","path":"/c"}]',
      ['/b', '/c'],
    ],
    ['members of a value', '[{"op":"replace","path":"/l","value":[{"x":1.0}]}]', ['/l/0/x']],
  ]
  for (const [what, patch, paths] of patches)
    it(`are kept by a JSON patch: ${what}`, () =>
      expect(marked(applyJsonPatch({ l: [1, 2] } as JsonObject, parsed(patch)))).to.have.members(paths))
})
