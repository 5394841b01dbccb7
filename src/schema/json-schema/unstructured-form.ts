import { createHash } from 'node:crypto'
import type { JsonSchemaProps } from '../../api/apiextensions/json-schema-props.ts'
import { isJsonObject, type Json, type JsonObject } from '../../api/meta/object.ts'
import { runAtOnce, runIfSteps, type Steps } from '../../lib/steps.ts'
import { unlessThrown } from '../../lib/unless-thrown.ts'
import { fieldErrorText, worded } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { cloneExactlyInSteps } from '../../meta/whole-floats.ts'
import { words } from '../../meta/wording.ts'
import { DecodeError } from '../diagnose.ts'
import type { ObjectForm } from '../schema.ts'
import { coerceEmbeddedMeta, coerceMeta, coerceMetaInSteps } from './embedded-meta.ts'
import { fillDefaultsInSteps } from './fill-defaults.ts'
import { openApiOf } from './open-api.ts'
import { propertySchema } from './props.ts'
import { prune } from './prune.ts'
import { pruneNulls } from './prune-nulls.ts'

/** A custom kind with the structural schemas of its versions, by name. */
export interface CustomKind {
  readonly group: string
  readonly kind: string
  readonly schemas: ReadonlyMap<string, JsonSchemaProps>
  /** Optional. Returns the schema of a version as written, with what only OpenAPI shows. Default: that of `schemas`. */
  readonly written?: (version: string) => Steps<JsonSchemaProps | undefined>
  /** Whether unknown members are kept (`preserveUnknownFields` of v1beta1). */
  readonly preserveUnknown: boolean
  /** Optional. Hash of `kindDescription` that was made in steps. If it is omitted, the form computes it in one piece. */
  readonly id?: string
}

/**
 * Creates the form of a custom kind's objects. An object is decoded by the structural schema of the version in its
 * apiVersion; of an object of another kind, only the metadata is coerced. Malformed metadata of a stored object is
 * dropped. `version`: version whose definition is published in OpenAPI.
 */
export function unstructuredForm(custom: CustomKind, version: string): ObjectForm {
  return {
    name: 'unstructured',
    id: kindId(custom),
    decode: (_schema, value, options) => runAtOnce(readUnstructured(custom, value, options?.onUnknown, coerceMetaInSteps)),
    decodeInSteps: (_schema, value, options) => readUnstructured(custom, value, options?.onUnknown, coerceMetaInSteps),
    readStored: (_schema, value) => readUnstructured(custom, value, undefined, lenientMeta),
    setDefaults: (_schema, object) => fillDefaultsInSteps(object, unstructuredSchema(custom, object)?.schema),
    define(_schema, document) {
      const metadata = document.referMetadata()
      return function* () {
        const schema = custom.written ? yield* custom.written(version) : custom.schemas.get(version)
        return yield* openApiOf(schema, document.version, metadata)
      }
    },
  }
}

/** Ids by the object that describes the kind. Each change of the definition creates a new one. */
const ids = new WeakMap<CustomKind, string>()

function kindId(custom: CustomKind): string {
  let id = custom.id ?? ids.get(custom)
  if (id === undefined) {
    id = createHash('sha256')
      .update(JSON.stringify(kindDescription(custom), printBig))
      .digest('base64url')
    ids.set(custom, id)
  }
  return id
}

/** Returns what the id of a kind depends on. The id is the SHA-256 hash of its JSON, in base64url. */
export const kindDescription = ({ group, kind, preserveUnknown, schemas }: CustomKind): readonly unknown[] => [
  group,
  kind,
  preserveUnknown,
  [...schemas],
  ...storedDefaults(schemas),
]

/**
 * Objects of such schemas were once stored without a status. Another id makes them be decoded again, which sets its
 * default.
 */
const storedDefaults = (schemas: ReadonlyMap<string, JsonSchemaProps>): readonly string[] =>
  [...schemas.values()].some(schema => propertySchema(schema, 'status')?.default !== undefined) ? ['defaulted status'] : []

const printBig = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** Returns the schema of an object by its apiVersion. Undefined if it is of another kind. */
function unstructuredSchema(
  { group, kind, schemas }: CustomKind,
  object: JsonObject,
): { readonly schema: JsonSchemaProps | undefined } | undefined {
  const { apiVersion } = object
  if (object.kind !== kind || typeof apiVersion !== 'string' || !apiVersion.startsWith(`${group}/`)) return undefined
  return { schema: schemas.get(apiVersion.slice(group.length + 1)) }
}

/** Decodes metadata, either strictly or dropping malformed members. */
type ReadMeta = (value: Json, onUnknown?: (path: string) => void) => JsonObject | Steps<JsonObject>

function* readUnstructured(
  custom: CustomKind,
  value: Json,
  onUnknown: ((path: string) => void) | undefined,
  readMeta: ReadMeta,
): Steps<JsonObject> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { metadata: {} }
  const out = yield* cloneExactlyInSteps(value)
  yield
  for (const name of ['kind', 'apiVersion'] as const) checkTypeText(out, name)
  out.metadata = yield* runIfSteps(readMeta(out.metadata ?? {}, onUnknown && (path => onUnknown(`metadata.${path}`))))
  const found = unstructuredSchema(custom, out)
  if (!found) return out
  yield
  const { schema } = found
  const pruned: string[] = []
  if (!custom.preserveUnknown) {
    yield* prune(out, schema, true, onUnknown && (path => pruned.push(path)))
    yield
    yield* pruneNulls(out, schema)
    yield
  }
  const embedded: string[] = []
  const misfit = yield* coerceEmbeddedMeta(out, schema, fieldPath(), false, onUnknown && (path => embedded.push(path)))
  if (misfit) throw new DecodeError(words(fieldErrorText(misfit), fieldErrorText(worded(misfit, '1.34') ?? misfit)))
  if (onUnknown) for (const path of [...pruned.sort(), ...embedded.sort()]) onUnknown(path)
  return out
}

/** Throws a DecodeError if kind or apiVersion is neither a string nor absent. */
export function checkTypeText(object: Json, name: 'kind' | 'apiVersion'): void {
  const value = isJsonObject(object) ? object[name] : undefined
  if (value === undefined || typeof value === 'string') return
  throw new DecodeError(`.${name} accessor error: ${goText(value)} is of the type ${unstructuredGoType(value)}, expected string`)
}

/** Formats a decoded value like Go's %v; `unstructuredGoType` like %T. */
const goText = (value: Json): string => (value === null ? '<nil>' : typeof value === 'object' ? JSON.stringify(value) : String(value))

function unstructuredGoType(value: Json): string {
  if (value === null) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64'
}

/**
 * Decodes metadata without malformed members, labels and annotations. An object from before generations existed has
 * generation 1.
 */
function lenientMeta(value: Json): JsonObject {
  const meta = readable(value) ?? (isJsonObject(value) ? eachReadable(value) : {})
  return meta.generation === undefined ? { ...meta, generation: 1 } : meta
}

const readable = (value: Json): JsonObject | undefined => unlessThrown(DecodeError, () => coerceMeta(value))

function eachReadable(meta: JsonObject): JsonObject {
  const kept: JsonObject = {}
  for (const [name, value] of Object.entries(meta)) {
    const whole = readable({ [name]: value })
    if (whole) Object.assign(kept, whole)
    else if ((name === 'labels' || name === 'annotations') && isJsonObject(value)) {
      kept[name] = Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string'))
    }
  }
  return readable(kept) ?? {}
}
