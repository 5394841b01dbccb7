import { constants, inflateRawSync } from 'node:zlib'
import { expect } from 'chai'
import { headerBlock } from '../../../../src/protocols/spdy/header-block.ts'

/** Inflates the blocks of one connection. */
const inflated = (...blocks: Buffer[]): string =>
  inflateRawSync(Buffer.concat(blocks).subarray(6), { finishFlush: constants.Z_SYNC_FLUSH }).toString('latin1')

describe('SPDY header blocks', () => {
  const first = headerBlock([['streamtype', 'error']], true)
  const one = '\0\0\0\x01\0\0\0\nstreamtype\0\0\0\x05error'

  it('begin with a deflate header with the checksum of the dictionary, as Go writes them', () => {
    const [method, flags] = first as unknown as [number, number]
    expect(method).to.equal(0x78)
    expect((method * 256 + flags) % 31).to.equal(0)
    expect(flags & 0x20, 'there is a dictionary').to.equal(0x20)
    expect(first.toString('hex', 2, 6)).to.equal('e3c6a7c2')
  })
  it('inflate to names and values', () => expect(inflated(first)).to.equal(one))
  it('use one compression stream', () => {
    const second = headerBlock(
      [
        ['streamtype', 'data'],
        ['port', '80'],
      ],
      false,
    )
    expect(inflated(first, second)).to.equal(`${one}\0\0\0\x02\0\0\0\nstreamtype\0\0\0\x04data\0\0\0\x04port\0\0\0\x0280`)
  })
  it('end with a sync flush, which Go requires', () => expect(first.toString('hex').endsWith('000000ffff')).to.equal(true))
  it('are limited in length', () => expect(() => headerBlock([['a', 'x'.repeat(70_000)]], true)).to.throw(RangeError))
})
