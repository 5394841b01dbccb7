import type { Conversation } from './connect-world.ts'

const MASK = [1, 2, 3, 4] as const

/** A frame as a client sends it. */
export function clientFrame(opcode: number, payload: Buffer, { final = true } = {}): Buffer {
  const masked = Buffer.from(payload)
  for (let i = 0; i < masked.length; i++) masked[i] = (masked[i] as number) ^ (MASK[i & 3] as number)
  const { length } = masked
  const size =
    length < 126
      ? [0x80 | length]
      : length < 65_536
        ? [0xfe, length >> 8, length & 255]
        : [0xff, 0, 0, 0, 0, length >>> 24, (length >> 16) & 255, (length >> 8) & 255, length & 255]
  return Buffer.concat([Buffer.from([(final ? 0x80 : 0) | opcode, ...size, ...MASK]), masked])
}

export interface ServerMessage {
  readonly opcode: number
  /** In latin1. */
  readonly text: string
}

/** A client that has asked for a WebSocket. */
export class WebSocketClient {
  readonly conversation: Conversation

  constructor(conversation: Conversation) {
    this.conversation = conversation
  }

  /** Head of the response, with its empty line. */
  get head(): string {
    return this.conversation.heard.slice(0, this.#headEnd)
  }

  get #headEnd(): number {
    const end = this.conversation.heard.indexOf('\r\n\r\n')
    return end < 0 ? this.conversation.heard.length : end + 4
  }

  /** Frames that have come whole. */
  get messages(): ServerMessage[] {
    const bytes = Buffer.from(this.conversation.heard.slice(this.#headEnd), 'latin1')
    const messages: ServerMessage[] = []
    for (let at = 0; at + 2 <= bytes.length; ) {
      const short = (bytes[at + 1] as number) & 127
      const from = at + (short < 126 ? 2 : short === 126 ? 4 : 10)
      if (from > bytes.length) break
      const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
      if (from + length > bytes.length) break
      messages.push({ opcode: (bytes[at] as number) & 15, text: bytes.toString('latin1', from, from + length) })
      at = from + length
    }
    return messages
  }

  /** Returns the messages of a channel, which is the first byte of each message. */
  channel(number: number): string {
    return this.messages
      .filter(({ opcode, text }) => opcode < 8 && text.charCodeAt(0) === number)
      .map(({ text }) => text.slice(1))
      .join('')
  }

  get closed(): boolean {
    return this.messages.some(({ opcode }) => opcode === 8)
  }

  send(payload: string | Buffer, opcode = 2, final = true): void {
    this.conversation.socket.write(clientFrame(opcode, Buffer.from(payload as string, 'latin1'), { final }))
  }
}
