import type { Attributes, Span, Spans } from '../../src/lib/spans.ts'

/** A span that has ended. */
interface Ended {
  readonly name: string
  readonly attributes: Attributes
  readonly failure: string | undefined
}

/** The request that the running work is done for is recorded, and this has what ended within it. */
export class RecordedSpans implements Spans {
  readonly traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  readonly ended: Ended[] = []

  current(): Span {
    return this.#span('request', {})
  }

  #span(name: string, given: Attributes): Span {
    return {
      isRecorded: true,
      traceparent: this.traceparent,
      begin: (inner, attributes) => this.#span(inner, attributes),
      end: (attributes, failure) => void this.ended.push({ name, attributes: { ...given, ...attributes }, failure }),
    }
  }
}
