import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { parseYaml } from '../../../src/codec/yaml.ts'
import { seededRandom } from '../../../src/lib/seeded-random.ts'

/** JSON is read by another parser than YAML. A comment before it makes it YAML; both results must be equal. */

const TEXTS = [
  ...[
    '',
    'a',
    '1',
    '1.0',
    'true',
    '~',
    'null',
    'yes',
    '0x1',
    '1e3',
    '2020-01-01',
    ' a ',
    'a: b',
    '- x',
    '#c',
    '<<',
    '=',
    '|',
    '"',
    '\\',
    '/',
    '{',
    '...',
    '---',
    '&a',
    '!!str',
  ],
  ...[
    'é',
    '\u0001',
    '\n',
    '\r\n',
    '\t',
    '\u0085',
    '\u2028',
    '😀',
    '\ud83d',
    '\u007f',
    '\ufeff',
    '\ufffe',
    '\u00a0',
    '010',
    '12:30:45',
    '.inf',
    '__proto__',
    'x'.repeat(1100),
  ],
]
const NUMBERS = [0, 1, -1, 1.5, 1e21, 1e-7, 123456789012345, 0.1, -5]

const random = seededRandom(3)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
function value(depth: number): Json {
  const dice = random()
  if (depth > 3 || dice < 0.4) return pick(TEXTS)
  if (dice < 0.6) return pick<Json>([...NUMBERS, true, false, null])
  const items = Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1))
  return dice < 0.8 ? items : Object.fromEntries(items.map(item => [pick(TEXTS), item]))
}

function told(text: string): string {
  try {
    return JSON.stringify(parseYaml(Buffer.from(text)).value, (_, member: unknown) => (typeof member === 'bigint' ? `#${member}` : member))
  } catch {
    return 'refused'
  }
}

describe('JSON in YAML', () => {
  it('has the same value as parsed by the YAML parser', () => {
    for (let i = 0; i < 2000; i++) {
      const text = JSON.stringify({ a: value(0), b: value(1) }, undefined, i % 3)
      expect(told(text), text).to.equal(told(`# a comment\n${text}`))
    }
  })
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":1.0}',
    '{"a":9007199254740993}',
    '{"a":-0}',
    '{"a"\n:1}',
    '{"a":"\\/"}',
    '{"a":1}\n---\n{"b":1}',
    '{"<<":{"b":1},"c":2}',
    '{"a":1} #',
  ])
    it(JSON.stringify(text), () => expect(told(text)).to.equal(told(`# a comment\n${text}`)))
})
