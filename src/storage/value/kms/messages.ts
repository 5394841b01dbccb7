import protobuf from 'protobufjs/minimal.js'

/** How the source of a data encryption key is used: as the key, or as a seed of which each value derives a key of its own. */
export const SourceType = { key: 0, seed: 1 } as const

/** Metadata of a key management service, kept with what it has encrypted. */
export type Annotations = ReadonlyMap<string, Buffer>

/** What is stored of a value: k8s.io/apiserver, pkg/storage/value/encrypt/envelope/kmsv2/v2/api.proto. */
export interface EncryptedObject {
  readonly data: Buffer
  readonly keyId: string
  /** The source of the key of the data, encrypted by the service. */
  readonly source: Buffer
  readonly annotations: Annotations
  readonly sourceType: number
}

export interface StatusResponse {
  readonly version: string
  readonly healthz: string
  readonly keyId: string
}

export interface EncryptResponse {
  readonly ciphertext: Buffer
  readonly keyId: string
  readonly annotations: Annotations
}

export interface DecryptRequest {
  readonly ciphertext: Buffer
  readonly uid: string
  readonly keyId: string
  readonly annotations: Annotations
}

const BYTES = 2
const tagOf = (field: number, wire = BYTES): number => (field << 3) | wire
const finished = (writer: protobuf.Writer): Buffer => Buffer.from(writer.finish())

function writeAnnotations(writer: protobuf.Writer, field: number, annotations: Annotations): void {
  for (const [name, value] of annotations) {
    writer.uint32(tagOf(field)).fork()
    writer.uint32(tagOf(1)).string(name).uint32(tagOf(2)).bytes(value).ldelim()
  }
}

function writeBytes(writer: protobuf.Writer, field: number, value: Buffer): void {
  if (value.length > 0) writer.uint32(tagOf(field)).bytes(value)
}

function writeText(writer: protobuf.Writer, field: number, value: string): void {
  if (value !== '') writer.uint32(tagOf(field)).string(value)
}

export function encodeObject({ data, keyId, source, annotations, sourceType }: EncryptedObject): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, data)
  writeText(writer, 2, keyId)
  writeBytes(writer, 3, source)
  writeAnnotations(writer, 4, annotations)
  if (sourceType !== 0) writer.uint32(tagOf(5, 0)).int32(sourceType)
  return finished(writer)
}

/** Messages of the service, by k8s.io/kms, apis/v2/api.proto. */
export function encodeEncrypt(plaintext: Buffer, uid: string): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, plaintext)
  writeText(writer, 2, uid)
  return finished(writer)
}

export function encodeDecrypt({ ciphertext, uid, keyId, annotations }: DecryptRequest): Buffer {
  const writer = protobuf.Writer.create()
  writeBytes(writer, 1, ciphertext)
  writeText(writer, 2, uid)
  writeText(writer, 3, keyId)
  writeAnnotations(writer, 4, annotations)
  return finished(writer)
}

/** Fields of a message: the last of several counts, but for annotations. */
interface Fields {
  readonly bytes: ReadonlyMap<number, Buffer>
  readonly numbers: ReadonlyMap<number, number>
  readonly annotations: Annotations
}

/** Throws where the bytes are no message. Values share their memory. */
function fieldsOf(message: Buffer, annotationsField: number): Fields {
  const reader = protobuf.Reader.create(message)
  const bytes = new Map<number, Buffer>()
  const numbers = new Map<number, number>()
  const annotations = new Map<string, Buffer>()
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    const field = tag >>> 3
    if ((tag & 7) === BYTES) {
      const value = bufferOf(reader.bytes())
      if (field === annotationsField) {
        const entry = fieldsOf(value, NONE).bytes
        annotations.set((entry.get(1) ?? NOTHING).toString(), entry.get(2) ?? NOTHING)
      } else bytes.set(field, value)
    } else if ((tag & 7) === 0) numbers.set(field, reader.int32())
    else reader.skipType(tag & 7)
  }
  return { bytes, numbers, annotations }
}

/** No field has this number. */
const NONE = -1
const NOTHING = Buffer.alloc(0)
const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

export function decodeObject(message: Buffer): EncryptedObject {
  const { bytes, numbers, annotations } = fieldsOf(message, 4)
  return {
    data: bytes.get(1) ?? NOTHING,
    keyId: (bytes.get(2) ?? NOTHING).toString(),
    source: bytes.get(3) ?? NOTHING,
    annotations,
    sourceType: numbers.get(5) ?? 0,
  }
}

export function decodeStatus(message: Buffer): StatusResponse {
  const { bytes } = fieldsOf(message, NONE)
  const text = (field: number): string => (bytes.get(field) ?? NOTHING).toString()
  return { version: text(1), healthz: text(2), keyId: text(3) }
}

/** The service's answer is kept for long, and so copied. */
export function decodeEncrypt(message: Buffer): EncryptResponse {
  const { bytes, annotations } = fieldsOf(Buffer.from(message), 3)
  return { ciphertext: bytes.get(1) ?? NOTHING, keyId: (bytes.get(2) ?? NOTHING).toString(), annotations }
}

export const decodeDecrypt = (message: Buffer): Buffer => fieldsOf(message, NONE).bytes.get(1) ?? NOTHING
