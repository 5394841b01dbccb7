import { createCipheriv, createHmac } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { Duplex } from 'node:stream'
import tls from 'node:tls'

/** A TLS 1.3 connection, whose next records are the caller's to make. */
export interface RawConnection {
  readonly socket: net.Socket
  /** The client's traffic secret. */
  readonly secret: Buffer
}

const SUITE = 'TLS_AES_128_GCM_SHA256'
const HANDSHAKE = 22
const KEY_UPDATE = Buffer.from([24, 0, 0, 1, 0])

/** HKDF-Expand-Label without a context (RFC 8446, section 7.1), of up to 32 bytes. */
function expand(secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])])
  return createHmac('sha256', secret).update(info).digest().subarray(0, length)
}

/** The first record under a secret. */
function record(secret: Buffer, type: number, data: Buffer): Buffer {
  const content = Buffer.concat([data, Buffer.from([type])])
  const head = Buffer.from([23, 3, 3, (content.length + 16) >> 8, (content.length + 16) & 255])
  const cipher = createCipheriv('aes-128-gcm', expand(secret, 'key', 16), expand(secret, 'iv', 12)).setAAD(head)
  return Buffer.concat([head, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

/** So many updates of the key, each under the secret that the one before announced. */
export function keyUpdates({ secret }: RawConnection, count: number): Buffer {
  const records: Buffer[] = []
  for (let i = 0, current = secret; i < count; i++) {
    records.push(record(current, HANDSHAKE, KEY_UPDATE))
    current = expand(current, 'traffic upd', 32)
  }
  return Buffer.concat(records)
}

/** Connects to a port of this machine, and resolves when the handshake is done. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = net.connect(port, '127.0.0.1').on('error', () => {})
  await once(socket, 'connect')
  const pipe = new Duplex({ read: () => {}, write: (chunk, _encoding, done) => void socket.write(chunk, done) })
  socket.on('data', (chunk: Buffer) => pipe.push(chunk)).on('close', () => pipe.push(null))
  const secure = tls
    .connect({ socket: pipe, ALPNProtocols: ['http/1.1'], rejectUnauthorized: false, minVersion: 'TLSv1.3', ciphers: SUITE })
    .on('error', () => {})
  const secret = new Promise<Buffer>(resolve => {
    secure.on('keylog', (line: Buffer) => {
      const found = /^CLIENT_TRAFFIC_SECRET_0 \S+ (\S+)/.exec(line.toString())?.[1]
      if (found !== undefined) resolve(Buffer.from(found, 'hex'))
    })
  })
  await once(secure, 'secureConnect')
  return { socket, secret: await secret }
}
