import protobuf from 'protobufjs/minimal.js'

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

/** Reads members of a message, each with the reader that fits its wire type. Throws where the bytes are no message. */
function eachField(message: Uint8Array, read: Readonly<Record<number, (reader: protobuf.Reader) => void>>): void {
  const reader = protobuf.Reader.create(message)
  while (reader.pos < reader.len) {
    const tag = reader.uint32()
    const known = read[tag >>> 3]
    if (known) known(reader)
    else reader.skipType(tag & 7)
  }
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
  let [header, signature] = ['', '']
  eachField(message, {
    1: reader => {
      header = reader.string()
    },
    2: reader => {
      signature = reader.string()
    },
  })
  return { header, signature }
}

export function decodeKeys(message: Buffer): FetchedKeys {
  const keys: FetchedKey[] = []
  let dataTimestamp: FetchedKeys['dataTimestamp']
  let refreshHint = 0
  eachField(message, {
    1: reader => void keys.push(decodeKey(reader.bytes())),
    2: reader => {
      dataTimestamp = decodeTimestamp(reader.bytes())
    },
    3: reader => {
      refreshHint = Number(reader.int64())
    },
  })
  return { keys, dataTimestamp, refreshHint }
}

function decodeKey(message: Uint8Array): FetchedKey {
  let id = ''
  let der = Buffer.alloc(0)
  let excludedFromDiscovery = false
  eachField(message, {
    1: reader => {
      id = reader.string()
    },
    2: reader => {
      der = Buffer.from(reader.bytes())
    },
    3: reader => {
      excludedFromDiscovery = reader.bool()
    },
  })
  return { id, der, excludedFromDiscovery }
}

function decodeTimestamp(message: Uint8Array): { seconds: number; nanos: number } {
  let [seconds, nanos] = [0, 0]
  eachField(message, {
    1: reader => {
      seconds = Number(reader.int64())
    },
    2: reader => {
      nanos = reader.int32()
    },
  })
  return { seconds, nanos }
}

/** Seconds for which the signer's tokens are good at most. */
export function decodeMetadata(message: Buffer): number {
  let seconds = 0
  eachField(message, {
    1: reader => {
      seconds = Number(reader.int64())
    },
  })
  return seconds
}
