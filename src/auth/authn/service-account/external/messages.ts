import protobuf from 'protobufjs/minimal.js'
import { fieldsOf } from '../../../../lib/protobuf-fields.ts'
import { finished, writeText } from '../../../../lib/protobuf-writing.ts'

/** Result of Sign: header and signature of a token, encoded as in the token. */
export interface Signed {
  readonly header: string
  readonly signature: string
}

/** A public key from FetchKeys. */
export interface FetchedKey {
  /** Key id, as in the header of tokens. */
  readonly id: string
  /** SubjectPublicKeyInfo, DER. */
  readonly der: Buffer
  /** Whether `/openid/v1/jwks` does not list the key. */
  readonly excludedFromDiscovery: boolean
}

/** Response of FetchKeys. */
export interface FetchedKeys {
  readonly keys: readonly FetchedKey[]
  /** Time at which the signer obtained the keys, since the epoch. Undefined if it does not report one. */
  readonly dataTimestamp: { readonly seconds: number; readonly nanos: number } | undefined
  /** Seconds until the keys should be fetched again. */
  readonly refreshHint: number
}

/** Messages of k8s.io/externaljwt, apis/v1/api.proto. Those of v1alpha1 are the same. */
export function encodeSign(claims: string): Buffer {
  const writer = protobuf.Writer.create()
  writeText(writer, 1, claims)
  return finished(writer)
}

export function decodeSigned(message: Buffer): Signed {
  const { text } = fieldsOf(message)
  return { header: text(1), signature: text(2) }
}

export function decodeKeys(message: Buffer): FetchedKeys {
  const { all, number } = fieldsOf(message)
  const timestamp = all(2).at(-1)
  return { keys: all(1).map(decodeKey), dataTimestamp: timestamp && decodeTimestamp(timestamp), refreshHint: number(3) }
}

/** Decodes a key. Copies its bytes, so that the response buffer can be freed. */
function decodeKey(message: Buffer): FetchedKey {
  const { text, bytes, number } = fieldsOf(message)
  return { id: text(1), der: Buffer.from(bytes(2)), excludedFromDiscovery: number(3) !== 0 }
}

function decodeTimestamp(message: Buffer): { seconds: number; nanos: number } {
  const { number } = fieldsOf(message)
  return { seconds: number(1), nanos: number(2) }
}

/** Decodes the maximum lifetime of the signer's tokens, in seconds. */
export const decodeMetadata = (message: Buffer): number => fieldsOf(message).number(1)
