import { expect } from 'chai'
import { predictsNames, protectedParse, protectJsonNames } from '../../../src/codec/json-names.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

/** Returns the names of the inner object, in a shape that only this test uses. */
const namesIn = (parse: typeof JSON.parse, outer: string, name: string): string[] => Object.keys(parse(JSON.stringify({ [outer]: { [name]: 1 } }))[outer])

describe('names of members in JSON', () => {
  it('are those of the text, whatever was parsed before', () => {
    protectJsonNames()
    for (const [i, [earlier, name]] of [
      ['\\', '"'],
      ['a\\', 'a\n'],
      ['k:{\\"name\\":\\"ngin', 'k:{"name":"nginx"}'],
    ].entries()) {
      expect(namesIn(JSON.parse, `outer${i}`, earlier!)).to.deep.equal([earlier])
      expect(namesIn(JSON.parse, `outer${i}`, name!)).to.deep.equal([name])
    }
  })

  it('are predicted by V8 13 and later', () => {
    expect(['12.4.254.21-node.1', '13.6.233.17-node.1', '14.6.1'].map(predictsNames)).to.deep.equal([false, true, true])
  })

  it('are never shown to the engine with a backslash', () => {
    let shown = ''
    const parse = protectedParse((text: string) => {
      const value = JSON.parse(text)
      shown += JSON.stringify(value)
      return value
    })
    const text = '{"a\\\\b":[{"\\u005Cx":{"\\uE000":"\\\\","\ue000b\\\\m":2}}],"plain":"c:\\\\d", "__proto__" : {"\\\\":1}}'
    expect(parse(text)).to.deep.equal(JSON.parse(text))
    expect(Object.keys(parse(text))).to.deep.equal(['a\\b', 'plain', '__proto__'])
    const names = shown.match(/"(?:[^"\\]|\\.)*":/g)
    expect(names).to.have.length(14)
    expect(names?.filter(name => name.includes('\\'))).to.deep.equal([])
  })

  it('stay as they are in other texts', () => {
    const seen: string[] = []
    const parse = protectedParse((text: string) => {
      seen.push(text)
      return JSON.parse(text)
    })
    const texts = ['{"a":"\\\\","k:{\\"name\\":\\"x\\"}":{}}', '[1,"\\\\"]', '"\\\\"', '{"a\\n":"\\u005c"}']
    for (const text of texts) expect(parse(text)).to.deep.equal(JSON.parse(text))
    expect(seen).to.deep.equal(texts)
  })

  it('are those that JSON.parse returns, for random texts', () => {
    const random = seededRandom(11)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const text = (): string => Array.from({ length: Math.floor(random() * 4) }, () => pick(['\\', '"', '\ue000', 'b', 'm', '\n', 'u005c', ':'])).join('')
    const value = (depth: number): unknown =>
      depth > 3 || random() < 0.3 ? text() : random() < 0.3 ? [value(depth + 1)] : Object.fromEntries([0, 1, 2].map(i => [`${i}${text()}`, value(depth + 1)]))
    const parse = protectedParse(JSON.parse)
    for (let i = 0; i < 2000; i++) {
      const json = JSON.stringify(value(0), undefined, i % 3)
      for (const form of [json, json.replaceAll('\\\\', '\\u005C'), json.replaceAll('\ue000', '\\ue000')])
        expect(JSON.stringify(parse(form)), form).to.equal(JSON.stringify(JSON.parse(form)))
    }
  })

  it('are hidden from the engine also if the text is not JSON', () => {
    let shown = ''
    const parse = protectedParse((text: string) => {
      shown = text
      return JSON.parse(text)
    })
    for (const text of ['[{"\\\\":1},"', '[{"\\u005c":1}', '{"\\\\":1}}']) {
      expect(() => parse(text)).to.throw(SyntaxError)
      expect(shown).to.include('\ue000b').and.not.include('\\')
    }
  })

  it('are read in a text that ends too early, as far as it can be', () => {
    for (const text of ['{"\\\\', '{"\\\\":', '{"\\\\":1']) expect(() => protectedParse(JSON.parse)(text)).to.throw(SyntaxError)
  })
})
