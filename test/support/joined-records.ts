import { once } from 'node:events'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls, { type SecureVersion } from 'node:tls'

/**
 * A client of HTTP/1.1 over TLS that sends several records in one segment, as reach a server that is busy when a client
 * writes head and body one after the other.
 */
export interface JoinedRecords {
  /** Sends each part in records of its own, all of them together. */
  send(...parts: readonly (Buffer | string)[]): Promise<void>
  /** Stops reading, so that a long response cannot be written. */
  pause(): void
  resume(): void
  /** Resolves with the status codes of all responses so far, when there are so many or the connection has ended. */
  statuses(count: number): Promise<readonly string[]>
  close(): void
}

/** Opens a connection to a port of this machine. Bodies of responses must not contain `HTTP/1.1 `. */
export async function openJoinedRecords(port: number, version: SecureVersion): Promise<JoinedRecords> {
  const raw = net.connect(port, '127.0.0.1').setNoDelay(true)
  // A write is over at once, as the records behind it are to go with it.
  const transport = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      raw.write(chunk)
      done()
    },
  })
  raw.on('error', () => {}).on('data', (chunk: Buffer) => transport.push(chunk))
  raw.on('close', () => transport.destroy())
  const secure = tls.connect({ socket: transport, rejectUnauthorized: false, minVersion: version, maxVersion: version })
  secure.on('error', () => {})
  await once(secure, 'secureConnect')
  const statuses: string[] = []
  let isOver = false
  let tail = ''
  secure.setEncoding('latin1').on('data', (text: string) => {
    const all = tail + text
    let end = 0
    for (const match of all.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      statuses.push(match[1] ?? '')
      end = match.index + match[0].length
    }
    tail = all.slice(Math.max(end, all.length - 12))
    secure.emit('heard')
  })
  secure.once('close', () => {
    isOver = true
    secure.emit('heard')
  })
  return {
    async send(...parts) {
      raw.cork()
      for (const part of parts) await new Promise(resolve => secure.write(part, resolve))
      raw.uncork()
    },
    pause: () => raw.pause(),
    resume: () => raw.resume(),
    async statuses(count) {
      while (!isOver && statuses.length < count) await once(secure, 'heard')
      return statuses
    },
    close: () => raw.destroy(),
  }
}
