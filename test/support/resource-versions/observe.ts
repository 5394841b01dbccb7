import { parseCbor } from '../../../src/codec/cbor.ts'
import type { Failure, Request, Seen } from './cell.ts'
import type { Versions } from './history.ts'
import type { Answer, Client, OpenStream } from './http2-client.ts'
import { protobufAnswer, protobufEvents } from './protobuf-answer.ts'

export type Form = 'json' | 'protobuf' | 'cbor'

const MEDIA_TYPES: Readonly<Record<Form, string>> = {
  json: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
  cbor: 'application/cbor',
}

interface Meta {
  readonly name?: string
  readonly namespace?: string
  readonly resourceVersion?: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly continue?: string
  readonly remainingItemCount?: number
}
interface Body {
  readonly kind: string
  readonly metadata: Meta
  readonly items?: readonly { readonly metadata: Meta }[]
  readonly code?: number
  readonly reason?: string
  readonly message?: string
  readonly details?: object
}

/** A request's path with its versions and its token put in. */
export function pathOf({ do: line, token }: Request, versions: Versions): string {
  const fill = (text: string): string =>
    text.replace(/\{([a-z0-9]+)\}/g, (whole, name: string) => (name === 'token' ? whole : String(versions.get(name) ?? whole)))
  const path = fill(line.slice(line.indexOf(' ') + 1))
  return token === undefined ? path : path.replace('{token}', Buffer.from(fill(token)).toString('base64url'))
}

/** Converts responses into names. Undecodable tokens are kept. */
export function createObserver(versions: Versions) {
  const names = new Map([...versions].map(([name, version]) => [String(version), name]))
  /** A number that has no name depends on the run: when a cache began, how far a store is compacted. */
  const nameOf = (version: string): string =>
    names.get(version) ?? (version === '' || version === '0' || version === '-1' ? version : 'other')
  const inNames = (text: string): string =>
    text
      .replace(
        /(too old resource version: )(\d+) \((\d+)\)/g,
        (_, start: string, one: string, two: string) => `${start}${nameOf(one)} (${nameOf(two)})`,
      )
      .replace(/(current: )(\d+)/g, (_, start: string, one: string) => start + nameOf(one))
      .replace(/(Too large resource version: )(\d+)/g, (_, start: string, one: string) => start + (names.get(one) ?? one))
  const nameObject = ({ name, namespace, resourceVersion = '' }: Meta): string => `${namespace}/${name}@${nameOf(resourceVersion)}`
  const nameToken = (token: string) => {
    const { rv, start } = JSON.parse(Buffer.from(token, 'base64url').toString()) as { rv: number; start: string }
    // Upstream's own two ways of reading write the start with and without a slash, and take both.
    return { rv: nameOf(String(rv)), start: start.replace(/^\//, '') }
  }
  const failureOf = ({ code, reason, message = '', details, metadata }: Body): Failure => ({
    ...(code !== undefined && { code }),
    ...(reason !== undefined && { reason }),
    message: inNames(message),
    ...(details && { details: JSON.parse(inNames(JSON.stringify(details))) as object }),
    ...(metadata?.continue && { continue: nameToken(metadata.continue) }),
  })
  const eventOf = ({ type, object }: { type: string; object: Body }): string | Failure => {
    // Upstream's store draws 1 to 3 seconds.
    if (type === 'ERROR')
      return JSON.parse(JSON.stringify(failureOf(object)).replace(/"retryAfterSeconds":[123]\b/, '"retryAfterSeconds":1')) as Failure
    const { metadata } = object
    if (type !== 'BOOKMARK') return `${type} ${nameObject(metadata)}`
    const notes = Object.entries(metadata.annotations ?? {}).map(
      ([name, value]) => ` ${name}=${name.endsWith('blueprint') ? kindOfBlueprint(value) : value}`,
    )
    return `BOOKMARK @${nameOf(metadata.resourceVersion ?? '')}${notes.join('')}`
  }

  function seenOf(answer: Answer, form: Form): Seen {
    const { status, headers } = answer
    const retryAfter = headers['retry-after']
    const seen = { status, ...(typeof retryAfter === 'string' && { retryAfter }) }
    const body = bodyOf(answer, form)
    if (body.kind === 'Status') return { ...seen, failure: failureOf(body) }
    if (body.items === undefined) return { ...seen, object: nameObject(body.metadata) }
    const { resourceVersion = '', continue: token, remainingItemCount } = body.metadata
    return {
      ...seen,
      version: nameOf(resourceVersion),
      items: body.items.map(({ metadata }) => nameObject(metadata)),
      ...(token && { continue: nameToken(token) }),
      ...(remainingItemCount && { remaining: remainingItemCount }),
    }
  }

  return {
    async ask(client: Client, request: Request, form: Form): Promise<Seen> {
      return seenOf(await client.ask('GET', pathOf(request, versions), MEDIA_TYPES[form]), form)
    },
    open: (client: Client, request: Request, form: Form): OpenStream =>
      client.open(pathOf(request, versions), form === 'protobuf' ? `${MEDIA_TYPES.protobuf};stream=watch` : MEDIA_TYPES[form]),
    /** Returns the events of a watch so far. Undefined if it has not begun. */
    async watched(stream: OpenStream, form: Exclude<Form, 'cbor'>): Promise<Seen> {
      const answer = { status: await stream.begun, headers: stream.headers(), body: stream.bytes() }
      const { status } = answer
      if (status !== 200 || answer.headers['content-length'] !== undefined) return seenOf(answer, form)
      const events = form === 'protobuf' ? [...protobufEvents(stream.bytes())] : jsonEvents(stream.bytes(), stream.ended())
      return { status, events: (events as { type: string; object: Body }[]).map(eventOf), ...(stream.ended() && { ended: true }) }
    },
  }
}

/** An empty list in the watch's own form. */
function kindOfBlueprint(value: string): string {
  const bytes = Buffer.from(value, 'base64')
  const list = (bytes[0] === 0x7b ? JSON.parse(bytes.toString()) : protobufAnswer(bytes)) as Body
  return list.kind
}

function bodyOf({ headers, body }: Answer, form: Form): Body {
  const type = String(headers['content-type']).split(';')[0]
  if (type !== MEDIA_TYPES[form]) {
    if (type !== 'application/json') throw new Error(`${type} came: ${body}`)
    return JSON.parse(body.toString()) as Body
  }
  if (form === 'json') return JSON.parse(body.toString()) as Body
  return (form === 'protobuf' ? protobufAnswer(body) : parseCbor(body).value) as Body
}

/** Parses JSON events. The last line of an open stream may be incomplete. */
const jsonEvents = (bytes: Buffer, ended: boolean): object[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line, i, lines) => line !== '' && (ended || i < lines.length - 1))
    .map(line => JSON.parse(line) as object)
