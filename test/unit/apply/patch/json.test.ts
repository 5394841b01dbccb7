import { expect } from 'chai'
import type { Json, JsonObject } from '../../../../src/api/meta/object.ts'
import { PatchError } from '../../../../src/apply/patch/error.ts'
import { checkJsonPatch, jsonPatchSteps, MAX_COPIED_BYTES } from '../../../../src/apply/patch/json.ts'
import { types } from '../../../../src/catalog/types.ts'
import { runAtOnce } from '../../../../src/lib/steps.ts'
import { decode } from '../../../../src/schema/decode.ts'
import { applyJsonPatch } from '../../../support/at-once.ts'
import { countedSteps } from '../../../support/counted-steps.ts'
import { fixture } from '../fixture.ts'

interface Row {
  name: string
  type?: string
  doc: JsonObject
  patch: Json
  result?: JsonObject
  code?: string
  message?: string
}

function outcome(run: () => Json): Json | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof PatchError) return error.code
    throw error
  }
}

interface SuiteRow {
  name: string
  doc: Json
  patch: Json
  /** Absent if any document is accepted. */
  expected?: Json
  error?: string
}

/** Where kube-apiserver's library, and so this one, does otherwise than the public collection asks. */
const OTHERWISE: Readonly<Record<string, Json | 'error'>> = {
  'tests 16': { bar: [1, 2, '5'] }, // indices may be negative
  'tests 59: replacing the root of the document is possible with add': 'error', // only `replace` takes the whole document
  "tests 70: missing 'value' parameter to add": [1, null], // a missing value is null
  "tests 71: missing 'value' parameter to replace": [null],
}

describe('a JSON patch of a wide value', () => {
  const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 'v']))
  const operations: Record<string, JsonObject> = {
    add: { op: 'add', path: '/new', value: wide },
    replace: { op: 'replace', path: '/old', value: wide },
    copy: { op: 'copy', from: '/old', path: '/new' },
  }
  for (const [name, operation] of Object.entries(operations))
    it(`takes steps: ${name}`, () => {
      const { result, yields } = countedSteps(jsonPatchSteps({ old: wide }, [operation]))
      expect(result).to.deep.equal(name === 'replace' ? { old: wide } : { old: wide, new: wide })
      // Of the document, and of the value.
      expect(yields).to.be.at.least(39)
    })
})

