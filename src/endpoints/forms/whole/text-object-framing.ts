import { apiVersionOfVersion, listKindOf } from '../../../catalog/catalog.ts'
import type { Version } from '../../../catalog/definition.ts'
import { goJson } from '../../../codec/json.ts'
import { decode } from '../../../schema/decode.ts'
import type { StructSchema } from '../../../schema/schema.ts'
import type { Scope } from '../../scope.ts'
import type { Framing } from '../framing.ts'
import { initialEndAnnotations } from '../initial-end.ts'
import { objectMetaText } from '../meta-json.ts'
import { TEXT_FRAMES, textBlueprint, textFrame } from '../text/text-frames.ts'

const TAIL = Buffer.from('}\n')
const HEAD = ['{"type":"', '","object":'] as const
const HEAD_BYTES = HEAD[0].length + HEAD[1].length

/** Returns where it ends. */
function writeFrame(type: string, bytes: Buffer, memory: Buffer, from: number): number {
  const at = from + memory.write(`${HEAD[0]}${type}${HEAD[1]}`, from, 'latin1')
  memory.set(bytes, at)
  memory.set(TAIL, at + bytes.length)
  return at + bytes.length + TAIL.length
}

/** One buffer an event: copied together from the ready bytes of the object. */
export function textObjectFraming({ served: { version } }: Scope): Framing {
  return {
    ...TEXT_FRAMES,
    id: 'json',
    object(type, object) {
      const { bytes } = object.json()
      const frame = Buffer.allocUnsafeSlow(HEAD_BYTES + type.length + bytes.length + TAIL.length)
      writeFrame(type, bytes, frame, 0)
      return frame
    },
    into(type, object, memory, at) {
      const { bytes } = object.json()
      return at + HEAD_BYTES + type.length + bytes.length + TAIL.length > memory.length ? 0 : writeFrame(type, bytes, memory, at)
    },
    bookmark: version.schema.freeForm ? sortedBookmark(version) : structBookmark(version),
  }
}

/** Of a built-in kind. As upstream writes an object that is empty but for its version: the members that its type always writes are there. */
function structBookmark(version: Version): Framing['bookmark'] {
  const { kind, schema } = version
  const apiVersion = apiVersionOfVersion(version)
  return (resourceVersion, initialEnd) => {
    const annotations = initialEnd ? { annotations: initialEndAnnotations(textBlueprint(kind, apiVersion)) } : {}
    const metadata = objectMetaText({ resourceVersion, creationTimestamp: null, ...annotations })
    return textFrame('BOOKMARK', `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${metadata}${emptyMembers(schema)}}`)
  }
}

/** Of a custom kind. */
function sortedBookmark(version: Version): Framing['bookmark'] {
  const { kind } = version
  const apiVersion = apiVersionOfVersion(version)
  return (resourceVersion, initialEnd) => {
    const annotations = initialEnd ? { annotations: initialEndAnnotations(sortedBlueprint(version)) } : {}
    return textFrame('BOOKMARK', goJson({ kind, apiVersion, metadata: { resourceVersion, ...annotations } }))
  }
}

const sortedBlueprint = (version: Version): Buffer =>
  Buffer.from(
    `${goJson({ apiVersion: apiVersionOfVersion(version), items: [], kind: listKindOf(version), metadata: { continue: '', resourceVersion: '' } })}\n`,
  )

const empties = new WeakMap<StructSchema, string>()

function emptyMembers(schema: StructSchema): string {
  let members = empties.get(schema)
  if (members === undefined) {
    const { metadata: _, ...rest } = decode(schema, {})
    members = Object.keys(rest).length === 0 ? '' : `,${JSON.stringify(rest).slice(1, -1)}`
    empties.set(schema, members)
  }
  return members
}
