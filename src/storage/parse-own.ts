import { decodedObject, isJsonObject, type Json, type KubeObject, type ObjectMeta } from '../api/meta/object.ts'
import { parseJson, parseJsonInSteps } from '../codec/json.ts'
import { parseInChunks } from '../codec/json-chunks.ts'
import { invariant } from '../lib/invariant.ts'
import { runAtOnce, runInTurns, type Steps } from '../lib/steps.ts'
import { findMetadata, skipValue } from './json-splice.ts'
import type { Encoded } from './storage.ts'

/**
 * Numbers that a double may not represent exactly, or that Go distinguishes from integers. It may also match text
 * within a string, which only costs the slower parser.
 */
const ODD_NUMBER = /[:[,]-?\d[\d.]*(?:\d{15}|[eE])|[:[,]-?\d+\.0/

/** Parses JSON that this program wrote: it has no repeated members and no invalid UTF-8. */
export function parseOwn(bytes: Buffer): KubeObject {
  return parseText(bytes.toString('utf8'))
}

/** Parses like `parseOwn`, in steps, for objects that may be large. */
export const parseOwnInSteps = (bytes: Buffer): Steps<KubeObject> => parseTextInSteps(bytes.toString('utf8'))

function* parseTextInSteps(text: string): Steps<KubeObject> {
  yield
  if (ODD_NUMBER.test(text)) return decodeStoredJson((yield* parseJsonInSteps(Buffer.from(text))).value)
  yield
  return decodeStoredJson(yield* parsePlainly(text))
}

function* parsePlainly(text: string): Steps<Json> {
  return (yield* parseInChunks(text, JSON.parse)) ?? JSON.parse(text)
}

/** Size in bytes from which an object is parsed or converted in turns. A smaller one takes at most a millisecond. */
export const LARGE_BYTES = 64 * 1024

/**
 * Parses like `parseOwn`, in turns, if the object is large. Undefined if it is small: the caller then uses `parseOwn`.
 */
export const parseOwnInTurns = (bytes: Buffer): Promise<KubeObject> | undefined =>
  bytes.length < LARGE_BYTES ? undefined : runInTurns(parseOwnInSteps(bytes))

const parseText = (text: string): KubeObject =>
  decodeStoredJson(ODD_NUMBER.test(text) ? parseJson(Buffer.from(text)).value : JSON.parse(text))

function decodeStoredJson(value: Json): KubeObject {
  invariant(isJsonObject(value), 'what is stored is no object')
  return decodedObject(value)
}

const MANAGERS = Buffer.from(',"managedFields":[')

/** Parses only the metadata, without managedFields, of a JSON encoding that this program wrote. */
export const parseMetadata = (json: Encoded): ObjectMeta => runAtOnce(parseMetadataInSteps(json))

/** Parses like `parseMetadata`, in steps, for objects that may be large. */
export function* parseMetadataInSteps({ bytes, header }: Encoded): Steps<ObjectMeta> {
  const start = findMetadata(bytes, header)
  // managedFields come last in the metadata of built-in kinds, and are most of it. The text may also occur later in the
  // object; then the slice is not valid JSON.
  const managers = header > 1 ? bytes.indexOf(MANAGERS, start) : -1
  if (managers > 0) {
    try {
      return yield* readMetadata(`${bytes.toString('utf8', start, managers)}}`)
    } catch {
      // The match was outside of the metadata.
    }
  }
  const { managedFields: _, ...metadata } = yield* readMetadata(bytes.toString('utf8', start, skipValue(bytes, start)))
  return metadata
}

/**
 * Parses metadata without checking it, because ObjectMeta's schema wrote it. Throws a SyntaxError if the text is not
 * JSON.
 */
function* readMetadata(text: string): Steps<ObjectMeta> {
  return (text.length < LARGE_BYTES ? JSON.parse(text) : yield* parsePlainly(text)) as ObjectMeta
}

/**
 * Parses like `parseMetadata`, in turns, if the object is large. Undefined if it is small: the caller then uses
 * `parseMetadata`.
 */
export const parseMetadataInTurns = (json: Encoded): Promise<ObjectMeta> | undefined =>
  json.bytes.length < LARGE_BYTES ? undefined : runInTurns(parseMetadataInSteps(json))

/** Returns the extent of the metadata in a JSON encoding that this program wrote. */
export function metadataOf({ bytes, header }: Encoded): Span {
  const from = findMetadata(bytes, header)
  return { from, to: skipValue(bytes, from) }
}

/**
 * Parses an object of a built-in kind without its managedFields, which are a large part of it. `metadata` is the result
 * of `metadataOf`.
 */
export const withoutManagers = (json: Encoded, metadata: Span): KubeObject => parseText(textWithoutManagers(json, metadata))

/** Parses like `withoutManagers`, in steps, for objects that may be large. */
export const withoutManagersInSteps = (json: Encoded, metadata: Span): Steps<KubeObject> =>
  parseTextInSteps(textWithoutManagers(json, metadata))

interface Span {
  readonly from: number
  readonly to: number
}

function textWithoutManagers({ bytes }: Encoded, metadata: Span): string {
  const managers = bytes.indexOf(MANAGERS, metadata.from)
  if (managers < 0 || managers > metadata.to) return bytes.toString('utf8')
  // managedFields are the last member of the metadata.
  return `${bytes.toString('utf8', 0, managers)}${bytes.toString('utf8', metadata.to - 1)}`
}