describe('JSON Patch', () => {
  describe('passes the public test collection', () => {
    for (const { name, doc, patch, expected, error } of fixture<SuiteRow>('json-patch-suite'))
      it(name, () => {
        const got = outcome(() => applyJsonPatch(doc as JsonObject, patch))
        const wanted = OTHERWISE[name] ?? (error === undefined ? expected : 'error')
        if (wanted === 'error') expect(got).to.be.a('string')
        else if (wanted === undefined) expect(got).not.to.be.a('string')
        else expect(got).to.deep.equal(wanted)
      })
  })

  describe('matches kube-apiserver', () => {
    for (const { name, type, doc, patch, result, code } of fixture<Row>('json-patch'))
      it(name, () => {
        const inputs = structuredClone({ doc, patch })
        const got = outcome(() => {
          runAtOnce(checkJsonPatch(patch))
          const patched = applyJsonPatch(doc, patch)
          return type === undefined ? patched : decode(types.type(type), patched)
        })
        expect(got).to.deep.equal(code ?? result)
        expect({ doc, patch }).to.deep.equal(inputs)
      })
  })

  const doc: JsonObject = { a: 1, list: ['x', 'y'], deep: { m: null, o: {} } }
  const table: [why: string, patch: Json, result: Json][] = [
    ['ignores text before the first slash', [{ op: 'add', path: 'zzz/b', value: 2 }], { ...doc, b: 2 }],
    ['has no container for a path without a slash', [{ op: 'add', path: 'b', value: 2 }], 'unprocessable'],
    ['appends at -1', [{ op: 'add', path: '/list/-1', value: 'z' }], { ...doc, list: ['x', 'y', 'z'] }],
    ['inserts at -2', [{ op: 'add', path: '/list/-2', value: 'z' }], { ...doc, list: ['x', 'z', 'y'] }],
    ['inserts at +1', [{ op: 'add', path: '/list/+1', value: 'z' }], { ...doc, list: ['x', 'z', 'y'] }],
    ['removes the last by -1', [{ op: 'remove', path: '/list/-1' }], { ...doc, list: ['x'] }],
    ['replaces the first by -2', [{ op: 'replace', path: '/list/-2', value: 0 }], { ...doc, list: [0, 'y'] }],
    ['refuses an index below the list', [{ op: 'remove', path: '/list/-3' }], 'unprocessable'],
    ['refuses an index behind the list', [{ op: 'add', path: '/list/3', value: 0 }], 'unprocessable'],
    ['refuses to remove the place behind the list', [{ op: 'remove', path: '/list/-' }], 'unprocessable'],
    ['refuses a name as index', [{ op: 'replace', path: '/list/x', value: 0 }], 'unprocessable'],
    ['replaces a member that is not there', [{ op: 'replace', path: '/n', value: 0 }], { ...doc, n: 0 }],
    ['copies null from a member that is not there', [{ op: 'copy', from: '/n', path: '/m' }], { ...doc, m: null }],
    ['moves nothing from a member that is not there', [{ op: 'move', from: '/n', path: '/m' }], 'unprocessable'],
    ['moves into a removed value', [{ op: 'move', from: '/deep', path: '/deep/o' }], 'unprocessable'],
    ['compares a missing member with null', [{ op: 'test', path: '/n', value: null }], doc],
    ['compares null with null', [{ op: 'test', path: '/deep/m', value: null }], doc],
    ['tests nothing without a value', [{ op: 'test', path: '/a' }], 'unprocessable'],
    ['tests the whole', [{ op: 'test', path: '', value: { ...doc } }], doc],
    ['tests null against an object', [{ op: 'test', path: '/deep/o', value: null }], 'unprocessable'],
    ['adds null without a value', [{ op: 'add', path: '/n' }], { ...doc, n: null }],
    ['does not descend into null', [{ op: 'add', path: '/deep/m/x', value: 1 }], 'unprocessable'],
    ['replaces the whole by an object', [{ op: 'replace', path: '', value: { b: 1 } }], { b: 1 }],
    ['leaves the whole for a scalar', [{ op: 'replace', path: '', value: 1 }], doc],
    ['can neither add nor remove the whole', [{ op: 'remove', path: '' }], 'unprocessable'],
    ['unescapes once', [{ op: 'add', path: '/~01', value: 1 }], { ...doc, '~1': 1 }],
    ['knows no other operation', [{ op: 'nop', path: '/a' }], 'unprocessable'],
    ['needs an operation', [null], 'unprocessable'],
    ['needs a pointer that is a text', [{ op: 'add', path: 7, value: 1 }], 'unprocessable'],
    ['does nothing for null', null, doc],
    ['needs a list', { op: 'add' }, 'bad request'],
    ['needs a list of objects', [1], 'bad request'],
    ['counts operations', Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/a', value: 1 })), 'too large'],
  ]
  for (const [why, patch, result] of table)
    it(why, () =>
      expect(
        outcome(() => applyJsonPatch(doc, patch)),
        why,
      ).to.deep.equal(result),
    )

  it('treats a member named __proto__ as data', () => {
    const patched = applyJsonPatch({ a: {} }, [
      { op: 'add', path: '/a/__proto__', value: { polluted: true } },
      { op: 'test', path: '/a/__proto__/polluted', value: true },
    ]) as JsonObject
    expect(Object.keys(patched.a as JsonObject)).to.deep.equal(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).to.equal(undefined)
  })

  it('bounds the size that copies add', () => {
    const text = 'x'.repeat(1024)
    const copies = Array.from({ length: MAX_COPIED_BYTES / 1024 }, (_, i) => ({ op: 'copy', from: '/a', path: `/c${i}` }))
    expect(outcome(() => applyJsonPatch({ a: text }, copies))).to.equal('unprocessable')
    expect(outcome(() => applyJsonPatch({ a: text }, copies.slice(0, 100)))).to.be.an('object')
  })

  it('compares and measures large values in steps', () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))
    const stepsOf = (...patch: Json[]): number => countedSteps(jsonPatchSteps({ data }, patch)).yields
    const none = stepsOf()
    expect(stepsOf({ op: 'test', path: '/data', value: { ...data } }) - none).to.be.at.least(30)
    // Copying takes as many as measuring.
    const copied = stepsOf({ op: 'add', path: '/copy', value: data }) - none
    expect(stepsOf({ op: 'copy', from: '/data', path: '/copy' }) - none).to.be.at.least(copied + 30)
  })

  it('finds repeated members of copies in steps, at every depth', () => {
    const inner: JsonObject = { k: 2 }
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, i): [string, Json] => [`k${i}`, i === 10 ? [[inner]] : []]))
    const entries: [string, Json][] = [
      ['k', 1],
      ['k', 2],
    ]
    const repeated = new Map<object, [string, Json][]>([[inner, entries]])
    const stepsOf = (notes: Parameters<typeof jsonPatchSteps>[2]) =>
      countedSteps(jsonPatchSteps({}, [{ op: 'add', path: '/data', value: data }], notes))
    const none = stepsOf({}).yields
    const { result, yields } = stepsOf({ repeated })
    expect(yields).to.be.at.least(none + 30)
    const copy = (result as { data: { k10: [[object]] } }).data.k10[0][0]
    expect(copy).not.to.equal(inner)
    expect(repeated.get(copy)).to.equal(entries)
  })

  it('copies big integers', () => {
    expect(applyJsonPatch({ a: [9007199254740993n] }, [{ op: 'copy', from: '/a', path: '/b' }])).to.deep.equal({
      a: [9007199254740993n],
      b: [9007199254740993n],
    })
  })

  const checks: [patch: Json, result: string | string[]][] = [
    [
      [{ op: 'add', path: '/a', extra: 1 }, { more: 2 }],
      ['[0].extra', '[1].more'],
    ],
    [[{ op: 'add', path: null, value: {} }, null], []],
    [{}, 'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    [['x'], 'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
    [[{ op: 'add', path: 7 }], 'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string'],
    [[{ from: [] }], 'error decoding patch: json: cannot unmarshal array into Go struct field jsonPatchOp.from of type string'],
  ]
  for (const [patch, result] of checks)
    it(`checks ${JSON.stringify(patch)}`, () => {
      if (typeof result === 'string') expect(() => runAtOnce(checkJsonPatch(patch))).to.throw(PatchError, result)
      else expect(runAtOnce(checkJsonPatch(patch))).to.deep.equal(result)
    })
})
