import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

type CurrentResponse = Pick<ServerResponse, 'writableEnded'> & Partial<Pick<ServerResponse, 'req'>>

/**
 * Returns the response that Node's HTTP/1.1 server is writing to a connection. Node keeps it on the socket, for a while
 * after its end as well, in a property that its types omit.
 */
export const currentResponse = (socket: Duplex): CurrentResponse | undefined =>
  '_httpMessage' in socket && isResponse(socket._httpMessage) ? socket._httpMessage : undefined

const isResponse = (value: unknown): value is CurrentResponse => typeof value === 'object' && value !== null && 'writableEnded' in value
