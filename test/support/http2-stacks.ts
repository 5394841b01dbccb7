import type { Http2Stack } from '../../src/server/connections/http2-stacks.ts'

/** HTTP/2 stacks, by the server's flag --http2. */
export const HTTP2_STACKS: readonly Http2Stack[] = ['own', 'builtin']

/** The stack of servers that a test starts without naming one: HTTP2=builtin runs the tests on Node's. */
export const HTTP2_STACK: Http2Stack = HTTP2_STACKS.find(stack => stack === process.env.HTTP2) ?? 'own'
