import protobuf from 'protobufjs/minimal.js'
import { fieldsOf } from '../../../../protocols/grpc/message-fields.ts'

/** What a signer has made of claims: the first and the last part of a token, as they stand in it. */
export interface Signed {
  readonly header: string
  readonly signature: string
}

/** A key that is believed. */
export interface FetchedKey {
  readonly id: string
  /** SubjectPublicKeyInfo, DER. */
  readonly der: Buffer
  readonly excludedFromDiscovery: boolean
}

export interface FetchedKeys {
  readonly keys: readonly FetchedKey[]
  /** When the signer has got them, in seconds since the epoch; undefined: it does not say. */
  readonly dataTimestamp: { readonly seconds: number; readonly nanos: number } | undefined
  /** Seconds until they are to be asked for again. */
  readonly refreshHint: number
}

/** Of k8s.io/externaljwt, apis/v1/api.proto, as are the others. Those of v1alpha1 are the same. */
export const encodeSign = (claims: string): Buffer =>
  Buffer.from(
    protobuf.Writer.create()
      .uint32((1 << 3) | 2)
      .string(claims)
      .finish(),
  )

export function decodeSigned(message: Buffer): Signed {
  const { text } = fieldsOf(message)
  return { header: text(1), signature: text(2) }
}

export function decodeKeys(message: Buffer): FetchedKeys {
  const { all, number } = fieldsOf(message)
  const timestamp = all(2).at(-1)
  return { keys: all(1).map(decodeKey), dataTimestamp: timestamp && decodeTimestamp(timestamp), refreshHint: number(3) }
}

/** The answer is let go, and so the key is copied. */
function decodeKey(message: Buffer): FetchedKey {
  const { text, bytes, number } = fieldsOf(message)
  return { id: text(1), der: Buffer.from(bytes(2)), excludedFromDiscovery: number(3) !== 0 }
}

function decodeTimestamp(message: Buffer): { seconds: number; nanos: number } {
  const { number } = fieldsOf(message)
  return { seconds: number(1), nanos: number(2) }
}

/** Seconds for which the signer's tokens are good at most. */
export const decodeMetadata = (message: Buffer): number => fieldsOf(message).number(1)
