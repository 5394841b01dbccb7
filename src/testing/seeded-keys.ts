import { checkPrimeSync, createHash, createPrivateKey, createPublicKey } from 'node:crypto'
import type { ClientKeys } from '../server/tls/client-keys.ts'
import { issueCaOf, type KeyPair } from '../server/tls/issue.ts'

const EXPONENT = 65_537n
const PRIME_BYTES = 128
/**
 * Validity of seeded certificates. Wide, because control planes can show any time while clients verify certificates by
 * the machine's.
 */
const ALWAYS = { notBefore: new Date('2000-01-01T00:00:00Z'), notAfter: new Date('2100-01-01T00:00:00Z') }

/**
 * Returns an RSA key of 2048 bits that depends only on the seed, as PEM (PKCS #8). Its signatures (PKCS #1) are
 * reproducible. Only tests may use it, since anyone with the seed has the key.
 */
export function seededKey(seed: string): string {
  const primes = seededPrimes(seed)
  const p = primes.next().value
  const q = primes.next().value
  const e = EXPONENT
  const d = inverse(e, (p - 1n) * (q - 1n))
  const jwk = { n: p * q, e, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) }
  const texts = Object.fromEntries(Object.entries(jwk).map(([name, value]) => [name, bigintBytes(value).toString('base64url')]))
  return createPrivateKey({ key: { kty: 'RSA', ...texts }, format: 'jwk' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
}

/** Creates a CA that depends only on the seed. */
export async function seededCa(commonName: string, seed: string): Promise<KeyPair> {
  const privateKey = createPrivateKey(seededKey(seed))
  const keys: ClientKeys = Promise.resolve({ privateKey, publicKey: createPublicKey(privateKey) })
  return issueCaOf(commonName, { keys, validity: ALWAYS, serial: createHash('sha256').update(seed).digest().subarray(0, 16) })
}

/** Yields primes with the two highest bits set, so that the product of two has full length. */
function* seededPrimes(seed: string): Generator<bigint, never> {
  for (let i = 0; ; i++) {
    const blocks = Array.from({ length: PRIME_BYTES / 32 }, (_, block) => createHash('sha256').update(`${seed}\n${i}\n${block}`).digest())
    const candidate = BigInt(`0x${Buffer.concat(blocks).toString('hex')}`) | (3n << BigInt(8 * PRIME_BYTES - 2)) | 1n
    if (candidate % EXPONENT !== 1n && checkPrimeSync(candidate)) yield candidate
  }
}

/** Inverse of a modulo m, by Euclid's algorithm. */
function inverse(a: bigint, m: bigint): bigint {
  let [r, next, x, nextX] = [m, a % m, 0n, 1n]
  while (next !== 0n) {
    const quotient = r / next
    ;[r, next] = [next, r - quotient * next]
    ;[x, nextX] = [nextX, x - quotient * nextX]
  }
  return ((x % m) + m) % m
}

function bigintBytes(value: bigint): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}
