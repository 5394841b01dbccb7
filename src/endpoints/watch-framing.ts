import type { Output } from './negotiate.ts'
import { goJson } from '../codec/json.ts'
import { apiVersionOf } from '../meta/gvk.ts'
import { decode } from '../schema/decode.ts'
import type { Json } from '../meta/object.ts'
import type { StatusError } from '../meta/status.ts'
import { failure } from '../meta/status.ts'
import { tableOf, tableOptions } from './respond.ts'
import type { Scope } from './scope.ts'
import { partialMetadata, tableEvent } from './table.ts'
import type { Framing } from './watch.ts'

const TAIL = Buffer.from('}\n')
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

/** The framing of a JSON watch in the form that was negotiated. */
export function jsonFraming(scope: Scope, output: Output): Framing {
  if (output.mediaType !== 'application/json')
    throw failure(406, 'NotAcceptable', 'only the following media types are accepted: application/json;stream=watch')
  if (!output.as) return plainFraming(scope)
  return output.as.kind === 'Table' ? tableFraming(scope, output) : partialFraming(scope, output)
}

const text = (type: string, object: string): Buffer => Buffer.from(`{"type":"${type}","object":${object}}\n`)
const errorFrame = (error: StatusError): Buffer => text('ERROR', goJson(error.status as unknown as Json))

/** One buffer an event: copied together from the ready bytes of the object. */
const plainFraming = (scope: Scope): Framing => {
  const { version } = scope.served
  const apiVersion = apiVersionOf({ group: version.group, version: version.name })
  return {
    contentType: 'application/json', id: 'json', error: errorFrame,
    object(type, object) {
      const { bytes } = object.json()
      const head = `{"type":"${type}","object":`
      const frame = Buffer.allocUnsafeSlow(head.length + bytes.length + TAIL.length)
      frame.write(head, 0, 'latin1')
      bytes.copy(frame, head.length)
      TAIL.copy(frame, head.length + bytes.length)
      return frame
    },
    bookmark: (resourceVersion, initialEnd) => {
      // As upstream writes an object that is empty but for its version: the members that its type always writes are there.
      const metadata = { resourceVersion, creationTimestamp: null, ...(initialEnd && { annotations: INITIAL_END }) }
      return text('BOOKMARK', goJson({ kind: version.kind, apiVersion, metadata, ...emptyMembers(scope) } as Json))
    },
  }
}

const empties = new WeakMap<object, Record<string, unknown>>()

function emptyMembers(scope: Scope): Record<string, unknown> {
  const { schema } = scope.served.version
  let members = empties.get(schema)
  if (!members) {
    const { metadata: _, ...rest } = decode(schema, {})
    members = rest
    empties.set(schema, members)
  }
  return members
}

function tableFraming(scope: Scope, output: Output): Framing {
  const options = tableOptions(scope, output)
  const table = tableOf(scope)
  let first = true
  return {
    contentType: 'application/json', id: undefined /* columns are told in a watch's first event only */, error: errorFrame,
    object(type, object) {
      const frame = text(type, tableEvent(table, object.object(), { ...options, now: scope.env.clock.now() }, first))
      first = false
      return frame
    },
    bookmark: (resourceVersion, initialEnd) =>
      text('BOOKMARK', tableEvent(table, { kind: '', apiVersion: '', metadata: { resourceVersion, creationTimestamp: null, ...(initialEnd && { annotations: INITIAL_END }) } }, options, false)),
  }
}

function partialFraming(scope: Scope, output: Output): Framing {
  const as = output.as as NonNullable<Output['as']>
  const apiVersion = `${as.group}/${as.version}`
  return {
    contentType: 'application/json', id: `partial;${apiVersion}`, error: errorFrame,
    object: (type, object) => text(type, partialMetadata(object.object(), apiVersion)),
    bookmark: (resourceVersion, initialEnd) =>
      text('BOOKMARK', partialMetadata({ kind: '', apiVersion: '', metadata: { resourceVersion, creationTimestamp: null, ...(initialEnd && { annotations: INITIAL_END }) } }, apiVersion)),
  }
}
