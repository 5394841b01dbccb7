import { type Json, type JsonObject, objectIn } from '../../api/meta/object.ts'
import { goJson } from '../../codec/json.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { type Writer, writeMessage, writeText } from '../../lib/protobuf-writing.ts'
import { isStatusError } from '../../meta/status.ts'

/** Returns the items of a list in a document of ours. Empty if the member is absent. */
export const itemsIn = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** Returns the items of a list of objects. */
export const objectsIn = (value: Json | undefined): readonly JsonObject[] => itemsIn(value).map(objectIn)

/** Writes a string if it is not empty. */
export function writeString(out: Writer, field: number, value: Json | undefined): void {
  if (typeof value === 'string') writeText(out, field, value)
}

/** Writes a boolean if it is true. */
export function flag(out: Writer, field: number, value: Json | undefined): void {
  if (value === true) out.uint32(field << 3).bool(true)
}

/** Writes a repeated string. */
export function strings(out: Writer, field: number, values: Json | undefined): void {
  for (const value of itemsIn(values)) if (typeof value === 'string') out.uint32((field << 3) | 2).string(value)
}

/** Writes the members of an object as pairs of a name and a message. */
export function namedMessages(out: Writer, field: number, members: Json | undefined, write: (w: Writer, value: Json) => void): void {
  for (const [name, value] of Object.entries(objectIn(members))) {
    writeMessage(out, field, pair => {
      writeString(pair, 1, name)
      writeMessage(pair, 2, w => write(w, value))
    })
  }
}

/**
 * Writes a value of any shape as YAML. A value that is nested too deeply for indentation is written as JSON, which is
 * YAML as well.
 */
export const any = (out: Writer, value: Json): void => writeString(out, 2, yamlText(value))

function yamlText(value: Json): string {
  try {
    return yamlBytes(value).toString()
  } catch (error) {
    if (!isStatusError(error, 'NotAcceptable')) throw error
    return goJson(value)
  }
}

/** Writes the members whose names begin with `x-`. */
export function extensions(out: Writer, field: number, object: JsonObject): void {
  for (const [name, value] of Object.entries(object)) if (name.startsWith('x-')) namedMessages(out, field, { [name]: value }, any)
}

/** Writes numbers as doubles, by field. */
export function measured(out: Writer, fields: Readonly<Record<string, number>>, object: JsonObject): void {
  for (const [name, field] of Object.entries(fields))
    if (typeof object[name] === 'number') out.uint32((field << 3) | 1).double(object[name])
}

/** Writes numbers as integers, by field. */
export function counted(out: Writer, fields: Readonly<Record<string, number>>, object: JsonObject): void {
  for (const [name, field] of Object.entries(fields)) if (typeof object[name] === 'number') out.uint32(field << 3).int64(object[name])
}
