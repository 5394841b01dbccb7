import { errorMessage } from './error-message.ts'

/** Attributes of a span. */
export type Attributes = Readonly<Record<string, string | number>>

/** A span of a trace. */
export interface Span {
  /** Whether the span is exported. */
  readonly isRecorded: boolean
  /** Header that makes the work of another server part of the trace (https://www.w3.org/TR/trace-context/). */
  readonly traceparent: string
  begin(name: string, attributes: Attributes): Span
  /** Ends the span. `failure`: reason if the operation failed. */
  end(attributes?: Attributes, failure?: string): void
}

/** Tracing for code that calls other servers. Omitted if tracing is off. */
export interface Spans {
  /** Returns the span of the current request. Undefined if the request is not recorded. */
  current(): Span | undefined
}

/** Runs work in a span of its own if the request is recorded; otherwise only the check is added. */
export function inSpan<T>(
  spans: Spans | undefined,
  name: string,
  attributes: () => Attributes,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  const span = spans?.current()?.begin(name, attributes())
  return span === undefined ? work() : ended(span, work(span))
}

/** Like `inSpan`, for synchronous work. */
export function inSpanAtOnce<T>(spans: Spans | undefined, name: string, attributes: () => Attributes, work: () => T): T {
  const span = spans?.current()?.begin(name, attributes())
  if (span === undefined) return work()
  try {
    const done = work()
    span.end()
    return done
  } catch (error) {
    span.end(undefined, errorMessage(error))
    throw error
  }
}

async function ended<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    const done = await work
    span.end()
    return done
  } catch (error) {
    span.end(undefined, errorMessage(error))
    throw error
  }
}
