/** Values of a span. */
export type Attributes = Readonly<Record<string, string | number>>

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
export interface Tracing {
  begin(request: TracedRequest): Span
  /** Sends what is left. */
  close(): Promise<void>
}

/** A part of a trace. */
export interface Span {
  /** Somebody will see it. */
  readonly isRecorded: boolean
  begin(name: string, attributes: Attributes): Span
  /** `failure`: why what it stands for has failed. */
  end(attributes?: Attributes, failure?: string): void
}
