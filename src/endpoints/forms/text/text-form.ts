import type { KubeObject } from '../../../api/meta/object.ts'
import { structPieces } from '../../../codec/json-writer.ts'
import { type Awaitable, after } from '../../../lib/awaitable.ts'
import { type FilledBody, filledWith } from '../../../lib/filled-body.ts'
import { runInTurns, type Steps } from '../../../lib/steps.ts'
import { isLongText } from '../../../lib/text-chunks.ts'
import type { ResponseStatus } from '../../../meta/status.ts'
import type { ListResult } from '../../../registry/read.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import type { Scope } from '../../scope.ts'
import type { Framing } from '../framing.ts'
import { metaType, statusText } from '../meta-v1.ts'
import type { Body, ResponseForm } from '../response-form.ts'

/**
 * Compact JSON: buffers, or a function that opens a body which is made while it is sent. It may be called any number of
 * times.
 */
export type JsonText = readonly Buffer[] | (() => FilledBody)

/** A view of objects as compact JSON. */
export interface TextView {
  /** Returns the text of a stored object. */
  stored(scope: Scope, stored: StoredObject): Awaitable<JsonText>
  /** Returns the text of an object that is not stored, by its schema. */
  object(scope: Scope, schema: StructSchema, object: KubeObject): Awaitable<JsonText>
  /** Returns the text of a list with its metadata. */
  list(scope: Scope, result: ListResult): Awaitable<JsonText>
  /** Returns the text of a list whose items are not stored. */
  plainList(scope: Scope, items: readonly KubeObject[]): Awaitable<JsonText>
  /** Whether a watch in this form cannot send the bookmark that ends the initial events. */
  readonly withoutInitialEnd?: boolean
  /** Returns how the events of a watch are framed. */
  framing(scope: Scope): Framing
}

/** How JSON is written: compact, indented or as YAML. */
export interface TextStyle {
  readonly contentType: string
  /** Writes compact JSON in the style. */
  write(text: JsonText): Awaitable<Body>
}

/** Returns the form of a view in a style. */
export const textForm = (view: TextView, { contentType, write }: TextStyle): ResponseForm => ({
  contentType,
  stored: (scope, stored) => after(view.stored(scope, stored), write),
  object: (scope, schema, object) => after(view.object(scope, schema, object), write),
  list: (scope, result) => after(view.list(scope, result), write),
  plainList: (scope, items) => after(view.plainList(scope, items), write),
  status: status => after(statusJson(status), write),
  document: (_schema, document) => write([Buffer.from(`${JSON.stringify(document)}\n`)]),
  withoutInitialEnd: view.withoutInitialEnd,
  framing: scope => view.framing(scope),
})

/** Opens a text at its beginning. */
export function opened(text: JsonText): FilledBody {
  if (typeof text === 'function') return text()
  return filledWith(
    text,
    text.reduce((bytes, part) => bytes + part.length, 0),
  )
}

/** Encodes a Status. A long one, which quotes much of a body, is encoded in turns. */
const statusJson = (status: ResponseStatus): Awaitable<JsonText> =>
  isLongText(status.message ?? '') ? runInTurns(longStatus(status)) : [Buffer.from(`${statusText(status)}\n`)]

/** Characters that are encoded at once. */
const PIECE = 64 * 1024

/** Encodes a Status in pieces: its message may quote a body of megabytes. */
function* longStatus(status: ResponseStatus): Steps<Buffer[]> {
  const buffers: Buffer[] = []
  let text = ''
  for (const piece of structPieces(metaType('meta.Status'), status)) {
    text += piece
    if (text.length < PIECE) continue
    buffers.push(Buffer.from(text))
    text = ''
    yield
  }
  buffers.push(Buffer.from(`${text}\n`))
  return buffers
}
