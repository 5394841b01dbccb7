import type { Scope } from '../../scope.ts'
import type { Framing } from '../framing.ts'
import { TEXT_FRAMES, textFrame } from '../text/text-frames.ts'

const TAIL = Buffer.from('}\n')
const HEAD = ['{"type":"', '","object":'] as const
const HEAD_BYTES = HEAD[0].length + HEAD[1].length

/** Writes a frame. Returns its end. */
function writeFrame(type: string, bytes: Buffer, memory: Buffer, from: number): number {
  const at = from + memory.write(`${HEAD[0]}${type}${HEAD[1]}`, from, 'latin1')
  memory.set(bytes, at)
  memory.set(TAIL, at + bytes.length)
  return at + bytes.length + TAIL.length
}

/** Frames with at least this many bytes are copied once, for all batches and kinds of connections. */
const LARGE_BYTES = 64 * 1024

/** Frame heads by event type. There are three. */
const heads = new Map<string, Buffer>()

function framingHead(type: string): Buffer {
  let head = heads.get(type)
  if (head === undefined) {
    head = Buffer.from(`${HEAD[0]}${type}${HEAD[1]}`)
    heads.set(type, head)
  }
  return head
}

/** Framing that copies frames from the stored bytes of objects. */
export function textObjectFraming({ dialect, served: { version }, snapshot }: Scope): Framing {
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
      return bytes.length < LARGE_BYTES ? [framingHead(type), bytes, TAIL] : undefined
    },
    into(type, object, memory, at) {
      const { bytes } = object.json()
      return at + HEAD_BYTES + type.length + bytes.length + TAIL.length > memory.length ? 0 : writeFrame(type, bytes, memory, at)
    },
    bookmark: (resourceVersion, initialEnd) =>
      textFrame('BOOKMARK', dialect.bookmark(version, resourceVersion, initialEnd, snapshot.release)),
  }
}
