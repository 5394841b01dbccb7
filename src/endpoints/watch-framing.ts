import { apiVersionOfVersion, listKindOf } from '../catalog/catalog.ts'
import type { Version } from '../catalog/definition.ts'
import { goJson } from '../codec/json.ts'
import type { KubeObject } from '../meta/object.ts'
import type { StatusError } from '../meta/status.ts'
import { decode } from '../schema/decode.ts'
import type { StructSchema } from '../schema/schema.ts'
import type { BinaryForm } from './binary-form.ts'
import { binaryOf } from './binary-output.ts'
import type { Framing } from './framing.ts'
import { objectMetaText, statusText } from './meta-json.ts'
import type { Output } from './negotiate.ts'
import { tableOf, tableOptions } from './respond.ts'
import type { Scope } from './scope.ts'
import { partialMetadata, tableEvent } from './table.ts'

const TEXT_MESSAGES = { text: true, leadBytes: 0 }
const TAIL = Buffer.from('}\n')
const INITIAL_END = { 'k8s.io/initial-events-end': 'true' }

/** Annotations of the bookmark that ends the initial events: a client learns from the empty list what a list would have looked like. */
const initialEndAnnotations = (blueprint: Buffer) => ({ ...INITIAL_END, 'kubernetes.io/initial-events-list-blueprint': blueprint.toString('base64') })

const jsonBlueprint = (kind: string, apiVersion: string): Buffer =>
  Buffer.from(`{"kind":"${kind}List","apiVersion":"${apiVersion}","metadata":{},"items":null}\n`)

/** Of a custom kind. */
const sortedBlueprint = (version: Version): Buffer =>
  Buffer.from(
    `${goJson({ apiVersion: apiVersionOfVersion(version), items: [], kind: listKindOf(version), metadata: { continue: '', resourceVersion: '' } })}\n`,
  )

/** The framing of a watch in the form that was negotiated. */
export function framingOf(scope: Scope, output: Output): Framing {
  const binary = binaryOf(output.mediaType)
  if (binary) return binaryFraming(scope, output, binary)
  if (!output.as) return plainFraming(scope)
  return output.as.kind === 'Table' ? tableFraming(scope, output) : partialFraming(output)
}

const text = (type: string, object: string): Buffer => Buffer.from(`{"type":"${type}","object":${object}}\n`)
const errorFrame = (error: StatusError): Buffer => text('ERROR', statusText(error.status))

const HEAD = ['{"type":"', '","object":'] as const
const HEAD_BYTES = HEAD[0].length + HEAD[1].length

/** Returns where it ends. */
function writePlain(type: string, bytes: Buffer, memory: Buffer, from: number): number {
  const at = from + memory.write(`${HEAD[0]}${type}${HEAD[1]}`, from, 'latin1')
  memory.set(bytes, at)
  memory.set(TAIL, at + bytes.length)
  return at + bytes.length + TAIL.length
}

/** One buffer an event: copied together from the ready bytes of the object. */
const plainFraming = (scope: Scope): Framing => {
  const { version } = scope.served
  const apiVersion = apiVersionOfVersion(version)
  const customBlueprint = version.schema.freeForm && sortedBlueprint(version)
  return {
    contentType: 'application/json',
    messages: TEXT_MESSAGES,
    id: 'json',
    error: errorFrame,
    object(type, object) {
      const { bytes } = object.json()
      const frame = Buffer.allocUnsafeSlow(HEAD_BYTES + type.length + bytes.length + TAIL.length)
      writePlain(type, bytes, frame, 0)
      return frame
    },
    into(type, object, memory, at) {
      const { bytes } = object.json()
      return at + HEAD_BYTES + type.length + bytes.length + TAIL.length > memory.length ? 0 : writePlain(type, bytes, memory, at)
    },
    bookmark: (resourceVersion, initialEnd) => {
      // As upstream writes an object that is empty but for its version: the members that its type always writes are there.
      const metadata = {
        resourceVersion,
        creationTimestamp: null,
        ...(initialEnd && { annotations: initialEndAnnotations(customBlueprint ?? jsonBlueprint(version.kind, apiVersion)) }),
      }
      if (customBlueprint) {
        const { creationTimestamp: _, ...sorted } = metadata
        return text('BOOKMARK', goJson({ kind: version.kind, apiVersion, metadata: sorted }))
      }
      return text('BOOKMARK', `{"kind":"${version.kind}","apiVersion":"${apiVersion}","metadata":${objectMetaText(metadata)}${emptyMembers(scope)}}`)
    },
  }
}

