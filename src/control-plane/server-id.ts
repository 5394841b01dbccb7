import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const ID_BYTES = 16

/**
 * Identity of a kube-apiserver on this machine, as upstream computes it: 16 bytes of a hash in base32 (RFC 4648)
 * without padding.
 */
export function serverId(machine: string = hostname()): string {
  let bits = 0
  let value = 0
  let id = 'apiserver-'
  const hash = createHash('sha256').update(sized(machine)).update(sized('kube-apiserver')).digest()
  for (const byte of hash.subarray(0, ID_BYTES)) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) id += BASE32[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return bits === 0 ? id : id + BASE32[(value << (5 - bits)) & 31]
}

/** Prefixes the text with its length in two bytes, big-endian. */
function sized(text: string): Buffer {
  const bytes = Buffer.from(text)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(bytes.length & 0xffff)
  return Buffer.concat([length, bytes])
}
