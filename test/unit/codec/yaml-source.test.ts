import { expect } from 'chai'
import type { Json } from '../../../src/api/meta/object.ts'
import { parseYaml } from '../../../src/codec/yaml.ts'

const littleEndian = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
const bigEndian = (text: string): Buffer => Buffer.from(littleEndian(text)).swap16()
const units = (...bytes: number[]): Buffer => Buffer.concat([littleEndian('a: "'), Buffer.from(bytes)])

const fault = (bytes: Buffer): string => {
  try {
    return `value: ${JSON.stringify(parseYaml(bytes).value)}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('YAML in UTF-16', () => {
  const text = 'a: "é😀"\nb: [1, 2]\n'
  const value = { a: 'é😀', b: [1, 2] }

  it('is read with a byte order mark, in either order', () => {
    expect(parseYaml(littleEndian(text)).value).to.deep.equal(value)
    expect(parseYaml(bigEndian(text)).value).to.deep.equal(value)
    expect(parseYaml(littleEndian('{"a":"b"}')).value).to.deep.equal({ a: 'b' })
    expect(parseYaml(littleEndian('')).value).to.equal(null)
  })

  const faults: readonly (readonly [string, Buffer, string])[] = [
    ['half a unit', Buffer.concat([littleEndian(text), Buffer.from([0x41])]), 'yaml: incomplete UTF-16 character'],
    ['half a unit after the mark', Buffer.from([0xfe, 0xff, 0]), 'yaml: incomplete UTF-16 character'],
    ['a low surrogate alone', units(0x00, 0xdc), 'yaml: unexpected low surrogate area'],
    ['a high surrogate at the end', units(0x00, 0xd8), 'yaml: incomplete UTF-16 surrogate pair'],
    ['a high surrogate before another character', units(0x00, 0xd8, 0x41, 0x00), 'yaml: expected low surrogate area'],
    ['a control character', littleEndian('a: "\u0001"'), 'yaml: control characters are not allowed'],
    [
      'a control character before half a unit',
      Buffer.concat([littleEndian('a: "\u0001"'), Buffer.from([0])]),
      'yaml: control characters are not allowed',
    ],
    ['a syntax error', littleEndian('a: b\n x: [\n'), 'yaml: line 2: mapping values are not allowed in this context'],
  ]
  for (const [what, bytes, message] of faults)
    it(`is refused in the words of go-yaml: ${what}`, () => expect(fault(bytes)).to.equal(message))
})

describe('a next line (U+0085) in YAML', () => {
  const rows: readonly (readonly [string, Json])[] = [
    ['a: b\u0085c: d\u0085', { a: 'b', c: 'd' }],
    ['a: b\u0085   c', { a: 'b c' }],
    ['a: b\n\u0085   c', { a: 'b\nc' }],
    ['a: "b\u0085c"', { a: 'b c' }],
    ['a: "b\\\u0085   c"', { a: 'bc' }],
    ['a: |\u0085  b\u0085  c\u0085', { a: 'b\nc\n' }],
    ['{"a":"b\u0085c"}', { a: 'b c' }],
  ]
  for (const [text, value] of rows)
    it(`breaks a line: ${JSON.stringify(text)}`, () => expect(parseYaml(Buffer.from(text)).value).to.deep.equal(value))
})
