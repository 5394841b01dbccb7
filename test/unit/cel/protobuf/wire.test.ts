import { expect } from 'chai'
import { wireFields } from '../../../../src/cel/protobuf/wire.ts'

const NONE: number[] = []

describe('wireFields', () => {
  it('returns the fields in order', () =>
    expect(
      wireFields(Buffer.from('0803110102030405060708120161250a0b0c0d', 'hex'))?.map(field => ({ ...field, bytes: [...field.bytes] })),
    ).to.deep.equal([
      { number: 1, wire: 0, varint: 3n, bytes: NONE },
      { number: 2, wire: 1, varint: 0n, bytes: [1, 2, 3, 4, 5, 6, 7, 8] },
      { number: 2, wire: 2, varint: 0n, bytes: [0x61] },
      { number: 4, wire: 5, varint: 0n, bytes: [10, 11, 12, 13] },
    ]))

  it('keeps all 64 bits of a number', () => {
    expect(wireFields(Buffer.from('08ffffffffffffffffff01', 'hex'))?.[0]?.varint).to.equal(2n ** 64n - 1n)
    expect(wireFields(Buffer.from('f8ffffff0f00', 'hex'))?.[0]?.number).to.equal(2 ** 29 - 1)
  })

  const malformed: Record<string, string> = {
    'a number of 65 bits': '08ffffffffffffffffff02',
    'a number of eleven bytes': '08ffffffffffffffffffff01',
    'a number that is cut off': '08ff',
    'bytes that are cut off': '120261',
    'a fixed number that is cut off': '1101020304050607',
    'a length of 64 bits': '12ffffffffffffffffff01',
    'field 0': '0000',
    'a field beyond 29 bits': '808080801000',
    'a group': '0b0c',
    'an unknown wire type': '0e',
  }
  for (const [what, hex] of Object.entries(malformed))
    it(`rejects ${what}`, () => expect(wireFields(Buffer.from(hex, 'hex'))).to.equal(undefined))
})
