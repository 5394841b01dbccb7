import type { AnyObject } from '../any-object.ts'
import type { SeenAnswer } from './seen.ts'

export interface ModelRequest {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
  /** Default: JSON. */
  readonly accept?: string
}

/** A watch under way. */
export interface ModelStream {
  /** Response in place of a stream. Undefined until it arrives. */
  readonly refusal: SeenAnswer | undefined
  /** Resolves with who ended it. */
  readonly ended: Promise<'client' | 'server'>
  /** The client goes away. */
  cut(): void
}

/** A server as clients of the model see it. */
export interface ModelServer {
  ask(request: ModelRequest): Promise<SeenAnswer>
  /** `slow`: reads so slowly that the server may give it up. */
  watch(path: string, accept: string, onEvent: (type: string, object: AnyObject) => void, slow: boolean): ModelStream
}

/** Calls back for each whole line of what comes in pieces. */
export function onLines(take: (line: string) => void): (text: string) => void {
  let rest = ''
  return text => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') take(line)
  }
}
