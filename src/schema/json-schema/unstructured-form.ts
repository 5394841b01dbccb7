import { createHash } from 'node:crypto'
import { resultOf, runAtOnce, type Steps } from '../../lib/steps.ts'
import { unlessThrown } from '../../lib/unless-thrown.ts'
import { fieldErrorText } from '../../meta/field-error.ts'
import { fieldPath } from '../../meta/field-path.ts'
import { isJsonObject, type Json, type JsonObject } from '../../meta/object.ts'
import { cloneExactlyInSteps } from '../../meta/whole-floats.ts'
import { DecodeError } from '../diagnose.ts'
import type { ObjectForm } from '../schema.ts'
import { coerceEmbeddedMeta, coerceMeta, coerceMetaInSteps } from './embedded-meta.ts'
import { fillDefaults } from './fill-defaults.ts'
import { openApiOf } from './open-api.ts'
import { type JsonSchemaProps, propertySchema } from './props.ts'
import { prune } from './prune.ts'
import { pruneNulls } from './prune-nulls.ts'

/** A custom kind with the structural schemas of all its versions, by their names. */
export interface CustomKind {
  readonly group: string
  readonly kind: string
  readonly schemas: ReadonlyMap<string, JsonSchemaProps>
  /** The schema of a version as it was written, with all that OpenAPI shows of it; absent: as it is in `schemas`. */
  readonly written?: (version: string) => JsonSchemaProps | undefined
  /** Nothing is removed: as definitions of releases long gone asked for. */
  readonly preserveUnknown: boolean
}

/**
 * The form of a custom kind's objects, which are read by the structural schema of the version that they say they are of. An object that calls itself another kind keeps all but its metadata's
 * form. An object from the store loses what is malformed in its metadata. `version`: whose definition stands in OpenAPI.
 */
export function unstructuredForm(custom: CustomKind, version: string): ObjectForm {
  const { written = name => custom.schemas.get(name) } = custom
  return {
    name: 'unstructured',
    id: idOf(custom),
    decode: (_schema, value, options) => runAtOnce(read(custom, value, options?.onUnknown, coerceMetaInSteps)),
    decodeInSteps: (_schema, value, options) => read(custom, value, options?.onUnknown, coerceMetaInSteps),
    readStored: (_schema, value) => runAtOnce(read(custom, value, undefined, lenientMeta)),
    setDefaults: (_schema, object) => fillDefaults(object, schemaOf(custom, object)?.schema),
    define(_schema, document) {
      const metadata = document.referMetadata()
      return () => openApiOf(written(version), document.version, metadata)
    },
  }
}

/** By the object that describes the kind, which is made anew with each change of its definition. */
const ids = new WeakMap<CustomKind, string>()

function idOf(custom: CustomKind): string {
  let id = ids.get(custom)
  if (id === undefined) {
    const { group, kind, preserveUnknown, schemas } = custom
    id = createHash('sha256')
      .update(JSON.stringify([group, kind, preserveUnknown, [...schemas], ...storedDefaults(schemas)], printBig))
      .digest('base64url')
    ids.set(custom, id)
  }
  return id
}

/** Objects of such schemas were once stored without a status: another id has them read, and so defaulted. */
const storedDefaults = (schemas: ReadonlyMap<string, JsonSchemaProps>): readonly string[] =>
  [...schemas.values()].some(schema => propertySchema(schema, 'status')?.default !== undefined) ? ['defaulted status'] : []

const printBig = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** The schema that an object is of; undefined where it is of another kind. */
function schemaOf({ group, kind, schemas }: CustomKind, object: JsonObject): { readonly schema: JsonSchemaProps | undefined } | undefined {
  const { apiVersion } = object
  if (object.kind !== kind || typeof apiVersion !== 'string' || !apiVersion.startsWith(`${group}/`)) return undefined
  return { schema: schemas.get(apiVersion.slice(group.length + 1)) }
}

/** Reads metadata strictly, or drops what is malformed in it. */
type ReadMeta = (value: Json, onUnknown?: (path: string) => void) => JsonObject | Steps<JsonObject>

function* read(custom: CustomKind, value: Json, onUnknown: ((path: string) => void) | undefined, readMeta: ReadMeta): Steps<JsonObject> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { metadata: {} }
  const out = yield* cloneExactlyInSteps(value)
  yield
  for (const name of ['kind', 'apiVersion'] as const) checkTypeText(out, name)
  out.metadata = yield* resultOf(readMeta(out.metadata ?? {}, onUnknown && (path => onUnknown(`metadata.${path}`))))
  const found = schemaOf(custom, out)
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
  if (misfit) throw new DecodeError(fieldErrorText(misfit))
  if (onUnknown) for (const path of [...pruned.sort(), ...embedded.sort()]) onUnknown(path)
  return out
}

/** kind and apiVersion have to be texts, or absent. */
export function checkTypeText(object: Json, name: 'kind' | 'apiVersion'): void {
  const value = isJsonObject(object) ? object[name] : undefined
  if (value === undefined || typeof value === 'string') return
  throw new DecodeError(`.${name} accessor error: ${goText(value)} is of the type ${goTypeOf(value)}, expected string`)
}

/** Go's %v and %T of a decoded value. */
const goText = (value: Json): string => (value === null ? '<nil>' : typeof value === 'object' ? JSON.stringify(value) : String(value))

function goTypeOf(value: Json): string {
  if (value === null) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'object') return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}'
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? 'int64' : 'float64'
}

/** Metadata as it is, but for members, labels and annotations that are malformed. An object from before there were generations has the first. */
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
