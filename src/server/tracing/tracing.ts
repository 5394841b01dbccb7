import type { Attributes, Span, Spans } from '../../lib/spans.ts'

/** What is known of a request when its span begins. */
export interface TracedRequest {
  /** Of the span. */
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly begun: number
  /** The headers traceparent and tracestate (https://www.w3.org/TR/trace-context/). */
  readonly headers: Readonly<Record<string, unknown>>
  /** The span becomes part of the client's trace; otherwise it begins one that is linked with it. */
  readonly trusted: boolean
  readonly attributes: Attributes
}

/** Traces requests, and sends what it has recorded to a collector. What cannot be sent is lost: nothing waits for it. */
export interface Tracing extends Spans {
  begin(request: TracedRequest): Span
  /** Does work, and all that it waits for, for which the span is the current one. */
  within<T>(span: Span, work: () => T): T
  /** Sends what is left. */
  close(): Promise<void>
}
