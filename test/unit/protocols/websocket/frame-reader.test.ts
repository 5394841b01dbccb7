import { expect } from 'chai'
import { turnIsSpent } from '../../../../src/lib/turn.ts'
import { FrameReader } from '../../../../src/protocols/websocket/frame-reader.ts'
import { clientFrame } from '../../../support/web-socket-client.ts'

type Said = readonly [what: string, ...rest: unknown[]]

/** Returns the decoded messages in one piece each. `parts` are the sizes in which bytes arrive. */
function read(frames: readonly Buffer[], parts: number, maxBytes = 1 << 20): Said[] {
  const bytes = Buffer.concat(frames)
  const said: Said[] = []
  let message = ''
  const reader = new FrameReader(maxBytes, {
    piece: (piece, { opcode, first, last }) => {
      message = (first ? '' : message) + piece.toString('latin1')
      if (last) said.push(['message', opcode, message])
    },
    control: (opcode, payload) => void said.push(['control', opcode, payload.toString('latin1')]),
    violation: () => void said.push(['violation']),
  })
  for (let from = 0; from < bytes.length; from += parts) reader.push(Buffer.from(bytes.subarray(from, from + parts)))
  return said
}

const text = (from: string): Buffer => Buffer.from(from, 'latin1')

describe('frames of a WebSocket client', () => {
  const long = 'x'.repeat(70_001)
  const cases: [name: string, frames: Buffer[], said: Said[]][] = [
    [
      'are messages',
      [clientFrame(2, text('one')), clientFrame(1, text('two')), clientFrame(2, text(''))],
      [
        ['message', 2, 'one'],
        ['message', 1, 'two'],
        ['message', 2, ''],
      ],
    ],
    [
      'are unmasked, however long',
      [clientFrame(2, text('y'.repeat(200))), clientFrame(2, text(long))],
      [
        ['message', 2, 'y'.repeat(200)],
        ['message', 2, long],
      ],
    ],
    [
      'may be parts of a message, with others between',
      [
        clientFrame(2, text('on'), { final: false }),
        clientFrame(9, text('ping')),
        clientFrame(0, text(''), { final: false }),
        clientFrame(0, text('e')),
      ],
      [
        ['control', 9, 'ping'],
        ['message', 2, 'one'],
      ],
    ],
    ['of a message that never began are a violation', [clientFrame(0, text('x')), clientFrame(9, text(''))], [['violation']]],
    [
      'of a message inside another are a violation',
      [clientFrame(2, text('x'), { final: false }), clientFrame(2, text('y'))],
      [['violation']],
    ],
    ['of an unknown sort are a violation', [clientFrame(3, text('x'))], [['violation']]],
    ['that control can not be parts', [clientFrame(9, text('x'), { final: false })], [['violation']]],
    ['without a mask are a violation', [Buffer.from([0x82, 1, 0])], [['violation']]],
    ['of an extension are a violation', [Buffer.from([0xc2, 0x81, 0, 0, 0, 0, 0])], [['violation']]],
  ]
  for (const [name, frames, said] of cases)
    it(name, () => {
      for (const parts of [1, 3, 1000, 1 << 20]) expect(read(frames, parts), `in parts of ${parts}`).to.deep.equal(said)
    })

  it('beyond the size limit are rejected early', () => {
    expect(read([clientFrame(2, text('x'.repeat(200))).subarray(0, 4)], 1, 199)).to.deep.equal([['violation']])
  })

  it('are not read after a stop', () => {
    const said: string[] = []
    const reader = new FrameReader(100, {
      piece: piece => {
        said.push(piece.toString())
        reader.stop()
      },
      control: () => {},
      violation: () => {},
    })
    reader.push(Buffer.concat([clientFrame(2, text('one')), clientFrame(2, text('two'))]))
    reader.push(clientFrame(2, text('three')))
    expect(said).to.deep.equal(['one'])
  })

  it('are read in several turns if there are very many', () => {
    let pings = 0
    const reader = new FrameReader(100, { control: () => void pings++, violation: () => {} })
    const one = clientFrame(9, text(''))
    const frames = Buffer.concat(Array.from({ length: 100_000 }, () => one))
    // The turn's budget is spent by then, on any machine.
    for (const until = performance.now() + 5; !turnIsSpent() || performance.now() < until; );
    reader.push(frames)
    expect(reader.isBehind).to.equal(true)
    expect(pings).to.be.below(100_000)
    reader.push(Buffer.alloc(0), true)
    expect([pings, reader.isBehind]).to.deep.equal([100_000, false])
  })
})
