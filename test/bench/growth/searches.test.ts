import { parseYaml } from '../../../src/codec/yaml.ts'
import { decodePem } from '../../../src/lib/decode-pem.ts'
import { indexOfText, lastIndexOfText, splitText } from '../../../src/lib/find-text.ts'
import { linearRegExp } from '../../../src/lib/linear-regexp.ts'
import { endsWithinCertificate, pemCertificates } from '../../../src/lib/pem-certificates.ts'
import { expectNoSquare } from '../../support/processor-cost.ts'

const lines = (count: number, line: (i: number) => string): string => Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('')
const middle = (count: number): string => `${'a'.repeat(count / 4)}b${'a'.repeat(count / 4)}`
const backtracking = linearRegExp('^(a+)+$')

const finding =
  (find: (text: string, part: string) => unknown) =>
  (count: number): (() => unknown) => {
    const [text, part] = ['a'.repeat(count), middle(count)]
    return () => find(text, part)
  }

const CASES: Readonly<Record<string, readonly [few: number, prepare: (count: number) => () => unknown]>> = {
  indexOfText: [40_000, finding(indexOfText)],
  lastIndexOfText: [40_000, finding(lastIndexOfText)],
  splitText: [40_000, finding(splitText)],
  'linearRegExp of an expression that backtracks': [1000, count => () => backtracking?.foundIn(`${'a'.repeat(count)}b`)],
  'beginnings of certificates': [
    40_000,
    count => {
      const text = '-----BEGIN CERTIFICATE-----'.repeat(count)
      return () => [pemCertificates(text), endsWithinCertificate(text)]
    },
  ],
  'BEGIN lines of PEM': [
    20_000,
    count => {
      const text = lines(count, i => `-----BEGIN ${i}-----`)
      return () => [decodePem(text), decodePem(`${text}-----END x-----\n`)]
    },
  ],
  'lines of YAML': [
    1000,
    count => {
      const text = lines(count, i => `- {a${i}: "x", b: [1, 2, 'y']}`)
      return () => parseYaml(Buffer.from(text))
    },
  ],
}

describe('the cost of a search is linear in the text', () => {
  for (const [what, [few, prepare]] of Object.entries(CASES)) it(what, () => expectNoSquare(prepare, few))
})
