import { errorMessage } from './error-message.ts'

/** Values of a span. */
export type Attributes = Readonly<Record<string, string | number>>

/** A part of a trace. */
export interface Span {
  /** Somebody will see it. */
  readonly isRecorded: boolean
  /** The header by which another server makes what it does for this one a part of it (https://www.w3.org/TR/trace-context/). */
  readonly traceparent: string
  begin(name: string, attributes: Attributes): Span
  /** `failure`: why what it stands for has failed. */
  end(attributes?: Attributes, failure?: string): void
}

/** Where work is recorded, for code that makes calls: absent where nothing is. */
export interface Spans {
  /** Of the request that the running work is done for; undefined where it is not recorded. */
  current(): Span | undefined
}

/** Does work in a span of its own, where the request is recorded; otherwise it costs a look. */
export function inSpan<T>(spans: Spans | undefined, name: string, attributes: () => Attributes, work: (span?: Span) => Promise<T>): Promise<T> {
  const span = spans?.current()?.begin(name, attributes())
  return span === undefined ? work() : ended(span, work(span))
}

/** The same of work that does not wait. */
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
