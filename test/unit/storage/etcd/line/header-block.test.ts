import { expect } from 'chai'
import { FrameError } from '../../../../../src/storage/etcd/line/frames.ts'
import { INDEXED, literal, NAME, readHeaders } from '../../../../../src/storage/etcd/line/header-block.ts'

const read = (hex: string): Record<string, string> => Object.fromEntries(readHeaders(Buffer.from(hex.replaceAll(' ', ''), 'hex')))

describe('header blocks', () => {
  it('are written as RFC 7541 has them', () => {
    // Appendices C.2.1 (of a header that is not kept) and C.2.2.
    expect(literal('custom-key', 'custom-header').toString('hex')).to.equal('000a637573746f6d2d6b65790d637573746f6d2d686561646572')
    expect(literal(NAME.PATH, '/sample/path').toString('hex')).to.equal('040c2f73616d706c652f70617468')
    // A number that does not fit its first bits: 58 of four, and 200 of seven.
    expect(literal(NAME.USER_AGENT, 'x'.repeat(200)).subarray(0, 4).toString('hex')).to.equal('0f2b7f49')
    expect(INDEXED.POST).to.equal(0x83)
  })

  const cases: [what: string, hex: string, headers: Record<string, string>][] = [
    ['nothing', '', {}],
    ['a status of the table', '88', { ':status': '200' }],
    ['another status', '48 03 353033', { ':status': '503' }],
    ['a status that is Huffman coded', '48 82 6402', { ':status': '302' }],
    ['a header with a name of its own', `00 0b ${Buffer.from('grpc-status').toString('hex')} 01 30`, { 'grpc-status': '0' }],
    ['one that would be kept, Huffman coded', '40 88 9acac8b21234da8f 01 30', { 'grpc-status': '0' }],
    ['one that is never to be kept', `10 0b ${Buffer.from('grpc-status').toString('hex')} 01 30`, { 'grpc-status': '0' }],
    ['what is of no interest, passed over', '20 88 5f 03 612f62 85 0f10 01 78', { ':status': '200' }],
    ['a long value', `00 01 61 7f49 ${'78'.repeat(200)}`, { a: 'x'.repeat(200) }],
  ]
  for (const [what, hex, headers] of cases) it(`are read: ${what}`, () => expect(read(hex)).to.deep.equal(headers))

  const wrong: [why: string, hex: string][] = [
    ['an entry of the dynamic table', 'be'],
    ['a name of the dynamic table', '7e 01 30'],
    ['entry 0', '80'],
    ['no value', '48'],
    ['half a value', '48 03 3530'],
    ['half a number', '7f 01 61 7f'],
    ['a number that is too large', '7f ffffffff7f'],
    ['a bad Huffman code', '48 84 ffffffff'],
  ]
  for (const [why, hex] of wrong) it(`are refused: ${why}`, () => expect(() => read(hex)).to.throw(FrameError))
})
