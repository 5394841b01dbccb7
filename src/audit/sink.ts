import type { AuditLine } from './line.ts'

/** The one-line text of an event, made where it is wanted. */
export interface EventSummary {
  /** What it keeps until then, about. */
  readonly bytes: number
  text(): string
}

/** An event that is to be written: its line, and its summary for the log where writing fails. */
export interface WrittenEvent {
  readonly line: AuditLine
  readonly summary: EventSummary
}

/** Takes events one by one, in a mode: requests wait for it, or don't. */
export interface AuditSink {
  /** Requests wait until their events are written. */
  readonly waits: boolean
  /** False: the event is lost, and with it the request, if it has only begun. Never rejects. */
  process(event: WrittenEvent): Promise<boolean>
  /** Writes what waits, for as long as that may take. */
  close(): Promise<void>
}

/** Where events go: a log, or a webhook. */
export interface AuditBackend {
  /** False where events are lost: they are counted and logged. Never rejects. */
  write(events: readonly WrittenEvent[]): Promise<boolean>
  /** When nothing more is written. */
  close(): Promise<void>
}
