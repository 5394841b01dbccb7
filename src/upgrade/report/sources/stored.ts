import { isJsonObject, type Json, type JsonObject, objectIn } from '../../../api/meta/object.ts'
import { CborError, isCbor, parseStoredCbor } from '../../../codec/cbor.ts'
import { JsonSyntaxError, parseJson } from '../../../codec/json.ts'
import { unwrap } from '../../../codec/protobuf.ts'
import { decodeMessage } from '../../../codec/protobuf-decode.ts'
import { ProtobufError } from '../../../lib/protobuf-error.ts'
import { labelOf } from '../../convert.ts'
import { ReleaseKinds } from '../../versions/release-kinds.ts'
import type { ExaminedObject } from '../examine-object.ts'
import type { Finding } from '../finding.ts'
import type { Examined } from '../report.ts'
import { writtenVersions } from '../written-as.ts'
import { isImplied } from './implied.ts'

/** A key of a store and its value. */
export interface StoredValue {
  readonly key: string
  readonly value: Buffer
}

/** Prefixes of kube-apiserver's binary format, and of encrypted values. */
const [BINARY, ENCRYPTED] = ['k8s\0', 'k8s:enc:']

/** Matches keys that are not objects, or are short-lived. */
const SKIPPED = /^\/?[^/]+\/(?:events|masterleases|ranges|binnacle|peerserverleases|apiserver\.openshift)\/|compact_rev_key/

/**
 * Reads the objects of a store, in JSON, CBOR or kube-apiserver's binary format, whichever program has written them.
 */
export function examineStore(name: string, values: Iterable<StoredValue> | AsyncIterable<StoredValue>): Examined {
  const findings: Finding[] = []
  return { name, subjects: subjectsOf(name, values, findings), findings }
}

/**
 * Yields objects as they are read, so that memory does not depend on the size of the store. Findings are complete when
 * it ends.
 */
async function* subjectsOf(
  name: string,
  values: Iterable<StoredValue> | AsyncIterable<StoredValue>,
  findings: Finding[],
): AsyncGenerator<ExaminedObject> {
  const kinds = new ReleaseKinds()
  const encrypted = new Map<string, number>()
  for await (const { key, value } of values) {
    if (SKIPPED.test(key)) continue
    if (startsWith(value, ENCRYPTED)) {
      const prefix = key.split('/').slice(0, 3).join('/')
      encrypted.set(prefix, (encrypted.get(prefix) ?? 0) + 1)
      continue
    }
    const object = decodeStoredValue(kinds, value)
    if (typeof object === 'string') findings.push(unreadableKey(name, key, object))
    else if (object && !isImplied(object)) yield storedObject(name, key, object)
  }
  for (const [prefix, count] of encrypted)
    findings.push(unreadableKey(name, prefix, `${count} values are encrypted, and were not examined`))
}

const startsWith = (value: Buffer, text: string): boolean => value.subarray(0, text.length).toString('latin1') === text

const unreadableKey = (name: string, key: string, message: string): Finding => ({
  rule: 'unreadable',
  level: 'warning',
  subject: key,
  place: { source: `${name}: ${key}` },
  message,
})

/** Decodes an object. Returns undefined for other values, and the reason as text if it cannot be decoded. */
function decodeStoredValue(kinds: ReleaseKinds, value: Buffer): JsonObject | string | undefined {
  try {
    if (isCbor(value)) return objectOf(parseStoredCbor(value))
    if (!startsWith(value, BINARY)) return value[0] === BRACE ? objectOf(parseJson(value).value) : undefined
    const { apiVersion, kind, message } = unwrap(value)
    const found = kinds.find({ apiVersion, kind })
    return found ? { apiVersion, kind, ...decodeMessage(found.version.schema, message) } : `no type is known of ${apiVersion} ${kind}`
  } catch (error) {
    if (error instanceof ProtobufError || error instanceof JsonSyntaxError || error instanceof CborError) return error.message
    throw error
  }
}

const BRACE = 0x7b

function objectOf(value: Json): JsonObject | undefined {
  return isJsonObject(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string' ? value : undefined
}

function storedObject(name: string, key: string, value: JsonObject): ExaminedObject {
  const [apiVersion, kind] = [String(value.apiVersion), String(value.kind)]
  return {
    value,
    apiVersion,
    kind,
    label: labelOf({ value, kind }),
    place: { source: `${name}: ${key}` },
    written: writtenVersions(objectIn(value.metadata), kind),
    isListed: true,
  }
}
