import { expect } from 'chai'
import {
  contentOf,
  FLAG,
  FRAME,
  FrameError,
  FrameReader,
  frame,
  MAX_PAYLOAD,
  numberFrame,
  readSettings,
  settingsFrame,
} from '../../../../../src/storage/etcd/line/frames.ts'

type Seen = [type: number, flags: number, stream: number, payload: string]

function readAll(bytes: Buffer, step: number): Seen[] {
  const seen: Seen[] = []
  const reader = new FrameReader((type, flags, stream, payload) => seen.push([type, flags, stream, payload.toString('hex')]))
  for (let i = 0; i < bytes.length; i += step) reader.take(bytes.subarray(i, i + step))
  return seen
}

describe('frames', () => {
  it('are written as RFC 9113 has them', () => {
    expect(frame(FRAME.DATA, FLAG.END_STREAM, 5, Buffer.from('abc')).toString('hex')).to.equal('000003000100000005616263')
    expect(numberFrame(FRAME.RST_STREAM, 7, 8).toString('hex')).to.equal('00000403000000000700000008')
    expect(settingsFrame([[1, 0]]).toString('hex')).to.equal('000006040000000000000100000000')
  })

  it('are read whole, in whatever pieces they come', () => {
    const bytes = Buffer.concat([
      frame(FRAME.HEADERS, FLAG.END_HEADERS, 1, Buffer.from('88', 'hex')),
      frame(FRAME.SETTINGS, FLAG.ACK, 0, Buffer.alloc(0)),
      frame(FRAME.DATA, 0, 0x7fffffff, Buffer.alloc(MAX_PAYLOAD, 7)),
      numberFrame(FRAME.WINDOW_UPDATE, 0, 1000),
    ])
    const whole = readAll(bytes, bytes.length)
    expect(whole.map(([type, flags, stream, payload]) => [type, flags, stream, payload.length / 2])).to.deep.equal([
      [FRAME.HEADERS, FLAG.END_HEADERS, 1, 1],
      [FRAME.SETTINGS, FLAG.ACK, 0, 0],
      [FRAME.DATA, 0, 0x7fffffff, MAX_PAYLOAD],
      [FRAME.WINDOW_UPDATE, 0, 0, 4],
    ])
    for (const step of [1, 2, 8, 9, 10, 100, 16_000]) expect(readAll(bytes, step), `pieces of ${step}`).to.deep.equal(whole)
  })

  it('have no bit before the id of the stream', () => {
    expect(readAll(Buffer.from('000000000080000003', 'hex'), 9)).to.deep.equal([[0, 0, 3, '']])
  })

  it('are refused where they are longer than was allowed', () => {
    expect(() => readAll(Buffer.from('004001000000000001', 'hex'), 9)).to.throw(FrameError, 'a frame of 16385 bytes')
  })

  it('are freed of padding and priority', () => {
    const content = (type: number, flags: number, hex: string) => contentOf(type, flags, Buffer.from(hex, 'hex')).toString('hex')
    expect(content(FRAME.DATA, 0, '0102')).to.equal('0102')
    expect(content(FRAME.DATA, FLAG.PADDED, '02aabb0000')).to.equal('aabb')
    expect(content(FRAME.HEADERS, FLAG.PADDED | FLAG.PRIORITY, '01000000000188ff00')).to.equal('88ff')
    expect(() => content(FRAME.DATA, FLAG.PADDED, '0300')).to.throw(FrameError)
    expect(() => content(FRAME.DATA, FLAG.PADDED, '')).to.throw(FrameError)
  })

  it('of settings are pairs', () => {
    expect(
      readSettings(
        settingsFrame([
          [3, 100],
          [4, 0xffffffff],
        ]).subarray(9),
      ),
    ).to.deep.equal([
      [3, 100],
      [4, 0xffffffff],
    ])
    expect(() => readSettings(Buffer.alloc(7))).to.throw(FrameError)
  })
})
