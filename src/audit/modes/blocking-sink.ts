import type { AuditBackend, AuditSink } from '../sink.ts'

/** The modes blocking and blocking-strict: a request waits for each of its events. `strict`: one whose first event can't be written fails. */
export const blockingSink = (backend: AuditBackend, strict: boolean): AuditSink => ({
  waits: true,
  process: async event => (await backend.write([event])) || !strict,
  close: () => backend.close(),
})
