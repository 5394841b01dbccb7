import { expect } from 'chai'
import protobuf from 'protobufjs/minimal.js'
import { fieldsOf } from '../../../src/lib/protobuf-fields.ts'
import { finished, type Writer, writeBytes, writeMessage, writeNumber, writeText } from '../../../src/lib/protobuf-writing.ts'

const written = (write: (out: Writer) => void): Buffer => {
  const out = protobuf.Writer.create()
  write(out)
  return finished(out)
}

describe('messages', () => {
  const numbers = [
    1,
    127,
    128,
    2 ** 32 - 1,
    2 ** 32,
    Number.MAX_SAFE_INTEGER,
    -1,
    -(2 ** 40),
    7587882113741853466n,
    2n ** 63n - 1n,
    -(2n ** 63n),
  ]
  for (const value of numbers)
    it(`have the number ${value}`, () => expect(fieldsOf(written(out => writeNumber(out, 5, value))).integer(5)).to.equal(BigInt(value)))

  it('omit what is empty', () =>
    expect(
      written(out => {
        writeNumber(out, 1, 0)
        writeNumber(out, 2, 0n)
        writeText(out, 3, '')
        writeBytes(out, 4, Buffer.alloc(0))
      }),
    ).to.have.length(0))

  it('have texts, bytes and other messages', () => {
    const fields = fieldsOf(
      written(out => {
        writeText(out, 1, 'a')
        writeMessage(out, 2, inner => writeBytes(inner, 1, Buffer.of(1, 2)))
        writeMessage(out, 2, () => {})
      }),
    )
    expect(fields.text(1)).to.equal('a')
    expect(fields.all(2).map(inner => [...fieldsOf(inner).bytes(1)])).to.deep.equal([[1, 2], []])
  })
})
