import { errorMessage } from '../lib/error-message.ts'
import type { Logger } from '../lib/log.ts'
import type { AuditMetrics, AuditPlugin } from './metrics.ts'
import type { WrittenEvent } from './sink.ts'

/** Metrics and log that record lost events. */
export interface FailureListeners {
  readonly metrics: AuditMetrics
  readonly log: Logger
}

/** Maximum events of a lost batch that are logged. */
const MOST_LOGGED = 10

/** Counts and logs events that a part of auditing has lost. */
export function pluginFailed(
  { metrics, log }: FailureListeners,
  plugin: AuditPlugin,
  error: unknown,
  events: readonly Pick<WrittenEvent, 'summary'>[],
): void {
  metrics.failed(plugin, events.length)
  const summaries = events.slice(0, MOST_LOGGED).map(event => event.summary.text())
  log.error(`Error in audit plugin '${plugin}' affecting ${events.length} audit events`, {
    error: errorMessage(error),
    event: summaries.join('\n'),
  })
}
