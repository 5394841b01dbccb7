import type { Transform } from '../../../codec/accept-header.ts'
import { wholeInSteps } from '../../../lib/filled-body.ts'
import { runInTurns } from '../../../lib/steps.ts'
import { uncreated } from '../../../lifecycle/uncreated.ts'
import type { StoredObject } from '../../../storage/storage.ts'
import type { Scope } from '../../scope.ts'
import type { Framing } from '../framing.ts'
import { INITIAL_END } from '../meta-v1.ts'
import { FRAME_END, TEXT_FRAMES, textFrame, textFrameStart } from '../text/text-frames.ts'
import { isLargeRow, renderTable, tableEvent } from './render-table.ts'
import { tableOf, tableOptions } from './table-of.ts'

/**
 * Framing of Tables with one row for each event. Frames are not shared: only the first event of a watch has the
 * columns.
 */
export function tableFraming(scope: Scope, as: Transform): Framing {
  const options = tableOptions(scope, as)
  const table = tableOf(scope)
  let first = true
  /** Frame of a large object, which is returned once. */
  let prepared: { readonly object: StoredObject; readonly frame: Buffer } | undefined
  return {
    ...TEXT_FRAMES,
    id: undefined,
    prepare(type, object) {
      if (!isLargeRow(table, object)) return undefined
      return async () => {
        await object.ready?.()
        const now = scope.env.clock.now()
        const open = await renderTable(table, { resourceVersion: String(object.revision) }, [object], { ...options, now }, first)
        first = false
        const body = await runInTurns(wholeInSteps(open()))
        // The newline ends the frame instead.
        prepared = { object, frame: Buffer.concat([textFrameStart(type), body.subarray(0, -1), FRAME_END]) }
      }
    },
    object(type, object) {
      if (prepared?.object === object) {
        const { frame } = prepared
        prepared = undefined
        return frame
      }
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
