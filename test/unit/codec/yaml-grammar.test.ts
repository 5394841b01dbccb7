import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { goYamlFault } from '../../../src/codec/yaml-grammar.ts'

interface Row {
  readonly text: string
  readonly fault?: string
}

/** Random texts, and what sigs.k8s.io/yaml 1.4.0 says of their form: nothing of those without a fault. */
const rows = JSON.parse(readFileSync(new URL('../../fixtures/codec/go-yaml-faults.json', import.meta.url), 'utf8')) as Row[]

describe('the grammar of go-yaml', () => {
  for (const { text, fault } of rows)
    it(`${fault === undefined ? 'takes' : 'refuses'} ${JSON.stringify(text)}`, () => expect(goYamlFault(text)).to.equal(fault))

  it('reads nothing behind the first document', () => {
    expect(goYamlFault('a: b\n---\n}')).to.equal(undefined)
    expect(goYamlFault('{"a": 1}}')).to.equal(undefined)
  })
  it('takes no more time for a long text than in proportion', () => {
    const lines = (n: number): string => Array.from({ length: n }, (_, i) => `- {a${i}: "x", b: [1, 2, 'y']}\n`).join('')
    const cost = (text: string): number => {
      let least = Number.POSITIVE_INFINITY
      for (let i = 0; i < 5; i++) {
        const before = process.cpuUsage()
        goYamlFault(text)
        const { user, system } = process.cpuUsage(before)
        least = Math.min(least, user + system)
      }
      return least
    }
    cost(lines(1000))
    expect(cost(lines(4000)) / cost(lines(1000))).to.be.below(16)
  })
  it('does not end at the depth of the stack', () => {
    expect(goYamlFault(`a: ${'['.repeat(9999)}${']'.repeat(9999)}`)).to.equal(undefined)
    expect(goYamlFault('['.repeat(10_001))).to.equal('yaml: exceeded max depth of 10000')
    expect(goYamlFault(`${'- '.repeat(9999)}1`)).to.equal(undefined)
  })
})