const empties = new WeakMap<StructSchema, string>()

function emptyMembers(scope: Scope): string {
  const { schema } = scope.served.version
  let members = empties.get(schema)
  if (members === undefined) {
    const { metadata: _, ...rest } = decode(schema, {})
    members = Object.keys(rest).length === 0 ? '' : `,${JSON.stringify(rest).slice(1, -1)}`
    empties.set(schema, members)
  }
  return members
}

function tableFraming(scope: Scope, output: Output): Framing {
  const options = tableOptions(scope, output)
  const table = tableOf(scope)
  let first = true
  return {
    contentType: 'application/json',
    messages: TEXT_MESSAGES,
    id: undefined /* columns are told in a watch's first event only */,
    error: errorFrame,
    object(type, object) {
      const frame = text(type, tableEvent(table, object.object(), { ...options, now: scope.env.clock.now() }, first))
      first = false
      return frame
    },
    bookmark: (resourceVersion, initialEnd) =>
      text(
        'BOOKMARK',
        tableEvent(
          table,
          { kind: '', apiVersion: '', metadata: { resourceVersion, creationTimestamp: null, ...(initialEnd && { annotations: INITIAL_END }) } },
          options,
          false,
        ),
      ),
  }
}

function partialFraming(output: Output): Framing {
  const as = output.as as NonNullable<Output['as']>
  const apiVersion = `${as.group}/${as.version}`
  return {
    contentType: 'application/json',
    messages: TEXT_MESSAGES,
    id: `partial;${as.kind};${apiVersion}`,
    error: errorFrame,
    // A single object is no list: upstream fails to encode it, and ends the stream.
    object: (type, object) => (as.kind === 'PartialObjectMetadataList' ? undefined : text(type, partialMetadata(object.object(), apiVersion))),
    bookmark: (resourceVersion, initialEnd) =>
      text(
        'BOOKMARK',
        partialMetadata(
          {
            kind: '',
            apiVersion: '',
            metadata: {
              resourceVersion,
              creationTimestamp: null,
              ...(initialEnd && { annotations: initialEndAnnotations(jsonBlueprint('PartialObjectMetadata', apiVersion)) }),
            },
          },
          apiVersion,
        ),
      ),
  }
}

/** Length-delimited frames of WatchEvent in protobuf, a sequence of items in CBOR. */
function binaryFraming(scope: Scope, { as, mediaType }: Output, form: BinaryForm): Framing {
  const { version } = scope.served
  const apiVersion = as ? `${as.group}/${as.version}` : apiVersionOfVersion(version)
  const bookmark = (resourceVersion: string, initialEnd: boolean): KubeObject => ({
    kind: version.kind,
    apiVersion,
    metadata: {
      resourceVersion,
      creationTimestamp: null,
      ...(initialEnd && { annotations: initialEndAnnotations(form.blueprint({ kind: `${as ? 'PartialObjectMetadata' : version.kind}List`, apiVersion })) }),
    },
  })
  return {
    contentType: form.streamType(mediaType),
    messages: { text: false, leadBytes: form.leadBytes },
    id: `${mediaType};${as ? as.kind : ''};${apiVersion}`,
    object: (type, object) =>
      as?.kind === 'PartialObjectMetadataList'
        ? undefined
        : form.frame(type, as ? form.partialBody(object.object(), apiVersion) : form.storedBody(version, object)),
    bookmark: (resourceVersion, initialEnd) => {
      const object = bookmark(resourceVersion, initialEnd)
      return form.frame('BOOKMARK', as ? form.partialBody(object, apiVersion) : form.objectBody(version.schema, object))
    },
    error: error => form.frame('ERROR', form.statusBody(error.status)),
  }
}
