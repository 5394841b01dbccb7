import { errorMessage } from '../../lib/error-message.ts'
import type { Logger } from '../../lib/log.ts'
import type { AuditMetrics } from '../metrics.ts'
import type { AuditSink, WrittenEvent } from '../sink.ts'
import type { LineWriter } from './line-writer.ts'

interface Written {
  readonly writer: LineWriter
  readonly metrics: AuditMetrics
  readonly log: Logger
}

/** Writes one event, and counts and logs it where that fails: false then. */
export async function writeEvent({ writer, metrics, log }: Written, event: WrittenEvent): Promise<boolean> {
  try {
    await writer.write(event.line)
    return true
  } catch (error) {
    metrics.failed('log', 1)
    log.error("Error in audit plugin 'log' affecting 1 audit events", { error: errorMessage(error), event: event.told() })
    return false
  }
}

/** The modes blocking and blocking-strict: a request waits for each of its events. `strict`: one whose first event can't be written fails. */
export const blockingSink = (parts: Written, strict: boolean): AuditSink => ({
  waits: true,
  process: async event => (await writeEvent(parts, event)) || !strict,
  close: () => parts.writer.close(),
})
