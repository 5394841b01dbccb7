import { parseJson, parseJsonInSteps } from '../codec/json.ts'
import { parseInChunks } from '../codec/json-chunks.ts'
import { invariant } from '../lib/invariant.ts'
import { runAtOnce, runInTurns, type Steps } from '../lib/steps.ts'
import { decodedObject, isJsonObject, type Json, type KubeObject, type ObjectMeta } from '../meta/object.ts'
import { findMetadata, skipValue } from './json-splice.ts'
import type { Encoded } from './storage.ts'

/** Numbers that may lose something as a double, or that Go distinguishes from a whole one; also finds what only looks like it, within texts. */
const oddNumber = /[:[,]-?\d[\d.]*(?:\d{15}|[eE])|[:[,]-?\d+\.0/

/** Parses JSON that this program wrote: no repeated members, no bad UTF-8. */
export function parseOwn(bytes: Buffer): KubeObject {
  return parseText(bytes.toString('utf8'))
}

/** The same in steps, for objects that may be large. */
export const parseOwnInSteps = (bytes: Buffer): Steps<KubeObject> => parseTextInSteps(bytes.toString('utf8'))

function* parseTextInSteps(text: string): Steps<KubeObject> {
  yield
  if (oddNumber.test(text)) return objectOf((yield* parseJsonInSteps(Buffer.from(text))).value)
  yield
  return objectOf(yield* parsePlainly(text))
}

function* parsePlainly(text: string): Steps<Json> {
  return (yield* parseInChunks(text, JSON.parse)) ?? JSON.parse(text)
}

/** Bytes from which on an object is parsed in turns: fewer take a millisecond. */
const LARGE_BYTES = 64 * 1024

/** The same in turns if the object is large. Undefined if `parseOwn` takes no time. */
export const parseOwnInTurns = (bytes: Buffer): Promise<KubeObject> | undefined => (bytes.length < LARGE_BYTES ? undefined : runInTurns(parseOwnInSteps(bytes)))

const parseText = (text: string): KubeObject => objectOf(oddNumber.test(text) ? parseJson(Buffer.from(text)).value : JSON.parse(text))

function objectOf(value: Json): KubeObject {
  invariant(isJsonObject(value), 'what is stored is no object')
  return decodedObject(value)
}

const MANAGERS = Buffer.from(',"managedFields":[')

/** The metadata alone, without its managers, of a JSON encoding that this program made: nothing else is parsed. */
export const parseMetadata = (json: Encoded): ObjectMeta => runAtOnce(parseMetadataInSteps(json))

/** The same in steps, for objects that may be large. */
export function* parseMetadataInSteps({ bytes, header }: Encoded): Steps<ObjectMeta> {
  const start = findMetadata(bytes, header)
  // Managers come last in the metadata of built-in kinds, and are most of it. They can be found later in an object too, which is seen by its not being one.
  const managers = header > 1 ? bytes.indexOf(MANAGERS, start) : -1
  if (managers > 0) {
    try {
      return yield* readMetadata(`${bytes.toString('utf8', start, managers)}}`)
    } catch {
      // They are of something inside of the object.
    }
  }
  const { managedFields: _, ...metadata } = yield* readMetadata(bytes.toString('utf8', start, skipValue(bytes, start)))
  return metadata
}

/** It was written by the schema of ObjectMeta, and is not checked again. Throws a SyntaxError where the text is no JSON. */
function* readMetadata(text: string): Steps<ObjectMeta> {
  return (text.length < LARGE_BYTES ? JSON.parse(text) : yield* parsePlainly(text)) as ObjectMeta
}

/** The same in turns if the object is large. Undefined if `parseMetadata` takes no time. */
export const parseMetadataInTurns = (json: Encoded): Promise<ObjectMeta> | undefined =>
  json.bytes.length < LARGE_BYTES ? undefined : runInTurns(parseMetadataInSteps(json))

/** Where the metadata of a JSON encoding begins and ends, that this program made. */
export function metadataOf({ bytes, header }: Encoded): Span {
  const from = findMetadata(bytes, header)
  return { from, to: skipValue(bytes, from) }
}

/** The object of a built-in kind without the managers of its fields, which are a good part of it. `metadata`: as `metadataOf` returns it. */
export const withoutManagers = (json: Encoded, metadata: Span): KubeObject => parseText(textWithoutManagers(json, metadata))

/** The same in steps, for objects that may be large. */
export const withoutManagersInSteps = (json: Encoded, metadata: Span): Steps<KubeObject> => parseTextInSteps(textWithoutManagers(json, metadata))

interface Span {
  readonly from: number
  readonly to: number
}

function textWithoutManagers({ bytes }: Encoded, metadata: Span): string {
  const managers = bytes.indexOf(MANAGERS, metadata.from)
  if (managers < 0 || managers > metadata.to) return bytes.toString('utf8')
  // They are the last of it.
  return `${bytes.toString('utf8', 0, managers)}${bytes.toString('utf8', metadata.to - 1)}`
}
