import { expect } from 'chai'
import protobuf from 'protobufjs/minimal.js'
import { ProtobufError } from '../../../src/lib/protobuf-error.ts'
import { fieldsOf } from '../../../src/lib/protobuf-fields.ts'

describe('fields of small messages', () => {
  it('are found by number, with the last of several values', () => {
    const message = protobuf.Writer.create()
      .uint32(10)
      .string('first')
      .uint32(10)
      .string('last')
      .uint32(16)
      .int64(-5)
      .uint32(26)
      .bytes(Buffer.of(1, 2))
      .finish()
    const fields = fieldsOf(message)
    expect(fields.text(1)).to.equal('last')
    expect(fields.all(1).map(String)).to.deep.equal(['first', 'last'])
    expect(fields.number(2)).to.equal(-5)
    expect(fields.integer(2)).to.equal(-5n)
    expect([...fields.bytes(3)]).to.deep.equal([1, 2])
  })

  it('are empty if absent', () => {
    const fields = fieldsOf(Buffer.alloc(0))
    expect([fields.text(1), fields.number(1), fields.all(1).length, fields.bytes(1).length]).to.deep.equal(['', 0, 0, 0])
  })

  it('are skipped if their wire type differs', () => {
    const message = protobuf.Writer.create().uint32(13).fixed32(7).uint32(17).fixed64(9).uint32(24).uint32(1).finish()
    const fields = fieldsOf(message)
    expect([fields.text(1), fields.number(1), fields.number(2), fields.number(3)]).to.deep.equal(['', 0, 0, 1])
  })

  it('keep all bits of a number', () => {
    const message = Buffer.of(8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)
    expect(fieldsOf(message).integer(1)).to.equal(2n ** 63n - 1n)
  })

  it('are not read from a truncated message', () => {
    expect(() => fieldsOf(Buffer.of(10, 5, 1))).to.throw(ProtobufError, 'unexpected EOF')
  })
})
