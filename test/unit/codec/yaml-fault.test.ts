import { expect } from 'chai'
import { parseYaml } from '../../../src/codec/yaml.ts'

/** What go-yaml 2.4 says of each, by way of sigs.k8s.io/yaml. */
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

describe('the fault of a YAML text', () => {
  for (const [text, fault] of unclosed)
    it(`that ends too early is worded as go-yaml does: ${JSON.stringify(text)}`, () => expect(() => parseYaml(Buffer.from(text))).to.throw(fault))
})
