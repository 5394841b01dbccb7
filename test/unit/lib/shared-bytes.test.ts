import { expect } from 'chai'
import { SharedBytes } from '../../../src/lib/shared-bytes.ts'

describe('SharedBytes', () => {
  const pieces = [Buffer.from('{"a":1}\n'), Buffer.from('{"bc":2}\n')]

  it('creates each form once', () => {
    const bytes = new SharedBytes(pieces)
    expect(bytes.length).to.equal(17)
    expect(bytes.joined.toString()).to.equal('{"a":1}\n{"bc":2}\n')
    expect(bytes.chunk.toString()).to.equal('11\r\n{"a":1}\n{"bc":2}\n\r\n')
    expect(bytes.joined).to.equal(bytes.joined)
    expect(bytes.chunk).to.equal(bytes.chunk)
  })

  it('does not copy a single piece', () => {
    expect(new SharedBytes([pieces[0]!]).joined).to.equal(pieces[0])
  })

  it('joins the pieces of messages once for both forms', () => {
    const message = [Buffer.from('{"a":'), Buffer.from('1'), Buffer.from('}\n')]
    const bytes = new SharedBytes([message, pieces[1]!])
    expect(bytes.length).to.equal(17)
    expect(bytes.chunk.toString()).to.equal('11\r\n{"a":1}\n{"bc":2}\n\r\n')
    expect(bytes.joined.toString()).to.equal('{"a":1}\n{"bc":2}\n')
    expect(bytes.joined.buffer).to.equal(bytes.chunk.buffer)
    expect(bytes.pieces.map(String)).to.deep.equal(['{"a":1}\n', '{"bc":2}\n'])
    const alone = new SharedBytes([message])
    expect([alone.joined.toString(), alone.chunk.toString()]).to.deep.equal(['{"a":1}\n', '8\r\n{"a":1}\n\r\n'])
  })

  it('does not cache long messages', () => {
    const long = new SharedBytes([Buffer.alloc(1 << 20), Buffer.alloc(1)])
    expect(long.joined).not.to.equal(long.joined)
    expect(long.joined.length).to.equal((1 << 20) + 1)
  })
})
