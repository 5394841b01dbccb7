import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseYaml } from '../../../src/codec/yaml.ts'
import { parseDocument } from '../../../src/codec/yaml-parse.ts'
import { runAtOnce, type Steps } from '../../../src/lib/steps.ts'

interface Row {
  readonly text: string
  readonly fault?: string
}

/** Random texts with the errors of sigs.k8s.io/yaml 1.4.0. Texts without one are valid. */
const rows = JSON.parse(readFileSync(new URL('../../fixtures/codec/go-yaml-faults.json', import.meta.url), 'utf8')) as Row[]

function* ignore(): Steps<void> {}

/** Returns the error of a text. */
const faultOf = (text: string): string | undefined => runAtOnce(parseDocument(text, ignore))

describe('the grammar of go-yaml', () => {
  for (const { text, fault } of rows)
    it(`${fault === undefined ? 'accepts' : 'rejects'} ${JSON.stringify(text)}`, () => expect(faultOf(text)).to.equal(fault))

  it('ignores text that follows the first document and belongs to none', () => {
    const parsed: Record<string, unknown> = {
      '{"a": 1} x': { a: 1 },
      '--- [a]\n{b: c}': ['a'],
      '"a" b': 'a',
      '{"a": 1}\n---\nx': { a: 1 },
      a: 'a',
      '': null,
    }
    for (const [text, value] of Object.entries(parsed)) expect(parseYaml(Buffer.from(text)).value, text).to.deep.equal(value)
  })
  it('reads nothing after the first document', () => {
    expect(faultOf('a: b\n---\n}')).to.equal(undefined)
    expect(faultOf('{"a": 1}}')).to.equal(undefined)
  })
  it('yields while it reads a long text', () => {
    const text = Array.from({ length: 2000 }, (_, i) => `- {a${i}: [1, 2]}\n`).join('')
    expect([...parseDocument(text, ignore)]).to.have.length.above(20)
  })
  it('reads texts nested deeper than the call stack', () => {
    expect(faultOf(`a: ${'['.repeat(9999)}${']'.repeat(9999)}`)).to.equal(undefined)
    expect(faultOf('['.repeat(10_001))).to.equal('yaml: exceeded max depth of 10000')
    expect(faultOf(`${'- '.repeat(9999)}1`)).to.equal(undefined)
  })
})
