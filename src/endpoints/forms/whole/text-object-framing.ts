import type { Scope } from '../../scope.ts'
import type { Framing } from '../framing.ts'
import { TEXT_FRAMES, textFrame } from '../text/text-frames.ts'

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

/** From so many bytes on, a frame is copied once for all batches and forms of connection. */
const LARGE_BYTES = 64 * 1024

/** By type of event, of which there are three. */
const heads = new Map<string, Buffer>()

function headOf(type: string): Buffer {
  let head = heads.get(type)
  if (head === undefined) {
    head = Buffer.from(`${HEAD[0]}${type}${HEAD[1]}`)
    heads.set(type, head)
  }
  return head
}

/** Frames are copied together from the ready bytes of objects. */
export function textObjectFraming({ dialect, served: { version } }: Scope): Framing {
  return {
    ...TEXT_FRAMES,
    id: 'json',
    object(type, object) {
      const { bytes } = object.json()
      const frame = Buffer.allocUnsafeSlow(HEAD_BYTES + type.length + bytes.length + TAIL.length)
      writeFrame(type, bytes, frame, 0)
      return frame
    },
    pieces(type, object) {
      const { bytes } = object.json()
      return bytes.length < LARGE_BYTES ? [headOf(type), bytes, TAIL] : undefined
    },
    into(type, object, memory, at) {
      const { bytes } = object.json()
      return at + HEAD_BYTES + type.length + bytes.length + TAIL.length > memory.length ? 0 : writeFrame(type, bytes, memory, at)
    },
    bookmark: (resourceVersion, initialEnd) => textFrame('BOOKMARK', dialect.bookmark(version, resourceVersion, initialEnd)),
  }
}
