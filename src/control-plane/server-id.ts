import { createHash } from 'node:crypto'
import { hostname } from 'node:os'

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
const ID_BYTES = 16

/** kube-apiserver's identity on this machine: 16 bytes of the hash of its name, in base32 (RFC 4648). */
export function serverId(): string {
  let bits = 0
  let value = 0
  let id = 'apiserver-'
  for (const byte of createHash('sha256').update(hostname()).digest().subarray(0, ID_BYTES)) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) id += BASE32[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return bits === 0 ? id : id + BASE32[(value << (5 - bits)) & 31]
}
