import type { JsonSchemaProps } from '../../src/api/apiextensions/json-schema-props.ts'
import type { Json, JsonObject } from '../../src/api/meta/object.ts'
import { type Applied, type ApplyArgs, applyInSteps } from '../../src/apply/apply.ts'
import { jsonPatchSteps } from '../../src/apply/patch/json.ts'
import { mergePatchSteps } from '../../src/apply/patch/merge.ts'
import { strategicPatch } from '../../src/apply/patch/strategic.ts'
import { listHead, listItem, unwrap } from '../../src/codec/protobuf.ts'
import { decodeMessage } from '../../src/codec/protobuf-decode.ts'
import { runAtOnce } from '../../src/lib/steps.ts'
import type { FieldError } from '../../src/meta/field-error.ts'
import type { FieldPath } from '../../src/meta/field-path.ts'
import { valueSteps } from '../../src/schema/json-schema/validate-value.ts'
import { FIRST_VALUE_RULES, type ValueRules } from '../../src/schema/json-schema/value-rules.ts'
import type { StructSchema } from '../../src/schema/schema.ts'

/** Runs the steps of an apply without yielding. */

export const applyConfiguration = (args: ApplyArgs): Applied => runAtOnce(applyInSteps(args))

export const applyJsonPatch = (doc: JsonObject, patch: Json): Json => runAtOnce(jsonPatchSteps(doc, patch))

export const applyMergePatch = (doc: JsonObject, patch: Json): Json => runAtOnce(mergePatchSteps(doc, patch))

export const applyStrategicPatch = (schema: StructSchema, original: JsonObject, patch: Json): JsonObject =>
  runAtOnce(strategicPatch(schema, original, patch)).object

export const validateValue = (value: Json, schema: JsonSchemaProps, path: FieldPath, rules?: ValueRules): FieldError[] =>
  validateValueUpdate(value, undefined, schema, path, rules)

export const validateValueUpdate = (
  value: Json,
  old: Json | undefined,
  schema: JsonSchemaProps,
  path: FieldPath,
  rules = FIRST_VALUE_RULES,
): FieldError[] => runAtOnce(valueSteps(value, old, schema, path, rules))

/** A body of protobuf as a value of the JSON data model, with the kind and apiVersion that it claims. */
export function decodeProtobuf(schema: StructSchema, bytes: Buffer): JsonObject & { kind: string; apiVersion: string } {
  const { apiVersion, kind, message } = unwrap(bytes)
  return { kind, apiVersion, ...decodeMessage(schema, message) }
}

/** A list message from its ListMeta and the messages of its items. */
export const listMessage = (listMeta: Uint8Array, items: readonly Uint8Array[]): Buffer =>
  Buffer.concat([listHead(listMeta), ...items.map(listItem)])
