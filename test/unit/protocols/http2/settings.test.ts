import { expect } from 'chai'
import { type Frame, FrameType } from '../../../../src/protocols/http2/frames.ts'
import { streamWindowOf } from '../../../../src/protocols/http2/settings.ts'

function frame(settings: readonly (readonly [id: number, value: number])[]): Frame {
  const payload = Buffer.alloc(6 * settings.length)
  for (const [i, [id, value]] of settings.entries()) payload.writeUInt32BE(value, payload.writeUInt16BE(id, 6 * i))
  return { type: FrameType.settings, flags: 0, stream: 0, payload }
}

describe('the settings of a client', () => {
  it('may omit the windows', () => expect(streamWindowOf(frame([[3, 100]]))).to.equal(undefined))
  it('may set a window several times, with the last value in effect', () =>
    expect(
      streamWindowOf(
        frame([
          [4, 1],
          [4, 2],
        ]),
      ),
    ).to.equal(2))

  for (const [what, settings, code] of [
    ['a push that is neither', [[2, 2]], 1],
    ['frames that are too small', [[5, 100]], 1],
    ['a window beyond the maximum', [[4, 2 ** 31]], 3],
    ['more settings in a frame than are of use', Array.from({ length: 33 }, () => [4, 0] as const), 11],
  ] as const)
    it(`may not contain ${what}`, () =>
      expect(() => streamWindowOf(frame(settings)))
        .to.throw()
        .with.property('code', code))
})
