import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { goYamlForm as form, type GoYamlForm } from '../../../src/codec/yaml-grammar.ts'
import { runAtOnce } from '../../../src/lib/steps.ts'

interface Row {
  readonly text: string
  readonly fault?: string
}

/** Random texts with the errors of sigs.k8s.io/yaml 1.4.0. Texts without one are valid. */
const rows = JSON.parse(readFileSync(new URL('../../fixtures/codec/go-yaml-faults.json', import.meta.url), 'utf8')) as Row[]

const goYamlForm = (text: string): GoYamlForm => runAtOnce(form(text))

describe('the grammar of go-yaml', () => {
  for (const { text, fault } of rows)
    it(`${fault === undefined ? 'accepts' : 'rejects'} ${JSON.stringify(text)}`, () => expect(goYamlForm(text).fault).to.equal(fault))

  it('returns the end of the first document if text that belongs to no document follows', () => {
    expect(goYamlForm('{"a": 1} x').end).to.equal(8)
    expect(goYamlForm('--- [a]\n{b: c}').end).to.equal(7)
    expect(goYamlForm('"a" b').end).to.equal(3)
    for (const text of ['{"a": 1}', '{"a": 1} # x', 'a: b', '{"a": 1}\n---\nx', 'a', '']) expect(goYamlForm(text)).to.deep.equal({ end: undefined })
  })
  it('reads nothing after the first document', () => {
    expect(goYamlForm('a: b\n---\n}').fault).to.equal(undefined)
    expect(goYamlForm('{"a": 1}}').fault).to.equal(undefined)
  })
  it('yields while it reads a long text', () => {
    const text = Array.from({ length: 2000 }, (_, i) => `- {a${i}: [1, 2]}\n`).join('')
    expect([...form(text)]).to.have.length.above(20)
  })
  it('reads texts nested deeper than the call stack', () => {
    expect(goYamlForm(`a: ${'['.repeat(9999)}${']'.repeat(9999)}`).fault).to.equal(undefined)
    expect(goYamlForm('['.repeat(10_001)).fault).to.equal('yaml: exceeded max depth of 10000')
    expect(goYamlForm(`${'- '.repeat(9999)}1`).fault).to.equal(undefined)
  })
})
