import type { Duplex } from 'node:stream'
import { constants, inflateRawSync } from 'node:zlib'

const word = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

const control = (type: number, flags: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([word(0x80030000 | type), word((flags << 24) | body.length), body])
}

/**
 * The header block that a library of Go writes for a reply without headers, the first of a connection and those after
 * it.
 */
const NO_HEADERS = [Buffer.from('78f9e3c6a7c26260606000000000ffff', 'hex'), Buffer.from('62606060000000ffff', 'hex')]

/** A stream that the other side has opened. */
export class KubeletStream {
  readonly id: number
  readonly type: string
  heardBytes = 0
  /** The other side sends no more. */
  ended = false
  readonly #connection: SpdyKubelet
  readonly #heard: Buffer[] = []

  constructor(connection: SpdyKubelet, id: number, type: string) {
    this.#connection = connection
    this.id = id
    this.type = type
  }

  get heard(): Buffer {
    return Buffer.concat(this.#heard)
  }

  hear(bytes: Buffer): void {
    this.#heard.push(bytes)
    this.heardBytes += bytes.length
  }

  send(text: string | Buffer, fin = false): void {
    const bytes = Buffer.from(text)
    this.#connection.write(Buffer.concat([word(this.id), word(((fin ? 1 : 0) << 24) | bytes.length), bytes]))
  }

  end(): void {
    this.send('', true)
  }

  reset(): void {
    this.#connection.write(control(3, 0, word(this.id), word(5)))
  }
}

/**
 * A kubelet's end of SPDY/3.1, written apart from the client's. It replies to every stream unless `replies` says
 * otherwise.
 */
export class SpdyKubelet {
  readonly socket: Duplex
  readonly streams = new Map<string, KubeletStream>()
  readonly pings: number[] = []
  leftBy: 'go away' | undefined
  replies: (type: string) => boolean = () => true
  /** Called after each stream, and each piece of data. */
  changed: (stream: KubeletStream) => void = () => {}
  #waiting = Buffer.alloc(0)
  #replied = 0
  #blocks: Buffer[] = []
  #read = 0

  constructor(socket: Duplex) {
    this.socket = socket
    socket.on('error', () => {}).on('data', (data: Buffer) => this.#take(data))
  }

  write(bytes: Buffer): void {
    if (this.socket.writable) this.socket.write(bytes)
  }

  ping(id: number): void {
    this.write(control(6, 0, word(id)))
  }

  /** Opens a stream of its own, which clients don't expect. */
  open(id: number): void {
    this.write(control(1, 0, word(id), word(0), Buffer.alloc(2), NO_HEADERS[0] as Buffer))
  }

  goAway(): void {
    this.write(control(7, 0, word(0), word(0)))
  }

  #take(data: Buffer): void {
    this.#waiting = Buffer.concat([this.#waiting, data])
    for (;;) {
      const bytes = this.#waiting
      if (bytes.length < 8) return
      const length = bytes.readUInt32BE(4) & 0xffffff
      if (bytes.length < 8 + length) return
      this.#waiting = bytes.subarray(8 + length)
      const body = bytes.subarray(8, 8 + length)
      const first = bytes.readUInt32BE(0)
      if (first < 0x80000000) this.#data(first, bytes[4] === 1, body)
      else this.#control(first & 0xffff, body)
    }
  }

  #data(id: number, fin: boolean, body: Buffer): void {
    const stream = [...this.streams.values()].find(each => each.id === id)
    if (stream === undefined) return
    stream.hear(body)
    stream.ended ||= fin
    this.changed(stream)
  }

  #control(type: number, body: Buffer): void {
    if (type === 7) this.leftBy = 'go away'
    if (type === 6) this.pings.push(body.readUInt32BE(0))
    if (type !== 1) return
    const stream = new KubeletStream(this, body.readUInt32BE(0), this.#headers(body.subarray(10)).get('streamtype') ?? '')
    this.streams.set(stream.type, stream)
    if (this.replies(stream.type)) this.write(control(2, 0, word(stream.id), NO_HEADERS[this.#replied++ === 0 ? 0 : 1] as Buffer))
    else stream.reset()
    this.changed(stream)
  }

  /** The blocks of a connection are one deflate stream, behind its head of six bytes. */
  #headers(block: Buffer): Map<string, string> {
    this.#blocks.push(this.#blocks.length === 0 ? block.subarray(6) : block)
    const all = inflateRawSync(Buffer.concat(this.#blocks), { finishFlush: constants.Z_SYNC_FLUSH })
    const headers = new Map<string, string>()
    let at = this.#read
    const text = (): string => {
      const length = all.readUInt32BE(at)
      at += 4 + length
      return all.toString('utf8', at - length, at)
    }
    const count = all.readUInt32BE(at)
    at += 4
    for (let i = 0; i < count; i++) headers.set(text(), text())
    this.#read = at
    return headers
  }
}
