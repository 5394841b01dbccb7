import type protobuf from 'protobufjs/minimal.js'
import { goJson } from '../../codec/json.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { type Json, type JsonObject, objectIn } from '../../meta/object.ts'
import { isStatusError } from '../../meta/status.ts'

/** Writes the wire format of protobuf. A field's number stands shifted beside its wire type: 0 varint, 1 double, 2 bytes of a length. */
export type Writer = protobuf.Writer

/** The items of a list that a member of a document holds, as this program made it; none where it is absent. */
export const itemsIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** The same of a list of objects. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] => itemsIn(value).map(objectIn)

/** A message of `field`, which `write` fills. */
export function message(out: Writer, field: number, write: (w: Writer) => void): void {
  write(out.uint32((field << 3) | 2).fork())
  out.ldelim()
}

/** A string, where there is one. */
export function text(out: Writer, field: number, value: Json | undefined): void {
  if (typeof value === 'string' && value !== '') out.uint32((field << 3) | 2).string(value)
}

/** A boolean, where it is true. */
export function flag(out: Writer, field: number, value: Json | undefined): void {
  if (value === true) out.uint32(field << 3).bool(true)
}

/** A repeated string. */
export function strings(out: Writer, field: number, values: Json | undefined): void {
  for (const value of itemsIn(values)) if (typeof value === 'string') out.uint32((field << 3) | 2).string(value)
}

/** Members as pairs of a name and a message. */
export function named(out: Writer, field: number, members: Json | undefined, write: (w: Writer, value: Json) => void): void {
  for (const [name, value] of Object.entries(objectIn(members))) {
    message(out, field, pair => {
      text(pair, 1, name)
      message(pair, 2, w => write(w, value))
    })
  }
}

/** A value of any shape, as YAML. JSON is YAML, too, and is written of what is nested too deeply to be indented. */
export const any = (out: Writer, value: Json): void => text(out, 2, yamlText(value))

function yamlText(value: Json): string {
  try {
    return yamlBytes(value).toString()
  } catch (error) {
    if (!isStatusError(error, 'NotAcceptable')) throw error
    return goJson(value)
  }
}

/** The members whose names begin with x-. */
export function extensions(out: Writer, field: number, object: JsonObject): void {
  for (const [name, value] of Object.entries(object)) if (name.startsWith('x-')) named(out, field, { [name]: value }, any)
}

/** Members that are numbers, by the fields that hold them as doubles. */
export function measured(out: Writer, fields: Readonly<Record<string, number>>, object: JsonObject): void {
  for (const [name, field] of Object.entries(fields)) if (typeof object[name] === 'number') out.uint32((field << 3) | 1).double(object[name])
}

/** Members that are numbers, by the fields that hold them as integers. */
export function counted(out: Writer, fields: Readonly<Record<string, number>>, object: JsonObject): void {
  for (const [name, field] of Object.entries(fields)) if (typeof object[name] === 'number') out.uint32(field << 3).int64(object[name])
}
