import protobuf from 'protobufjs/minimal.js'
import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { goJsonInSteps } from '../../codec/json-in-steps.ts'
import { yamlInSteps } from '../../codec/yaml.ts'
import { WIRE_BYTES } from '../../lib/protobuf-wire.ts'
import type { Writer } from '../../lib/protobuf-writing.ts'
import type { Steps } from '../../lib/steps.ts'
import { memberNames } from '../../lib/wide-objects.ts'
import { hasFewValues } from '../../meta/few-values.ts'
import { isStatusError } from '../../meta/status.ts'
import { itemsIn, namedMessages, writeString } from './gnostic-parts.ts'

/** How a protobuf form of a document writes schemas. */
export interface SchemaForm {
  /** Writes a Schema. */
  readonly schema: (out: Writer, value: JsonObject) => void
  /** Writes a schema below another one: a Schema, or a oneof of a Schema (1) and a reference (2). */
  readonly nested: (out: Writer, value: Json) => void
  readonly isChoice: boolean
  /**
   * Field numbers of members that may have many values. `holders` are messages that hold one nested schema, `lists`
   * have nested schemas.
   */
  readonly fields: {
    readonly properties: number
    readonly extensions: number
    readonly holders: Readonly<Record<string, number>>
    readonly lists: Readonly<Record<string, number>>
    /** Omitted if the form cannot represent a default that is an object or a list. */
    readonly default?: number
  }
}

/** Values of a schema that are written in one call. */
const FEW = 128
/** Small members, of up to 128 values each, that are written in one call. */
const MEMBERS = 32
/** Elements of a list that are written in one call. */
const ELEMENTS = 256

/** Encodes a piece. Copies it, because the writer's buffer is reused. */
export function encoded(write: (out: Writer) => void): Buffer {
  const out = protobuf.Writer.create()
  write(out)
  return Buffer.from(out.finish())
}

/** Returns the pieces of a field that contains a message in pieces. */
export function messagePieces(field: number, pieces: readonly Buffer[]): Buffer[] {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  return [encoded(out => out.uint32((field << 3) | WIRE_BYTES).uint32(length)), ...pieces]
}

/**
 * Encodes schemas by name as pairs of a name and a nested schema, in steps. A definition of a custom resource can have
 * 65,000 values.
 */
export function* namedPieces(form: SchemaForm, field: number, members: JsonObject): Steps<Buffer[]> {
  const pieces: Buffer[] = []
  let few: [string, Json][] = []
  const flush = (): void => {
    if (few.length > 0) pieces.push(encoded(out => namedMessages(out, field, Object.fromEntries(few), form.nested)))
    few = []
  }
  for (const name of yield* memberNames(members)) {
    const value = members[name] ?? null
    if (hasFewValues(value, FEW)) {
      few.push([name, value])
      if (few.length < MEMBERS) continue
      flush()
    } else {
      flush()
      pieces.push(
        ...messagePieces(field, [encoded(out => writeString(out, 1, name)), ...messagePieces(2, yield* nestedPieces(form, value))]),
      )
    }
    yield
  }
  flush()
  return pieces
}

function* nestedPieces(form: SchemaForm, value: Json): Steps<Buffer[]> {
  if (hasFewValues(value, FEW)) return [encoded(out => form.nested(out, value))]
  yield
  const pieces = yield* schemaPieces(form, objectIn(value))
  return form.isChoice ? messagePieces(1, pieces) : pieces
}

function* schemaPieces(form: SchemaForm, object: JsonObject): Steps<Buffer[]> {
  const own: JsonObject = {}
  const pieces: Buffer[] = []
  for (const [name, value] of Object.entries(object)) {
    if (hasFewValues(value, FEW)) own[name] = value
    else for (const piece of yield* memberPieces(form, name, value)) pieces.push(piece)
    yield
  }
  return [encoded(out => form.schema(out, own)), ...pieces]
}

/** Encodes a member that has many values. */
function* memberPieces(form: SchemaForm, name: string, value: Json): Steps<Buffer[]> {
  const { fields } = form
  if (name === 'properties') return messagePieces(fields.properties, yield* namedPieces(form, 1, objectIn(value)))
  const holder = fields.holders[name]
  if (holder !== undefined) return messagePieces(holder, messagePieces(1, yield* nestedPieces(form, value)))
  const pieces: Buffer[] = []
  const list = fields.lists[name]
  if (list !== undefined) {
    let few: Json[] = []
    const flush = (): void => {
      if (few.length > 0) pieces.push(encoded(out => form.schema(out, { [name]: few })))
      few = []
    }
    for (const item of itemsIn(value)) {
      if (hasFewValues(item, FEW)) {
        few.push(item)
        if (few.length < MEMBERS) continue
        flush()
      } else {
        flush()
        for (const piece of messagePieces(list, yield* nestedPieces(form, item))) pieces.push(piece)
      }
      yield
    }
    flush()
    return pieces
  }
  if (name.startsWith('x-')) {
    const pair = [encoded(out => writeString(out, 1, name)), ...messagePieces(2, yield* anyPieces(value))]
    return messagePieces(fields.extensions, pair)
  }
  if (name === 'default' && fields.default !== undefined) return messagePieces(fields.default, yield* anyPieces(value))
  if (!Array.isArray(value)) return [encoded(out => form.schema(out, { [name]: value }))]
  for (let from = 0; from < value.length; from += ELEMENTS) {
    pieces.push(encoded(out => form.schema(out, { [name]: value.slice(from, from + ELEMENTS) })))
    yield
  }
  return pieces
}

/** Encodes a value of any shape like `any`. */
function* anyPieces(value: Json): Steps<Buffer[]> {
  return messagePieces(2, yield* yamlPieces(value))
}

function* yamlPieces(value: Json): Steps<Buffer[]> {
  try {
    return yield* yamlInSteps(value)
  } catch (error) {
    if (!isStatusError(error, 'NotAcceptable')) throw error
    return (yield* goJsonInSteps(value)).map(part => Buffer.from(part))
  }
}
