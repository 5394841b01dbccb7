import { once } from 'node:events'
import tls from 'node:tls'
import { type Frame, FrameReader, FrameType, frameOf } from '../../src/protocols/http2/frames.ts'

/** A connection on which a test says every frame itself. */
export interface RawHttp2 {
  /** Received frames, oldest first. */
  readonly frames: readonly Frame[]
  send(type: number, flags: number, stream: number, payload?: Buffer | readonly number[]): void
  sendBytes(bytes: Buffer): void
  /** The first frame, come or still to come, for which `wanted` holds. Rejects where the connection ends without. */
  until(wanted: (frame: Frame) => boolean): Promise<Frame>
  /** The code of the GOAWAY that the server ends the connection with. */
  ended(): Promise<number>
  /** The code of the first GOAWAY; undefined where the connection is cut without. */
  toldOrCut(): Promise<number | undefined>
  /** No more is read until `resume`. */
  pause(): void
  resume(): void
  close(): void
}

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
/** Indexes of HPACK's static table for a request of `/healthz`, whose path stands as it is. */
export const GET_HEALTHZ = Buffer.concat([Buffer.from([0x82, 0x87, 0x04, 8]), Buffer.from('/healthz'), Buffer.from([0x01, 1, 0x78])])

/** `settings`: the client's own, as pairs of an identifier and a value. `preface` false: the test sends that, too. */
export async function openRawHttp2(port: number, settings: readonly (readonly [number, number])[] = [], preface = true): Promise<RawHttp2> {
  const socket = tls.connect({ port, host: '127.0.0.1', ALPNProtocols: ['h2'], rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const frames: Frame[] = []
  const reader = new FrameReader()
  let waiting: (() => void)[] = []
  let over = false
  const told = (): void => {
    const woken = waiting
    waiting = []
    for (const wake of woken) wake()
  }
  socket.on('error', () => {})
  socket.on('data', chunk => {
    reader.read(chunk, frame => frames.push({ ...frame, payload: Buffer.from(frame.payload) }))
    told()
  })
  socket.on('close', () => {
    over = true
    told()
  })
  const raw: RawHttp2 = {
    frames,
    send: (type, flags, stream, payload = []) => void socket.write(frameOf(type, flags, stream, Buffer.from(payload as Buffer))),
    sendBytes: bytes => void socket.write(bytes),
    async until(wanted) {
      for (let seen = 0; ; ) {
        for (; seen < frames.length; seen++) if (wanted(frames[seen] as Frame)) return frames[seen] as Frame
        if (over) throw new Error('the connection has ended')
        await new Promise<void>(resolve => waiting.push(resolve))
      }
    },
    async ended() {
      const { payload } = await raw.until(frame => frame.type === FrameType.goAway)
      if (!over) await once(socket, 'close')
      return payload.readUInt32BE(4)
    },
    toldOrCut: () =>
      raw
        .until(frame => frame.type === FrameType.goAway)
        .then(
          ({ payload }) => payload.readUInt32BE(4),
          () => undefined,
        ),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.destroy(),
  }
  if (!preface) return raw
  socket.write(PREFACE)
  const payload = Buffer.alloc(6 * settings.length)
  for (const [i, [id, value]] of settings.entries()) payload.writeUInt32BE(value, payload.writeUInt16BE(id, 6 * i))
  raw.send(FrameType.settings, 0, 0, payload)
  await raw.until(({ type, flags }) => type === FrameType.settings && flags === 1)
  return raw
}
