import { expect } from 'chai'
import { parseJson } from '../../../src/codec/json.ts'
import { predictsNames, protectedParse, protectJsonNames } from '../../../src/codec/json-names.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

/** Returns the names of the inner object, in a shape that only this test uses. */
const namesIn = (parse: typeof JSON.parse, outer: string, name: string): string[] =>
  Object.keys(parse(JSON.stringify({ [outer]: { [name]: 1 } }))[outer])

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

  it('are those of the text, whatever objects were created before', () => {
    protectJsonNames()
    const name = '\\'
    const made: readonly ((first: string) => object)[] = [
      first => ({ [first]: 1, [name]: 2 }),
      first => {
        const object: Record<string, number> = {}
        object[first] = 1
        object[name] = 2
        return object
      },
      first => structuredClone({ [first]: 1, [name]: 2 }),
      first => {
        const object = JSON.parse(`{"${first}":1,"b":2}`)
        delete object.b
        object[name] = 2
        return object
      },
      first => JSON.parse(`{"${first}":1,"\\\\":2}`),
      first => parseJson(Buffer.from(`{"${first}":1.0,"\\\\":2}`)).value as object,
    ]
    for (const [i, make] of made.entries())
      for (const [j, rest] of ['', ',"c":1', ',"c":1,"d":1'].entries()) {
        const first = `first${i}${j}`
        const held = make(first)
        for (const spelling of ['\\"', '\\n', '\\u0022'])
          expect(Object.keys(JSON.parse(`{"${first}":1,"${spelling}":2${rest}}`))[1], `${make} ${rest}`).to.equal(
            JSON.parse(`"${spelling}"`),
          )
        expect(held).to.have.all.keys(first, name)
      }
  })

  it('are predicted by V8 after 12.4', () => {
    expect(
      ['11.3.244.8-node.33', '12.4.254.21-node.1', '12.9.202.28-node.14', '13.6.233.17-node.1', '14.6.1'].map(predictsNames),
    ).to.deep.equal([false, false, true, true, true])
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
    const texts = ['{"a":"\\\\","k:{\\"name\\":\\"x\\"}":{"\\n\ue000":1}}', '[1,"\\\\"]', '"\\\\"', '{"a\\n":"\\u005c"}']
    for (const text of texts) expect(parse(text)).to.deep.equal(JSON.parse(text))
    expect(seen).to.deep.equal(texts)
  })

  it('are those that JSON.parse returns, for random texts', () => {
    const random = seededRandom(11)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
    const text = (): string =>
      Array.from({ length: Math.floor(random() * 4) }, () => pick(['\\', '"', '\ue000', 'b', 'm', '\n', 'u005c', ':'])).join('')
    const value = (depth: number): unknown =>
      depth > 3 || random() < 0.3
        ? text()
        : random() < 0.3
          ? [value(depth + 1)]
          : Object.fromEntries([0, 1, 2].map(i => [`${i}${text()}`, value(depth + 1)]))
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
      expect(shown).to.include('\ue000005c').and.not.include('\\')
    }
  })

  it('are read in a text that ends too early, as far as it can be', () => {
    for (const text of ['{"\\\\', '{"\\\\":', '{"\\\\":1']) expect(() => protectedParse(JSON.parse)(text)).to.throw(SyntaxError)
  })
})
