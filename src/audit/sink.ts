import type { AuditLine } from './line.ts'

/** One-line text of an event, made when it is needed. */
export interface EventSummary {
  /** Approximate memory that it retains until then. */
  readonly bytes: number
  text(): string
}

/** An event to be written: its line, and its summary for the log in case of failure. */
export interface WrittenEvent {
  readonly line: AuditLine
  readonly summary: EventSummary
}

/** Takes events one by one. The mode determines whether requests wait. */
export interface AuditSink {
  /** Whether requests wait until their events are written. */
  readonly waits: boolean
  /** Resolves with false if the event is lost and a request that has only begun must fail. Never rejects. */
  process(event: WrittenEvent): Promise<boolean>
  /** Writes the waiting events, and waits for them. */
  close(): Promise<void>
}

/** Destination of events: a log or a webhook. */
export interface AuditBackend {
  /** Resolves with false if events were lost, which are counted and logged. Never rejects. */
  write(events: readonly WrittenEvent[]): Promise<boolean>
  /** Called when nothing more is written. */
  close(): Promise<void>
}
