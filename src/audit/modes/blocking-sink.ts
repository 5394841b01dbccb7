import type { AuditBackend, AuditSink } from '../sink.ts'

/**
 * The modes blocking and blocking-strict: a request waits for each of its events. `strict`: a request whose first event
 * cannot be written fails.
 */
export const blockingSink = (backend: AuditBackend, strict: boolean): AuditSink => ({
  waits: true,
  process: async event => (await backend.write([event])) || !strict,
  close: () => backend.close(),
})
