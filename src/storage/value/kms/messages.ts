import protobuf from 'protobufjs/minimal.js'
import { fieldsOf } from '../../../lib/protobuf-fields.ts'
import { WIRE_BYTES } from '../../../lib/protobuf-wire.ts'
import { finished, type Writer, writeBytes, writeMessage, writeNumber, writeText } from '../../../lib/protobuf-writing.ts'

/**
 * How the source of a data encryption key is used: as the key, or as a seed from which a key is derived for each value.
 */
export const SourceType = { key: 0, seed: 1 } as const

/** Metadata that a key management service attaches to its ciphertext. It is stored, and sent back for decryption. */
export type Annotations = ReadonlyMap<string, Buffer>

/** A stored value. Source: k8s.io/apiserver, pkg/storage/value/encrypt/envelope/kmsv2/v2/api.proto. */
export interface EncryptedObject {
  /** The encrypted value, with its nonce. */
  readonly data: Buffer
  /** Id of the service's key that encrypted the source. */
  readonly keyId: string
  /** Source of the data's key, encrypted by the service. */
  readonly source: Buffer
  readonly annotations: Annotations
  /** A value of SourceType. */
  readonly sourceType: number
}

/** State of a service. It is healthy if `healthz` is `ok`. A new `keyId` means that the key was rotated. */
export interface StatusResponse {
  /** `v2`, or `v2beta1` of older services. */
  readonly version: string
  readonly healthz: string
  /** Id of the key with which the service encrypts now. */
  readonly keyId: string
}

/** An encrypted seed, and what the service needs to decrypt it. */
export interface EncryptResponse {
  /** Encrypted seed, of at most 1 KiB. */
  readonly ciphertext: Buffer
  /** Id of the key that was used. It is stored with each value. */
  readonly keyId: string
  readonly annotations: Annotations
}

/** An encrypted seed or key. `uid` identifies the call in logs of the service. */
export interface DecryptRequest {
  readonly ciphertext: Buffer
  /** Chosen by the server for each call. */
  readonly uid: string
  readonly keyId: string
  readonly annotations: Annotations
}

/** Writes a `map<string, bytes>` as one message for each entry. */
function writeAnnotations(writer: Writer, field: number, annotations: Annotations): void {
  // The value of an entry is encoded even if it is empty.
  for (const [name, value] of annotations)
    writeMessage(writer, field, entry =>
      entry
        .uint32((1 << 3) | WIRE_BYTES)
        .string(name)
        .uint32((2 << 3) | WIRE_BYTES)
        .bytes(value),
    )
}

/** Encodes a stored value (EncryptedObject), with fields in order, as Go marshals them. */
export function encodeObject({ data, keyId, source, annotations, sourceType }: EncryptedObject): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, data)
  writeText(writer, 2, keyId)
  writeBytes(writer, 3, source)
  writeAnnotations(writer, 4, annotations)
  writeNumber(writer, 5, sourceType)
  return finished(writer)
}

/** Encodes an EncryptRequest. Source: k8s.io/kms, apis/v2/api.proto. */
export function encodeEncrypt(plaintext: Buffer, uid: string): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, plaintext)
  writeText(writer, 2, uid)
  return finished(writer)
}

/** Encodes a DecryptRequest. Source: k8s.io/kms, apis/v2/api.proto. */
export function encodeDecrypt({ ciphertext, uid, keyId, annotations }: DecryptRequest): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, ciphertext)
  writeText(writer, 2, uid)
  writeText(writer, 3, keyId)
  writeAnnotations(writer, 4, annotations)
  return finished(writer)
}

const annotationsOf = (entries: readonly Buffer[]): Annotations =>
  new Map(
    entries.map(entry => {
      const fields = fieldsOf(entry)
      return [fields.text(1), fields.bytes(2)]
    }),
  )

/** Decodes a stored value. Buffers of the result are views of the message. */
export function decodeObject(message: Buffer): EncryptedObject {
  const fields = fieldsOf(message)
  return {
    data: fields.bytes(1),
    keyId: fields.text(2),
    source: fields.bytes(3),
    annotations: annotationsOf(fields.all(4)),
    sourceType: fields.number(5),
  }
}

/** Decodes a StatusResponse. */
export function decodeStatus(message: Buffer): StatusResponse {
  const { text } = fieldsOf(message)
  return { version: text(1), healthz: text(2), keyId: text(3) }
}

/** Decodes an EncryptResponse. It is copied, because it is kept for long. */
export function decodeEncrypt(message: Buffer): EncryptResponse {
  const fields = fieldsOf(Buffer.from(message))
  return { ciphertext: fields.bytes(1), keyId: fields.text(2), annotations: annotationsOf(fields.all(3)) }
}

/** Decodes a DecryptResponse: the plaintext, as a view of the message. */
export const decodeDecrypt = (message: Buffer): Buffer => fieldsOf(message).bytes(1)
