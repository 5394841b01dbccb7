import type { Transform } from '../../../codec/accept-header.ts'
import { uncreated } from '../../../lifecycle/uncreated.ts'
import type { Scope } from '../../scope.ts'
import type { Framing } from '../framing.ts'
import { INITIAL_END } from '../meta-v1.ts'
import { TEXT_FRAMES, textFrame } from '../text/text-frames.ts'
import { tableEvent } from './render-table.ts'
import { tableOf, tableOptions } from './table-of.ts'

/**
 * Framing of Tables with one row for each event. Frames are not shared: only the first event of a watch has the
 * columns.
 */
export function tableFraming(scope: Scope, as: Transform): Framing {
  const options = tableOptions(scope, as)
  const table = tableOf(scope)
  let first = true
  return {
    ...TEXT_FRAMES,
    id: undefined,
    object(type, object) {
      const frame = textFrame(type, tableEvent(table, object.object(), { ...options, now: scope.env.clock.now() }, first))
      first = false
      return frame
    },
    bookmark(resourceVersion, initialEnd) {
      const metadata = { resourceVersion, ...uncreated(scope.snapshot.release), ...(initialEnd && { annotations: INITIAL_END }) }
      return textFrame('BOOKMARK', tableEvent(table, { kind: '', apiVersion: '', metadata }, options, false))
    },
  }
}
