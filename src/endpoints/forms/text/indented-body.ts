import { JsonIndenter } from '../../../codec/json-indent.ts'
import type { FilledBody } from '../../../lib/filled-body.ts'
import { nextTurn, turnIsSpent } from '../../../lib/turn.ts'

const PART_BYTES = 64 * 1024

/** A long body of JSON, indented while it is sent. It is opened twice: what comes of it is measured first, as an answer begins with its length. */
export async function indentedBody(open: () => FilledBody): Promise<FilledBody> {
  const part = Buffer.allocUnsafe(PART_BYTES)
  const measuring = new JsonIndenter()
  let length = 0
  const measured = open()
  for (let read = 0; read < measured.length; ) {
    if (turnIsSpent()) await nextTurn()
    const filled = measured.fill(part)
    read += filled.length
    length += measuring.measure(filled)
  }
  const body = open()
  const indenter = new JsonIndenter()
  let taken: Buffer = Buffer.alloc(0)
  let at = 0
  let left = body.length
  const fill = (target: Buffer): Buffer => {
    let out = 0
    for (;;) {
      const { read, written } = indenter.write(taken, at, target, out)
      at = read
      out = written
      if (at < taken.length || left === 0) return target.subarray(0, out)
      taken = body.fill(part)
      left -= taken.length
      at = 0
    }
  }
  return { length, fill }
}
