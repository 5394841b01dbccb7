import { type FailureListeners, pluginFailed } from '../plugin-failure.ts'
import type { AuditBackend, WrittenEvent } from '../sink.ts'
import type { LineWriter } from './line-writer.ts'

/** Backend that writes each event as a line of a log. */
export function logBackend(writer: LineWriter, listeners: FailureListeners): AuditBackend {
  const write = async (event: WrittenEvent): Promise<boolean> => {
    try {
      await writer.write(event.line)
      return true
    } catch (error) {
      pluginFailed(listeners, 'log', error, [event])
      return false
    }
  }
  return {
    write: async events => (await Promise.all(events.map(write))).every(isWritten => isWritten),
    close: () => writer.close(),
  }
}
