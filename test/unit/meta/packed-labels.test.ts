import { expect } from 'chai'
import { seededRandom } from '../../../src/lib/seeded-random.ts'
import { matcherOf } from '../../../src/meta/label-matcher.ts'
import { matchesLabels, parseLabelSelector } from '../../../src/meta/label-selector.ts'
import { PackedLabels } from '../../../src/meta/packed-labels.ts'

const packed = (text: string): PackedLabels | undefined => PackedLabels.read(Buffer.from(`--${text}--`), 2, 2 + Buffer.byteLength(text))

describe('packed labels', () => {
  it('have the values that a parser finds', () => {
    const random = seededRandom(3)
    for (const count of [0, 1, 2, 100, 5000, 20_000]) {
      const labels: Record<string, string> = {}
      for (let i = 0; i < count; i++)
        labels[`${'example.io/'.repeat(random() < 0.1 ? 1 : 0)}k${Math.floor(random() * 3 * count)}`] = `v${i % 7}`
      const own = packed(JSON.stringify(labels))
      for (let i = 0; i < 3 * count + 1; i++)
        for (const key of [`k${i}`, `example.io/k${i}`])
          expect(own?.get(key), key).to.equal(Object.hasOwn(labels, key) ? labels[key] : undefined)
    }
  })

  it('have no members of Object, and distinguish a key from its beginning and from one beyond ASCII', () => {
    const own = packed('{"ab":"1","":"empty","a":"ü"}')
    expect(['toString', 'abc', 'a\u00e4', 'ab', 'a', ''].map(key => own?.get(key))).to.deep.equal([
      undefined,
      undefined,
      undefined,
      '1',
      'ü',
      'empty',
    ])
  })

  it('take the last of repeated keys, as a parser does', () => {
    expect(packed('{"a":"1","b":"2","a":"3"}')?.get('a')).to.equal('3')
  })

  it('leave other texts to a parser', () => {
    for (const text of ['{"a\\n":"1"}', '{"a":"\\n"}', '{"ü":"1"}', '{"a":null}', '{"a":1}', '{"a":"1"', '{"a', '{"a":"1" }', '[]'])
      expect(packed(text), text).to.equal(undefined)
  })

  it('hash keys with numbers of the process, however long they are', () => {
    const long = 'a'.repeat(1000)
    expect(packed(JSON.stringify({ [long]: '1', [`${long}b`]: '2' }))?.get(`${long}b`)).to.equal('2')
  })

  it('are matched without decoding their values, however many requirements there are', () => {
    const count = 5000
    const text = JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, `v${i % 3}`])))
    const json = Buffer.from(text)
    const labels = PackedLabels.read(json, 0, json.length)
    let decoded = 0
    json.toString = (...args) => {
      decoded++
      return Buffer.prototype.toString.apply(json, args)
    }
    const terms = ['k9', 'k9=v0', 'k9!=v1', 'k9 in (v1,v0)', 'k9 notin (v1,v2)', '!x9']
    const selector = (of: readonly string[]): string =>
      of.flatMap(term => Array.from({ length: count / 3 }, (_, i) => term.replace('9', String(3 * i)))).join()
    expect(matchesLabels(parseLabelSelector(selector(terms)), labels)).to.equal(true)
    for (const wrong of ['k9=v1', 'k9!=v0', 'k9 in (v1,v2)', 'k9 notin (v0)', 'k9=v', 'k9=v00', 'k9=', '!k9'])
      expect(matchesLabels(parseLabelSelector(selector([wrong])), labels), wrong).to.equal(false)
    expect(decoded).to.equal(0)
    expect(labels?.get('k1')).to.equal('v1')
    expect(decoded).to.equal(1)
  })

  it('are matched with values that are not ASCII', () => {
    const own = packed('{"a":"ü","b":"u"}') ?? {}
    const require = (key: string, ...values: string[]) => [{ key, operator: 'in', values } as const]
    expect(matcherOf(require('a', 'x', 'ü')).matches(own)).to.equal(true)
    expect(matcherOf(require('b', 'ü', 'u')).matches(own)).to.equal(true)
    expect(matcherOf(require('b', 'ü')).matches(own)).to.equal(false)
    expect(matcherOf(require('a', '\u00c3\u00bc')).matches(own)).to.equal(false)
  })

  for (const selector of ['k1=v1', 'k1=v2', 'none', '!none', '!k1', 'k1 in (v1,v2),k2 notin (v2)', 'k1!=v1', 'k3>2', 'k3<2', 'none!=a'])
    it(`match the selector ${selector} as other labels do, alone and among many requirements`, () => {
      const labels = { k1: 'v1', k2: 'v2', k3: '3' }
      const own = packed(JSON.stringify(labels))
      const requirements = parseLabelSelector(selector)
      const many = parseLabelSelector(`${selector},${Array.from({ length: 20 }, (_, i) => `!z${i}`).join()}`)
      expect(matchesLabels(requirements, own)).to.equal(matchesLabels(requirements, labels))
      expect(matcherOf(many).matches(own ?? {})).to.equal(matcherOf(many).matches(labels))
    })
})
