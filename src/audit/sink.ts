import type { AuditLine } from './line.ts'

/** An event that is to be written: its line, and what is told of it where that fails. */
export interface WrittenEvent {
  readonly line: AuditLine
  /** In the one-line text. */
  told(): string
}

/** Where events go. */
export interface AuditSink {
  /** Requests wait until their events are written. */
  readonly waits: boolean
  /** False: the event is lost, and with it the request, if it has only begun. Never rejects. */
  process(event: WrittenEvent): Promise<boolean>
  /** Writes what waits, for as long as that may take. */
  close(): Promise<void>
}
