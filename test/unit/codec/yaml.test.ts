import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { goJson } from '../../../src/codec/json.ts'
import { parseYaml, repeatedKeysText, YamlError, yamlBytes } from '../../../src/codec/yaml.ts'

const fixture = <T>(name: string): T => JSON.parse(readFileSync(new URL(`../../fixtures/codec/${name}.json`, import.meta.url), 'utf8')) as T

/** Texts, and the JSON of sigs.k8s.io/yaml. */
const read = fixture<{ text: string; json?: string; error?: string; strict?: string }[]>('yaml-read')
/** Values, and the YAML of sigs.k8s.io/yaml. */
const written = fixture<[Json, string][]>('yaml-written')

describe('parseYaml', () => {
  const broken: readonly (readonly [text: string, message: string])[] = [
    ['{', 'yaml: line 1: did not find expected node content'],
    ['a: 1\nb: "\u0001"\n', 'yaml: control characters are not allowed'],
  ]
  for (const [text, message] of broken)
    it(`rejects ${JSON.stringify(text)} with go-yaml's message`, () =>
      expect(() => parseYaml(Buffer.from(text)))
        .to.throw(YamlError)
        .with.property('message', message))

  for (const row of read) {
    it(JSON.stringify(row.text), () => {
      const parse = () => parseYaml(Buffer.from(row.text))
      if (row.error !== undefined) expect(parse).to.throw(YamlError).with.property('message', row.error)
      else {
        const { value, duplicates } = parse()
        expect(goJson(value)).to.equal(row.json)
        expect(duplicates.length > 0 ? repeatedKeysText(duplicates) : undefined).to.equal(row.strict)
      }
    })
  }

  it('gives each alias its own copy of the value', () => {
    const { value } = parseYaml(Buffer.from('a: &x {b: 1}\nc: *x\n')) as unknown as { value: { a: object; c: object } }
    expect(value.a).to.deep.equal(value.c)
    expect(value.a).to.not.equal(value.c)
  })

  it('sorts members', () => {
    expect(Object.keys(parseYaml(Buffer.from('b: 1\na: 2\n')).value as object)).to.deep.equal(['a', 'b'])
  })
})

describe('yamlBytes', () => {
  for (const [value, want] of written) it(JSON.stringify(value).slice(0, 100), () => expect(yamlBytes(value).toString()).to.equal(want))
})
