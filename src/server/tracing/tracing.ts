import type { Attributes, Span, Spans } from '../../lib/spans.ts'

/** A request for which a span begins. */
export interface TracedRequest {
  /** Name of the span. */
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly begun: number
  /** Headers of the request, of which traceparent and tracestate are used (https://www.w3.org/TR/trace-context/). */
  readonly headers: Readonly<Record<string, unknown>>
  /** Whether the span joins the client's trace. Otherwise it begins a trace that is linked to it. */
  readonly trusted: boolean
  readonly attributes: Attributes
}

/**
 * Traces requests, and exports the spans to a collector. Spans that cannot be exported are dropped; requests do not
 * wait for the export.
 */
export interface Tracing extends Spans {
  /** Begins the span of a request. */
  begin(request: TracedRequest): Span
  /** Runs `work` with the span as the current one, across everything that it awaits. */
  within<T>(span: Span, work: () => T): T
  /** Exports the remaining spans. */
  close(): Promise<void>
}
