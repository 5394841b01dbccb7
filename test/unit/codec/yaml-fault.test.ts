import { expect } from 'chai'
import { parseYaml, YamlError } from '../../../src/codec/yaml.ts'

/** Texts with the errors of go-yaml 2.4, through sigs.k8s.io/yaml. */
const unclosed: readonly (readonly [text: string, fault: string])[] = [
  ['{', 'yaml: line 1: did not find expected node content'],
  ['a: [', 'yaml: line 1: did not find expected node content'],
  ['{"a": ', 'yaml: line 1: did not find expected node content'],
  ['a: [1', "yaml: line 1: did not find expected ',' or ']'"],
  ['a: {b: 1', "yaml: line 1: did not find expected ',' or '}'"],
  ['[a, ', 'yaml: line 1: did not find expected node content'],
  ['a: [\n', 'yaml: line 1: did not find expected node content'],
  ['a: {b: [', 'yaml: line 1: did not find expected node content'],
  ['a: [b: 1, c', "yaml: line 1: did not find expected ',' or ']'"],
  ['a: 1\nb: [', 'yaml: line 2: did not find expected node content'],
  ['a: 1\nb: [1', "yaml: line 2: did not find expected ',' or ']'"],
  ['a: 1\nb: [\n', 'yaml: line 2: did not find expected node content'],
  ['a: 1\nb: \u0001x\n', 'yaml: control characters are not allowed'],
  ['a: "x', 'yaml: found unexpected end of stream'],
]

describe('the error of a YAML text', () => {
  for (const [text, fault] of unclosed)
    it(`that ends too early equals go-yaml's: ${JSON.stringify(text)}`, () => expect(() => parseYaml(Buffer.from(text))).to.throw(fault))

  const nested = (depth: number, before = ''): Buffer => Buffer.from(`${before}${'{"a": '.repeat(depth)}1${'}'.repeat(depth)}`)
  const deep: readonly (readonly [what: string, text: Buffer, fault: string | undefined])[] = [
    ['500 flow mappings', nested(500, 'a: '), undefined],
    ['500 block sequences', Buffer.from(`a:\n${'- '.repeat(500)}1`), undefined],
    ['10,001 flow mappings', nested(10_001), 'yaml: exceeded max depth of 10000'],
    ['10,001 on a later line', nested(10_001, 'a: 1\nb: '), 'yaml: line 2: exceeded max depth of 10000'],
    ['9,000 block sequences', Buffer.from(`a:\n${'- '.repeat(9000)}1`), undefined],
    ['9,000 flow sequences that an alias repeats', Buffer.from(`a: &x ${'['.repeat(9000)}${']'.repeat(9000)}\nb: *x`), undefined],
    ['10,001 block sequences', Buffer.from('- '.repeat(10_001)), 'yaml: exceeded max depth of 10000'],
  ]
  for (const [what, text, fault] of deep)
    it(`with ${what}: ${fault ?? 'none'}`, () => {
      if (fault === undefined) expect(() => parseYaml(text)).to.not.throw()
      else expect(() => parseYaml(text)).to.throw(YamlError, fault)
    })
})
